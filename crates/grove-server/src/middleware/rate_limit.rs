use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use grove_store::Moment;
use parking_lot::Mutex;

use crate::http_error::{HttpError, Result};

/// Limits how often something happens per key, as a leaky bucket that holds a whole period's worth (the "leaky bucket as a meter" of
/// ITU-T I.371). Keys are kept as hashes, 16 bytes per bucket whatever the key, and full buckets are dropped.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    per_period: u32,
    period: Duration,
    hasher: RandomState,
    /// When the bucket of each key will be full again.
    full_at: Mutex<HashMap<u64, Moment>>,
}

/// The number of buckets from which on full ones are dropped.
const CAPACITY: usize = 100_000;

impl RateLimiter {
    pub(crate) fn new(per_period: u32, period: Duration) -> Self {
        Self { per_period, period, hasher: RandomState::new(), full_at: Mutex::new(HashMap::new()) }
    }

    /// Counts one event of a key, or refuses it.
    pub(crate) fn check(&self, key: &str, now: Moment) -> Result<()> {
        let period = self.period.as_micros() as i64;
        let each = period / i64::from(self.per_period.max(1));
        let mut full_at = self.full_at.lock();
        if full_at.len() >= CAPACITY {
            full_at.retain(|_, full| *full > now);
        }
        if full_at.len() >= CAPACITY {
            // Somebody invents keys. Dropping all buckets lets a few more events through and bounds memory.
            full_at.clear();
        }
        let full = full_at.entry(self.hasher.hash_one(key)).or_insert(now);
        let next = Moment((*full).max(now).0.saturating_add(each));
        let over = next.0.saturating_sub(now.0).saturating_sub(period);
        if over > 0 {
            return Err(HttpError::TooManyRequests { retry_after: (over as u64).div_ceil(1_000_000) });
        }
        *full = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    #[test]
    fn a_whole_period_at_once_and_then_a_steady_rate() {
        let rates = RateLimiter::new(10, Duration::from_secs(100));
        for _ in 0..10 {
            rates.check("ann", Moment(0)).unwrap();
        }
        assert_eq!(rates.check("ann", Moment(0)), Err(HttpError::TooManyRequests { retry_after: 10 }));
        rates.check("bob", Moment(0)).unwrap();
        assert_eq!(
            rates.check("ann", Moment(9 * SECOND)),
            Err(HttpError::TooManyRequests { retry_after: 1 })
        );
        rates.check("ann", Moment(10 * SECOND)).unwrap();
        assert!(rates.check("ann", Moment(10 * SECOND)).is_err());
    }

    #[test]
    fn a_million_keys_take_bounded_memory() {
        let rates = RateLimiter::new(1, Duration::from_secs(900));
        for key in 0..1_000_000 {
            rates.check(&key.to_string(), Moment(key)).unwrap();
        }
        assert!(rates.full_at.lock().len() <= CAPACITY);
    }
}
