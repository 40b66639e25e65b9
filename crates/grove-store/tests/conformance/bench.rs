//! An empty store to try things on, and small helpers.

use std::path::PathBuf;

use grove_store::{
    Actor, Answer, CampaignId, Event, Moment, Question, QuestionKind, Store, Vote, VoteId, WorkerId,
};
use uuid::Uuid;

use crate::postgres;

/// A store of its own for each test.
pub(crate) struct Bench {
    pub(crate) store: Store,
    /// Where to open it again.
    pub(crate) place: String,
    folder: Option<PathBuf>,
}

impl Bench {
    pub(crate) async fn sqlite() -> Self {
        let folder = std::env::temp_dir().join(format!("grove-store-{}", Uuid::now_v7()));
        std::fs::create_dir(&folder).unwrap();
        let place = folder.join("grove.db").display().to_string();
        Self { store: Store::open(&place).await.unwrap(), place, folder: Some(folder) }
    }

    pub(crate) async fn postgres() -> Self {
        let place = postgres::new_database().await;
        Self { store: Store::open(&place).await.unwrap(), place, folder: None }
    }

    /// A campaign with so many concepts.
    pub(crate) async fn campaign(&self, concepts: u32) -> CampaignId {
        let campaign = CampaignId(Uuid::now_v7());
        self.store.create_campaign(campaign, None, &format!("campaign {campaign}"), NOW).await.unwrap();
        let added = (1..=concepts).map(concept).collect();
        self.store.append(campaign, NOW, Actor::Grove, added).await.unwrap();
        campaign
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

pub(crate) const NOW: Moment = Moment(1_800_000_000_000_000);

pub(crate) fn concept(number: u32) -> Event {
    Event::ConceptAdded {
        concept: number,
        name: format!("concept {number}"),
        definition: String::new(),
        synonyms: Vec::new(),
    }
}

pub(crate) fn worker(name: &str) -> WorkerId {
    WorkerId::new(name).unwrap()
}

pub(crate) fn path(upper: u32, lower: u32) -> Question {
    Question { kind: QuestionKind::Path, upper, lower }
}

pub(crate) fn vote(who: &str, question: Question, answer: Answer) -> Vote {
    Vote { id: VoteId(Uuid::now_v7()), worker: worker(who), question, answer }
}
