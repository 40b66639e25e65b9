//! `grove demo`: a server on this machine, and a crowd that answers at a human pace.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use grove_campaign::{Campaign, NewConcept, Settings, SystemClock};
use grove_server::{Config, Server, add_owner, told_to_end};
use grove_sim::Dataset;
use grove_store::{CampaignId, OwnerId, Store};
use grove_tree::{Concept, NamedTree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use uuid::Uuid;

use super::CENTS_PER_VOTE;
use super::people::People;
use crate::args::Demo;
use crate::failure::bad_input;
use crate::{files, progress, runtime};

/// Whom the demo's campaign belongs to.
const OWNER: &str = "demo";

/// Serves the demo until somebody ends it.
pub(super) fn run(options: &Demo, database: Option<&str>, quiet: bool) -> anyhow::Result<()> {
    runtime::many_threads()?.block_on(async {
        let scratch = Scratch::new();
        let place = database.map_or_else(|| scratch.place(), str::to_owned);
        let server = listen(options, place).await?;
        let (owner, campaign) = plant(server.store(), options.seed).await?;
        let live = server.campaign(campaign).await?;
        welcome(&server, owner, campaign, options).await?;
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        let crowd = super::crowd(options, &mut rng)?;
        let known = u32::try_from(Dataset::Food.tree().names().len())?;
        let bar = progress::bar(quiet, options.votes.into(), "votes");
        let people = People::new(live, crowd, known, options, bar);
        let answering = tokio::spawn(async move {
            people.answer().await;
            eprintln!("The crowd has answered. The pages stay until you press Ctrl-C.");
        });
        let served = server.run(told_to_end()).await;
        answering.abort();
        served.context("the demo's server")
    })
}

/// Where asked for, or at any free port if the usual one is taken.
async fn listen(options: &Demo, database: String) -> anyhow::Result<Server> {
    let usual = Config { database, ..Config::default() };
    match options.listen {
        Some(listen) => Ok(Server::bind(&Config { listen, ..usual }).await.map_err(bad_input)?),
        None => match Server::bind(&usual).await {
            Err(grove_server::Error::CannotListen { .. }) => {
                let free = SocketAddr::new(usual.listen.ip(), 0);
                Ok(Server::bind(&Config { listen: free, ..usual }).await?)
            }
            other => Ok(other?),
        },
    }
}

/// The owner and a campaign with all the foods. A database that was used before keeps what it has.
async fn plant(store: &Store, seed: u64) -> anyhow::Result<(OwnerId, CampaignId)> {
    let food = Dataset::Food.tree();
    let clock = Arc::new(SystemClock);
    let owner = match store.owner_named(OWNER).await? {
        Some(owner) => owner.id,
        None => {
            // Nobody needs to know the password: the link logs in.
            let password = Uuid::new_v4().to_string();
            add_owner(store, OWNER, &password, grove_campaign::Clock::now(&*clock)).await?
        }
    };
    if let Some(campaign) = store.campaign_named(Some(owner), "food").await? {
        return Ok((owner, campaign.id));
    }
    let concepts: Vec<NewConcept> = food.names().iter().map(|name| NewConcept::named(name)).collect();
    let campaign =
        Campaign::create(store, Some(owner), "food", &settings(&food, seed), &concepts, clock).await?;
    let id = campaign.id();
    campaign.close().await?;
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
         Ctrl-C ends the demo and forgets it.\n",
        Dataset::Food.tree().names().len(),
        options.people,
        server.entry_link(owner, campaign).await?,
        server.invitation_link(campaign).await?,
    ))
}

/// A database that goes when the demo ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("grove-demo-{}.db", Uuid::new_v4().simple())))
    }

    fn place(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for end in ["", "-wal", "-shm"] {
            // What was never made need not be removed.
            let _ = std::fs::remove_file(format!("{}{end}", self.0.display()));
        }
    }
}
