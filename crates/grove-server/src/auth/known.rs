use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use grove_store::{CampaignId, Moment, SecretHash};

/// For how long an invitation is known without asking the database again. One that another server revokes opens for as long still.
const REMEMBERED: Duration = Duration::from_secs(1);
/// The most that are remembered: a server has few, and many workers for each.
const MANY: usize = 10_000;

/// Invitations that were shown a moment ago: every request of a worker shows one.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<HashMap<SecretHash, (CampaignId, Moment)>>);

impl Known {
    /// The campaign that an invitation opens, if it was seen a moment ago.
    pub(crate) fn find(&self, hash: &SecretHash, now: Moment) -> Option<CampaignId> {
        self.all().get(hash).filter(|(_, until)| now < *until).map(|(campaign, _)| *campaign)
    }

    /// Remembers an invitation for a moment.
    pub(crate) fn remember(&self, hash: SecretHash, campaign: CampaignId, now: Moment) {
        let mut all = self.all();
        if all.len() >= MANY {
            all.clear();
        }
        all.insert(hash, (campaign, now.plus(REMEMBERED)));
    }

    /// Forgets all, because one of them may have been revoked.
    pub(crate) fn forget(&self) {
        self.all().clear();
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SecretHash, (CampaignId, Moment)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn an_invitation_is_known_for_a_moment() {
        let (known, hash, campaign) = (Known::default(), [7; 32], CampaignId(Uuid::from_u128(1)));
        let now = Moment(1_000_000);
        assert_eq!(known.find(&hash, now), None);
        known.remember(hash, campaign, now);
        assert_eq!(known.find(&hash, now), Some(campaign));
        assert_eq!(known.find(&[8; 32], now), None);
        assert_eq!(known.find(&hash, now.plus(REMEMBERED)), None);
        known.remember(hash, campaign, now);
        known.forget();
        assert_eq!(known.find(&hash, now), None);
    }
}
