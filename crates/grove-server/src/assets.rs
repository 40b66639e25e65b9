//! Styles and scripts, embedded in the program. Their addresses hold a hash of all of them, so browsers may keep them for ever.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use crate::auth::hex;
use crate::fault::Fault;

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

macro_rules! asset {
    ($name:literal, $media_type:expr) => {
        ($name, $media_type, include_str!(concat!("../static/", $name)))
    };
}

const ASSETS: [(&str, &str, &str); 9] = [
    asset!("base.css", STYLE),
    asset!("dashboard.css", STYLE),
    asset!("work.css", STYLE),
    asset!("work.js", SCRIPT),
    asset!("live.js", SCRIPT),
    asset!("tree.js", SCRIPT),
    asset!("replay.js", SCRIPT),
    asset!("dashboard.js", SCRIPT),
    asset!("icon.svg", "image/svg+xml"),
];

static FOLDER: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for (name, _, text) in ASSETS {
        hash.update(name);
        hash.update([0]);
        hash.update(text);
        hash.update([0]);
    }
    format!("/static/{}", &hex(&hash.finalize())[..12])
});

/// Where they are: a path without a slash at its end.
pub(crate) fn folder() -> &'static str {
    &FOLDER
}

/// Answers with one of them.
pub(crate) async fn asset(Path((_, name)): Path<(String, String)>) -> Result<Response, Fault> {
    let found = ASSETS.iter().find(|(known, ..)| *known == name).ok_or(Fault::NotFound)?;
    let headers =
        [(header::CONTENT_TYPE, found.1), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")];
    Ok((headers, found.2).into_response())
}
