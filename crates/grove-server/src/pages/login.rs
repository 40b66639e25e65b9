use std::net::SocketAddr;

use askama::Template;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use grove_store::{CredentialId, OwnerId, Purpose};
use serde::Deserialize;

use super::layout::{Layout, render, sentence, with_error};
use crate::app::{App, AppState};
use crate::auth::{
    SESSION, Secret, end_session, hash, hash_secret, issue, session_cookie, session_secret, verify,
};
use crate::extract::{Form, LastParam, QueryParams};
use crate::http_error::{HttpError, Result};

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    layout: Layout,
    error: Option<String>,
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
    address: Option<axum::Extension<ConnectInfo<SocketAddr>>>,
    Form(login): Form<LoginForm>,
) -> Result<Response> {
    // A client can write anything into forwarding headers, so they are ignored.
    let address = address.map_or_else(String::new, |address| address.0.0.ip().to_string());
    let name = login.name.trim().to_owned();
    app.login_rates.check(&format!("name {name}"), app.now())?;
    app.login_rates.check(&format!("address {address} {name}"), app.now())?;
    let owner = app.store().owner_named(&name).await?;
    let matches = verify(login.password, owner.as_ref().map(|owner| owner.password_hash.clone())).await;
    match owner.filter(|_| matches) {
        Some(owner) => start_session(&app, owner.id, local(&login.next)).await,
        None => {
            let page = login_page(Some("Wrong name or password.".to_owned()), login.next)?;
            Ok((StatusCode::FORBIDDEN, page).into_response())
        }
    }
}

async fn start_session(app: &AppState, owner: OwnerId, to: &str) -> Result<Response> {
    let secret = issue::<HttpError>(app, Purpose::Session(owner), SESSION).await?;
    Ok((session_cookie(app, &secret), Redirect::to(to)).into_response())
}

/// Continues a session that a program started for the person in front of it.
pub(super) async fn enter(
    State(app): State<App>,
    LastParam(secret): LastParam<String>,
    QueryParams(to): QueryParams<NextPath>,
) -> Result<Response> {
    let credential = app.store().credential(&hash_secret(&secret), app.now()).await?;
    match credential.map(|credential| credential.purpose) {
        Some(Purpose::Session(_)) => {
            let cookie = session_cookie(&app, &Secret::from(secret));
            Ok((cookie, Redirect::to(local(&to.next))).into_response())
        }
        _ => Err(HttpError::NotFound),
    }
}

pub(super) async fn log_out(State(app): State<App>, headers: HeaderMap) -> Result<Response> {
    if let Some(secret) = session_secret(&app, &headers)
        && let Some(session) = app.store().credential(&hash_secret(&secret), app.now()).await?
    {
        app.store().revoke_credential(session.id, app.now()).await?;
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
    LastParam(secret): LastParam<String>,
    Form(form): Form<LoginForm>,
) -> Result<Response> {
    let credential = setup_credential(&app, &secret).await?;
    let LoginForm { name, password, .. } = form;
    let create = async {
        let hash = hash(password).await?;
        Ok(app.workspace.create_first_account(credential, name.trim(), hash).await?)
    };
    match create.await {
        Ok(Some(id)) => start_session(&app, id, "/").await,
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
