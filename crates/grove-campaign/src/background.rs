//! Background work on the belief, which must not take processor time from requests.

use std::thread;

use tokio::sync::oneshot;

use crate::Error;

/// The niceness of the belief's threads. When votes come faster than the belief can take them in, it gets about a
/// tenth of the processor time and takes more votes together.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Runs work on a low-priority thread of its own and waits for the result.
///
/// # Errors
/// [`Error::Gone`] if the work panics, or the system gives no thread.
pub(crate) async fn work<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let (done, outcome) = oneshot::channel();
    let run = move || {
        give_way();
        // The receiver is gone if the campaign was closed.
        let _ = done.send(work());
    };
    thread::Builder::new().name("belief".to_owned()).spawn(run).map_err(|_| Error::Gone)?;
    outcome.await.map_err(|_| Error::Gone)
}

/// Lowers the priority of the current thread, for threads that the belief computes on. Elsewhere than on Linux,
/// priority belongs to the whole process and is left alone.
pub fn give_way() {
    // A refusal is harmless: the thread then runs at normal priority.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, NICENESS);
}
