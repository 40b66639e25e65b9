use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::{App, AppState};
use crate::http_error::HttpError;

/// Rejects a request that changes something unless it comes from one of our own pages or carries a token. Pages of other sites cannot
/// send a token, and where there is one, cookies are ignored.
pub(crate) async fn require_same_origin(State(app): State<App>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    // Without any credential the API answers 401, which tells a program more than 403 would.
    let anonymous = request.uri().path().starts_with("/api/") && !headers.contains_key(header::COOKIE);
    let harmless = anonymous || request.method().is_safe();
    if harmless || headers.contains_key(header::AUTHORIZATION) || is_same_origin(&app, headers) {
        return next.run(request).await;
    }
    let why = "the request came from another site; open the page itself and try again";
    HttpError::Forbidden(why.to_owned()).into_response()
}

/// Whether the browser says that one of our own pages sent the request. Saying nothing does not count.
fn is_same_origin(app: &AppState, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    match (text("sec-fetch-site"), text("origin")) {
        (Some("same-origin") | None, Some(origin)) => app.public_address.is_ours(origin),
        (Some("same-origin"), None) => true,
        _ => false,
    }
}
