use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::Room;

/// After a failure, so long until the next attempt.
const PATIENCE: Duration = Duration::from_secs(1);

/// What runs in the background: one task reads the log, the other believes it. They end with the last handle.
pub(super) struct Tasks {
    running: Mutex<Vec<JoinHandle<()>>>,
    end: watch::Sender<bool>,
}

impl Default for Tasks {
    fn default() -> Self {
        Self { running: Mutex::default(), end: watch::Sender::new(false) }
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        for task in self.running.get_mut().unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
    }
}

impl Tasks {
    pub(super) fn start(&self, room: &Arc<Room>) {
        let reading = tokio::spawn(read(room.clone(), self.end.subscribe()));
        let believing = tokio::spawn(believe(room.clone(), self.end.subscribe()));
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.extend([reading, believing]);
    }

    /// Ends the tasks after what they are doing.
    pub(super) async fn end(&self) {
        self.end.send_replace(true);
        let running = std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        for task in running {
            // A task that panicked has ended as well.
            let _ = task.await;
        }
    }
}

async fn read(room: Arc<Room>, mut end: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            _ = end.wait_for(|end| *end) => return,
            () = room.written.notified() => {}
            () = tokio::time::sleep(room.options.poll) => {}
        }
        if room.read_on().await.is_err() {
            tokio::time::sleep(PATIENCE).await;
        }
    }
}

async fn believe(room: Arc<Room>, mut end: watch::Receiver<bool>) {
    let mut quiet = false;
    while !*end.borrow() {
        let busy = match room.believe().await {
            // Nobody has come for a while: time to see whether the trees can be trusted.
            Ok(false) if quiet => room.check().await,
            other => other,
        };
        match busy {
            // There may be more.
            Ok(true) => {
                quiet = false;
                continue;
            }
            Ok(false) => {}
            Err(_) => tokio::time::sleep(PATIENCE).await,
        }
        quiet = tokio::select! {
            _ = end.wait_for(|end| *end) => return,
            () = room.news.notified() => false,
            // The right to the belief has to be asked for again now and then.
            () = tokio::time::sleep(room.options.poll) => true,
        };
    }
}
