use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use grove_campaign::operations::Workspace;
use grove_store::{Moment, SecretHash, Store};
use tokio::sync::{Notify, watch};

use crate::auth::{InvitationCache, PasswordHashing, hash_secret};
use crate::config::{Config, PublicAddress};
use crate::metrics::Metrics;
use crate::middleware::{ClientAddress, ConcurrencyLimits, RateLimiter, TrustedProxies};

/// What all handlers share.
pub(crate) struct AppState {
    pub(crate) workspace: Workspace,
    pub(crate) public_address: PublicAddress,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) metrics: Metrics,
    pub(crate) hashing: PasswordHashing,
    pub(crate) vote_rates: RateLimiter,
    pub(crate) invitations: InvitationCache,
    pub(crate) concurrency: Arc<ConcurrencyLimits<ClientAddress>>,
    /// Requests and connections that one address may have.
    pub(crate) requests_per_address: u32,
    /// Changes whenever a session or a token ends here, so that event streams notice.
    pub(crate) credentials: watch::Sender<()>,
    /// The hash of the token with which the metrics may be read.
    pub(crate) metrics_token: Option<SecretHash>,
    /// Asks services about all studies now, instead of in a while.
    pub(crate) recruit_now: Notify,
    /// Whether all campaigns have started.
    pub(crate) has_started: AtomicBool,
    /// Becomes true when the server shuts down. It ends open event streams, which would delay the shutdown.
    pub(crate) stopping: watch::Sender<bool>,
}

pub(crate) type App = Arc<AppState>;

const QUARTER_HOUR: Duration = Duration::from_secs(15 * 60);

impl AppState {
    pub(crate) fn new(workspace: Workspace, public_address: PublicAddress, config: &Config) -> Self {
        Self {
            workspace,
            public_address,
            trusted_proxies: TrustedProxies::new(config.trusted_proxies.clone()),
            metrics: Metrics::default(),
            hashing: PasswordHashing::default(),
            vote_rates: RateLimiter::new(config.votes_per_quarter_hour, QUARTER_HOUR),
            invitations: InvitationCache::default(),
            concurrency: ConcurrencyLimits::new(config.requests_per_address),
            requests_per_address: config.requests_per_address,
            credentials: watch::channel(()).0,
            metrics_token: config.metrics_token.as_deref().map(hash_secret),
            recruit_now: Notify::new(),
            has_started: AtomicBool::new(false),
            stopping: watch::channel(false).0,
        }
    }

    /// Tells event streams that a session or a token has ended.
    pub(crate) fn credentials_changed(&self) {
        self.credentials.send_replace(());
    }

    /// The database, for authentication. Everything else is an operation of the workspace.
    pub(crate) fn store(&self) -> &Store {
        self.workspace.store()
    }

    pub(crate) fn now(&self) -> Moment {
        self.workspace.now()
    }
}
