use axum::http::{Extensions, HeaderMap, StatusCode, Version};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};

/// Marks a response that shows a secret. Compressed, its length could tell somebody who lets a browser ask for it again and again, each
/// time with another guess beside it, how good the guess is (BREACH).
#[derive(Clone, Copy)]
pub(crate) struct ShowsSecret;

/// Compresses responses, but neither those that show a secret, nor streams of events, nor pictures, nor short ones.
pub(crate) fn compression() -> CompressionLayer<impl Predicate> {
    let shows_no_secret = |_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions| {
        extensions.get::<ShowsSecret>().is_none()
    };
    CompressionLayer::new().compress_when(DefaultPredicate::new().and(shows_no_secret))
}
