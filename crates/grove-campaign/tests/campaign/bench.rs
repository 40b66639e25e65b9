//! A store in a folder of its own, a clock that tests set, and small helpers.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use grove_campaign::{Campaign, Clock, EngineSetting, Error, NewConcept, NoiseSetting, Settings, read_log};
use grove_store::{
    Answer, Entry, Kind, Moment, Position, Question, Store, SubmittedVote, Vote, VoteId, WorkerId,
};
use uuid::Uuid;

/// A clock that moves only when a test says so.
#[derive(Debug)]
pub(crate) struct HandClock(AtomicI64);

impl HandClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(1_800_000_000_000_000)))
    }

    pub(crate) fn pass(&self, span: Duration) {
        self.0.fetch_add(i64::try_from(span.as_micros()).unwrap(), Ordering::SeqCst);
    }

    /// As when somebody sets a clock right that was fast.
    pub(crate) fn back(&self, span: Duration) {
        self.0.fetch_sub(i64::try_from(span.as_micros()).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Moment {
        Moment(self.0.load(Ordering::SeqCst))
    }
}

pub(crate) struct Bench {
    pub(crate) store: Store,
    pub(crate) clock: Arc<HandClock>,
    place: String,
    folder: PathBuf,
}

impl Bench {
    pub(crate) async fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("grove-campaign-{}", Uuid::now_v7()));
        std::fs::create_dir(&folder).unwrap();
        let place = folder.join("grove.db").display().to_string();
        Self { store: Store::open(&place).await.unwrap(), clock: HandClock::new(), place, folder }
    }

    /// Another store on the same database, as another program has it.
    pub(crate) async fn again(&self) -> Store {
        Store::open(&self.place).await.unwrap()
    }

    pub(crate) async fn campaign(&self, settings: &Settings, names: &[&str]) -> Campaign {
        let concepts: Vec<NewConcept> = names.iter().map(|name| NewConcept::named(name)).collect();
        let name = format!("campaign {}", Uuid::now_v7());
        Campaign::create(&self.store, None, &name, settings, &concepts, self.clock.clone()).await.unwrap()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) const FOOD: [&str; 6] = ["fruit", "apple", "vegetable", "carrot", "pear", "leek"];

/// Few trees, so that tests are quick; given rates.
pub(crate) fn quick() -> Settings {
    Settings {
        root: "food".to_owned(),
        noise: NoiseSetting::Given { false_yes: 0.05, false_no: 0.05 },
        engine: EngineSetting::Ensemble { trees: Some(60), moves: Some(6) },
        seed: 3,
        ..Settings::default()
    }
}

/// The same with rates learnt.
pub(crate) fn learning() -> Settings {
    Settings { noise: NoiseSetting::Learn, ..quick() }
}

pub(crate) fn worker(name: &str) -> WorkerId {
    WorkerId::new(name).unwrap()
}

pub(crate) fn path(upper: u32, lower: u32) -> Question {
    Question { kind: Kind::Path, upper, lower }
}

/// Casts a vote with an id of its own.
pub(crate) async fn vote(
    campaign: &Campaign,
    who: &WorkerId,
    question: Question,
    answer: Answer,
) -> Result<VoteId, Error> {
    let id = VoteId(Uuid::now_v7());
    let vote = Vote { worker: who.clone(), question, answer };
    campaign.vote(SubmittedVote::new(id, vote)).await.map(|_| id)
}

/// The whole log of a campaign.
pub(crate) async fn log_of(campaign: &Campaign, bench: &Bench) -> Vec<Entry> {
    read_log(&bench.store, campaign.id(), Position::START).await.unwrap()
}
