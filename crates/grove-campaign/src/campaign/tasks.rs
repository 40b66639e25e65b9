use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::Shared;
use crate::Error;

/// The pause after a failure.
const RETRY: Duration = Duration::from_secs(1);

/// The background work of a started campaign: one task reads the log, the other moves the belief. They end with the last handle.
#[derive(Default)]
pub(super) struct Tasks {
    running: Mutex<Vec<JoinHandle<()>>>,
    end: watch::Sender<bool>,
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.abort();
    }
}

impl Tasks {
    pub(super) fn start(&self, campaign: &Arc<Shared>) {
        let reading = tokio::spawn(read(campaign.clone(), self.end.subscribe()));
        let believing = tokio::spawn(believe(campaign.clone(), self.end.subscribe()));
        self.running.lock().extend([reading, believing]);
    }

    pub(super) fn are_running(&self) -> bool {
        !self.running.lock().is_empty()
    }

    fn take(&self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut *self.running.lock())
    }

    /// Ends the tasks at once, in the middle of what they are doing.
    pub(super) fn abort(&self) {
        self.take().iter().for_each(JoinHandle::abort);
    }

    /// Ends the tasks after what they are doing.
    pub(super) async fn end(&self) {
        self.end.send_replace(true);
        for task in self.take() {
            // A task that panicked has ended as well.
            let _ = task.await;
        }
    }
}

/// Failures of one task, one after the other. They are logged once, then once a minute, and when they are over.
#[derive(Default)]
struct Failures(u64);

/// How many failures there are in a minute.
const MINUTE: u64 = 60 / RETRY.as_secs();

impl Failures {
    async fn failed(&mut self, campaign: &Shared, error: &Error, what: &'static str) {
        if self.0.is_multiple_of(MINUTE) {
            let times = self.0 + 1;
            tracing::error!(campaign = %campaign.id, %error, times, "{what}; trying again every second");
        }
        self.0 += 1;
        campaign.failures.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(RETRY).await;
    }

    fn succeeded(&mut self, campaign: &Shared, what: &'static str) {
        if self.0 > 0 {
            tracing::info!(campaign = %campaign.id, failures = self.0, "{what} again");
        }
        self.0 = 0;
    }
}

async fn read(campaign: Arc<Shared>, mut end: watch::Receiver<bool>) {
    let mut failures = Failures::default();
    loop {
        tokio::select! {
            _ = end.wait_for(|end| *end) => return,
            () = campaign.written.notified() => {}
            () = campaign.elsewhere.notified() => {}
            () = tokio::time::sleep(campaign.options.poll) => {}
        }
        let read = campaign.read_on().await;
        campaign.cannot_read.store(read.is_err(), Ordering::Relaxed);
        match read {
            Ok(_) => failures.succeeded(&campaign, "the log can be read"),
            Err(error) => failures.failed(&campaign, &error, "the log cannot be read").await,
        }
    }
}

async fn believe(campaign: Arc<Shared>, mut end: watch::Receiver<bool>) {
    let (mut quiet, mut failures) = (false, Failures::default());
    let mut peers = campaign.options.peers.as_ref().map(|peers| peers.watch());
    while !*end.borrow() {
        let busy = match campaign.step().await {
            // Nobody has voted for a while: time to check the trees.
            Ok(false) if quiet => campaign.check().await,
            other => other,
        };
        match busy {
            // There may be more.
            Ok(true) => {
                quiet = false;
                continue;
            }
            Ok(false) => {}
            Err(error) => {
                failures.failed(&campaign, &error, "the belief cannot be updated").await;
                continue;
            }
        }
        failures.succeeded(&campaign, "the belief is updated");
        quiet = tokio::select! {
            _ = end.wait_for(|end| *end) => return,
            () = campaign.news.notified() => false,
            () = changed(&mut peers) => false,
            // The claim on the belief has to be renewed now and then.
            () = tokio::time::sleep(campaign.pause()) => true,
        };
    }
}

/// Waits until servers come or go; forever if there are no others.
async fn changed(peers: &mut Option<watch::Receiver<u64>>) {
    if let Some(peers) = peers
        && peers.changed().await.is_ok()
    {
        return;
    }
    std::future::pending().await
}
