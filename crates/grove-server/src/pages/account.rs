use askama::Template;
use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use grove_store::{Credential, CredentialId};
use serde::Deserialize;
use uuid::Uuid;

use super::layout::{Layout, Notice, render, with_error};
use crate::app::{App, AppState};
use crate::auth::{Account, Guess, Secret, audit, end_session, new_secret, new_secret_cookie};
use crate::extract::{Form, LastParam};
use crate::http_error::{HttpError, Result};
use crate::middleware::{ClientAddress, ShowsSecret};

/// What the cookie of a new token says that it is for.
const NEW_TOKEN: &str = "token";

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    layout: Layout,
    notice: Option<Notice>,
    /// The secret of a new token.
    token: Option<String>,
    tokens: Vec<Credential>,
    /// Those that have not ended.
    sessions: Vec<Credential>,
}

#[derive(Deserialize)]
pub(super) struct Passwords {
    old: String,
    new: String,
}

#[derive(Deserialize)]
pub(super) struct Label {
    #[serde(default)]
    pub(super) label: String,
}

async fn page(
    app: &AppState,
    account: &Account,
    notice: Option<Notice>,
    token: Option<String>,
) -> Result<Response> {
    let caller = account.caller();
    let (tokens, sessions) = (app.workspace.tokens(&caller).await?, app.workspace.sessions(&caller).await?);
    render(&AccountPage {
        layout: Layout::new("Your account", Some(account)),
        notice,
        token,
        tokens,
        sessions,
    })
}

pub(super) async fn show(State(app): State<App>, headers: HeaderMap, account: Account) -> Result<Response> {
    let token = new_secret(&app, &headers, NEW_TOKEN);
    let page = page(&app, &account, None, token).await?;
    Ok((Extension(ShowsSecret), page).into_response())
}

pub(super) async fn password(
    State(app): State<App>,
    address: ClientAddress,
    account: Account,
    Form(passwords): Form<Passwords>,
) -> Result<Response> {
    let guess = Guess::to_change_password(&account.0);
    let changed = if guess.check(&app, passwords.old, Some(&account.0)).await? {
        app.hashing.hash(passwords.new).await
    } else {
        Err(HttpError::BadRequest("that is not your current password".to_owned()))
    };
    match changed {
        Ok(hash) => {
            app.workspace.set_password(&account.caller(), account.0.id, &hash).await?;
            audit(&app, Some(account.0.id), "password changed", address).await;
            app.credentials_changed();
            Ok((end_session(&app), Redirect::to("/login")).into_response())
        }
        Err(error) => with_error(page(&app, &account, Some(Notice::from(&error)), None).await?, error),
    }
}

pub(super) async fn make_token(
    State(app): State<App>,
    address: ClientAddress,
    account: Account,
    Form(new): Form<Label>,
) -> Result<Response> {
    let (label, secret) = (new.label.trim().to_owned(), Secret::new()?);
    app.workspace.create_token(&account.caller(), label, secret.hash()).await?;
    audit(&app, Some(account.0.id), "token created", address).await;
    Ok((new_secret_cookie(&app, NEW_TOKEN, &secret), Redirect::to("/account")).into_response())
}

/// Ends a session in any browser.
pub(super) async fn end(
    State(app): State<App>,
    address: ClientAddress,
    account: Account,
    LastParam(id): LastParam<Uuid>,
) -> Result<Redirect> {
    app.workspace.end_session(&account.caller(), CredentialId(id)).await?;
    audit(&app, Some(account.0.id), "session ended", address).await;
    app.credentials_changed();
    Ok(Redirect::to("/account"))
}

pub(super) async fn revoke(
    State(app): State<App>,
    address: ClientAddress,
    account: Account,
    LastParam(id): LastParam<Uuid>,
) -> Result<Redirect> {
    app.workspace.revoke_token(&account.caller(), CredentialId(id)).await?;
    audit(&app, Some(account.0.id), "token revoked", address).await;
    app.credentials_changed();
    Ok(Redirect::to("/account"))
}
