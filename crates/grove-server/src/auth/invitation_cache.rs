use std::collections::HashMap;
use std::time::{Duration, Instant};

use grove_store::{CampaignId, SecretHash};
use parking_lot::Mutex;

/// How long an invitation is accepted without reading the database again. One that another server revokes works this much longer.
const LIFETIME: Duration = Duration::from_secs(1);
/// A server has few invitations and many workers for each, so this is rarely reached.
const CAPACITY: usize = 10_000;

/// Recently used invitations: every request of a worker carries one. The clock is monotonic: setting the machine's clock back does not make a
/// revoked invitation work longer.
#[derive(Debug, Default)]
pub(crate) struct InvitationCache(Mutex<HashMap<SecretHash, (CampaignId, Instant)>>);

impl InvitationCache {
    /// The campaign that an invitation is for, if it was used a moment ago.
    pub(crate) fn get(&self, hash: &SecretHash, now: Instant) -> Option<CampaignId> {
        self.0.lock().get(hash).filter(|(_, until)| now < *until).map(|(campaign, _)| *campaign)
    }

    pub(crate) fn insert(&self, hash: SecretHash, campaign: CampaignId, now: Instant) {
        let mut entries = self.0.lock();
        if entries.len() >= CAPACITY {
            entries.retain(|_, (_, until)| now < *until);
        }
        if entries.len() >= CAPACITY {
            entries.clear();
        }
        entries.insert(hash, (campaign, now + LIFETIME));
    }

    /// Forgets all invitations, because one of them may have been revoked.
    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn an_invitation_is_cached_for_a_moment() {
        let (cache, hash, campaign) = (InvitationCache::default(), [7; 32], CampaignId(Uuid::from_u128(1)));
        let now = Instant::now();
        assert_eq!(cache.get(&hash, now), None);
        cache.insert(hash, campaign, now);
        assert_eq!(cache.get(&hash, now), Some(campaign));
        assert_eq!(cache.get(&[8; 32], now), None);
        assert_eq!(cache.get(&hash, now + LIFETIME), None);
        cache.insert(hash, campaign, now);
        cache.clear();
        assert_eq!(cache.get(&hash, now), None);
    }
}
