//! A server, a campaign, a local Prolific and people who know the answers.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use grove_campaign::operations::recruit::{PanelSettings, StudySettings};
use grove_campaign::operations::{Access, Caller, Workspace};
use grove_campaign::{Campaign, EngineSetting, NewConcept, Settings};
use grove_crowd::journal::Patience;
use grove_crowd::{Cents, Crowds, GenericPanel, PanelConnection, Secret};
use grove_sandbox::{
    Answerer, Filled, ModelFault, ModelScript, Page, Sandbox, SandboxOptions, ScriptedModel, Truth,
};
use grove_server::{Config, Server, add_owner};
use grove_store::{CampaignId, PanelId};
use tokio::sync::oneshot;

/// Concepts, each with the one that it is under.
pub(crate) const FOOD: [(&str, Option<&str>); 10] = [
    ("fruit", None),
    ("citrus fruit", Some("fruit")),
    ("lime", Some("citrus fruit")),
    ("orange", Some("citrus fruit")),
    ("apple", Some("fruit")),
    ("cheese", None),
    ("brie", Some("cheese")),
    ("vegetable", None),
    ("carrot", Some("vegetable")),
    ("bread", None),
];

/// The key that the model wants.
pub(crate) const KEY: &str = "sk-never-to-be-seen";

/// The hierarchy.
pub(crate) fn truth() -> Truth {
    let parent =
        |(name, parent): (&str, Option<&str>)| (name.to_owned(), parent.unwrap_or("everything").to_owned());
    FOOD.into_iter().map(parent).collect()
}

/// A model that knows the hierarchy, and errs now and then.
pub(crate) async fn model(fault: ModelFault) -> ScriptedModel {
    let script = ModelScript {
        parents: truth(),
        top_error: 0.05,
        leaf_error: 0.25,
        temperature: 2.0,
        key: Some(KEY.to_owned()),
        fault,
        seed: 1,
    };
    ScriptedModel::start(script).await.unwrap()
}

pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    pub(crate) url: String,
    pub(crate) workspace: Workspace,
    pub(crate) campaign: CampaignId,
    pub(crate) owner: Caller,
    pub(crate) database: PathBuf,
    stop: Option<oneshot::Sender<()>>,
}

impl Drop for World {
    fn drop(&mut self) {
        drop(self.stop.take());
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.database.display()));
        }
    }
}

/// The panel as the operator sets it up for the sandbox.
pub(crate) fn connection(url: &str, token: &str, workspace: &str, hooks: &str) -> PanelConnection {
    let token = Secret::new(token, "the test").unwrap();
    let mut panel = PanelConnection::new("local", url, token, workspace, Cents(1_000_000));
    panel.webhook_secret = Some(Secret::new(hooks, "the test").unwrap());
    panel.patience = Patience(Duration::from_secs(4));
    panel
}

/// No panels but the sandbox, which the server asks so seldom that a test can do it instead.
pub(crate) fn seldom() -> Crowds {
    Crowds::parse("poll_seconds = 3600").unwrap()
}

pub(crate) fn new_database() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let nth = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("grove-crowds-{}-{nth}.db", std::process::id()))
}

impl World {
    pub(crate) async fn new(options: SandboxOptions, votes: Option<u64>) -> Self {
        Self::with(options, Crowds::default(), |settings| settings.budget.votes = votes).await
    }

    /// With further panels and models of the operator, and other settings of the campaign.
    pub(crate) async fn with(
        options: SandboxOptions,
        crowds: Crowds,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        let sandbox = Sandbox::start(options).await.unwrap();
        let database = new_database();
        let panel =
            connection(&sandbox.url(), &sandbox.token(), &sandbox.workspace(), &sandbox.hook_secret());
        let config = Config {
            listen: ([127, 0, 0, 1], 0).into(),
            database: database.to_str().unwrap().to_owned(),
            crowds: crowds.with_panel(panel),
            ..Config::default()
        };
        let server = Server::bind(&config).await.unwrap();
        let (url, workspace) = (server.url().to_owned(), server.workspace().clone());
        let owner = Caller::account(add_owner(server.store(), "ann", "a long password").await.unwrap());
        let mut settings = Settings {
            engine: EngineSetting::Ensemble { trees: Some(48), moves: None },
            language: "en".to_owned(),
            seed: 1,
            ..Settings::default()
        };
        change(&mut settings);
        let concepts: Vec<NewConcept> = FOOD.iter().map(|(name, _)| NewConcept::named(name)).collect();
        let campaign = workspace.create_campaign(&owner, "food", settings, &concepts).await.unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(server.run(async move {
            // Dropping the sender stops the server too.
            let _ = stopped.await;
        }));
        Self { sandbox, url, workspace, campaign, owner, database, stop: Some(stop) }
    }

    pub(crate) async fn access(&self) -> Access {
        self.workspace.campaign(self.owner.clone(), self.campaign).await.unwrap()
    }

    /// The campaign itself, whose belief a test can wait for.
    pub(crate) async fn running(&self) -> Campaign {
        let access = self.workspace.campaign(Caller::local(), self.campaign).await.unwrap();
        access.campaign().unwrap().clone()
    }

    /// A published study.
    pub(crate) async fn study(&self, questions: u32, places: u32) -> (PanelId, String) {
        self.study_with(settings(questions, places)).await
    }

    pub(crate) async fn study_with(&self, settings: PanelSettings) -> (PanelId, String) {
        let access = self.access().await;
        let id = access.add_panel("first study", Some("local"), settings).await.unwrap();
        access.draft_study(id, &self.url).await.unwrap();
        access.publish_study(id, None).await.unwrap();
        let study = access.panel(id).await.unwrap().panel.study.unwrap();
        (id, study)
    }

    /// So many people take part, one after the other, and the belief catches up.
    pub(crate) async fn people(&self, study: &str, people: u32) {
        for _ in 0..people {
            assert!(self.sandbox.take_part(study, &Knowing { errors: 0 }).await.unwrap().is_some());
        }
        self.running().await.settle().await.unwrap();
    }

    /// Asks the panel to send its webhooks to the server.
    pub(crate) async fn subscribe(&self) {
        let panel =
            connection(&self.sandbox.url(), &self.sandbox.token(), &self.sandbox.workspace(), "unused");
        let target = format!("{}/api/hooks/local", self.url);
        let client = grove_crowd::Prolific::new(&panel);
        for event in grove_crowd::EVENTS {
            client.subscribe(&self.sandbox.workspace(), event, &target).await.unwrap();
        }
    }
}

pub(crate) fn settings(questions: u32, places: u32) -> PanelSettings {
    PanelSettings {
        entry: GenericPanel::prolific(questions, "DONE1234".into(), "AWAY1234".into()),
        study: Some(StudySettings {
            name: "Is a lime a fruit?".into(),
            description: "Short questions about food.".into(),
            places,
            most_places: places,
            minutes: 5,
            reward: Cents(101),
            budget: Cents(100_000),
            approve: false,
        }),
    }
}

/// People who know the truth and err now and then, each in their own way.
pub(crate) struct Knowing {
    /// Errors in 100 answers.
    pub(crate) errors: u64,
}

pub(crate) fn is_above(upper: &str, lower: &str) -> bool {
    let mut at = lower;
    while let Some((_, Some(parent))) = FOOD.iter().find(|(name, _)| *name == at) {
        if *parent == upper {
            return true;
        }
        at = parent;
    }
    false
}

impl Answerer for Knowing {
    fn answer(&self, person: &str, question: &Page, choices: &[(String, String)]) -> Filled {
        let names = question.names();
        let [lower, upper] = names.as_slice() else {
            panic!("{} has the names {names:?}", question.question())
        };
        assert!(choices.iter().any(|(value, _)| value == "yes"), "{choices:?}");
        let text = format!("{person}{lower}{upper}");
        let hash =
            text.bytes().fold(7_u64, |hash, byte| hash.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte));
        let errs = (hash >> 20) % 100 < self.errors;
        if is_above(upper, lower) != errs { "yes" } else { "no" }.into()
    }
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !is_so().await {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
