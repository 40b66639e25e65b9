use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use grove_store::{CredentialId, OwnerId, Purpose};
use serde::Deserialize;

use super::layout::{Layout, render, sentence, with_error};
use crate::app::{App, AppState};
use crate::auth::{
    DEVICE, Guess, SESSION, Secret, audit, device_cookie, end_session, hash_secret, issue, session_cookie,
    session_secret,
};
use crate::extract::{Form, LastParam, QueryParams};
use crate::http_error::{HttpError, Result};
use crate::middleware::ClientAddress;

/// How much of a browser's name is kept.
const MAX_BROWSER: usize = 150;

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    layout: Layout,
    error: Option<String>,
    next: String,
}

#[derive(Template)]
#[template(path = "enter.html")]
struct EnterPage {
    layout: Layout,
    name: String,
    next: String,
}

#[derive(Template)]
#[template(path = "setup.html")]
struct SetupPage {
    layout: Layout,
    error: Option<String>,
    name: String,
}

#[derive(Deserialize)]
pub(super) struct NextPath {
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub(super) struct LoginForm {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
}

/// A path on this server, or the home page: never another site.
fn local(next: &str) -> &str {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '.');
    if next.starts_with('/') && !next.starts_with("//") && next.chars().all(plain) { next } else { "/" }
}

fn login_page(error: Option<String>, next: String) -> Result<Response> {
    render(&LoginPage { layout: Layout::new("Log in", None), error, next })
}

pub(super) async fn form(QueryParams(to): QueryParams<NextPath>) -> Result<Response> {
    login_page(None, to.next)
}

pub(super) async fn log_in(
    State(app): State<App>,
    address: ClientAddress,
    headers: HeaderMap,
    Form(login): Form<LoginForm>,
) -> Result<Response> {
    let name = login.name.trim().to_owned();
    let owner = app.store().owner_named(&name).await?;
    let guess = Guess::to_log_in(&app, &headers, address, &name, owner.as_ref()).await?;
    let is_known_device = guess.is_from_known_device();
    let checked = guess.check(&app, login.password, owner.as_ref()).await;
    match (checked, owner) {
        (Ok(true), Some(owner)) => {
            tracing::info!(owner = %owner.id.0, address = %address.0, "an owner logged in");
            audit(&app, Some(owner.id), "logged in", address).await;
            let response = start_session(&app, owner.id, local(&login.next), &headers).await?;
            if is_known_device {
                return Ok(response);
            }
            let device = issue::<HttpError>(&app, Purpose::Device(owner.id), DEVICE, String::new()).await?;
            Ok((AppendHeaders(device_cookie(&app, &device)), response).into_response())
        }
        (Ok(_), owner) => {
            app.metrics.count_failed_login();
            audit(&app, owner.as_ref().map(|owner| owner.id), "login failed", address).await;
            // Not the name: some people type their password there.
            let owner = owner.map_or_else(|| "unknown".to_owned(), |owner| owner.id.0.to_string());
            tracing::warn!(owner, address = %address.0, "a login failed");
            let page = login_page(Some("Wrong name or password.".to_owned()), login.next)?;
            Ok((StatusCode::FORBIDDEN, page).into_response())
        }
        (Err(error @ HttpError::TooManyRequests { retry_after }), _) => {
            app.metrics.count_refused_login();
            let error_text = format!(
                "Too many failed logins. Try again in {}, or log in with a browser in which you have logged in before.",
                waiting(retry_after)
            );
            let page = login_page(Some(error_text), login.next)?;
            Ok((error.status(), [(header::RETRY_AFTER, retry_after.to_string())], page).into_response())
        }
        (Err(error), _) => Err(error),
    }
}

/// A time to wait, for people.
fn waiting(seconds: u64) -> String {
    match (seconds.div_ceil(3600), seconds.div_ceil(60)) {
        (hours @ 2.., _) => format!("{hours} hours"),
        (_, minutes @ 2..) => format!("{minutes} minutes"),
        _ => "a minute".to_owned(),
    }
}

/// The browser's name for itself, by which its owner may recognise the session later.
fn browser(headers: &HeaderMap) -> String {
    let name = headers.get(header::USER_AGENT).and_then(|name| name.to_str().ok()).unwrap_or_default();
    name.trim().chars().filter(|c| c.is_ascii() && !c.is_control()).take(MAX_BROWSER).collect()
}

async fn start_session(app: &AppState, owner: OwnerId, to: &str, headers: &HeaderMap) -> Result<Response> {
    let secret = issue::<HttpError>(app, Purpose::Session(owner), SESSION, browser(headers)).await?;
    Ok((session_cookie(app, &secret), Redirect::to(to)).into_response())
}

/// The name of the owner whose session a program started for the person in front of it.
async fn entering(app: &AppState, secret: &str) -> Result<String> {
    let credential = app.store().credential(&hash_secret(secret), app.now()).await?;
    let Some(Purpose::Session(owner)) = credential.map(|credential| credential.purpose) else {
        return Err(HttpError::NotFound);
    };
    Ok(app.store().owner(owner).await?.ok_or(HttpError::NotFound)?.name)
}

/// Asks whether to continue that session. Following a link must not log anybody in: another site could have sent them here to work in an account
/// that is not theirs.
pub(super) async fn enter_form(
    State(app): State<App>,
    headers: HeaderMap,
    LastParam(secret): LastParam<String>,
    QueryParams(to): QueryParams<NextPath>,
) -> Result<Response> {
    let name = entering(&app, &secret).await?;
    if session_secret(&app, &headers).is_some_and(|known| known == secret) {
        return Ok(Redirect::to(local(&to.next)).into_response());
    }
    render(&EnterPage { layout: Layout::new("Log in", None), name, next: to.next })
}

/// Continues the session.
pub(super) async fn enter(
    State(app): State<App>,
    LastParam(secret): LastParam<String>,
    Form(to): Form<NextPath>,
) -> Result<Response> {
    entering(&app, &secret).await?;
    let cookie = session_cookie(&app, &Secret::from(secret));
    Ok((cookie, Redirect::to(local(&to.next))).into_response())
}

pub(super) async fn log_out(
    State(app): State<App>,
    address: ClientAddress,
    headers: HeaderMap,
) -> Result<Response> {
    if let Some(secret) = session_secret(&app, &headers)
        && let Some(session) = app.store().credential(&hash_secret(&secret), app.now()).await?
    {
        app.store().revoke_credential(session.id, app.now()).await?;
        if let Purpose::Session(owner) = session.purpose {
            audit(&app, Some(owner), "logged out", address).await;
        }
        app.credentials_changed();
    }
    Ok((end_session(&app), Redirect::to("/login")).into_response())
}

/// The credential for creating the first account, while there is none.
async fn setup_credential(app: &AppState, secret: &str) -> Result<CredentialId> {
    let credential = app.store().credential(&hash_secret(secret), app.now()).await?;
    let valid = credential.filter(|credential| credential.purpose == Purpose::FirstOwner);
    let has_owner = !app.store().owners().await?.is_empty();
    valid.filter(|_| !has_owner).map(|credential| credential.id).ok_or(HttpError::NotFound)
}

fn setup_page(error: Option<String>, name: String) -> Result<Response> {
    render(&SetupPage { layout: Layout::new("Welcome", None), error, name })
}

pub(super) async fn setup_form(
    State(app): State<App>,
    LastParam(secret): LastParam<String>,
) -> Result<Response> {
    setup_credential(&app, &secret).await?;
    setup_page(None, String::new())
}

pub(super) async fn set_up(
    State(app): State<App>,
    address: ClientAddress,
    headers: HeaderMap,
    LastParam(secret): LastParam<String>,
    Form(form): Form<LoginForm>,
) -> Result<Response> {
    let credential = setup_credential(&app, &secret).await?;
    let LoginForm { name, password, .. } = form;
    let create = async {
        let hash = app.hashing.hash(password).await?;
        Ok(app.workspace.create_first_account(credential, name.trim(), hash).await?)
    };
    match create.await {
        Ok(Some(id)) => {
            audit(&app, Some(id), "account created", address).await;
            start_session(&app, id, "/", &headers).await
        }
        // Somebody else was faster.
        Ok(None) => Err(HttpError::NotFound),
        Err(error) => with_error(setup_page(Some(sentence(&error)), name)?, error),
    }
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn redirects_never_lead_to_another_site() {
        assert_eq!(local("/campaigns/01-2"), "/campaigns/01-2");
        for wrong in ["", "//evil", "https://evil", "/\\evil", "/a?b=//c", "/a\nb"] {
            assert_eq!(local(wrong), "/", "{wrong}");
        }
    }
}
