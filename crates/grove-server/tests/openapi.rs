//! The OpenAPI document is a file of this package, so that every change of the API is visible in a diff.

use std::path::Path;

/// `UPDATE_SNAPSHOTS=1 cargo test -p grove-server openapi` writes the file anew.
#[test]
fn openapi_document_is_the_committed_one() {
    let document: serde_json::Value = serde_json::from_str(&grove_server::openapi()).unwrap();
    let document = format!("{document:#}\n");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&file, &document).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap();
    let differing = committed.lines().zip(document.lines()).position(|(committed, now)| committed != now);
    assert!(
        committed == document,
        "the API differs from openapi.json from line {} on; if that is meant, run `UPDATE_SNAPSHOTS=1 cargo test -p grove-server openapi`",
        differing.unwrap_or_else(|| committed.lines().count().min(document.lines().count())) + 1
    );
}
