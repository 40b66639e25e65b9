//! Links that the panel signs.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use grove_campaign::operations::Workspace;
use grove_campaign::{Clock, SystemClock};
use grove_crowd::Crowds;
use grove_sandbox::{Browser, SandboxOptions, Visit};
use grove_store::{Moment, Panel, PanelPerson};
use serde_json::{Value, json};

use crate::world::{World, connection, seldom, until};

/// A clock that a test puts forward, in seconds.
#[derive(Clone, Debug, Default)]
struct Ahead(Arc<AtomicI64>);

impl Clock for Ahead {
    fn now(&self) -> Moment {
        Moment(SystemClock.now().0 + self.0.load(Ordering::Relaxed) * 1_000_000)
    }
}

/// A study whose people come with plain links, and a program that verifies them by tokens of the test.
struct Signed {
    world: World,
    clock: Ahead,
    workspace: Workspace,
    panel: Panel,
    study: String,
}

impl Signed {
    async fn new() -> Self {
        let world = World::with(SandboxOptions::default(), seldom(), |_| {}).await;
        let (id, study) = world.study(2, 40).await;
        let sandbox = &world.sandbox;
        let connection = connection(&sandbox.url(), &sandbox.token(), &sandbox.workspace(), "unused");
        let clock = Ahead::default();
        let workspace = Workspace::new(world.workspace.store().clone(), Arc::new(clock.clone()))
            .with_crowds(Crowds::default().with_panel(connection));
        let (panel, _) = workspace.panel(id).await.unwrap();
        Self { world, clock, workspace, panel, study }
    }

    /// Somebody comes, without a token.
    async fn somebody(&self) -> (Visit, PanelPerson) {
        let visit = self.world.sandbox.take_place(&self.study).unwrap();
        Browser::default().open(&visit.url).await.unwrap();
        let people = self.workspace.store().people_of(self.panel.id).await.unwrap();
        let person = people.into_iter().find(|one| one.person == visit.participant).unwrap();
        (visit, person)
    }

    async fn verify(&self, person: &PanelPerson, token: &str) -> Result<bool, grove_campaign::Error> {
        let came = SystemClock.now();
        self.workspace.verify_launch(&self.panel, person, token, &self.world.url, came).await
    }

    /// Whether somebody is verified by their token with a change.
    async fn is_good(&self, change: impl FnOnce(&mut Value, &mut Value)) -> bool {
        let (visit, person) = self.somebody().await;
        let token = self.world.sandbox.token_of(&visit, change);
        let is_good = self.verify(&person, &token).await.unwrap();
        let now = self.workspace.store().panel_person(self.panel.id, &person.worker).await.unwrap();
        assert_eq!(now.unwrap().verified, is_good.then_some(1));
        is_good
    }

    fn wait(&self, seconds: i64) {
        self.clock.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

/// A good signature is not enough: all that it signs has to be about this person, here and now.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_claim_of_a_token_counts() {
    type Change = fn(&mut Value, &mut Value);
    let now = || SystemClock.now().0 / 1_000_000;
    let signed = Signed::new().await;
    assert!(signed.is_good(|_, _| {}).await, "the control");
    assert!(signed.is_good(|_, claims| claims["nbf"] = json!(now() + 10)).await, "clocks differ a little");
    let bad: [(&str, Change); 16] = [
        ("issuer", |_, claims| claims["iss"] = json!("https://www.prolific.com.example.org")),
        ("no issuer", |_, claims| claims["iss"] = Value::Null),
        ("audience", |_, claims| claims["aud"] = json!("https://127.0.0.1.example.org/p/1")),
        ("no audience", |_, claims| claims["aud"] = json!("")),
        ("person", |_, claims| claims["prolific"]["PROLIFIC_PID"] = json!("somebody else")),
        ("study", |_, claims| claims["prolific"]["STUDY_ID"] = json!("another")),
        ("session", |_, claims| {
            claims["sub"] = json!("another");
            claims["prolific"]["SESSION_ID"] = json!("another");
        }),
        ("subject", |_, claims| claims["sub"] = json!("another")),
        ("workspace", |_, claims| claims["prolific"]["workspace_id"] = json!("another")),
        ("expired", |_, claims| claims["exp"] = json!(SystemClock.now().0 / 1_000_000 - 1)),
        ("never expires", |_, claims| claims["exp"] = Value::Null),
        ("not yet", |_, claims| claims["nbf"] = json!(SystemClock.now().0 / 1_000_000 + 90)),
        ("HS256", |header, _| header["alg"] = json!("HS256")),
        ("none", |header, _| header["alg"] = json!("none")),
        ("no key", |header, _| header["kid"] = Value::Null),
        ("nothing", |_, claims| *claims = json!({})),
    ];
    for (what, change) in bad {
        assert!(!signed.is_good(change).await, "{what}");
    }
    assert_eq!(signed.world.sandbox.key_requests(), 1, "what cannot be good is not asked about");
}

/// The panel signs by another key: it is read once, and not again for everybody who makes one up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_that_change_are_read_again() {
    let signed = Signed::new().await;
    let sandbox = &signed.world.sandbox;
    assert!(signed.is_good(|_, _| {}).await);
    sandbox.change(|options| options.key_id = "sandbox-2".to_owned());
    assert!(!signed.is_good(|_, _| {}).await);
    assert_eq!(sandbox.key_requests(), 1);
    signed.wait(61);
    assert!(signed.is_good(|_, _| {}).await);
    for _ in 0..5 {
        assert!(!signed.is_good(|header, _| header["kid"] = json!("made up")).await);
    }
    assert_eq!(sandbox.key_requests(), 2);
    // Keys that are known are read again after a day, since the panel may have withdrawn them.
    signed.wait(86_401);
    sandbox.change(|options| options.key_id = "sandbox-3".to_owned());
    assert!(!signed.is_good(|header, _| header["kid"] = json!("sandbox-2")).await);
    assert_eq!(sandbox.key_requests(), 3);
}

/// A panel that does not tell its keys is asked once a minute, whoever comes; the keys that are known are of use all the same, and nobody waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panel_that_fails_is_not_asked_for_its_keys_all_the_time() {
    let signed = Signed::new().await;
    let sandbox = &signed.world.sandbox;
    sandbox.change(|options| options.hides_keys = true);
    let (visit, person) = signed.somebody().await;
    let token = sandbox.token_of(&visit, |_, _| {});
    assert!(signed.verify(&person, &token).await.is_err());
    for _ in 0..5 {
        assert!(!signed.verify(&person, &token).await.unwrap());
    }
    assert_eq!(sandbox.key_requests(), 1);
    signed.wait(61);
    sandbox.change(|options| options.hides_keys = false);
    assert!(signed.verify(&person, &token).await.unwrap());
    // It takes its time: meanwhile others are verified.
    signed.wait(61);
    sandbox.change(|options| options.held = Some("/jwks.json".to_owned()));
    let (stranger, unknown) = signed.somebody().await;
    let made_up = sandbox.token_of(&stranger, |header, _| header["kid"] = json!("made up"));
    let waiting = signed.verify(&unknown, &made_up);
    let others = async {
        until("the keys are asked for", async || sandbox.holding() > 0).await;
        assert!(signed.is_good(|_, _| {}).await);
        sandbox.change(|options| options.held = None);
    };
    let (waited, ()) = tokio::join!(waiting, others);
    assert!(!waited.unwrap());
    // A day later it fails again: the keys that were good yesterday are, and it is asked again a minute later.
    signed.wait(86_401);
    sandbox.change(|options| options.hides_keys = true);
    let before = sandbox.key_requests();
    let (visit, person) = signed.somebody().await;
    let token = sandbox.token_of(&visit, |_, _| {});
    assert!(signed.verify(&person, &token).await.unwrap());
    assert_eq!(sandbox.key_requests(), before + 1);
}
