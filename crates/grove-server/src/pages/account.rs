use askama::Template;
use axum::extract::{RawPathParams, State};
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use grove_store::CredentialId;
use serde::Deserialize;
use uuid::Uuid;

use super::shell::{Note, Shell, page};
use crate::api::{revoke_own, token_for, tokens_of};
use crate::app::App;
use crate::auth::{Caller, forget_session, hash, verify};
use crate::fault::Fault;
use crate::read::Form;
use crate::time::spoken;

struct TokenRow {
    id: Uuid,
    label: String,
    created: String,
    revoked: bool,
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    shell: Shell,
    note: Option<Note>,
    /// One that was made just now.
    token: Option<String>,
    tokens: Vec<TokenRow>,
}

#[derive(Deserialize)]
pub(super) struct Passwords {
    old: String,
    new: String,
}

#[derive(Deserialize)]
pub(super) struct Label {
    label: String,
}

async fn account(
    app: &App,
    caller: &Caller,
    note: Option<Note>,
    token: Option<String>,
) -> Result<Response, Fault> {
    let tokens = tokens_of(app, caller.owner.id).await?.into_iter().map(|one| TokenRow {
        id: one.id.0,
        label: one.label,
        created: spoken(one.created),
        revoked: one.revoked.is_some(),
    });
    let shell = Shell::new("Your account", Some(caller));
    page(&AccountPage { shell, note, token, tokens: tokens.collect() })
}

pub(super) async fn show(State(app): State<App>, caller: Caller) -> Result<Response, Fault> {
    account(&app, &caller, None, None).await
}

pub(super) async fn password(
    State(app): State<App>,
    caller: Caller,
    Form(passwords): Form<Passwords>,
) -> Result<Response, Fault> {
    app.logins().count(&format!("name {}", caller.owner.name), app.now())?;
    let changed = if verify(passwords.old, Some(caller.owner.password_hash.clone())).await {
        hash(passwords.new).await
    } else {
        Err(Fault::Bad("the present password is another".to_owned()))
    };
    match changed {
        Ok(hash) => {
            app.store().set_password(caller.owner.id, &hash, app.now()).await?;
            Ok(([(header::SET_COOKIE, forget_session(&app))], Redirect::to("/login")).into_response())
        }
        Err(fault) => {
            let told = account(&app, &caller, Some(Note::from(&fault)), None).await?;
            Ok((fault.status(), told).into_response())
        }
    }
}

pub(super) async fn make_token(
    State(app): State<App>,
    caller: Caller,
    Form(new): Form<Label>,
) -> Result<Response, Fault> {
    let (_, secret) = token_for(&app, caller.owner.id, new.label.trim().to_owned()).await?;
    account(&app, &caller, None, Some(secret.as_str().to_owned())).await
}

pub(super) async fn revoke_token(
    State(app): State<App>,
    caller: Caller,
    params: RawPathParams,
) -> Result<Redirect, Fault> {
    let id = params.iter().next().and_then(|(_, id)| id.parse().ok()).ok_or(Fault::NotFound)?;
    revoke_own(&app, caller.owner.id, CredentialId(id)).await?;
    Ok(Redirect::to("/account"))
}
