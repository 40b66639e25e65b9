//! Ctrl-C ends a long computation with what it has so far; a second one ends the program.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grove_belief::Watch;
use indicatif::ProgressBar;

/// The exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// What Ctrl-C does at the moment.
const RUNNING: u8 = 0;
const STOPPED: u8 = 1;
/// The computation is over: Ctrl-C ends the program, as it does by default.
const OVER: u8 = 2;

/// Shows the progress of a computation, and stops it at Ctrl-C.
pub(super) struct Stoppable {
    /// What is shown, and whether it counts the steps of the engine or those of whoever uses it.
    shown: Mutex<(ProgressBar, bool)>,
    state: Arc<AtomicU8>,
}

impl Stoppable {
    pub(super) fn new() -> Self {
        let state = Arc::new(AtomicU8::new(RUNNING));
        listen(state.clone());
        Self { shown: Mutex::new((ProgressBar::hidden(), false)), state }
    }

    /// Shows a bar in place of the one before.
    pub(super) fn show(&self, bar: ProgressBar, by_engine: bool) {
        let mut shown = self.shown();
        // The bar before it is cleared first.
        shown.0.finish_and_clear();
        *shown = (bar, by_engine);
    }

    /// A step that is not the engine's.
    pub(super) fn step_of_work(&self) {
        let shown = self.shown();
        if !shown.1 {
            shown.0.inc(1);
        }
    }

    /// Ends the bar, and says whether the computation was stopped.
    pub(super) fn finish(&self) -> bool {
        self.shown().0.finish_and_clear();
        self.state.swap(OVER, Ordering::Relaxed) == STOPPED
    }

    fn shown(&self) -> MutexGuard<'_, (ProgressBar, bool)> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Stoppable {
    fn expect(&self, steps: usize) {
        let shown = self.shown();
        if shown.1 {
            shown.0.inc_length(steps as u64);
        }
    }

    fn step(&self) {
        let shown = self.shown();
        if shown.1 {
            shown.0.inc(1);
        }
    }

    fn is_stopped(&self) -> bool {
        self.state.load(Ordering::Relaxed) == STOPPED
    }
}

/// Waits for signals on a thread of its own, since the computation keeps all others busy. Where that is not possible, Ctrl-C ends the program.
fn listen(state: Arc<AtomicU8>) {
    let wait = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                if state.compare_exchange(RUNNING, STOPPED, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                    std::process::exit(INTERRUPTED);
                }
                eprintln!("\nstopping with the result so far; press Ctrl-C again to quit at once");
            }
        });
    };
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(wait).ok();
}
