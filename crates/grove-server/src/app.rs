use std::sync::Arc;
use std::time::Duration;

use grove_campaign::operations::Workspace;
use grove_store::{Moment, Store};
use tokio::sync::watch;

use crate::auth::InvitationCache;
use crate::config::PublicAddress;
use crate::metrics::Metrics;
use crate::middleware::{ConcurrencyLimits, RateLimiter};

/// What all handlers share.
pub(crate) struct AppState {
    pub(crate) workspace: Workspace,
    pub(crate) public_address: PublicAddress,
    pub(crate) metrics: Metrics,
    pub(crate) login_rates: RateLimiter,
    pub(crate) vote_rates: RateLimiter,
    pub(crate) invitations: InvitationCache,
    pub(crate) concurrency: Arc<ConcurrencyLimits>,
    /// Becomes true when the server shuts down. It ends open event streams, which would delay the shutdown.
    pub(crate) stopping: watch::Sender<bool>,
}

pub(crate) type App = Arc<AppState>;

const QUARTER_HOUR: Duration = Duration::from_secs(15 * 60);
/// Login attempts per account, and per address, within a quarter of an hour.
const LOGIN_ATTEMPTS: u32 = 10;

impl AppState {
    pub(crate) fn new(
        workspace: Workspace,
        public_address: PublicAddress,
        votes_per_quarter_hour: u32,
    ) -> Self {
        Self {
            workspace,
            public_address,
            metrics: Metrics::default(),
            login_rates: RateLimiter::new(LOGIN_ATTEMPTS, QUARTER_HOUR),
            vote_rates: RateLimiter::new(votes_per_quarter_hour, QUARTER_HOUR),
            invitations: InvitationCache::default(),
            concurrency: Arc::default(),
            stopping: watch::channel(false).0,
        }
    }

    /// The database, for authentication. Everything else is an operation of the workspace.
    pub(crate) fn store(&self) -> &Store {
        self.workspace.store()
    }

    pub(crate) fn now(&self) -> Moment {
        self.workspace.now()
    }
}
