//! Keeping up with the studies at panels' services, in the background.

use std::time::Duration;

use grove_store::Moment;

use crate::app::App;
use crate::repeated::Repeated;

/// How long webhooks are remembered: no panel sends one again after so many days.
const REMEMBERED: Duration = Duration::from_secs(14 * 24 * 3600);

static FAILED: Repeated = Repeated::new();

/// Asks services about all studies, approves and pays what is decided, until the server stops.
pub(crate) async fn keep_up(app: App) {
    let mut stopping = app.stopping.subscribe();
    // Webhooks are faster; polling finds what they missed.
    let poll = app.workspace.crowds().poll();
    loop {
        tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => return,
            () = tokio::time::sleep(poll) => {}
            () = app.recruit_now.notified() => {}
        }
        match app.workspace.sync_panels().await {
            Ok(failed) => {
                for (panel, error) in failed {
                    if let Some(times) = FAILED.count() {
                        tracing::warn!(%panel, %error, times, "a study could not be brought up to date");
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the studies cannot be read"),
        }
        let before = Moment(app.now().0 - i64::try_from(REMEMBERED.as_micros()).unwrap_or(i64::MAX));
        if let Err(error) = app.store().forget_webhooks(before).await {
            tracing::warn!(%error, "old webhooks cannot be deleted");
        }
    }
}
