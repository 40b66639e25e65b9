//! The campaigns that this server runs, each in one place for all requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use grove_campaign::{
    Campaign, Clock, CorrectionState, Imported, Live, LiveOptions, NewConcept, Settings, Why,
};
use grove_formats::Hierarchy;
use grove_store::{Actor, CampaignId, Entry, OwnerId, Position, Store, Vote, WorkerId};
use tokio::sync::{Mutex, OnceCell};

use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::replay::Replays;

/// The longest that a request waits for the belief to follow what it did.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1_500);

/// A hierarchy at one moment, with the numbers that the campaign gives its concepts: of concept j at j - 1.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) position: Position,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) numbers: Vec<u32>,
    /// Votes that counted.
    pub(crate) votes: u64,
}

/// All campaigns that run.
pub(crate) struct Campaigns {
    store: Store,
    clock: Arc<dyn Clock>,
    /// One that is being started keeps only those waiting who want the same.
    running: Mutex<HashMap<CampaignId, Arc<OnceCell<Live>>>>,
    replays: Replays,
}

impl Campaigns {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, running: Mutex::new(HashMap::new()), replays: Replays::default() }
    }

    /// A campaign, started if it does not run yet.
    pub(crate) async fn get(&self, id: CampaignId) -> Result<Live, Fault> {
        Ok(self.started(id).await?)
    }

    /// The same, for those who are told what went wrong in full.
    pub(crate) async fn started(&self, id: CampaignId) -> Result<Live, grove_campaign::Error> {
        let cell = self.running.lock().await.entry(id).or_default().clone();
        let start = || Live::start(&self.store, id, self.clock.clone(), LiveOptions::default());
        Ok(cell.get_or_try_init(start).await?.clone())
    }

    /// Makes a campaign.
    pub(crate) async fn create(
        &self,
        owner: OwnerId,
        name: &str,
        settings: &Settings,
        concepts: &[NewConcept],
    ) -> Result<CampaignId, Fault> {
        let clock = self.clock.clone();
        let mut settings = settings.clone();
        if settings.title.is_empty() {
            settings.title = name.to_owned();
        }
        Ok(Campaign::create(&self.store, Some(owner), name, &settings, concepts, clock).await?.id())
    }

    /// Takes votes in that were given elsewhere.
    pub(crate) async fn import(&self, id: CampaignId, votes: Vec<Vote>) -> Result<Imported, Fault> {
        let mut campaign = Campaign::open(&self.store, id, self.clock.clone()).await?;
        let imported = campaign.import(votes).await?;
        // Whoever asks next sees them; if there are few, they are believed by then.
        let _ = tokio::time::timeout(PATIENCE, self.get(id).await?.settle()).await;
        Ok(imported)
    }

    /// What was believed after a position of the log.
    pub(crate) async fn view_at(&self, id: CampaignId, position: Position) -> Result<View, Fault> {
        self.replays.view_at(&self.store, id, position).await
    }

    /// Puts a stand-in in a worker's place, and forgets where their name may still be.
    pub(crate) async fn erase(&self, owned: &Owned, worker: &WorkerId) -> Result<WorkerId, Fault> {
        let stand_in = owned.campaign.erase_worker(owned.caller.actor(), worker).await?;
        self.replays.forget(owned.id);
        Ok(stand_in)
    }

    /// Ends a campaign's run.
    pub(crate) async fn stop(&self, id: CampaignId) {
        self.replays.forget(id);
        let cell = self.running.lock().await.remove(&id);
        if let Some(live) = cell.as_ref().and_then(|cell| cell.get()) {
            end(id, live.clone()).await;
        }
    }

    /// Starts all that the store knows, so that none waits for its first visitor.
    pub(crate) async fn start_all(&self) -> Result<(), Fault> {
        for campaign in self.store.campaigns().await? {
            if let Err(fault) = self.get(campaign.id).await {
                tracing::error!(campaign = %campaign.id, ?fault, "a campaign does not start");
            }
        }
        Ok(())
    }

    pub(crate) async fn stop_all(&self) {
        let all: Vec<_> = self.running.lock().await.drain().collect();
        for (id, cell) in all {
            if let Some(live) = cell.get() {
                end(id, live.clone()).await;
            }
        }
    }

    /// How many run, and how many votes are not yet believed.
    pub(crate) async fn load(&self) -> (usize, usize) {
        let running = self.running.lock().await;
        let lives: Vec<&Live> = running.values().filter_map(|cell| cell.get()).collect();
        (lives.len(), lives.iter().map(|live| live.lag()).sum())
    }
}

async fn end(id: CampaignId, live: Live) {
    if let Err(error) = live.shut_down().await {
        tracing::warn!(campaign = %id, %error, "a campaign's belief was not given back");
    }
}

/// What is believed now.
pub(crate) fn view(live: &Live) -> View {
    let snapshot = live.snapshot();
    View {
        position: snapshot.position,
        hierarchy: snapshot.hierarchy.clone(),
        numbers: snapshot.numbers.clone(),
        votes: snapshot.spent.questions,
    }
}

/// Why a concept stands where it does.
pub(crate) async fn why(live: &Live, child: u32, parent: Option<u32>) -> Result<Why, Fault> {
    let follower = live.follower().await;
    let why = tokio::task::spawn_blocking(move || follower.why(child, parent));
    Ok(why.await.map_err(|_| Fault::Internal)??)
}

/// The corrections in force, the oldest first, with the names of those who made them.
pub(crate) async fn corrections(
    app: &App,
    live: &Live,
) -> Result<Vec<(CorrectionState, Option<String>)>, Fault> {
    let standing: Vec<CorrectionState> =
        live.look(|state| state.corrections().into_iter().cloned().collect());
    let mut named = Vec::with_capacity(standing.len());
    for correction in standing {
        let before = Position(correction.position.0 - 1);
        let entry = app.store().log(live.id(), before, 1).await?.pop();
        let author = match entry {
            Some(Entry { actor: Actor::Owner(owner), .. }) => app.store().owner(owner).await?,
            _ => None,
        };
        named.push((correction, author.map(|owner| owner.name)));
    }
    Ok(named)
}
