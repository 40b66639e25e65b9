//! A campaign, and people who answer its questions over HTTP.

use std::net::SocketAddr;
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
        let truth = truth(concepts);
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

    /// Logs in to a server as an owner who is there, and makes a campaign over its API. Servers of other versions have other databases, and some
    /// know nothing but yes/no questions: what this one answers decides how it is spoken to.
    pub(crate) async fn over_api(
        address: SocketAddr,
        (name, password): (&str, &str),
        concepts: usize,
    ) -> Result<Self, Failure> {
        let mut client = Client::connect(address, Vec::new()).await?;
        let cookies = client.log_in(name, password).await?.ok_or("the owner cannot log in")?;
        let session = cookies.split("; ").find_map(|cookie| cookie.strip_prefix("grove_session="));
        let session = session.ok_or("no session")?.to_owned();
        client.is_now(vec![("cookie", cookies), ("origin", format!("http://{address}"))]);
        let names: Vec<Value> =
            (1..=concepts).map(|number| json!({ "name": format!("concept {number}") })).collect();
        let mut make = async |settings: Value| {
            let campaign = json!({ "name": "food", "concepts": names, "settings": settings });
            client.post("/api/v1/campaigns", Some(&campaign)).await
        };
        // As the default settings were before there were presets, which stop by themselves.
        let (mut status, mut made) = make(json!({
            "seed": 1,
            "forms": ["yesno"],
            "least_gain_per_second": null,
            "names_as_evidence": false,
            "hierarchy_as_evidence": false,
        }))
        .await?;
        if status == 400 {
            (status, made) = make(json!({ "seed": 1 })).await?;
        }
        let id = made["id"].as_str().and_then(|id| Uuid::parse_str(id).ok());
        let campaign = CampaignId(id.ok_or_else(|| format!("no campaign: {status} {made}"))?);
        let path = format!("/api/v1/campaigns/{campaign}/invitations");
        let (_, made) = client.post(&path, Some(&json!({ "label": "" }))).await?;
        let invitation = made["invitation"].as_str().ok_or("no invitation")?.to_owned();
        Ok(Self { campaign, invitation, session, truth: truth(concepts) })
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
            // Before there were several forms, questions were no screens.
            Some("ask") => Ok(next.get("screens").or(next.get("questions")).map(|asked| asked[0].clone())),
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
        let mut vote = json!({
            "id": Uuid::now_v7(),
            "kind": question["kind"],
            "upper": question["upper"],
            "lower": question["lower"],
            "answer": answer,
        });
        // Servers without tickets know no such field.
        if let Some(ticket) = question.get("ticket") {
            vote["ticket"] = ticket.clone();
        }
        vote
    }
}

/// The tree that people know.
fn truth(concepts: usize) -> Arc<Tree> {
    Arc::new(Tree::random(concepts, &mut ChaCha8Rng::seed_from_u64(1)))
}
