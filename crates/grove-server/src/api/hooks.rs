//! Webhooks of panels. They come from the panel's machines, which have no account here: their signature authenticates them.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use grove_crowd::{Delivery, verify};
use grove_store::Moment;

use crate::app::App;
use crate::http_error::{HttpError, Result};

/// How far the clock of a panel may be ahead of ours.
const AHEAD: Duration = Duration::from_secs(5 * 60);

/// Takes in a webhook. The answer is 200 only when it is stored, so that the panel sends it again otherwise.
pub(super) async fn receive(
    State(app): State<App>,
    Path(connection): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode> {
    let secret = app.workspace.crowds().panel(&connection).and_then(|panel| panel.webhook_secret.clone());
    let secret = secret.ok_or(HttpError::NotFound)?;
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let delivery = Delivery {
        timestamp: text("x-prolific-request-timestamp"),
        signature: text("x-prolific-request-signature"),
        body: &body,
    };
    let now = app.now();
    let event = verify(&secret, delivery, now.0 / 1_000_000).map_err(|error| {
        tracing::warn!(connection, %error, "a webhook was refused");
        HttpError::Forbidden(error.to_string())
    })?;
    let id = text("x-event-id");
    if id.is_empty() || id.len() > 200 {
        return Err(HttpError::BadRequest("a webhook needs an X-Event-ID".to_owned()));
    }
    let at = happened(text("x-timestamp"), now);
    app.workspace.take_in_webhook(&connection, id, at, event).await?;
    Ok(StatusCode::OK)
}

/// When the event happened: a number of seconds, milliseconds or microseconds since 1970. What cannot be read, or lies ahead, is now.
fn happened(text: &str, now: Moment) -> Moment {
    let micros = match text.trim().parse::<i64>() {
        Ok(number @ 1..100_000_000_000) => number * 1_000_000,
        Ok(number @ 100_000_000_000..100_000_000_000_000) => number * 1_000,
        Ok(number @ 100_000_000_000_000..) => number,
        _ => now.0,
    };
    if micros > now.plus(AHEAD).0 { now } else { Moment(micros) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_any_unit() {
        let now = Moment(1_800_000_000_000_000);
        for text in ["1700000000", "1700000000000", "1700000000000000"] {
            assert_eq!(happened(text, now), Moment(1_700_000_000_000_000), "{text}");
        }
        for text in ["", "soon", "-5", "9999999999"] {
            assert_eq!(happened(text, now), now, "{text}");
        }
    }
}
