use std::collections::HashMap;
use std::time::{Duration, Instant};

use grove_campaign::operations::Link;
use grove_store::{CampaignId, SecretHash};
use parking_lot::Mutex;

/// How long an invitation is accepted without reading the database again. One that another server revokes works this much longer.
const LIFETIME: Duration = Duration::from_secs(1);
/// A server has few invitations and many workers for each, so this is rarely reached.
const CAPACITY: usize = 10_000;

/// Recently used invitations: every request of a worker carries one. The clock is monotonic: setting the machine's clock back does not make a
/// revoked invitation work longer.
#[derive(Debug, Default)]
pub(crate) struct InvitationCache(Mutex<HashMap<SecretHash, (Invitation, Instant)>>);

/// An invitation, and the campaign that it is for.
pub(crate) type Invitation = (CampaignId, Link);

impl InvitationCache {
    /// The invitation with a secret of this hash, if it was used a moment ago.
    pub(crate) fn get(&self, hash: &SecretHash, now: Instant) -> Option<Invitation> {
        self.0.lock().get(hash).filter(|(_, until)| now < *until).map(|(invitation, _)| *invitation)
    }

    pub(crate) fn insert(&self, hash: SecretHash, invitation: Invitation, now: Instant) {
        let mut entries = self.0.lock();
        if entries.len() >= CAPACITY {
            entries.retain(|_, (_, until)| now < *until);
        }
        if entries.len() >= CAPACITY {
            entries.clear();
        }
        entries.insert(hash, (invitation, now + LIFETIME));
    }

    /// Forgets all invitations, because one of them may have been revoked.
    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_store::CredentialId;
    use uuid::Uuid;

    #[test]
    fn an_invitation_is_cached_for_a_moment() {
        let (cache, hash) = (InvitationCache::default(), [7; 32]);
        let link = Link { id: CredentialId(Uuid::from_u128(2)), is_limited: false };
        let invitation = (CampaignId(Uuid::from_u128(1)), link);
        let now = Instant::now();
        assert_eq!(cache.get(&hash, now), None);
        cache.insert(hash, invitation, now);
        assert_eq!(cache.get(&hash, now), Some(invitation));
        assert_eq!(cache.get(&[8; 32], now), None);
        assert_eq!(cache.get(&hash, now + LIFETIME), None);
        cache.insert(hash, invitation, now);
        cache.clear();
        assert_eq!(cache.get(&hash, now), None);
    }
}
