use grove_belief::WorkerVerdict;
use grove_crowd::{Cents, SubmissionStatus, wage};
use grove_store::{Bonus, Panel, PanelId, PanelPerson, Purpose, StoredSubmission};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::super::{Access, Operation};
use super::entry::{FINISHED, TURNED_AWAY};
use super::{Known, PanelSettings};
use crate::Error;

/// A panel as its owner sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct PanelView {
    /// The panel.
    pub panel: Panel,
    /// Its settings.
    pub settings: PanelSettings,
    /// Counts and sums.
    pub tally: PanelTally,
    /// Everybody who came, with what they have contributed and what the service says about them.
    pub people: Vec<PersonView>,
    /// Submissions of people who never came to us.
    pub strangers: Vec<StoredSubmission>,
    /// The journal of bonuses.
    pub bonuses: Vec<Bonus>,
}

/// Somebody who came from a panel.
#[derive(Clone, PartialEq, Debug)]
pub struct PersonView {
    /// The person.
    pub person: PanelPerson,
    /// The number of votes that count.
    pub votes: u64,
    /// Why they should be reviewed before they are paid; none if there is no reason.
    pub doubt: Option<Doubt>,
    /// What the service says about them.
    pub submission: Option<StoredSubmission>,
}

/// Why a person should be reviewed before they are paid.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Doubt {
    /// The answers do not depend on the questions.
    Straightliner,
    /// Yes and no seem to be exchanged.
    Inverted,
    /// The answers seem to be a language model's, with this probability.
    CopiesModel(f64),
    /// The service does not know this person and session, or they came without a session.
    Unknown,
}

/// Counts of a panel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PanelTally {
    /// How many people came.
    pub came: u64,
    /// How many have finished.
    pub finished: u64,
    /// How many were turned away.
    pub turned_away: u64,
    /// What people who have finished are owed, for panels that are paid by hand.
    pub owed: Cents,
    /// Submissions that wait for a decision.
    pub to_review: u64,
    /// Submissions that were approved.
    pub approved: u64,
    /// The median time of those who have finished, in seconds, by the service if it tells, otherwise from coming to leaving.
    pub median_seconds: Option<u64>,
}

impl PanelView {
    /// The hourly wage of those who have finished, by their median time; none if nobody has, or if nobody is paid.
    #[must_use]
    pub fn hourly(&self) -> Option<Cents> {
        let entry = Cents(self.settings.entry.reward_cents);
        let reward = self.settings.study.as_ref().map_or(entry, |study| study.reward);
        let seconds = self.tally.median_seconds.filter(|_| reward != Cents::ZERO)?;
        wage::hourly(reward, seconds.max(1))
    }
}

impl Access {
    /// The panels of the campaign.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn panels(&self) -> Result<Vec<PanelView>, Error> {
        self.caller.require(Operation::Recruit)?;
        let mut views = Vec::new();
        for panel in self.workspace.store().panels_of(self.campaign.id()).await? {
            views.push(self.view(Known::read(&self.workspace, panel).await?).await?);
        }
        Ok(views)
    }

    /// One panel of the campaign.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] panel, also for those of other campaigns.
    pub async fn panel(&self, id: PanelId) -> Result<PanelView, Error> {
        let known = self.known(id).await?;
        self.view(known).await
    }

    pub(super) async fn known(&self, id: PanelId) -> Result<Known, Error> {
        self.caller.require(Operation::Recruit)?;
        let known = Known::find(&self.workspace, id).await?;
        if known.panel.campaign != self.campaign.id() {
            return Err(grove_store::Error::Unknown("panel").into());
        }
        Ok(known)
    }

    /// Adds a panel, with the link by which people come. `connection` names the service of a study; the operator says who may use it.
    ///
    /// # Errors
    /// [`Error::Crowd`] for invalid settings, [`Error::Panel`] for a service that the caller may not use.
    pub async fn add_panel(
        &self,
        name: &str,
        connection: Option<&str>,
        settings: PanelSettings,
    ) -> Result<PanelId, Error> {
        self.caller.require(Operation::Recruit)?;
        settings.entry.check()?;
        settings.study.as_ref().map_or(Ok(()), super::StudySettings::check)?;
        if settings.study.is_some() != connection.is_some() {
            return Err(Error::Panel("a study needs a service, and a service needs a study".to_owned()));
        }
        if let Some(connection) = connection {
            self.check_connection(connection).await?;
        }
        // All 128 bits are random: whoever guesses it could take part.
        let id = PanelId(Uuid::from_bytes(random()?));
        let hash = Sha256::digest(id.0.simple().to_string().as_bytes()).into();
        let (store, now) = (self.workspace.store(), self.workspace.now());
        let panel = Panel {
            id,
            campaign: self.campaign.id(),
            name: name.trim().to_owned(),
            connection: connection.map(str::to_owned),
            settings: to_json(&settings),
            key: random::<32>()?.to_vec(),
            study: None,
            status: if connection.is_some() { "UNPUBLISHED" } else { "open" }.to_owned(),
            created: now,
            synced: None,
            places: None,
            paused_with_campaign: 0,
            commitments: 0,
            places_asked: None,
            places_asked_at: None,
            read_after_end: 0,
        };
        store.add_panel(panel).await?;
        self.workspace
            .add_credential(Purpose::Invitation(self.campaign.id()), format!("panel {}", name.trim()), hash)
            .await?;
        Ok(id)
    }

    /// The services that the caller may use.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn connections(&self) -> Result<Vec<String>, Error> {
        self.caller.require(Operation::Recruit)?;
        let owner = self.owner_name().await?;
        Ok(self.workspace.crowds().panels_for(owner.as_deref()).map(|panel| panel.name.clone()).collect())
    }

    pub(super) async fn check_connection(&self, name: &str) -> Result<(), Error> {
        if self.connections().await?.iter().any(|known| known == name) {
            Ok(())
        } else {
            Err(Error::Panel(format!(
                "there is no panel {name:?} that this account may use; ask the operator of the server"
            )))
        }
    }

    /// The name of the caller's account; none for the operator.
    pub(in crate::operations) async fn owner_name(&self) -> Result<Option<String>, Error> {
        let Some(owner) = self.caller.owner() else { return Ok(None) };
        let owner = self.workspace.store().owner(owner).await?;
        // An account that is gone may use nothing.
        Ok(Some(owner.map_or_else(String::new, |owner| owner.name)))
    }

    /// Fails if somebody may still take part in a study of the campaign, or waits for an approval or a bonus: as far as the service has told, which it must
    /// have been asked since the study ended.
    pub(in crate::operations) async fn check_studies_are_over(&self) -> Result<(), Error> {
        let without_work = self.workspace.studies_without_work().await?;
        for panel in self.workspace.store().panels_of(self.campaign.id()).await? {
            if panel.study.is_none() || panel.status == "UNPUBLISHED" || without_work.contains(&panel.id) {
                continue;
            }
            let Known { panel, submissions, bonuses, .. } = Known::read(&self.workspace, panel).await?;
            let is_waiting = |one: &StoredSubmission| {
                SubmissionStatus::parse(&one.status).is_none_or(|status| !status.is_final())
            };
            // The service has statuses of its own for studies on their way from one of the others to the next.
            let problem = if !matches!(panel.status.as_str(), "COMPLETED" | "AWAITING REVIEW") {
                "is not over; stop it first"
            } else if submissions.iter().any(is_waiting) {
                "has people who are still answering or wait for approval; decide about them first"
            } else if bonuses.iter().any(|one| matches!(one.status.as_str(), "intended" | "sent")) {
                "has bonuses that are not paid yet; wait until they are"
            } else {
                "has ended, but the panel was not asked since whether somebody has taken a place meanwhile; bring it up to date, or wait until that is done"
            };
            return Err(Error::Panel(format!("nothing was deleted: the study {:?} {problem}", panel.name)));
        }
        Ok(())
    }

    async fn view(&self, known: Known) -> Result<PanelView, Error> {
        let workers = self.workers().await?;
        let Known { panel, settings, people, submissions, bonuses } = known;
        let (submissions, strangers): (Vec<_>, Vec<_>) =
            submissions.into_iter().partition(|one| people.iter().any(|person| person.person == one.person));
        let view = |person: PanelPerson| {
            let summary = workers.iter().find(|one| one.worker == person.worker);
            let verdict = summary.and_then(|one| one.report).map(|report| report.verdict);
            let own = |one: &&StoredSubmission| one.person == person.person;
            // Of several submissions of one person, the one they came with last.
            let current =
                submissions.iter().find(|one| Some(one.submission.as_str()) == person.session.as_deref());
            // Without a session, nothing can be asked of the service: the link was not the one on its page.
            let is_unknown =
                person.verified == Some(0) || (panel.connection.is_some() && person.session.is_none());
            PersonView {
                votes: summary.map_or(0, |one| one.votes),
                doubt: match verdict {
                    _ if is_unknown => Some(Doubt::Unknown),
                    Some(WorkerVerdict::Straightliner) => Some(Doubt::Straightliner),
                    Some(WorkerVerdict::Inverted) => Some(Doubt::Inverted),
                    _ => summary
                        .filter(|one| one.seems_copied())
                        .and_then(|one| one.copies_model)
                        .map(Doubt::CopiesModel),
                },
                submission: current.or_else(|| submissions.iter().find(own)).cloned(),
                person,
            }
        };
        let people: Vec<PersonView> = people.into_iter().map(view).collect();
        let tally = tally(&settings, &people);
        Ok(PanelView { panel, settings, tally, people, strangers, bonuses })
    }
}

fn tally(settings: &PanelSettings, people: &[PersonView]) -> PanelTally {
    let outcome =
        |of: &str| people.iter().filter(|one| one.person.outcome.as_deref() == Some(of)).count() as u64;
    let status = |of: SubmissionStatus| {
        let is = |one: &&PersonView| one.submission.as_ref().is_some_and(|one| one.status == of.as_str());
        people.iter().filter(is).count() as u64
    };
    let finished = outcome(FINISHED);
    PanelTally {
        came: people.len() as u64,
        finished,
        turned_away: outcome(TURNED_AWAY),
        owed: Cents(settings.entry.reward_cents).times(finished).unwrap_or_default(),
        to_review: status(SubmissionStatus::AwaitingReview),
        approved: status(SubmissionStatus::Approved),
        median_seconds: median_seconds(people),
    }
}

fn median_seconds(people: &[PersonView]) -> Option<u64> {
    let seconds = |one: &PersonView| {
        if one.person.outcome.as_deref() != Some(FINISHED) {
            return None;
        }
        let told = one.submission.as_ref().and_then(|one| one.seconds);
        let measured = one.person.finished.map(|end| (end.0 - one.person.entered.0) / 1_000_000);
        told.or(measured).and_then(|seconds| u64::try_from(seconds).ok())
    };
    wage::median(&mut people.iter().filter_map(seconds).collect::<Vec<_>>())
}

pub(super) fn to_json(settings: &PanelSettings) -> String {
    serde_json::to_string(settings).expect("settings have text keys only")
}

pub(super) fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::Panel(format!("no random numbers are available: {error}")))?;
    Ok(bytes)
}
