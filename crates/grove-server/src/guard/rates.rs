use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;
use std::time::Duration;

use grove_store::Moment;

use crate::fault::Fault;

/// So many in so long a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) most: u32,
    pub(crate) within: Duration,
}

/// How often each key has come lately: a bucket that fills steadily and holds a whole period's worth (the "leaky bucket as a meter" of
/// ITU-T I.371). Keys are kept as hashes, 16 bytes each whatever they are, and full buckets are forgotten.
#[derive(Debug)]
pub(crate) struct Rates {
    rate: Rate,
    hasher: RandomState,
    /// When each key's bucket will be full again.
    full_at: Mutex<HashMap<u64, Moment>>,
}

/// Buckets that are kept before full ones are looked for.
const MANY: usize = 100_000;

impl Rates {
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, hasher: RandomState::new(), full_at: Mutex::new(HashMap::new()) }
    }

    /// Counts one more for a key.
    pub(crate) fn count(&self, key: &str, now: Moment) -> Result<(), Fault> {
        let period = self.rate.within.as_micros() as i64;
        let each = period / i64::from(self.rate.most.max(1));
        let mut full_at = self.full_at.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if full_at.len() >= MANY {
            full_at.retain(|_, full| *full > now);
        }
        if full_at.len() >= MANY {
            // Somebody makes up keys. Forgetting all lets a few more through, and memory stays bounded.
            full_at.clear();
        }
        let full = full_at.entry(self.hasher.hash_one(key)).or_insert(now);
        let next = Moment((*full).max(now).0.saturating_add(each));
        let over = next.0.saturating_sub(now.0).saturating_sub(period);
        if over > 0 {
            return Err(Fault::TooMany { retry_after: (over as u64).div_ceil(1_000_000) });
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
    fn a_period_s_worth_at_once_and_then_a_steady_trickle() {
        let rates = Rates::new(Rate { most: 10, within: Duration::from_secs(100) });
        for _ in 0..10 {
            rates.count("ann", Moment(0)).unwrap();
        }
        assert_eq!(rates.count("ann", Moment(0)), Err(Fault::TooMany { retry_after: 10 }));
        rates.count("bob", Moment(0)).unwrap();
        assert_eq!(rates.count("ann", Moment(9 * SECOND)), Err(Fault::TooMany { retry_after: 1 }));
        rates.count("ann", Moment(10 * SECOND)).unwrap();
        assert!(rates.count("ann", Moment(10 * SECOND)).is_err());
    }

    #[test]
    fn a_million_keys_take_bounded_room() {
        let rates = Rates::new(Rate { most: 1, within: Duration::from_secs(900) });
        for key in 0..1_000_000 {
            rates.count(&key.to_string(), Moment(key)).unwrap();
        }
        assert!(rates.full_at.lock().unwrap().len() <= MANY);
    }
}
