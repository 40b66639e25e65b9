use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::fault::Fault;

/// Lets a request that changes something pass only from our own pages, or with a token, which no other site's page can have sent: then
/// cookies are not looked at.
pub(crate) async fn same_origin(State(app): State<App>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    // A program that shows nothing at all is told by the API that it is not known.
    let unknown = request.uri().path().starts_with("/api/") && !headers.contains_key(header::COOKIE);
    let harmless = unknown || matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if harmless || headers.contains_key(header::AUTHORIZATION) || is_ours(&app, headers) {
        return next.run(request).await;
    }
    Fault::Forbidden("this came from another site; open the page itself and try again").into_response()
}

/// Whether the browser says that one of our own pages asks. A browser that says nothing is not believed.
fn is_ours(app: &App, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    let (site, origin) = (text("sec-fetch-site"), text("origin"));
    match (site, origin) {
        (Some("same-origin") | None, Some(origin)) => app.public().is_ours(origin),
        (Some("same-origin"), None) => true,
        _ => false,
    }
}
