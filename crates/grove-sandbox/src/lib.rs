//! A local Prolific and a scripted language model.
//!
//! Nothing here comes from `grove-crowd`: a mistake that client and sandbox shared would not be found.

mod api;
mod browser;
mod hooks;
mod launch;
mod model;
mod money;
mod people;
mod truth;
mod world;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::Value;
use tokio::task::AbortHandle;

pub use browser::{Browser, Page};
pub use hooks::HookFaults;
pub use model::{ModelFault, ModelScript, ScriptedModel};
pub use people::{Answerer, Filled, Informed, Participant, Visit};
pub use truth::Truth;
use world::World;
pub use world::{Ledger, SandboxOptions, SubmissionView};

/// A local Prolific that listens on a port of this machine until it is dropped.
pub struct Sandbox {
    shared: Arc<Shared>,
    address: SocketAddr,
    tasks: Vec<AbortHandle>,
}

pub(crate) struct Shared {
    world: Mutex<World>,
}

impl Shared {
    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Waits while requests like this one are held.
    pub(crate) async fn hold(&self, asked: &str) {
        let is_held = || self.world().options.held.as_ref().is_some_and(|held| asked.ends_with(held));
        if is_held() {
            self.world().holding += 1;
            while is_held() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            self.world().holding -= 1;
        }
    }
}

impl Sandbox {
    /// Starts one.
    ///
    /// # Errors
    /// Errors from the network.
    pub async fn start(options: SandboxOptions) -> std::io::Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { world: Mutex::new(World::new(options)) });
        let router = api::routes(shared.clone());
        let serving = tokio::spawn(async move {
            // Ends when it is aborted.
            let _ = axum::serve(listener, router).await;
        });
        let delivering = tokio::spawn(hooks::deliver_forever(shared.clone()));
        Ok(Self { shared, address, tasks: vec![serving.abort_handle(), delivering.abort_handle()] })
    }

    /// The address of the API.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The token that it accepts.
    #[must_use]
    pub fn token(&self) -> String {
        self.shared.world().options.token.clone()
    }

    /// The workspace that pays.
    #[must_use]
    pub fn workspace(&self) -> String {
        self.shared.world().workspace.clone()
    }

    /// The secret with which it signs webhooks.
    #[must_use]
    pub fn hook_secret(&self) -> String {
        self.shared.world().hook_secret.clone()
    }

    /// What was paid to whom.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        self.shared.world().ledger.clone()
    }

    /// The submissions of a study.
    #[must_use]
    pub fn submissions(&self, study: &str) -> Vec<SubmissionView> {
        self.shared.world().submissions_of(study)
    }

    /// The status of a study, and how many places it has.
    #[must_use]
    pub fn study(&self, study: &str) -> Option<(String, u32)> {
        let world = self.shared.world();
        world.studies.get(study).map(|study| (study.status.to_owned(), study.places))
    }

    /// How many kinds of events are sent to addresses that have confirmed it.
    #[must_use]
    pub fn subscriptions(&self) -> usize {
        self.shared.world().subscriptions.iter().filter(|one| one.is_confirmed).count()
    }

    /// How many requests came with the right token.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.shared.world().requests
    }

    /// How often somebody asked for the public key by which links are signed.
    #[must_use]
    pub fn key_requests(&self) -> u64 {
        self.shared.world().key_requests
    }

    /// The token of somebody's link with another header and other claims, signed all the same.
    pub fn token_of(&self, visit: &Visit, change: impl FnOnce(&mut Value, &mut Value)) -> String {
        let world = self.shared.world();
        let (mut header, mut claims) = launch::parts(visit, &world.options.key_id, &world.workspace, 120);
        change(&mut header, &mut claims);
        launch::signed((header, claims))
    }

    /// How many requests are held at this moment.
    #[must_use]
    pub fn holding(&self) -> usize {
        self.shared.world().holding
    }

    /// Changes the options while it runs.
    pub fn change(&self, change: impl FnOnce(&mut SandboxOptions)) {
        change(&mut self.shared.world().options);
    }

    /// Somebody takes a place of a study: its link, with their parameters, and the id of their submission. `None` if no place is left.
    #[must_use]
    pub fn take_place(&self, study: &str) -> Option<Visit> {
        self.shared.world().take_place(study)
    }

    /// Somebody hands in a code, as if they had come to the page of the panel with it.
    pub fn hand_in(&self, submission: &str, code: &str) -> bool {
        self.shared.world().hand_in(submission, code)
    }

    /// Somebody takes too long.
    pub fn time_out(&self, submission: &str) {
        self.shared.world().set_status(submission, "TIMED-OUT");
    }

    /// A submission gets a status for whatever reason, also one that no version of Grove knows.
    pub fn set_status(&self, submission: &str, status: &'static str) {
        self.shared.world().set_status(submission, status);
    }

    /// Somebody gives their place back.
    pub fn give_back(&self, submission: &str) {
        self.shared.world().set_status(submission, "RETURNED");
    }

    /// Waits until all webhooks are delivered or lost.
    pub async fn settle_hooks(&self) {
        while self.shared.world().outbox_len() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Somebody takes part: takes a place, opens the link and answers until the panel's page is reached. Returns the submission.
    ///
    /// # Errors
    /// A description of what stopped them.
    pub async fn take_part(&self, study: &str, answerer: &dyn Answerer) -> Result<Option<String>, String> {
        let Some(visit) = self.take_place(study) else { return Ok(None) };
        let submission = visit.submission.clone();
        let code = Participant::new(visit).answer(answerer).await?;
        self.hand_in(&submission, &code);
        Ok(Some(submission))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}
