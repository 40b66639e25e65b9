use std::sync::Arc;
use std::time::Duration;

use grove_campaign::Clock;
use grove_store::{Moment, Store};
use tokio::sync::watch;

use crate::auth::Known;
use crate::campaigns::Campaigns;
use crate::config::PublicAddress;
use crate::guard::{Rate, Rates, Seats};
use crate::metrics::Metrics;

/// What all handlers share. Cheap to clone.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

struct Shared {
    store: Store,
    clock: Arc<dyn Clock>,
    public: PublicAddress,
    campaigns: Campaigns,
    metrics: Metrics,
    logins: Rates,
    votes: Rates,
    invitations: Known,
    seats: Arc<Seats>,
    stopping: watch::Sender<bool>,
}

const QUARTER_HOUR: Duration = Duration::from_secs(15 * 60);
/// Passwords that may be tried for an account, or from an address, within a quarter of an hour.
const LOGINS: u32 = 10;

impl App {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>, public: PublicAddress, votes: u32) -> Self {
        let campaigns = Campaigns::new(store.clone(), clock.clone());
        Self(Arc::new(Shared {
            store,
            clock,
            public,
            campaigns,
            metrics: Metrics::default(),
            logins: Rates::new(Rate { most: LOGINS, within: QUARTER_HOUR }),
            votes: Rates::new(Rate { most: votes, within: QUARTER_HOUR }),
            invitations: Known::default(),
            seats: Arc::default(),
            stopping: watch::channel(false).0,
        }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn now(&self) -> Moment {
        self.0.clock.now()
    }

    pub(crate) fn public(&self) -> &PublicAddress {
        &self.0.public
    }

    pub(crate) fn campaigns(&self) -> &Campaigns {
        &self.0.campaigns
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// How often passwords are tried.
    pub(crate) fn logins(&self) -> &Rates {
        &self.0.logins
    }

    /// How often workers vote.
    pub(crate) fn votes(&self) -> &Rates {
        &self.0.votes
    }

    /// Invitations that were shown a moment ago.
    pub(crate) fn invitations(&self) -> &Known {
        &self.0.invitations
    }

    /// Who has how many requests under way.
    pub(crate) fn seats(&self) -> &Arc<Seats> {
        &self.0.seats
    }

    /// Ends all open event streams, which would hold up the shutdown.
    pub(crate) fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Turns true when the server is about to end.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.0.stopping.subscribe()
    }
}
