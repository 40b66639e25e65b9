//! `grove demo`: a server on this machine, and a crowd that answers at the pace of real people.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use anyhow::Context as _;
use grove_campaign::operations::{Caller, Workspace};
use grove_campaign::{NewConcept, Settings, SystemClock};
use grove_server::{Config, Server, add_owner, shutdown_signal};
use grove_sim::Dataset;
use grove_store::{CampaignId, OwnerId, Store};
use grove_tree::{Concept, NamedTree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

use super::people::People;
use super::{CENTS_PER_VOTE, Demo};
use crate::context::Context;
use crate::files;

/// The owner of the demo's campaign.
const OWNER: &str = "demo";

/// Serves the demo until it is stopped.
pub(super) async fn run(options: &Demo, context: &Context) -> anyhow::Result<()> {
    let temporary = TemporaryDatabase::new();
    let database = context.given_database().map_or_else(|| temporary.0.display().to_string(), str::to_owned);
    let server = listen(options, database).await?;
    let (owner, campaign) = create(server.store(), options.seed).await?;
    let live = server.campaign(campaign).await?;
    welcome(&server, owner, campaign, options).await?;
    let people = People {
        live,
        crowd: Mutex::new(options.crowd(&mut ChaCha8Rng::seed_from_u64(options.seed))?),
        known: u32::try_from(Dataset::Food.tree().names().len())?,
        left: AtomicU32::new(options.votes),
        bar: context.bar(options.votes.into(), "votes"),
        seed: options.seed,
        speed: options.speed,
    };
    let answering = tokio::spawn(async move {
        people.answer().await;
        eprintln!("The crowd has given all its votes. The pages stay until you press Ctrl-C.");
    });
    let served = server.run(shutdown_signal()).await;
    answering.abort();
    served.context("the demo's server")
}

/// Listens on the given address, or on any free port if the usual one is taken.
async fn listen(options: &Demo, database: String) -> anyhow::Result<Server> {
    let usual = Config { database, ..Config::default() };
    match options.listen {
        Some(listen) => Ok(Server::bind(&Config { listen, ..usual }).await?),
        None => match Server::bind(&usual).await {
            Err(grove_server::Error::CannotListen { .. }) => {
                let free = SocketAddr::new(usual.listen.ip(), 0);
                Ok(Server::bind(&Config { listen: free, ..usual }).await?)
            }
            other => Ok(other?),
        },
    }
}

/// Creates the owner and a campaign with all the foods, unless the database has them already.
async fn create(store: &Store, seed: u64) -> anyhow::Result<(OwnerId, CampaignId)> {
    let food = Dataset::Food.tree();
    let owner = match store.owner_named(OWNER).await? {
        Some(owner) => owner.id,
        None => {
            // Nobody needs to know the password: the link logs in.
            let password = Uuid::new_v4().to_string();
            add_owner(store, OWNER, &password).await?
        }
    };
    if let Some(campaign) = store.campaign_named(Some(owner), "food").await? {
        return Ok((owner, campaign.id));
    }
    let concepts: Vec<NewConcept> = food.names().iter().map(|name| NewConcept::named(name)).collect();
    let workspace = Workspace::new(store.clone(), Arc::new(SystemClock));
    let settings = settings(&food, seed);
    let id = workspace.create_campaign(&Caller::account(owner), "food", settings, &concepts).await?;
    Ok((owner, id))
}

fn settings(food: &NamedTree, seed: u64) -> Settings {
    Settings {
        title: "Food".to_owned(),
        root: food.name(Concept::ROOT).to_owned(),
        language: "en".to_owned(),
        price_cents: CENTS_PER_VOTE,
        seed,
        ..Settings::default()
    }
}

async fn welcome(
    server: &Server,
    owner: OwnerId,
    campaign: CampaignId,
    options: &Demo,
) -> anyhow::Result<()> {
    files::print(&format!(
        "{} foods, and {} simulated people who answer questions about them.\n\n\
         Watch the hierarchy grow:\n  {}\n\nAnswer some questions yourself:\n  {}\n\n\
         Ctrl-C stops the demo and removes its data.\n",
        Dataset::Food.tree().names().len(),
        options.people,
        server.entry_link(owner, campaign).await?,
        server.invitation_link(campaign).await?,
    ))
}

/// A database that is removed when the demo ends.
struct TemporaryDatabase(PathBuf);

impl TemporaryDatabase {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("grove-demo-{}.db", Uuid::new_v4().simple())))
    }
}

impl Drop for TemporaryDatabase {
    fn drop(&mut self) {
        files::remove_database(&self.0);
    }
}
