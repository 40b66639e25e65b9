//! Errors that come with every request are logged once, and then once a minute with their number.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How often the same error is logged.
const PERIOD: Duration = Duration::from_secs(60);

/// One kind of error.
#[derive(Debug)]
pub(crate) struct Repeated(Mutex<Option<(Instant, u64)>>);

impl Repeated {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Counts an error. Returns how many there were since it was last logged, if it is to be logged now.
    pub(crate) fn count(&self) -> Option<u64> {
        self.count_at(Instant::now())
    }

    fn count_at(&self, now: Instant) -> Option<u64> {
        let mut last = self.0.lock();
        let silent = match *last {
            Some((logged, silent)) if now.duration_since(logged) < PERIOD => {
                *last = Some((logged, silent + 1));
                return None;
            }
            Some((_, silent)) => silent,
            None => 0,
        };
        *last = Some((now, 0));
        Some(silent + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_logged_once_a_minute_with_their_number() {
        let (errors, start) = (Repeated::new(), Instant::now());
        let at = |seconds| errors.count_at(start + Duration::from_secs(seconds));
        assert_eq!([at(0), at(1), at(2), at(59)], [Some(1), None, None, None]);
        assert_eq!([at(60), at(61), at(200)], [Some(4), None, Some(2)]);
    }
}
