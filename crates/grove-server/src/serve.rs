use std::future::Future;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use grove_campaign::{Live, SystemClock};
use grove_store::{CampaignId, OwnerId, Purpose, Store};
use tokio::net::TcpListener;

use crate::app::App;
use crate::auth::{SESSION, hand_out};
use crate::config::{Config, PublicAddress};
use crate::{Error, router};

/// For how long the link for the first owner works.
const SETUP: Duration = Duration::from_secs(24 * 3600);
/// How long requests under way may take when the server is to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server that listens, and does not answer yet.
pub struct Server {
    listener: TcpListener,
    app: App,
    setup_link: Option<String>,
}

impl Server {
    /// Opens the database and begins to listen.
    ///
    /// # Errors
    /// A public address that is none, a port that is taken, a database that cannot be opened.
    pub async fn bind(config: &Config) -> Result<Self, Error> {
        let refused = |reason| Error::CannotListen { address: config.listen, reason };
        let listener = TcpListener::bind(config.listen).await.map_err(refused)?;
        let public = PublicAddress::new(config.public_url.as_deref(), listener.local_addr()?)?;
        let store = Store::open(&config.database).await?;
        let app = App::new(store, Arc::new(SystemClock), public, config.votes_per_quarter_hour);
        let setup_link = first_owner_link(&app).await?;
        Ok(Self { listener, app, setup_link })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// Only the system's own.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        Ok(self.listener.local_addr()?)
    }

    /// Where browsers find it.
    #[must_use]
    pub fn url(&self) -> &str {
        self.app.public().url()
    }

    /// The link by which the first owner makes themselves known. It works once, and only as long as there is no owner.
    #[must_use]
    pub fn setup_link(&self) -> Option<&str> {
        self.setup_link.as_deref()
    }

    /// What it keeps everything in.
    #[must_use]
    pub fn store(&self) -> &Store {
        self.app.store()
    }

    /// A campaign as the server's own pages have it.
    ///
    /// # Errors
    /// As [`Live::start`].
    pub async fn campaign(&self, id: CampaignId) -> Result<Live, Error> {
        Ok(self.app.campaigns().started(id).await?)
    }

    /// A link to a campaign by which whoever opens it is logged in, for as long as a session lasts: for programs that show the dashboard to the
    /// person who started them.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] owner, and whatever the store says.
    pub async fn entry_link(&self, owner: OwnerId, campaign: CampaignId) -> Result<String, Error> {
        let (_, secret) =
            hand_out::<Error>(&self.app, Purpose::Session(owner), String::new(), Some(SESSION)).await?;
        Ok(format!("{}/enter/{}?next=/campaigns/{campaign}", self.url(), secret.as_str()))
    }

    /// A link by which whoever opens it may answer a campaign's questions.
    ///
    /// # Errors
    /// [`grove_store::Error::UnknownCampaign`], and whatever the store says.
    pub async fn invitation_link(&self, campaign: CampaignId) -> Result<String, Error> {
        let (_, secret) =
            hand_out::<Error>(&self.app, Purpose::Invitation(campaign), String::new(), None).await?;
        Ok(format!("{}/w/{}", self.url(), secret.as_str()))
    }

    /// Answers requests until `end` is ready; then lets those under way finish.
    ///
    /// # Errors
    /// Only the network's own.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), Error> {
        let app = self.app.clone();
        let told = app.clone();
        let starting = app.clone();
        tokio::spawn(async move { starting.campaigns().start_all().await });
        let service = router(app.clone()).into_make_service_with_connect_info::<SocketAddr>();
        let mut stopping = app.stopping();
        let serving = axum::serve(self.listener, service).with_graceful_shutdown(async move {
            end.await;
            told.stop();
        });
        let impatient = async move {
            let _ = stopping.wait_for(|stopping| *stopping).await;
            tokio::time::sleep(PATIENCE).await;
        };
        tokio::select! {
            served = serving => served?,
            () = impatient => tracing::warn!("requests were cut off at the end"),
        }
        app.campaigns().stop_all().await;
        app.store().close().await;
        Ok(())
    }
}

/// Serves until the process is told to end, by Ctrl-C or SIGTERM. Says on standard output where, and how the first owner comes in.
///
/// # Errors
/// As [`Server::bind`] and [`Server::run`].
pub async fn serve(config: Config) -> Result<(), Error> {
    let server = Server::bind(&config).await?;
    // Not println!, which panics when nobody reads.
    let mut out = std::io::stdout();
    writeln!(out, "Grove listens at {}", server.url())?;
    if let Some(link) = server.setup_link() {
        writeln!(
            out,
            "Nobody owns it yet. Open this link within a day to become its first owner:\n  {link}"
        )?;
    }
    out.flush()?;
    server.run(told_to_end()).await
}

/// Waits until the process is told to end, by Ctrl-C or SIGTERM.
pub async fn told_to_end() {
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

/// A fresh link as long as nobody owns the server.
pub(crate) async fn first_owner_link(app: &App) -> Result<Option<String>, Error> {
    if !app.store().owners().await?.is_empty() {
        return Ok(None);
    }
    let (_, secret) = hand_out::<Error>(app, Purpose::FirstOwner, String::new(), Some(SETUP)).await?;
    Ok(Some(format!("{}/setup/{}", app.public().url(), secret.as_str())))
}
