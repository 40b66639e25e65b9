use askama::Template;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Redirect, Response};

use crate::app::App;
use crate::auth::Caller;
use crate::fault::Fault;

/// What every page of an owner has.
pub(super) struct Shell {
    pub(super) title: String,
    /// Who is logged in.
    pub(super) owner: Option<String>,
}

impl Shell {
    pub(super) fn new(title: impl Into<String>, caller: Option<&Caller>) -> Self {
        Self { title: title.into(), owner: caller.map(|caller| caller.owner.name.clone()) }
    }
}

/// What came of the last thing that was done.
#[derive(Clone)]
pub(super) struct Note {
    pub(super) text: String,
    pub(super) wrong: bool,
}

impl Note {
    pub(super) fn good(text: impl Into<String>) -> Self {
        Self { text: text.into(), wrong: false }
    }
}

impl From<&Fault> for Note {
    fn from(fault: &Fault) -> Self {
        Self { text: sentence(&fault.message()), wrong: true }
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    shell: Shell,
    message: String,
}

/// A message as a sentence of its own.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

/// A page as a response.
pub(super) fn page(template: &impl Template) -> Result<Response, Fault> {
    let html = template.render().map_err(|error| {
        tracing::error!(%error, "a page cannot be written");
        Fault::Internal
    })?;
    Ok(Html(html).into_response())
}

/// A certainty for people; a dash where there is none.
pub(crate) fn chance(certainty: Option<f64>) -> String {
    certainty.map_or_else(|| "–".to_owned(), |certainty| format!("{certainty:.2}"))
}

/// Money in hundredths, for people.
pub(super) fn money(cents: f64) -> String {
    format!("{:.2}", cents / 100.0)
}

/// What went wrong is told in a page; who is not known is asked to log in.
pub(super) async fn faults_as_pages(
    State(app): State<App>,
    uri: Uri,
    request: Request,
    next: Next,
) -> Response {
    let is_visit = request.method().is_safe();
    let headers = request.headers().clone();
    let response = next.run(request).await;
    let Some(fault) = response.extensions().get::<Fault>().cloned() else { return response };
    if fault == Fault::Unauthorized {
        let wanted = if is_visit { uri.path() } else { "/" };
        // A path, not a whole address, and nothing that could become one.
        return Redirect::to(&format!("/login?next={wanted}")).into_response();
    }
    let caller = Caller::of(&app, &headers).await.ok();
    let title = match fault.status() {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::TOO_MANY_REQUESTS => "Too often",
        status if status.is_server_error() => "Not at present",
        _ => "That did not work",
    };
    let error = ErrorPage { shell: Shell::new(title, caller.as_ref()), message: sentence(&fault.message()) };
    match page(&error) {
        Ok(told) => {
            let mut response = response;
            let (parts, body) = told.into_parts();
            response.headers_mut().extend(parts.headers);
            response.headers_mut().remove(axum::http::header::CONTENT_LENGTH);
            *response.body_mut() = body;
            response
        }
        Err(_) => response,
    }
}
