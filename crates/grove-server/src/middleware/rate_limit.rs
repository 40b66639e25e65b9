use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::http_error::{HttpError, Result};

/// Limits how often something happens per key, as a leaky bucket that holds a whole period's worth (the "leaky bucket as a meter" of
/// ITU-T I.371). Keys are kept as hashes, 24 bytes per bucket whatever the key. The clock is monotonic: setting the machine's clock
/// changes nothing.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    per_period: u32,
    period: Duration,
    hasher: RandomState,
    /// When the bucket of each key will be full again.
    full_at: Mutex<HashMap<u64, Instant>>,
}

/// The most buckets.
const CAPACITY: usize = 100_000;

impl RateLimiter {
    pub(crate) fn new(per_period: u32, period: Duration) -> Self {
        Self { per_period, period, hasher: RandomState::new(), full_at: Mutex::new(HashMap::new()) }
    }

    /// Counts one event of a key, or refuses it.
    pub(crate) fn check(&self, key: &str) -> Result<()> {
        self.check_at(key, Instant::now())
    }

    fn check_at(&self, key: &str, now: Instant) -> Result<()> {
        let each = self.period / self.per_period.max(1);
        let mut full_at = self.full_at.lock();
        if full_at.len() >= CAPACITY {
            evict(&mut full_at, now);
        }
        let full = full_at.entry(self.hasher.hash_one(key)).or_insert(now);
        let next = (*full).max(now) + each;
        let over = next.duration_since(now).saturating_sub(self.period);
        if !over.is_zero() {
            let retry_after = over.as_secs() + u64::from(over.subsec_nanos() > 0);
            return Err(HttpError::TooManyRequests { retry_after });
        }
        *full = next;
        Ok(())
    }
}

/// Drops the half of the buckets that are nearest to being full. Whoever invents keys drops those, and not the one bucket that they
/// have emptied.
fn evict(full_at: &mut HashMap<u64, Instant>, now: Instant) {
    full_at.retain(|_, full| *full > now);
    if full_at.len() < CAPACITY {
        return;
    }
    let mut times: Vec<Instant> = full_at.values().copied().collect();
    let (_, &mut median, _) = times.select_nth_unstable(CAPACITY / 2);
    full_at.retain(|_, full| *full > median);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_period_at_once_and_then_a_steady_rate() {
        let (rates, start) = (RateLimiter::new(10, Duration::from_secs(100)), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        for _ in 0..10 {
            rates.check_at("ann", at(0)).unwrap();
        }
        let refused = |retry_after| Err(HttpError::TooManyRequests { retry_after });
        assert_eq!(rates.check_at("ann", at(0)), refused(10));
        rates.check_at("bob", at(0)).unwrap();
        assert_eq!(rates.check_at("ann", at(9)), refused(1));
        rates.check_at("ann", at(10)).unwrap();
        assert!(rates.check_at("ann", at(10)).is_err());
    }

    #[test]
    fn invented_keys_take_bounded_memory_and_free_nobody() {
        let (rates, start) = (RateLimiter::new(10, Duration::from_secs(900)), Instant::now());
        for _ in 0..10 {
            rates.check_at("ann", start).unwrap();
        }
        for key in 0..1_000_000 {
            rates.check_at(&key.to_string(), start + Duration::from_micros(key)).unwrap();
        }
        assert!(rates.full_at.lock().len() <= CAPACITY);
        assert!(rates.check_at("ann", start + Duration::from_secs(1)).is_err(), "her bucket is still empty");
    }
}
