//! Work on another thread, while this one lets other Python threads run, looks for Ctrl-C and reports progress.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use taxogrove::inference::Watch;

use crate::error::Failure;

/// How often Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// What the working thread tells.
enum News<T> {
    Begin(&'static str, Option<u64>),
    Step,
    Done(Result<T, Failure>),
}

/// The working thread's side: tells how far it has come, and asks whether anybody still waits.
struct Reporter<T> {
    news: Sender<News<T>>,
    waited_for: WaitedFor,
}

/// Whether anybody still waits; the engine asks from all its threads.
struct WaitedFor {
    cancelled: Arc<AtomicBool>,
}

impl grove_belief::Watch for WaitedFor {
    fn is_stopped(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl<T> Watch for Reporter<T> {
    fn begin(&mut self, work: &'static str, steps: Option<u64>) {
        // Nobody listens any more once the work is cancelled.
        let _ = self.news.send(News::Begin(work, steps));
    }

    fn step(&mut self) {
        let _ = self.news.send(News::Step);
    }

    fn is_cancelled(&self) -> bool {
        grove_belief::Watch::is_stopped(&self.waited_for)
    }

    fn engine(&self) -> &dyn grove_belief::Watch {
        &self.waited_for
    }
}

/// Runs work on a thread of its own and waits for it. `watcher`, if any, has the methods `begin(work, steps)` and `step()`.
///
/// On Ctrl-C, or if the watcher raises an exception, that exception is returned at once; the work notices at its next step and ends. A panic
/// becomes an exception.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    watcher: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&mut dyn Watch) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let (news, mut incoming) = channel();
    let cancelled = Arc::new(AtomicBool::new(false));
    let waited_for = WaitedFor { cancelled: Arc::clone(&cancelled) };
    let mut reporter = Reporter { news, waited_for };
    let body = move || {
        let result = guarded(|| work(&mut reporter));
        let _ = reporter.news.send(News::Done(result));
    };
    thread::Builder::new()
        .name("taxogrove".to_owned())
        .spawn(body)
        .map_err(|error| Failure::Failed(format!("cannot start a thread: {error}")))?;
    let result = wait(py, watcher, &mut incoming);
    if result.is_err() {
        cancelled.store(true, Ordering::Relaxed);
    }
    Ok(result?)
}

fn wait<T: Send>(
    py: Python<'_>,
    watcher: Option<&Bound<'_, PyAny>>,
    incoming: &mut Receiver<News<T>>,
) -> Result<T, Failure> {
    loop {
        let incoming = &mut *incoming;
        match py.detach(move || incoming.recv_timeout(LOOK)) {
            Ok(News::Done(result)) => return result,
            Ok(News::Begin(work, steps)) => {
                watcher.map(|watcher| watcher.call_method1("begin", (work, steps))).transpose()?;
            }
            Ok(News::Step) => {
                watcher.map(|watcher| watcher.call_method0("step")).transpose()?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Internal("the working thread ended without a result".to_owned()));
            }
        }
        py.check_signals()?;
    }
}

/// Runs work and turns a panic into an error.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Failure::panicked(&*payload)))
}
