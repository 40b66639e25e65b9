use askama::Template;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Redirect, Response};
use grove_store::Moment;

use super::translations::Texts;
use crate::app::App;
use crate::auth::{Account, hash_secret};
use crate::http_error::{HttpError, Result};

/// What every page of an owner has.
pub(super) struct Layout {
    pub(super) title: String,
    /// The name of the owner who is logged in.
    pub(super) owner: Option<String>,
}

impl Layout {
    pub(super) fn new(title: impl Into<String>, account: Option<&Account>) -> Self {
        Self { title: title.into(), owner: account.map(|account| account.0.name.clone()) }
    }
}

/// Why the last action was refused, shown above the page.
#[derive(Clone)]
pub(super) struct Notice {
    pub(super) text: String,
}

impl From<&HttpError> for Notice {
    fn from(error: &HttpError) -> Self {
        Self { text: sentence(error) }
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    layout: Layout,
    message: String,
}

/// The page behind a link that was revoked or has expired, for people without an account.
#[derive(Template)]
#[template(path = "work/gone.html")]
struct GonePage {
    texts: &'static Texts,
    heading: &'static str,
    advice: &'static str,
}

/// The beginnings of links that are sent to people without an account.
const LINKS: [&str; 3] = ["/w/", "/s/", "/p/"];

/// An error message as a sentence.
pub(super) fn sentence(error: &HttpError) -> String {
    capitalised(&error.to_string())
}

/// A message as a sentence.
pub(super) fn capitalised(message: &str) -> String {
    let mut letters = message.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

pub(super) fn render(template: &impl Template) -> Result<Response> {
    let html = template.render().map_err(|error| {
        tracing::error!(%error, "cannot render a page");
        HttpError::Internal
    })?;
    Ok(Html(html).into_response())
}

/// Returns a page that reports a client error, with its status. Server errors have a page of their own.
pub(super) fn with_error(page: Response, error: HttpError) -> Result<Response> {
    if error.status().is_server_error() { Err(error) } else { Ok((error.status(), page).into_response()) }
}

/// A probability with two digits; a dash where there is none.
pub(crate) fn probability(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"))
}

/// Whether a path begins with an invitation that has expired.
async fn has_expired(app: &App, path: &str) -> bool {
    let secret = path.strip_prefix("/w/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    // Long ago, so that one that has expired since is found too.
    let found = app.store().credential(&hash_secret(secret), Moment(0)).await.ok().flatten();
    found.and_then(|link| link.until).is_some_and(|until| until <= app.now())
}

/// Renders errors as pages, and redirects to the login page where authentication is required.
pub(super) async fn errors_as_pages(
    State(app): State<App>,
    uri: Uri,
    request: Request,
    next: Next,
) -> Response {
    let is_visit = request.method().is_safe();
    let headers = request.headers().clone();
    let mut response = next.run(request).await;
    let Some(error) = response.extensions().get::<HttpError>().cloned() else { return response };
    if error == HttpError::Unauthorized {
        // A path, never a whole URL, which could lead to another site.
        return Redirect::to(&format!("/login?next={}", if is_visit { uri.path() } else { "/" }))
            .into_response();
    }
    if error == HttpError::NotFound && LINKS.iter().any(|link| uri.path().starts_with(link)) {
        let texts = Texts::preferred(&headers);
        let (heading, advice) = match has_expired(&app, uri.path()).await {
            true => (texts.expired, texts.ask_for_new),
            false => (texts.gone, texts.ask_again),
        };
        let page = render(&GonePage { texts, heading, advice });
        return page.map(|page| (StatusCode::NOT_FOUND, page).into_response()).unwrap_or(response);
    }
    let account = Account::authenticate(&app, &headers).await.ok();
    let title = match error.status() {
        StatusCode::NOT_FOUND => "Page not found",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests",
        status if status.is_server_error() => "Temporarily unavailable",
        _ => "That did not work",
    };
    let page = ErrorPage { layout: Layout::new(title, account.as_ref()), message: sentence(&error) };
    if let Ok(page) = render(&page) {
        let (parts, body) = page.into_parts();
        response.headers_mut().extend(parts.headers);
        response.headers_mut().remove(header::CONTENT_LENGTH);
        *response.body_mut() = body;
    }
    response
}
