use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use parking_lot::Mutex;

use crate::app::App;
use crate::http_error::HttpError;

/// Concurrent requests per caller. A browser opens six.
const PER_CALLER: u32 = 100;
/// Concurrent requests of all callers together.
const TOTAL: u32 = 5_000;

/// Concurrent requests by caller, event streams included. Callers are kept as hashes.
#[derive(Debug, Default)]
pub(crate) struct ConcurrencyLimits {
    hasher: RandomState,
    active: Mutex<Active>,
}

#[derive(Debug, Default)]
struct Active {
    by_caller: HashMap<u64, u32>,
    total: u32,
}

/// Counts a request until its response is sent.
struct Permit {
    limits: Arc<ConcurrencyLimits>,
    caller: u64,
}

impl ConcurrencyLimits {
    fn acquire(self: &Arc<Self>, caller: &str) -> Option<Permit> {
        let caller = self.hasher.hash_one(caller);
        let mut active = self.active.lock();
        let own = active.by_caller.get(&caller).copied().unwrap_or(0);
        if own >= PER_CALLER || active.total >= TOTAL {
            return None;
        }
        active.by_caller.insert(caller, own + 1);
        active.total += 1;
        Some(Permit { limits: self.clone(), caller })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut active = self.limits.active.lock();
        active.total -= 1;
        match active.by_caller.get_mut(&self.caller) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                active.by_caller.remove(&self.caller);
            }
        }
    }
}

/// Limits concurrent requests per caller: a worker or an owner, whatever addresses they use, or an address without credentials.
pub(crate) async fn limit_concurrency(State(app): State<App>, request: Request, next: Next) -> Response {
    let Some(permit) = app.concurrency.acquire(&caller(&request)) else {
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

/// The credentials of a request, or its address if it has none.
fn caller(request: &Request) -> String {
    let text = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    match (text(header::AUTHORIZATION.as_str()), text("grove-worker"), text(header::COOKIE.as_str())) {
        (None, None, None) => {
            let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
            address.map_or_else(String::new, |address| address.0.ip().to_string())
        }
        credentials => format!("{credentials:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_a_limit() {
        let limits = Arc::new(ConcurrencyLimits::default());
        let mut ann: Vec<Option<Permit>> = (0..PER_CALLER).map(|_| limits.acquire("ann")).collect();
        assert!(ann.iter().all(Option::is_some));
        assert!(limits.acquire("ann").is_none(), "one more is too many");
        assert!(limits.acquire("bob").is_some(), "another caller has a limit of their own");
        ann.pop();
        assert!(limits.acquire("ann").is_some());
        drop(ann);
        let active = limits.active.lock();
        assert!(active.by_caller.is_empty() && active.total == 0, "all permits are returned");
    }

    #[test]
    fn all_callers_together_have_a_limit() {
        let limits = Arc::new(ConcurrencyLimits::default());
        let permits: Vec<_> = (0..TOTAL).map(|number| limits.acquire(&number.to_string())).collect();
        assert!(permits.iter().all(Option::is_some) && limits.acquire("one more").is_none());
    }
}
