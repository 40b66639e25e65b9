//! Webhooks: signed, and then duplicated, reordered and lost.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use sha2::Sha256;

use crate::Shared;
use crate::world::{World, now};

/// What goes wrong with webhooks, each in thousandths of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HookFaults {
    /// Sent twice.
    pub duplicated: u32,
    /// Sent after others that happened later.
    pub reordered: u32,
    /// Never sent.
    pub lost: u32,
}

pub(crate) struct Subscription {
    pub(crate) id: String,
    pub(crate) event: String,
    pub(crate) target: String,
    pub(crate) confirmation: String,
    pub(crate) is_confirmed: bool,
}

#[derive(Clone)]
pub(crate) struct Event {
    id: String,
    target: String,
    body: String,
    at: i64,
    attempts: u32,
}

/// A delivery that is refused is tried so often.
const ATTEMPTS: u32 = 5;
/// How many are sent at once.
const BATCH: usize = 32;

impl World {
    /// Puts an event into the outbox, once for each subscription, with whatever goes wrong.
    pub(crate) fn emit(&mut self, event: &str, body: Value) {
        let targets: Vec<String> = self
            .subscriptions
            .iter()
            .filter(|one| one.is_confirmed && one.event == event)
            .map(|one| one.target.clone())
            .collect();
        let faults = self.options.hooks;
        for target in targets {
            let one = Event { id: self.new_id(), target, body: body.to_string(), at: now(), attempts: 0 };
            if self.happens(faults.lost) {
                continue;
            }
            if self.happens(faults.duplicated) {
                self.outbox.push(one.clone());
            }
            self.outbox.push(one);
            if self.happens(faults.reordered) && self.outbox.len() > 1 {
                let last = self.outbox.len() - 1;
                let other = usize::try_from(self.random() % last as u64).unwrap_or(0);
                self.outbox.swap(other, last);
            }
        }
    }
}

pub(crate) async fn deliver_forever(shared: Arc<Shared>) {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    loop {
        let (events, secret) = {
            let mut world = shared.world();
            let count = world.outbox.len().min(BATCH);
            let events: Vec<Event> = world.outbox.drain(..count).collect();
            world.sending = events.len();
            (events, world.hook_secret.clone())
        };
        if events.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        }
        let mut failed = Vec::new();
        for mut event in events {
            if !deliver(&client, &event, &secret).await && event.attempts + 1 < ATTEMPTS {
                event.attempts += 1;
                failed.push(event);
            }
        }
        let some_failed = !failed.is_empty();
        {
            let mut world = shared.world();
            world.outbox.extend(failed);
            world.sending = 0;
        }
        if some_failed {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

async fn deliver(
    client: &Client<hyper_util::client::legacy::connect::HttpConnector, Full<Bytes>>,
    event: &Event,
    secret: &str,
) -> bool {
    let timestamp = (now() / 1_000_000).to_string();
    let Ok(mut hmac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
    hmac.update(timestamp.as_bytes());
    hmac.update(event.body.as_bytes());
    let signature = STANDARD.encode(hmac.finalize().into_bytes());
    let request = Request::post(&event.target)
        .header("content-type", "application/json")
        .header("x-prolific-request-timestamp", &timestamp)
        .header("x-prolific-request-signature", signature)
        .header("x-event-id", &event.id)
        .header("x-timestamp", event.at.to_string())
        .body(Full::new(Bytes::from(event.body.clone())));
    let Ok(request) = request else { return false };
    let sending = client.request(request);
    matches!(tokio::time::timeout(Duration::from_secs(10), sending).await, Ok(Ok(answer)) if answer.status().is_success())
}
