use std::time::Duration;

use crate::Error;

/// What to do after a request that may be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Wait so long and send it again.
    Retry(Duration),
    /// It will not work.
    GiveUp,
}

/// How long to wait between attempts: as long as the service asks for, or twice as long each time, with jitter so that many clients do not come back
/// at the same moment. Only for requests that may be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    /// The first wait.
    pub first: Duration,
    /// The longest wait; if the service asks for more, the request is given up.
    pub longest: Duration,
    /// How many attempts there are in all.
    pub attempts: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first: Duration::from_millis(500), longest: Duration::from_secs(60), attempts: 6 }
    }
}

impl Backoff {
    /// What to do after the `attempt`-th attempt (from 1) has failed. `jitter` is between 0 and 1.
    #[must_use]
    pub fn after(&self, attempt: u32, error: &Error, jitter: f64) -> Outcome {
        let (is_passing, asked) = match error {
            Error::NoAnswer { .. } => (true, None),
            // A service in trouble answers with pages that are not JSON.
            Error::Unreadable { .. } => (true, None),
            Error::Refused { status: 408 | 425 | 429 | 500 | 502 | 503 | 504 | 529, retry_after, .. } => {
                (true, *retry_after)
            }
            _ => (false, None),
        };
        if !is_passing || attempt >= self.attempts {
            return Outcome::GiveUp;
        }
        if let Some(seconds) = asked {
            let asked = Duration::from_secs(seconds);
            if asked > self.longest {
                return Outcome::GiveUp;
            }
            // At least what was asked for, and up to half a second more.
            return Outcome::Retry(asked + Duration::from_millis(500).mul_f64(jitter.clamp(0.0, 1.0)));
        }
        let full = self.first.saturating_mul(1 << (attempt - 1).min(16)).min(self.longest);
        Outcome::Retry(full.mul_f64(0.5 + 0.5 * jitter.clamp(0.0, 1.0)))
    }
}

/// A number between 0 and 1 for jitter.
pub(crate) fn jitter() -> f64 {
    f64::from(getrandom::u32().unwrap_or(u32::MAX / 2)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, retry_after: Option<u64>) -> Error {
        Error::Refused { who: "it".into(), status, reason: String::new(), retry_after }
    }

    #[test]
    fn waits_longer_each_time_and_gives_up() {
        let backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(5), attempts: 5 };
        let waits: Vec<_> = (1..=5).map(|attempt| backoff.after(attempt, &refused(502, None), 1.0)).collect();
        let seconds = [1, 2, 4, 5].map(|seconds| Outcome::Retry(Duration::from_secs(seconds)));
        assert_eq!(waits[..4], seconds);
        assert_eq!(waits[4], Outcome::GiveUp);
        assert_eq!(backoff.after(1, &refused(502, None), 0.0), Outcome::Retry(Duration::from_millis(500)));
    }

    #[test]
    fn does_what_the_service_asks_within_reason() {
        let backoff = Backoff::default();
        assert_eq!(backoff.after(1, &refused(429, Some(7)), 0.0), Outcome::Retry(Duration::from_secs(7)));
        assert_eq!(backoff.after(1, &refused(429, Some(3600)), 0.0), Outcome::GiveUp);
        for status in [400, 401, 403, 404, 409, 422] {
            assert_eq!(backoff.after(1, &refused(status, Some(1)), 0.0), Outcome::GiveUp, "{status}");
        }
    }
}
