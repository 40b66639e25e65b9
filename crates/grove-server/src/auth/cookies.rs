//! Cookies hold secrets only. Browsers do not send them along with posts from other sites, nor show them to scripts.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, header};

use super::Secret;
use crate::app::App;

/// For how long an owner stays logged in.
pub(crate) const SESSION: Duration = Duration::from_secs(30 * 24 * 3600);
/// For how long a worker is known again.
const WORKER: Duration = Duration::from_secs(365 * 24 * 3600);

/// The secret of the session that a browser shows.
pub(crate) fn session_secret(app: &App, headers: &HeaderMap) -> Option<String> {
    read(headers, &name(app, "session"))
}

/// The secret by which a browser's worker is known.
pub(crate) fn worker_secret(app: &App, headers: &HeaderMap) -> Option<String> {
    read(headers, &name(app, "worker"))
}

pub(crate) fn keep_session(app: &App, secret: &Secret) -> HeaderValue {
    write(app, "session", secret.as_str(), SESSION)
}

pub(crate) fn forget_session(app: &App) -> HeaderValue {
    write(app, "session", "", Duration::ZERO)
}

pub(crate) fn keep_worker(app: &App, secret: &Secret) -> HeaderValue {
    write(app, "worker", secret.as_str(), WORKER)
}

fn name(app: &App, what: &str) -> String {
    // Browsers take this prefix only over TLS, and then no other host can set such a cookie.
    let prefix = if app.public().is_secure() { "__Host-" } else { "" };
    format!("{prefix}grove_{what}")
}

fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, value)| *key == name && !value.is_empty()).map(|(_, value)| value.to_owned())
}

fn write(app: &App, what: &str, value: &str, span: Duration) -> HeaderValue {
    let (name, seconds) = (name(app, what), span.as_secs());
    let secure = if app.public().is_secure() { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&cookie).expect("names and hexadecimal secrets are plain text")
}
