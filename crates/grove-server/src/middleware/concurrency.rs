use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use parking_lot::Mutex;

use super::ClientAddress;
use crate::app::App;
use crate::http_error::HttpError;

/// Counts what is under way for each key. A key with nothing under way takes no memory.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimits<K: Eq + Hash> {
    most: u32,
    active: Mutex<HashMap<K, u32>>,
}

/// Counts one thing until it is dropped.
pub(crate) struct Permit<K: Eq + Hash> {
    limits: Arc<ConcurrencyLimits<K>>,
    key: K,
}

impl<K: Eq + Hash + Copy> ConcurrencyLimits<K> {
    pub(crate) fn new(most: u32) -> Arc<Self> {
        Arc::new(Self { most, active: Mutex::default() })
    }

    pub(crate) fn acquire(self: &Arc<Self>, key: K) -> Option<Permit<K>> {
        let mut active = self.active.lock();
        let own = active.entry(key).or_default();
        if *own >= self.most {
            return None;
        }
        *own += 1;
        Some(Permit { limits: self.clone(), key })
    }
}

impl<K: Eq + Hash> Drop for Permit<K> {
    fn drop(&mut self) {
        let mut active = self.limits.active.lock();
        match active.get_mut(&self.key) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                active.remove(&self.key);
            }
        }
    }
}

/// Limits concurrent requests per client address, event streams included. (All clients together are limited by the number of connections.) By
/// nothing that a client chooses: each made-up token would have a limit of its own.
pub(crate) async fn limit_concurrency(
    State(app): State<App>,
    address: ClientAddress,
    request: Request,
    next: Next,
) -> Response {
    let Some(permit) = app.concurrency.acquire(address) else {
        return HttpError::TooManyRequests { retry_after: 1 }.into_response();
    };
    // The permit lives until the body is sent.
    next.run(request).await.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _held = &permit;
            frame
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_a_limit() {
        let limits = ConcurrencyLimits::new(100);
        let mut ann: Vec<_> = (0..100).map(|_| limits.acquire("ann")).collect();
        assert!(ann.iter().all(Option::is_some));
        assert!(limits.acquire("ann").is_none(), "one more is too many");
        assert!(limits.acquire("bob").is_some(), "another client has a limit of their own");
        ann.pop();
        assert!(limits.acquire("ann").is_some());
        drop(ann);
        assert!(limits.active.lock().is_empty(), "all permits are returned");
    }
}
