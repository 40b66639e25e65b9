//! Background work on the belief, which must not take processor time from requests.

use std::sync::Arc;

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot;

use crate::Error;

/// By how much the belief's threads are nicer than the rest of the program. When votes come faster than the belief can take them in, it gets about a
/// tenth of the processor time and takes more votes together.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Pools without work, the last one used at the end. Allocators keep what a thread has freed for that thread: with new threads for every piece of work, the copies of a
/// belief came to lie in the memory of ever more of them, and most of a server's memory was not in use.
static IDLE: Mutex<Vec<Arc<ThreadPool>>> = Mutex::new(Vec::new());

/// How many of them are kept.
const MOST_IDLE: usize = 4;

/// Runs work on low-priority threads that nothing else runs on meanwhile, and waits for the result.
///
/// Within one pool of threads, work begins when that before it has ended: campaigns with 30 concepts waited ten minutes for the first tree of one with
/// 10,000. With a pool for each, the system divides the processors among them.
///
/// # Errors
/// [`Error::Gone`] if the work panics, or the system gives no thread.
pub(crate) async fn work<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let (done, outcome) = oneshot::channel();
    let idle = IDLE.lock().pop();
    let pool = idle.map_or_else(new_pool, Ok)?;
    let own = pool.clone();
    pool.spawn(move || {
        let outcome = work();
        put_back(own);
        // The receiver is gone if the campaign was closed.
        let _ = done.send(outcome);
    });
    drop(pool);
    outcome.await.map_err(|_| Error::Gone)
}

fn new_pool() -> Result<Arc<ThreadPool>, Error> {
    let builder = ThreadPoolBuilder::new().thread_name(|_| "belief".to_owned()).start_handler(|_| give_way());
    // Who waits for work that panics is told so by the channel.
    builder.panic_handler(|_| ()).build().map(Arc::new).map_err(|_| Error::Gone)
}

/// Keeps a pool for the next work, unless there are enough.
fn put_back(pool: Arc<ThreadPool>) {
    let mut idle = IDLE.lock();
    if idle.len() < MOST_IDLE {
        idle.push(pool);
    }
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::thread::{self, ThreadId};

    use super::*;

    /// The threads of so many pieces of work, one after the other.
    async fn threads(times: usize) -> HashSet<ThreadId> {
        let mut threads = HashSet::new();
        for _ in 0..times {
            threads.extend(work(|| rayon::broadcast(|_| thread::current().id())).await.unwrap());
        }
        threads
    }

    #[tokio::test]
    async fn threads_are_used_again() {
        // Other tests of the process may take a pool meanwhile.
        let most = MOST_IDLE * rayon::current_num_threads();
        assert!(threads(5 * MOST_IDLE).await.len() <= most);
        let panicked = work(|| -> () { panic!("in the background") }).await;
        assert!(matches!(panicked, Err(Error::Gone)));
        assert!(threads(5 * MOST_IDLE).await.len() <= most, "a pool takes the place of the one that is gone");
    }
}
