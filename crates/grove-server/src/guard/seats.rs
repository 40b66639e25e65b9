use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;

use crate::app::App;
use crate::fault::Fault;

/// The most requests that one caller may have under way. A browser has six.
const MOST_OF_ONE: u32 = 100;
/// The most of all callers together.
const MOST: u32 = 5_000;

/// Who has how many requests under way, event streams among them. Callers are kept as hashes.
#[derive(Debug, Default)]
pub(crate) struct Seats {
    hasher: RandomState,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    by: HashMap<u64, u32>,
    all: u32,
}

/// A request's place until its answer is sent.
struct Seat {
    seats: Arc<Seats>,
    caller: u64,
}

impl Seats {
    fn take(self: &Arc<Self>, caller: &str) -> Option<Seat> {
        let caller = self.hasher.hash_one(caller);
        let mut taken = self.taken();
        let own = taken.by.get(&caller).copied().unwrap_or(0);
        if own >= MOST_OF_ONE || taken.all >= MOST {
            return None;
        }
        taken.by.insert(caller, own + 1);
        taken.all += 1;
        Some(Seat { seats: self.clone(), caller })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.taken();
        taken.all -= 1;
        match taken.by.get_mut(&self.caller) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                taken.by.remove(&self.caller);
            }
        }
    }
}

/// Lets nobody have too many requests under way at the same time: neither a worker or an owner, whatever addresses they come from, nor an
/// address that shows nothing.
pub(crate) async fn seated(State(app): State<App>, request: Request, next: Next) -> Response {
    let Some(seat) = app.seats().take(&caller(&request)) else {
        return Fault::TooMany { retry_after: 1 }.into_response();
    };
    let response = next.run(request).await;
    // An answer that is still being sent keeps its seat.
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _kept = &seat;
            frame
        }))
    })
}

/// Whatever the request shows of its caller.
fn caller(request: &Request) -> String {
    let text = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    match (text(header::AUTHORIZATION.as_str()), text("grove-worker"), text(header::COOKIE.as_str())) {
        (None, None, None) => {
            let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
            address.map_or_else(String::new, |address| address.0.ip().to_string())
        }
        shown => format!("{shown:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_all_seats() {
        let seats = Arc::new(Seats::default());
        let mut ann: Vec<Option<Seat>> = (0..MOST_OF_ONE).map(|_| seats.take("ann")).collect();
        assert!(ann.iter().all(Option::is_some));
        assert!(seats.take("ann").is_none(), "one more is too many");
        assert!(seats.take("bob").is_some(), "another's are their own");
        ann.pop();
        assert!(seats.take("ann").is_some());
        drop(ann);
        assert!(seats.taken().by.is_empty() && seats.taken().all == 0, "nothing is left behind");
    }

    #[test]
    fn all_together_have_a_limit_too() {
        let seats = Arc::new(Seats::default());
        let taken: Vec<_> = (0..MOST).map(|number| seats.take(&number.to_string())).collect();
        assert!(taken.iter().all(Option::is_some) && seats.take("one more").is_none());
    }
}
