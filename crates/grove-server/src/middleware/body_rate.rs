use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::http_error::HttpError;

/// How long a body may take, apart from its length.
const GRACE: Duration = Duration::from_secs(10);
/// The least bytes a second beyond that.
const RATE: u32 = 32 * 1024;

/// Ends requests whose bodies arrive too slowly: a client that sends a byte now and then could hold a request forever.
pub(crate) async fn limit_body_rate(request: Request, next: Next) -> Response {
    let too_slow = Arc::new(AtomicBool::new(false));
    let request = request.map(|body| {
        if body.is_end_stream() {
            return body;
        }
        Body::new(PacedBody::new(body, too_slow.clone()))
    });
    let response = next.run(request).await;
    if !too_slow.load(Ordering::Relaxed) {
        return response;
    }
    let mut response = HttpError::TooSlow.into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A body that fails if it arrives too slowly.
struct PacedBody {
    body: Body,
    start: Instant,
    received: u64,
    deadline: Pin<Box<Sleep>>,
    too_slow: Arc<AtomicBool>,
}

impl PacedBody {
    fn new(body: Body, too_slow: Arc<AtomicBool>) -> Self {
        let start = Instant::now();
        Self { body, start, received: 0, deadline: Box::pin(sleep_until(start + GRACE)), too_slow }
    }
}

impl HttpBody for PacedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        // What has arrived is not late, even if it was read late because its campaign had to start first.
        if polled.is_pending() && self.deadline.as_mut().poll(context).is_ready() {
            self.too_slow.store(true, Ordering::Relaxed);
            return Poll::Ready(Some(Err(axum::Error::new(HttpError::TooSlow))));
        }
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            self.received += frame.data_ref().map_or(0, |data| data.len() as u64);
            let allowed = GRACE + Duration::from_secs_f64(self.received as f64 / f64::from(RATE));
            let deadline = self.start + allowed;
            self.deadline.as_mut().reset(deadline);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::combinators::UnsyncBoxBody;
    use http_body_util::{BodyExt as _, StreamBody};

    use super::*;

    /// A body of so many pieces, one each so often.
    fn dripping(pieces: u32, size: usize, every: Duration) -> Body {
        let stream = futures_util::stream::unfold(0, move |sent| async move {
            if sent == pieces {
                return None;
            }
            tokio::time::sleep(every).await;
            Some((Ok::<_, axum::Error>(Frame::data(Bytes::from(vec![b'x'; size]))), sent + 1))
        });
        Body::new(UnsyncBoxBody::new(StreamBody::new(stream)))
    }

    async fn read(body: Body) -> (Option<usize>, bool) {
        let too_slow = Arc::new(AtomicBool::new(false));
        let read = PacedBody::new(body, too_slow.clone()).collect().await;
        (read.ok().map(|read| read.to_bytes().len()), too_slow.load(Ordering::Relaxed))
    }

    #[tokio::test(start_paused = true)]
    async fn slow_bodies_fail_and_long_ones_do_not() {
        let second = Duration::from_secs(1);
        assert_eq!(read(dripping(5, 1, second)).await, (Some(5), false));
        assert_eq!(read(dripping(1_000, 1, second)).await, (None, true), "a byte a second");
        let megabytes = read(dripping(20, 100_000, second)).await;
        assert_eq!(megabytes, (Some(2_000_000), false), "100 kB a second");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_has_arrived_may_be_read_late() {
        let too_slow = Arc::new(AtomicBool::new(false));
        let body = PacedBody::new(Body::from("arrived"), too_slow.clone());
        tokio::time::sleep(2 * GRACE).await;
        assert_eq!(body.collect().await.unwrap().to_bytes(), "arrived");
        assert!(!too_slow.load(Ordering::Relaxed));
    }
}
