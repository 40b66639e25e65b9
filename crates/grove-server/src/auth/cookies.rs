//! Cookies hold nothing but secrets. Browsers neither send them with posts from other sites nor show them to scripts.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, header};
use cookie::{Cookie, SameSite};
use grove_store::PanelId;

use super::{DEVICE, SESSION, Secret};
use crate::app::AppState;

/// How long a browser stays the same worker.
const WORKER: Duration = Duration::from_secs(365 * 24 * 3600);

/// How long a new secret can be seen again by reloading the page.
const NEW_SECRET: Duration = Duration::from_secs(10 * 60);

/// A header that sets a cookie.
type SetCookie = [(HeaderName, String); 1];

/// The secret of the browser's session.
pub(crate) fn session_secret(app: &AppState, headers: &HeaderMap) -> Option<String> {
    read(headers, &name(app, "session"))
}

/// The secret that shows that an owner has logged in with this browser before.
pub(crate) fn device_secret(app: &AppState, headers: &HeaderMap) -> Option<String> {
    read(headers, &name(app, "device"))
}

/// The secret that identifies the browser's worker.
pub(crate) fn worker_secret(app: &AppState, headers: &HeaderMap) -> Option<String> {
    read(headers, &name(app, "worker"))
}

/// The secret by which somebody who came from a panel is known again.
pub(crate) fn panel_secret(app: &AppState, headers: &HeaderMap, panel: PanelId) -> Option<String> {
    read(headers, &name(app, &panel_purpose(panel)))
}

/// A cookie for one panel: the browser may also be a worker by invitation, or come from another panel.
pub(crate) fn panel_cookie(app: &AppState, panel: PanelId, secret: &Secret) -> SetCookie {
    write(app, &panel_purpose(panel), secret.as_str(), WORKER)
}

fn panel_purpose(panel: PanelId) -> String {
    format!("panel_{}", panel.0.simple())
}

pub(crate) fn session_cookie(app: &AppState, secret: &Secret) -> SetCookie {
    write(app, "session", secret.as_str(), SESSION)
}

pub(crate) fn end_session(app: &AppState) -> SetCookie {
    write(app, "session", "", Duration::ZERO)
}

pub(crate) fn device_cookie(app: &AppState, secret: &Secret) -> SetCookie {
    write(app, "device", secret.as_str(), DEVICE)
}

pub(crate) fn worker_cookie(app: &AppState, secret: &Secret) -> SetCookie {
    write(app, "worker", secret.as_str(), WORKER)
}

/// A secret that was just made, with what it is for. It is shown on the next page, and again when that is reloaded, but stored nowhere else.
pub(crate) fn new_secret_cookie(app: &AppState, what: &str, secret: &Secret) -> SetCookie {
    write(app, "new", &format!("{what}.{}", secret.as_str()), NEW_SECRET)
}

/// The secret that was just made for this purpose.
pub(crate) fn new_secret(app: &AppState, headers: &HeaderMap, what: &str) -> Option<String> {
    let value = read(headers, &name(app, "new"))?;
    value.strip_prefix(what)?.strip_prefix('.').map(str::to_owned)
}

fn name(app: &AppState, purpose: &str) -> String {
    // Browsers accept this prefix only over TLS, and then no other host can set such a cookie.
    let prefix = if app.public_address.is_secure() { "__Host-" } else { "" };
    format!("{prefix}grove_{purpose}")
}

fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut cookies = lines.flat_map(Cookie::split_parse).flatten();
    let found = cookies.find(|cookie| cookie.name() == name && !cookie.value().is_empty());
    found.map(|cookie| cookie.value().to_owned())
}

fn write(app: &AppState, purpose: &str, value: &str, lifetime: Duration) -> SetCookie {
    let cookie = Cookie::build((name(app, purpose), value.to_owned()))
        .path("/")
        .max_age(cookie::time::Duration::seconds(lifetime.as_secs() as i64))
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(app.public_address.is_secure());
    [(header::SET_COOKIE, cookie.to_string())]
}
