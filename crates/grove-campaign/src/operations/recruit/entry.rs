//! How people come from a panel and leave again. Nobody here has an account: the panel's link is all they have.

use grove_crowd::{BadLaunch, Completion, Launch, LaunchKeys, Visit, launch_host};
use grove_store::{CampaignId, Moment, Panel, PanelId, PanelPerson, WorkerId};
use sha2::{Digest, Sha256};

use super::super::{Caller, Workspace};
use super::{PanelSettings, service, settings_of};
use crate::Error;

/// Somebody who has come from a panel.
#[derive(Clone, Debug)]
pub struct Entered {
    /// The panel.
    pub panel: Panel,
    /// Its settings.
    pub settings: PanelSettings,
    /// The person.
    pub person: PanelPerson,
}

/// How somebody leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The code, and where to go with it.
    pub completion: Completion,
    /// Whether they have answered; otherwise they were turned away.
    pub has_finished: bool,
}

/// After how long the keys of a service are read again, in microseconds: a day.
const KEYS_LAST: i64 = 86_400 * 1_000_000;
/// How long keys are not read again that were just asked for, in microseconds: a minute.
const KEYS_AT_ONCE: i64 = 60 * 1_000_000;

/// The keys of a service, as far as they are known.
#[derive(Clone, Default)]
pub(in crate::operations) struct KnownKeys {
    keys: LaunchKeys,
    /// When they were read.
    read: Option<Moment>,
    /// When that was last tried.
    tried: Option<Moment>,
}

impl KnownKeys {
    /// Whether they have to be read after what they have told about a token. Then they are about to be: whether or not that succeeds, they are not read for
    /// everybody who makes a token up, nor all the time from a service that does not answer.
    fn is_due(&mut self, told: &Result<Launch, BadLaunch>, now: Moment) -> bool {
        let is_older = |than: Option<Moment>, age: i64| than.is_none_or(|then| now.0 - then.0 > age);
        let is_wanted = match told {
            Err(BadLaunch::UnknownKey) => true,
            Err(BadLaunch::Refused(_)) => false,
            Ok(_) => is_older(self.read, KEYS_LAST),
        };
        let is_due = is_wanted && is_older(self.tried, KEYS_AT_ONCE);
        if is_due {
            self.tried = Some(now);
        }
        is_due
    }
}

/// The outcome of a person who has answered, as the store keeps it.
pub(super) const FINISHED: &str = "finished";
/// The outcome of a person who was turned away.
pub(super) const TURNED_AWAY: &str = "turned_away";

impl Workspace {
    /// The panel of a link, with its settings.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] panel.
    pub async fn panel(&self, id: PanelId) -> Result<(Panel, PanelSettings), Error> {
        let panel = self.store().panel(id).await?.ok_or(grove_store::Error::Unknown("panel"))?;
        let settings = settings_of(&panel)?;
        Ok((panel, settings))
    }

    /// The secret that identifies a person of a panel in any browser. Only those who come through the panel's link get it.
    #[must_use]
    pub fn person_secret(panel: &Panel, person: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(&panel.key);
        hash.update(person.as_bytes());
        hash.finalize()[..20].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The title of a campaign and its language, for a person who is not admitted.
    ///
    /// # Errors
    /// [`grove_store::Error::UnknownCampaign`].
    pub async fn title_of(&self, campaign: CampaignId) -> Result<(String, String), Error> {
        let access = self.campaign(Caller::local(), campaign).await?;
        let heading = access.state()?.settings().heading();
        Ok((heading.title, heading.language))
    }

    /// Admits a person, for the first time or again. None if the panel is full.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn enter_panel(
        &self,
        panel: &Panel,
        visit: Visit,
        worker: WorkerId,
    ) -> Result<Option<PanelPerson>, Error> {
        let most = settings_of(panel)?.entry.most_people;
        let person = PanelPerson {
            panel: panel.id,
            person: visit.person,
            worker,
            session: visit.session,
            study: visit.study,
            kept: serde_json::to_string(&visit.kept).unwrap_or_else(|_| "{}".to_owned()),
            entered: self.now(),
            consented: None,
            finished: None,
            outcome: None,
            verified: None,
        };
        Ok(self.store().enter_panel(person, most).await?)
    }

    /// Verifies somebody by the signed token of their link, which came at a moment to the page at `address`. Returns whether it says who they are;
    /// otherwise, such as when it is too old, the service is asked for them later.
    ///
    /// # Errors
    /// Errors from the store, and from the service if its keys are not known yet.
    pub async fn verify_launch(
        &self,
        panel: &Panel,
        person: &PanelPerson,
        token: &str,
        address: &str,
        came: Moment,
    ) -> Result<bool, Error> {
        let (Some(session), None) = (&person.session, person.verified) else { return Ok(false) };
        let (client, connection) = service(self, panel)?;
        let check = |keys: &LaunchKeys| keys.check(token, launch_host(address), came.0 / 1_000_000);
        let (mut launch, is_due) = {
            let mut all = self.shared.launch_keys.lock().await;
            let known = all.entry(connection.name.clone()).or_default();
            let launch = check(&known.keys);
            (launch.clone(), known.is_due(&launch, self.now()))
        };
        if is_due {
            // Nobody waits for it but this person: others are verified by the keys that are known, or by asking the service about them.
            match client.launch_keys().await {
                Ok(keys) => {
                    launch = check(&keys);
                    let now = Some(self.now());
                    let known = KnownKeys { keys, read: now, tried: now };
                    self.shared.launch_keys.lock().await.insert(connection.name.clone(), known);
                }
                // A day ago, those that are known were the service's.
                Err(error) if launch.is_ok() => tracing::debug!(%error, "the keys of a panel cannot be read"),
                Err(error) => return Err(error.into()),
            }
        }
        let is_theirs = launch.is_ok_and(|launch| {
            launch.person == person.person
                && launch.session == *session
                && Some(&launch.study) == panel.study.as_ref()
                && launch.workspace == connection.workspace
        });
        if is_theirs {
            self.store().set_verified(panel.id, person.worker.clone(), session.clone(), true).await?;
        }
        Ok(is_theirs)
    }

    /// The panel that a worker came from, if they came through the link of this one.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn entered(&self, id: PanelId, worker: &WorkerId) -> Result<Option<Entered>, Error> {
        let Some(person) = self.store().panel_person(id, worker).await? else { return Ok(None) };
        let (panel, settings) = self.panel(id).await?;
        Ok(Some(Entered { panel, settings, person }))
    }

    /// Records that somebody agreed to take part.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn consent(&self, entered: &Entered) -> Result<(), Error> {
        Ok(self.store().consent(entered.panel.id, entered.person.worker.clone(), self.now()).await?)
    }

    /// Ends a person's visit with a code: that of those who have answered, or of those who were turned away. Repeated calls
    /// return the same code.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn leave_panel(&self, entered: &Entered, has_answered: bool) -> Result<Departure, Error> {
        let outcome = if has_answered { FINISHED } else { TURNED_AWAY };
        let person = &entered.person;
        let outcome =
            self.store().leave_panel(entered.panel.id, person.worker.clone(), self.now(), outcome).await?;
        // What was sent ahead to them is for others to answer.
        self.store().end_leases_of(entered.panel.campaign, &person.worker).await?;
        Ok(entered.departure_as(outcome == FINISHED))
    }
}

impl Entered {
    /// How the person leaves.
    fn departure_as(&self, has_finished: bool) -> Departure {
        let PanelPerson { person, session, study, .. } = &self.person;
        let completion =
            self.settings.entry.leave(person, session.as_deref(), study.as_deref(), has_finished);
        Departure { completion, has_finished }
    }

    /// Whether somebody who has answered so many questions leaves after one more.
    #[must_use]
    pub fn is_last(&self, answered: u64) -> bool {
        answered + 1 >= u64::from(self.settings.entry.questions)
    }

    /// How the person has left, if they have.
    #[must_use]
    pub fn departure(&self) -> Option<Departure> {
        self.person.finished.map(|_| self.departure_as(self.person.outcome.as_deref() == Some(FINISHED)))
    }
}
