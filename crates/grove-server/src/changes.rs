//! Event streams that tell when a campaign has changed, for as long as whoever opened them may read it.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::{Stream, stream};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::app::App;
use crate::metrics::OpenStream;

/// The shortest time between two events, however fast votes come.
const PAUSE: Duration = Duration::from_millis(500);

/// How often a stream checks that its subscriber may still read, for credentials that were revoked at another server.
const RECHECK: Duration = Duration::from_secs(15);

/// Whoever opened a stream.
pub(crate) trait Subscriber: Send + Sync + 'static {
    /// Whether the subscriber may still read the campaign.
    fn may_read(&self) -> impl Future<Output = bool> + Send;

    /// The next event; none ends the stream.
    fn event(&self) -> Option<Event>;
}

/// A stream with an event at once, and one after every change. It ends when the subscriber may no longer read the campaign, or the
/// server shuts down.
pub(crate) fn event_stream<T: Send + Sync + 'static>(
    app: App,
    mut changes: watch::Receiver<T>,
    subscriber: impl Subscriber,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    changes.mark_changed();
    let mut credentials = app.credentials.subscribe();
    credentials.mark_unchanged();
    let watched = Watched { subscriber, changes, credentials, checked: Instant::now() };
    let start = (watched, app.stopping.subscribe(), app.metrics.event_stream());
    let events = stream::unfold(start, async |(mut watched, mut stopping, counted): (_, _, OpenStream)| {
        // Open streams would delay the shutdown.
        let event = tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => return None,
            event = watched.next() => event?,
        };
        tokio::time::sleep(PAUSE).await;
        Some((Ok(event), (watched, stopping, counted)))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// The changes of a campaign as one subscriber sees them.
struct Watched<S, T> {
    subscriber: S,
    changes: watch::Receiver<T>,
    /// Changes when a credential ends at this server.
    credentials: watch::Receiver<()>,
    /// When it was last checked that the subscriber may read.
    checked: Instant,
}

impl<S: Subscriber, T> Watched<S, T> {
    /// Waits for the next change. None if the subscriber may not read it.
    async fn next(&mut self) -> Option<Event> {
        loop {
            tokio::select! {
                // Changes come last: a campaign that changes all the time must not keep a revoked credential alive.
                biased;
                _ = self.credentials.changed() => {}
                () = tokio::time::sleep_until(self.checked + RECHECK) => {}
                changed = self.changes.changed() => {
                    changed.ok()?;
                    return self.subscriber.event();
                }
            }
            if !self.subscriber.may_read().await {
                return None;
            }
            self.checked = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Revoked;

    impl Subscriber for Revoked {
        async fn may_read(&self) -> bool {
            false
        }

        fn event(&self) -> Option<Event> {
            Some(Event::default())
        }
    }

    /// As at a server where a link was not revoked, but another one.
    #[tokio::test(start_paused = true)]
    async fn a_busy_campaign_does_not_keep_a_revoked_stream_open() {
        let ((votes, changes), (_credentials, credentials)) = (watch::channel(0), watch::channel(()));
        let mut watched = Watched { subscriber: Revoked, changes, credentials, checked: Instant::now() };
        let mut events = 0;
        loop {
            votes.send_modify(|votes| *votes += 1);
            if watched.next().await.is_none() {
                break;
            }
            events += 1;
            tokio::time::sleep(PAUSE).await;
        }
        assert_eq!(events, RECHECK.as_millis() / PAUSE.as_millis());
    }
}
