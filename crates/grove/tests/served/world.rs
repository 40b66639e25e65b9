//! A campaign, and people who answer its questions over HTTP.

use std::sync::Arc;

use grove_campaign::{Campaign, EngineSetting, NewConcept, Settings, SystemClock};
use grove_server::{Config, Server, add_owner};
use grove_store::CampaignId;
use grove_tree::{Concept, Tree};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::{Client, Failure, Who};

/// A campaign in a database, with the keys to it.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) campaign: CampaignId,
    pub(crate) invitation: String,
    session: String,
    truth: Arc<Tree>,
}

impl World {
    /// Makes a campaign over so many concepts, which people know by a random tree; with as many trees in its belief as it takes, or so many.
    pub(crate) async fn make(database: &str, concepts: usize, trees: Option<u32>) -> Self {
        let mut one = Self::make_several(database, concepts, trees, 1).await;
        one.remove(0)
    }

    /// Makes so many of them, of one owner.
    pub(crate) async fn make_several(
        database: &str,
        concepts: usize,
        trees: Option<u32>,
        count: usize,
    ) -> Vec<Self> {
        let config =
            Config { listen: ([127, 0, 0, 1], 0).into(), database: database.to_owned(), ..Config::default() };
        let server = Server::bind(&config).await.expect("a database that can be opened");
        let clock = Arc::new(SystemClock);
        let owner = add_owner(server.store(), "ann", "a long password").await.expect("the first owner");
        let names: Vec<NewConcept> =
            (1..=concepts).map(|number| NewConcept::named(&format!("concept {number}"))).collect();
        let settings = Settings {
            seed: 1,
            engine: EngineSetting::Ensemble { trees, moves: None },
            ..Settings::default()
        };
        let secret = |link: String| {
            let mut parts = link.split(['/', '?']);
            parts.find(|part| part.len() == 40).expect("a link holds a secret").to_owned()
        };
        let truth = Arc::new(Tree::random(concepts, &mut ChaCha8Rng::seed_from_u64(1)));
        let mut worlds = Vec::new();
        for number in 1..=count {
            let (store, name, clock) = (server.store(), format!("food {number}"), clock.clone());
            let made = Campaign::create(store, Some(owner), &name, &settings, &names, clock).await;
            let campaign = made.expect("a new campaign").id();
            let session = secret(server.entry_link(owner, campaign).await.expect("a link for the owner"));
            let invitation = secret(server.invitation_link(campaign).await.expect("a link for workers"));
            worlds.push(Self { campaign, invitation, session, truth: truth.clone() });
        }
        server.store().close().await;
        worlds
    }

    /// The headers of the owner's browser.
    pub(crate) fn owner(&self) -> Who {
        vec![("cookie", format!("grove_session={}", self.session))]
    }

    /// The headers of somebody who has not come before.
    pub(crate) fn newcomer(&self) -> Who {
        vec![
            ("authorization", format!("Bearer {}", self.invitation)),
            ("grove-worker", Uuid::new_v4().to_string()),
        ]
    }

    /// A path of the campaign's API.
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/api/v1/campaigns/{}{rest}", self.campaign)
    }

    /// Asks for a question. Who has answered everything becomes somebody else.
    pub(crate) async fn question(&self, client: &mut Client) -> Result<Option<Value>, Failure> {
        let (status, next) = client.post("/api/v1/work/next", None).await?;
        assert_eq!(status, 200, "{next}");
        match next["status"].as_str() {
            Some("ask") => Ok(Some(next["screens"][0].clone())),
            Some("all_answered") => {
                client.is_now(self.newcomer());
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// A vote on a question by the truth, wrong once in ten times, with an id of its own.
    pub(crate) fn vote(&self, question: &Value, rng: &mut ChaCha8Rng) -> Value {
        let concept = |name: &str| Concept::new(question[name].as_u64().expect("a number") as usize);
        let is_so = self.truth.is_above(concept("upper"), concept("lower"));
        let answer = if is_so != (rng.random_range(0..10) == 0) { "yes" } else { "no" };
        json!({
            "id": Uuid::now_v7(),
            "kind": question["kind"],
            "upper": question["upper"],
            "lower": question["lower"],
            "answer": answer,
            "ticket": question["ticket"],
        })
    }
}
