/// Follows a long computation, and may end it early.
pub trait Watch: Sync {
    /// This many more steps will be made.
    fn expect(&self, _steps: usize) {}

    /// A step is done; called from any thread.
    fn step(&self) {}

    /// Whether to end soon with what there is.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A watcher that ignores all progress and never stops the computation.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {}
