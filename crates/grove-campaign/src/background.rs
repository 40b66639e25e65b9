//! Background work on the belief, which must not take processor time from requests.

use std::thread;

use rayon::ThreadPoolBuilder;
use tokio::sync::oneshot;

use crate::Error;

/// By how much the belief's threads are nicer than the rest of the program. When votes come faster than the belief can take them in, it gets about a
/// tenth of the processor time and takes more votes together.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Runs work on low-priority threads of its own and waits for the result.
///
/// Within one pool of threads, work begins when that before it has ended: campaigns with 30 concepts waited ten minutes for the first tree of one with
/// 10,000. With a pool for each, the system divides the processors among them.
///
/// # Errors
/// [`Error::Gone`] if the work panics, or the system gives no thread.
pub(crate) async fn work<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let (done, outcome) = oneshot::channel();
    let run = move || {
        give_way();
        let outcome = match ThreadPoolBuilder::new().start_handler(|_| give_way()).build() {
            Ok(pool) => pool.install(work),
            // Without threads of its own, it runs on those of everybody.
            Err(_) => work(),
        };
        // The receiver is gone if the campaign was closed.
        let _ = done.send(outcome);
    };
    thread::Builder::new().name("belief".to_owned()).spawn(run).map_err(|_| Error::Gone)?;
    outcome.await.map_err(|_| Error::Gone)
}

/// Lowers the priority of the current thread, for threads that the belief computes on. Elsewhere than on Linux,
/// priority belongs to the whole process and is left alone.
pub fn give_way() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpid, getpriority_process, setpriority_process};
        let own = getpriority_process(Some(getpid())).unwrap_or(0);
        // A refusal is harmless: the thread then runs at normal priority.
        let _ = setpriority_process(None, own + NICENESS);
    }
}
