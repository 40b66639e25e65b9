//! Styles and scripts, embedded in the program. Their URLs hold a hash of all of them, so browsers may cache them forever.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use crate::auth::hex;
use crate::http_error::{HttpError, Result};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

macro_rules! asset {
    ($name:literal, $media_type:expr) => {
        ($name, $media_type, include_str!(concat!("../static/", $name)))
    };
}

const ASSETS: [(&str, &str, &str); 17] = [
    asset!("base.css", STYLE),
    asset!("dashboard.css", STYLE),
    asset!("hierarchy.css", STYLE),
    asset!("work.css", STYLE),
    asset!("work.js", SCRIPT),
    asset!("live.js", SCRIPT),
    asset!("hierarchy.js", SCRIPT),
    asset!("treekeys.js", SCRIPT),
    asset!("drawing.js", SCRIPT),
    asset!("combobox.js", SCRIPT),
    asset!("messages.js", SCRIPT),
    asset!("toast.js", SCRIPT),
    asset!("chart.js", SCRIPT),
    asset!("wizard.js", SCRIPT),
    asset!("replay.js", SCRIPT),
    asset!("dashboard.js", SCRIPT),
    asset!("icon.svg", "image/svg+xml"),
];

static FOLDER: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for (name, _, text) in ASSETS {
        hash.update([name, "\0", text, "\0"].concat());
    }
    format!("/static/{}", &hex(&hash.finalize())[..12])
});

/// The path of the assets, without a slash at its end.
pub(crate) fn folder() -> &'static str {
    &FOLDER
}

pub(crate) async fn asset(Path((_, name)): Path<(String, String)>) -> Result<Response> {
    let (_, media_type, text) =
        ASSETS.into_iter().find(|(known, ..)| *known == name).ok_or(HttpError::NotFound)?;
    let headers =
        [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")];
    Ok((headers, text).into_response())
}
