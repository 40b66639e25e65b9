use std::net::SocketAddr;

use askama::Template;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use grove_store::{Credential, Owner, OwnerId, Purpose};
use serde::Deserialize;
use uuid::Uuid;

use super::shell::{Shell, page};
use crate::app::App;
use crate::auth::{
    SESSION, Secret, forget_session, hand_out, hash, hash_secret, keep_session, session_secret, verify,
};
use crate::fault::Fault;
use crate::owners::adopt;
use crate::read::{Asks, Form, Last};

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    shell: Shell,
    wrong: Option<String>,
    next: String,
}

#[derive(Template)]
#[template(path = "setup.html")]
struct SetupPage {
    shell: Shell,
    wrong: Option<String>,
    name: String,
}

#[derive(Deserialize)]
pub(super) struct Where {
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub(super) struct Login {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub(super) struct Setup {
    name: String,
    password: String,
}

/// A path on this server, or home: never another site.
fn local(next: &str) -> &str {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '.');
    if next.starts_with('/') && !next.starts_with("//") && next.chars().all(plain) { next } else { "/" }
}

pub(super) async fn form(Asks(to): Asks<Where>) -> Result<Response, Fault> {
    page(&LoginPage { shell: Shell::new("Log in", None), wrong: None, next: to.next })
}

pub(super) async fn log_in(
    State(app): State<App>,
    address: Option<axum::Extension<ConnectInfo<SocketAddr>>>,
    Form(login): Form<Login>,
) -> Result<Response, Fault> {
    // Forwarded addresses are what a client says of itself, so they are not looked at.
    let address = address.map_or_else(String::new, |address| address.0.0.ip().to_string());
    let name = login.name.trim().to_owned();
    app.logins().count(&format!("name {name}"), app.now())?;
    app.logins().count(&format!("address {address} {name}"), app.now())?;
    let owner = app.store().owner_named(&name).await?;
    let known = verify(login.password, owner.as_ref().map(|owner| owner.password_hash.clone())).await;
    match owner.filter(|_| known) {
        Some(owner) => welcome(&app, owner.id, local(&login.next)).await,
        None => {
            let wrong = Some("There is no such name with this password.".to_owned());
            let again = LoginPage { shell: Shell::new("Log in", None), wrong, next: login.next };
            Ok((StatusCode::FORBIDDEN, page(&again)?).into_response())
        }
    }
}

/// Begins a session.
async fn welcome(app: &App, owner: OwnerId, to: &str) -> Result<Response, Fault> {
    let (_, secret) = hand_out::<Fault>(app, Purpose::Session(owner), String::new(), Some(SESSION)).await?;
    Ok(([(header::SET_COOKIE, keep_session(app, &secret))], Redirect::to(to)).into_response())
}

/// Takes a session over from the program that began it.
pub(super) async fn enter(
    State(app): State<App>,
    Last(secret): Last<String>,
    Asks(to): Asks<Where>,
) -> Result<Response, Fault> {
    let credential = app.store().credential(&hash_secret(&secret), app.now()).await?;
    match credential.map(|credential| credential.purpose) {
        Some(Purpose::Session(_)) => {
            let cookie = keep_session(&app, &Secret::from(secret));
            Ok(([(header::SET_COOKIE, cookie)], Redirect::to(local(&to.next))).into_response())
        }
        _ => Err(Fault::NotFound),
    }
}

pub(super) async fn log_out(State(app): State<App>, headers: HeaderMap) -> Result<Response, Fault> {
    if let Some(secret) = session_secret(&app, &headers)
        && let Some(session) = app.store().credential(&hash_secret(&secret), app.now()).await?
    {
        app.store().revoke_credential(session.id, app.now()).await?;
    }
    Ok(([(header::SET_COOKIE, forget_session(&app))], Redirect::to("/login")).into_response())
}

/// The right to make the first owner, as long as it is one.
async fn first_owner(app: &App, secret: &str) -> Result<Credential, Fault> {
    let credential = app.store().credential(&hash_secret(secret), app.now()).await?.ok_or(Fault::NotFound)?;
    let unowned = app.store().owners().await?.is_empty();
    if credential.purpose == Purpose::FirstOwner && unowned { Ok(credential) } else { Err(Fault::NotFound) }
}

pub(super) async fn setup_form(
    State(app): State<App>,
    Last(secret): Last<String>,
) -> Result<Response, Fault> {
    first_owner(&app, &secret).await?;
    page(&SetupPage { shell: Shell::new("Welcome", None), wrong: None, name: String::new() })
}

pub(super) async fn set_up(
    State(app): State<App>,
    Last(secret): Last<String>,
    Form(setup): Form<Setup>,
) -> Result<Response, Fault> {
    let credential = first_owner(&app, &secret).await?;
    let owner = Owner {
        id: OwnerId(Uuid::now_v7()),
        name: setup.name.trim().to_owned(),
        password_hash: match hash(setup.password).await {
            Ok(hash) => hash,
            Err(fault) => return refuse_setup(&fault, setup.name),
        },
        created: app.now(),
    };
    let id = owner.id;
    match app.store().add_owner(owner).await.map_err(Fault::from) {
        // Of several who follow the link at the same time, one is the first.
        Ok(()) if app.store().revoke_credential(credential.id, app.now()).await? => {
            adopt(app.store(), id).await?;
            welcome(&app, id, "/").await
        }
        Ok(()) => {
            app.store().delete_owner(id).await?;
            Err(Fault::NotFound)
        }
        Err(fault) => refuse_setup(&fault, setup.name),
    }
}

fn refuse_setup(fault: &Fault, name: String) -> Result<Response, Fault> {
    let again = SetupPage { shell: Shell::new("Welcome", None), wrong: Some(fault.message()), name };
    Ok((fault.status(), page(&again)?).into_response())
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn nobody_is_sent_to_another_site() {
        assert_eq!(local("/campaigns/01-2"), "/campaigns/01-2");
        for wrong in ["", "//evil", "https://evil", "/\\evil", "/a?b=//c", "/a\nb"] {
            assert_eq!(local(wrong), "/", "{wrong}");
        }
    }
}
