use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use grove_store::{Credential, CredentialId};
use serde::Deserialize;
use uuid::Uuid;

use super::layout::{Layout, Notice, render, with_error};
use crate::app::{App, AppState};
use crate::auth::{Account, Guess, Secret, end_session};
use crate::extract::{Form, LastParam};
use crate::http_error::{HttpError, Result};

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    layout: Layout,
    notice: Option<Notice>,
    /// The secret of a new token.
    token: Option<String>,
    tokens: Vec<Credential>,
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
    let tokens = app.workspace.tokens(&account.caller()).await?;
    render(&AccountPage { layout: Layout::new("Your account", Some(account)), notice, token, tokens })
}

pub(super) async fn show(State(app): State<App>, account: Account) -> Result<Response> {
    page(&app, &account, None, None).await
}

pub(super) async fn password(
    State(app): State<App>,
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
            app.credentials_changed();
            Ok((end_session(&app), Redirect::to("/login")).into_response())
        }
        Err(error) => with_error(page(&app, &account, Some(Notice::from(&error)), None).await?, error),
    }
}

pub(super) async fn make_token(
    State(app): State<App>,
    account: Account,
    Form(new): Form<Label>,
) -> Result<Response> {
    let (label, secret) = (new.label.trim().to_owned(), Secret::new()?);
    app.workspace.create_token(&account.caller(), label, secret.hash()).await?;
    page(&app, &account, None, Some(secret.as_str().to_owned())).await
}

pub(super) async fn revoke(
    State(app): State<App>,
    account: Account,
    LastParam(id): LastParam<Uuid>,
) -> Result<Redirect> {
    app.workspace.revoke_token(&account.caller(), CredentialId(id)).await?;
    app.credentials_changed();
    Ok(Redirect::to("/account"))
}
