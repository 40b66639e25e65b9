//! Work on the belief, which must not take the processors from those who wait for an answer.

use std::thread;

use tokio::sync::oneshot;

use crate::Error;

/// How much nicer than the rest of the program the belief is to others: when votes come faster than it can take them in, it gets about a
/// tenth of the time, and takes more of them together.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Does some work on a thread of its own that gives way to all others, and waits for it.
///
/// # Errors
/// [`Error::Gone`] if the work panics, or the system gives no thread.
pub(crate) async fn work<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let (done, outcome) = oneshot::channel();
    let run = move || {
        give_way();
        // Nobody waits any more when the campaign is closed.
        let _ = done.send(work());
    };
    thread::Builder::new().name("belief".to_owned()).spawn(run).map_err(|_| Error::Gone)?;
    outcome.await.map_err(|_| Error::Gone)
}

/// Lowers the priority of the current thread, for threads that the belief computes on. Systems other than Linux know only the priority of the whole process,
/// which stays.
pub fn give_way() {
    // Not being allowed to is no reason to stop.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICENESS);
}
