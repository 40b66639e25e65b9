use std::collections::HashSet;
use std::future::Future;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use grove_campaign::Campaign;
use grove_campaign::operations::{Caller, Workspace};
use grove_store::{CampaignId, Moment, OwnerId, Purpose, Store};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::app::{App, AppState};
use crate::auth::{SESSION, Secret, issue};
use crate::config::{Config, PublicAddress};
use crate::connections::{self, Places};
use crate::recruiting;
use crate::{Error, router};

/// How long the link for the first owner is valid.
const SETUP: Duration = Duration::from_secs(24 * 3600);
/// How long open requests may take after the shutdown has begun.
const OPEN_REQUESTS: Duration = Duration::from_millis(1_500);
/// How long campaigns may take to store their beliefs after that. Most supervisors kill a process soon after that.
const CAMPAIGNS: Duration = Duration::from_millis(2_500);
/// How long it may take to tell the other servers after that.
const LEAVING: Duration = Duration::from_millis(500);

/// For how long the audit log is kept.
const AUDIT: Duration = Duration::from_secs(365 * 24 * 3600);
/// How often what is no longer needed is deleted.
const HOUSEKEEPING: Duration = Duration::from_secs(15 * 60);

/// How often the beliefs are looked at.
const WATCH: Duration = Duration::from_secs(5);
/// How many votes a belief may be behind before the log says so.
const FAR_BEHIND: usize = 1_000;

/// A server that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    app: App,
    setup_link: Option<String>,
}

impl Server {
    /// Opens the database and starts to listen.
    ///
    /// # Errors
    /// An invalid public URL, a port in use, or a database that cannot be opened.
    pub async fn bind(config: &Config) -> Result<Self, Error> {
        let refused = |reason| Error::CannotListen { address: config.listen, reason };
        let listener = TcpListener::bind(config.listen).await.map_err(refused)?;
        let public = PublicAddress::new(config.public_url.as_deref(), listener.local_addr()?)?;
        let store = Store::open(&config.database).await?;
        let workspace =
            Workspace::of_server(store, public.url().to_owned()).with_crowds(config.crowds.clone());
        let app = Arc::new(AppState::new(workspace, public, config));
        if config.public_url.is_some() && config.trusted_proxies.is_empty() {
            tracing::warn!(
                "no proxy is trusted: if there is one in front of this server, all visitors seem to come from its address and share \
                 its limits; name it with --trusted-proxy"
            );
        }
        let setup_link = first_owner_link(&app).await?;
        Ok(Self { listener, app, setup_link })
    }

    /// Returns the address on which the server listens.
    ///
    /// # Errors
    /// Errors from the operating system.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        Ok(self.listener.local_addr()?)
    }

    /// Returns the URL by which browsers reach the server.
    #[must_use]
    pub fn url(&self) -> &str {
        self.app.public_address.url()
    }

    /// Returns the link by which the first owner creates an account. It works once, and only while there is no owner.
    #[must_use]
    pub fn setup_link(&self) -> Option<&str> {
        self.setup_link.as_deref()
    }

    /// Returns the database.
    #[must_use]
    pub fn store(&self) -> &Store {
        self.app.store()
    }

    /// Returns the operations on the database, as the server's own pages use them.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.app.workspace
    }

    /// Returns a campaign as the server's own pages use it, starting it if necessary.
    ///
    /// # Errors
    /// As [`Workspace::campaign`].
    pub async fn campaign(&self, id: CampaignId) -> Result<Campaign, Error> {
        Ok(self.app.workspace.campaign(Caller::local(), id).await?.campaign()?.clone())
    }

    /// Returns a link to a campaign that logs in whoever opens it, for programs that show the dashboard to the person who started them.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] owner, and other errors of the store.
    pub async fn entry_link(&self, owner: OwnerId, campaign: CampaignId) -> Result<String, Error> {
        let secret =
            issue::<Error>(&self.app, Purpose::Session(owner), SESSION, "opened by the program".to_owned())
                .await?;
        Ok(format!("{}/enter/{}?next=/campaigns/{campaign}", self.url(), secret.as_str()))
    }

    /// Returns a link with which anybody can answer the questions of a campaign.
    ///
    /// # Errors
    /// [`grove_store::Error::UnknownCampaign`], and other errors of the store.
    pub async fn invitation_link(&self, campaign: CampaignId) -> Result<String, Error> {
        let (access, secret) =
            (self.app.workspace.campaign(Caller::local(), campaign).await?, Secret::new()?);
        access.invite(String::new(), secret.hash()).await?;
        Ok(format!("{}/w/{}", self.url(), secret.as_str()))
    }

    /// Answers requests until `shutdown` is ready, then lets open requests finish.
    ///
    /// # Errors
    /// Errors from the network.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
        let app = self.app;
        let starting = app.clone();
        let taking_part = tokio::spawn(async move {
            match starting.workspace.start_all().await {
                Ok(failed) => log_failures("a campaign cannot be started", failed),
                Err(error) => tracing::error!(%error, "the campaigns cannot be read"),
            }
            starting.has_started.store(true, Ordering::Relaxed);
            starting.workspace.take_part().await;
        });
        tokio::spawn(watch_beliefs(app.clone()));
        tokio::spawn(forget_old_entries(app.clone()));
        tokio::spawn(recruiting::keep_up(app.clone()));
        let (router, places) = (router(app.clone()), Places::new(app.requests_per_address));
        let finishing = connections::serve(self.listener, router, app.clone(), places, shutdown).await;
        app.stopping.send_replace(true);
        if timeout(OPEN_REQUESTS, finishing).await.is_err() {
            tracing::warn!("open requests were cut off at shutdown");
        }
        taking_part.abort();
        match timeout(CAMPAIGNS, app.workspace.stop_all()).await {
            Ok(failed) => log_failures("a campaign was not shut down cleanly", failed),
            // Nothing is lost: the next start computes from the log what was not stored.
            Err(_) => tracing::warn!("campaigns were still computing at shutdown"),
        }
        let leaving = async {
            if let Err(error) = app.workspace.leave().await {
                tracing::warn!(%error, "other servers will notice after a moment that this one is gone");
            }
            app.store().close().await;
        };
        // Without it, others take over a little later.
        let _ = timeout(LEAVING, leaving).await;
        Ok(())
    }
}

/// Says when a belief falls far behind its votes, and when it has caught up, until the server stops.
async fn watch_beliefs(app: App) {
    let (mut behind, mut stopping) = (HashSet::new(), app.stopping.subscribe());
    loop {
        tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => return,
            () = tokio::time::sleep(WATCH) => {}
        }
        for campaign in app.workspace.running().await {
            let (id, lag) = (campaign.id(), campaign.lag());
            if lag > FAR_BEHIND && behind.insert(id) {
                tracing::warn!(campaign = %id, votes = lag, "the belief is far behind its votes");
            } else if lag <= FAR_BEHIND / 2 && behind.remove(&id) {
                tracing::info!(campaign = %id, votes = lag, "the belief has caught up");
            }
        }
    }
}

/// Keeps the tables of failed logins and of the audit log small, until the server stops.
async fn forget_old_entries(app: App) {
    let mut stopping = app.stopping.subscribe();
    loop {
        if let Err(error) = app.store().forget_old_guesses(app.now()).await {
            tracing::warn!(%error, "old failed logins cannot be deleted");
        }
        let before = Moment(app.now().0.saturating_sub(AUDIT.as_micros() as i64));
        if let Err(error) = app.store().forget_audit(before).await {
            tracing::warn!(%error, "old entries of the audit log cannot be deleted");
        }
        tokio::select! {
            _ = stopping.wait_for(|stopping| *stopping) => return,
            () = tokio::time::sleep(HOUSEKEEPING) => {}
        }
    }
}

fn log_failures(message: &str, failed: Vec<(CampaignId, grove_campaign::Error)>) {
    for (campaign, error) in failed {
        tracing::error!(%campaign, %error, "{message}");
    }
}

/// Serves until Ctrl-C or SIGTERM. Prints the URL and, if there is no owner yet, the link for the first one.
///
/// # Errors
/// As [`Server::bind`] and [`Server::run`].
pub async fn serve(config: Config) -> Result<(), Error> {
    let server = Server::bind(&config).await?;
    let mut text = format!("Grove listens at {}\n", server.url());
    if let Some(link) = server.setup_link() {
        text += "There is no owner yet. Open this link within a day to create the first account:\n  ";
        text += &format!("{link}\n");
    }
    // Not print!, which panics when nobody reads: a server goes on all the same.
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    server.run(shutdown_signal()).await
}

/// Waits for Ctrl-C or SIGTERM.
pub async fn shutdown_signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupt => {}
        () = terminate() => {}
    }
}

#[cfg(unix)]
async fn terminate() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminate() {
    std::future::pending().await
}

/// Returns a new link for the first owner while there is none.
pub(crate) async fn first_owner_link(app: &AppState) -> Result<Option<String>, Error> {
    if !app.store().owners().await?.is_empty() {
        return Ok(None);
    }
    let secret = issue::<Error>(app, Purpose::FirstOwner, SETUP, String::new()).await?;
    Ok(Some(format!("{}/setup/{}", app.public_address.url(), secret.as_str())))
}
