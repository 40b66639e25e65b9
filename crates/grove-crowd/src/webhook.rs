//! Webhooks of a panel: signed, and sent at least once, in any order, or not at all.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;

use crate::{Error, Secret, SubmissionStatus};

/// How long a signature is valid; older requests may be replays.
pub const SIGNATURE_LIFETIME: Duration = Duration::from_secs(5 * 60);

/// The kinds of events that are of use.
pub const EVENTS: [&str; 2] = ["submission.status.change", "study.status.change"];

/// A request that claims to come from the panel.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    /// The header `X-Prolific-Request-Timestamp`: when it was signed.
    pub timestamp: &'a str,
    /// The header `X-Prolific-Request-Signature`.
    pub signature: &'a str,
    /// The body, as it came: another way of writing the same JSON has another signature.
    pub body: &'a [u8],
}

/// What a webhook says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WebhookEvent {
    /// A submission has changed.
    Submission {
        /// Its id.
        submission: String,
        /// The person.
        person: String,
        /// What it is now; none for a word that we do not know.
        status: Option<SubmissionStatus>,
    },
    /// A study has changed.
    Study {
        /// Its id.
        study: String,
        /// What it is now.
        status: String,
    },
    /// An event of another kind, which is ignored.
    Other,
}

#[derive(Deserialize)]
struct Body {
    event_type: String,
    #[serde(default)]
    resource_id: String,
    #[serde(default)]
    participant_id: String,
    #[serde(default)]
    status: String,
}

type Signature = Hmac<Sha256>;

fn signature(secret: &Secret, timestamp: &str, body: &[u8]) -> Signature {
    let mut hmac = Signature::new_from_slice(secret.expose().as_bytes()).expect("a key may have any length");
    hmac.update(timestamp.as_bytes());
    hmac.update(body);
    hmac
}

/// The signature of a body, as the panel makes it.
#[must_use]
pub fn sign(secret: &Secret, timestamp: &str, body: &[u8]) -> String {
    STANDARD.encode(signature(secret, timestamp, body).finalize().into_bytes())
}

/// Checks that the panel has sent this, just now, and reads it. `now` is in seconds since 1970.
///
/// # Errors
/// [`Error::BadWebhook`] for a signature that is wrong or old, and for a body that is no event.
pub fn verify(secret: &Secret, delivery: Delivery<'_>, now: i64) -> Result<WebhookEvent, Error> {
    let claimed = STANDARD.decode(delivery.signature.trim());
    let claimed = claimed.map_err(|_| Error::BadWebhook("its signature is not base64"))?;
    // Takes the same time wherever the first difference is.
    signature(secret, delivery.timestamp, delivery.body)
        .verify_slice(&claimed)
        .map_err(|_| Error::BadWebhook("its signature is wrong; check the secret of the panel's hooks"))?;
    // After the signature, which covers the time.
    let signed: i64 = delivery
        .timestamp
        .trim()
        .parse()
        .map_err(|_| Error::BadWebhook("its time is not a number of seconds"))?;
    if now.abs_diff(signed) > SIGNATURE_LIFETIME.as_secs() {
        return Err(Error::BadWebhook("its signature is too old; check the clock of this machine"));
    }
    let body: Body =
        serde_json::from_slice(delivery.body).map_err(|_| Error::BadWebhook("its body is not an event"))?;
    Ok(match body.event_type.as_str() {
        "submission.status.change" => WebhookEvent::Submission {
            submission: body.resource_id,
            person: body.participant_id,
            status: SubmissionStatus::parse(&body.status),
        },
        "study.status.change" => WebhookEvent::Study { study: body.resource_id, status: body.status },
        _ => WebhookEvent::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"event_type":"submission.status.change","resource_id":"s1","participant_id":"p1","status":"AWAITING REVIEW"}"#;

    fn secret() -> Secret {
        Secret::new("hook-secret", "the test").unwrap()
    }

    #[test]
    fn the_signature_is_that_of_other_programs() {
        // printf '1700000000{"a":1}' | openssl dgst -sha256 -hmac hook-secret -binary | base64
        let expected = "qeN42xPPEW5QZwKugCkNvTN1RsWQxJljPQ7+KhK5cdk=";
        assert_eq!(sign(&secret(), "1700000000", br#"{"a":1}"#), expected);
    }

    #[test]
    fn forged_stale_and_changed_deliveries_are_refused() {
        let (now, timestamp) = (1_700_000_000, "1700000000");
        let good = sign(&secret(), timestamp, BODY);
        let delivery = Delivery { timestamp, signature: &good, body: BODY };
        let event = verify(&secret(), delivery, now).unwrap();
        let expected = WebhookEvent::Submission {
            submission: "s1".into(),
            person: "p1".into(),
            status: Some(SubmissionStatus::AwaitingReview),
        };
        assert_eq!(event, expected);
        let refused = |delivery, now| verify(&secret(), delivery, now).unwrap_err();
        assert!(matches!(refused(delivery, now + 301), Error::BadWebhook(why) if why.contains("too old")));
        assert!(matches!(refused(delivery, now - 301), Error::BadWebhook(_)));
        let changed = [BODY, b" "].concat();
        assert!(matches!(refused(Delivery { body: &changed, ..delivery }, now), Error::BadWebhook(_)));
        // An old delivery with a new time.
        assert!(matches!(
            refused(Delivery { timestamp: "1700000100", ..delivery }, now),
            Error::BadWebhook(_)
        ));
        let other = Secret::new("other", "the test").unwrap();
        assert!(verify(&other, delivery, now).is_err());
        assert!(verify(&secret(), Delivery { signature: "", ..delivery }, now).is_err());
        assert!(verify(&secret(), Delivery { signature: "%%%", ..delivery }, now).is_err());
    }
}
