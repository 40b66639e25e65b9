//! The servers that share a database, and which of them runs which belief.
//!
//! Every server sends heartbeats, timed by the database's clock. Live servers share the campaigns by rendezvous
//! hashing (Thaler and Ravishankar 1998): each campaign is assigned to the server whose hash with it is highest, so
//! when a server comes or goes, only the campaigns it gains or loses change hands. Two servers that see different
//! peers may both consider a campaign theirs; the database lets only one of them hold it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use grove_store::{CampaignId, HolderId, Moment, Presence, Store};
use parking_lot::RwLock;
use tokio::sync::watch;
use uuid::Uuid;

use crate::ask::scramble;
use crate::{Clock, Error, SystemClock};

/// How long a server counts as alive after a heartbeat.
const ALIVE: Duration = Duration::from_secs(2);
/// The interval between heartbeats.
pub(crate) const BEAT: Duration = Duration::from_millis(400);

/// This server among those that share its database.
#[derive(Debug)]
pub struct Peers {
    store: Store,
    me: HolderId,
    name: String,
    seen: RwLock<Seen>,
    /// A counter of changes among the servers.
    changes: watch::Sender<u64>,
}

/// The servers as they were last seen.
#[derive(Debug)]
struct Seen {
    others: Vec<HolderId>,
    /// Until when this one counts as alive.
    alive_until: Instant,
    /// How many times this server has become alive: what it held before it was presumed dead may now belong to
    /// another.
    life: u64,
    /// A time by the database's clock, and the local instant at which it was read.
    clock: Option<(Moment, Instant)>,
}

impl Peers {
    /// A server of this name.
    #[must_use]
    pub fn new(store: Store, name: String) -> Arc<Self> {
        let seen = Seen { others: Vec::new(), alive_until: Instant::now(), life: 0, clock: None };
        let (me, changes) = (HolderId(Uuid::now_v7()), watch::Sender::new(0));
        Arc::new(Self { store, me, name, seen: RwLock::new(seen), changes })
    }

    /// Sends a heartbeat, and reads which other servers are alive.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn beat(&self) -> Result<(), Error> {
        let before = Instant::now();
        let presence = self.store.announce(self.me, &self.name, ALIVE).await?;
        if self.saw(presence, before, Instant::now()) {
            self.changes.send_modify(|changes| *changes += 1);
        }
        Ok(())
    }

    /// Returns whether anything has changed.
    fn saw(&self, presence: Presence, before: Instant, after: Instant) -> bool {
        let Presence { now, mut others, was_alive } = presence;
        others.sort();
        let mut seen = self.seen.write();
        let is_new = !was_alive || seen.life == 0;
        seen.life += u64::from(is_new);
        let has_changed = is_new || seen.others != others;
        seen.others = others;
        // The heartbeat arrived between the two; the earlier one is the safe choice.
        seen.alive_until = before + ALIVE;
        seen.clock = Some((now, before + after.duration_since(before) / 2));
        has_changed
    }

    /// Announces that this server is leaving, and releases everything it holds.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn leave(&self) -> Result<(), Error> {
        self.seen.write().alive_until = Instant::now();
        Ok(self.store.leave(self.me).await?)
    }

    /// The id under which it holds beliefs.
    #[must_use]
    pub fn id(&self) -> HolderId {
        self.me
    }

    /// The name by which people know it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many servers are alive, this one included.
    #[must_use]
    pub fn count(&self) -> usize {
        1 + self.seen.read().others.len()
    }

    /// The number of the present period of being alive; none while this server counts as dead.
    pub(crate) fn life(&self) -> Option<u64> {
        let seen = self.seen.read();
        (Instant::now() < seen.alive_until).then_some(seen.life)
    }

    /// Whether a campaign's belief is assigned to this server.
    #[must_use]
    pub fn is_mine(&self, campaign: CampaignId) -> bool {
        let mine = weight(self.me, campaign);
        self.seen.read().others.iter().all(|&other| weight(other, campaign) < mine)
    }

    /// A channel that changes when servers come or go.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

/// The database's clock, so that leases and claims expire at the same time for all servers, whatever their own clocks
/// do.
impl Clock for Peers {
    fn now(&self) -> Moment {
        match self.seen.read().clock {
            Some((moment, then)) => moment.plus(then.elapsed()),
            None => SystemClock.now(),
        }
    }
}

/// The higher of two is unlikely to be the same server for two campaigns. The same for all versions of the program.
fn weight(server: HolderId, campaign: CampaignId) -> (u64, HolderId) {
    let fold = |id: Uuid| {
        let (high, low) = id.as_u64_pair();
        scramble(scramble(high) ^ low)
    };
    // Equal weights do not happen, but must not make two owners.
    (scramble(fold(server.0) ^ fold(campaign.0).rotate_left(1)), server)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn owner(servers: &[HolderId], campaign: CampaignId) -> HolderId {
        *servers.iter().max_by_key(|&&server| weight(server, campaign)).unwrap()
    }

    #[test]
    fn campaigns_are_spread_and_stay_where_they_are() {
        let servers: Vec<HolderId> = (0..4).map(|_| HolderId(Uuid::now_v7())).collect();
        let campaigns: Vec<CampaignId> = (0..4_000).map(|_| CampaignId(Uuid::now_v7())).collect();
        let mut owned: HashMap<HolderId, usize> = HashMap::new();
        for &campaign in &campaigns {
            *owned.entry(owner(&servers, campaign)).or_default() += 1;
        }
        // 1,000 each, with a standard deviation of 27.
        assert!(owned.values().all(|&count| (850..1_150).contains(&count)), "{owned:?}");
        // One goes: only what was its own moves.
        for &campaign in &campaigns {
            let before = owner(&servers, campaign);
            let after = owner(&servers[..3], campaign);
            assert!(before == servers[3] || before == after);
        }
    }
}
