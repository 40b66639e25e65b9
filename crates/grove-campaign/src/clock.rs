use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

use grove_store::Moment;

/// A source of the time. A campaign has no other clock, so that tests can bring their own.
pub trait Clock: Debug + Send + Sync {
    /// The present time.
    fn now(&self) -> Moment;
}

/// The machine's clock.
#[derive(Clone, Copy, Default, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}
