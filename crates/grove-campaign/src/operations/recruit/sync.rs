//! Synchronisation with the service: the state of submissions, the owner's decisions, bonuses owed, and how many
//! people are still needed.
//!
//! Everything here can be done again after a crash at any point: decisions and bonuses are in the database before anything is sent, and what the
//! service says is read again.

use std::collections::HashSet;
use std::time::Duration;

use grove_crowd::journal::{BonusStatus, Resolution, resolve};
use grove_crowd::wage::{Affordable, Growth};
use grove_crowd::{
    Cents, Error as CrowdError, Observation, PanelConnection, PanelSubmission, Prolific, Seen, Study,
    StudyAction, StudyStatus, Submission, SubmissionStatus, WebhookEvent,
};
use grove_store::{Bonus, Moment, Panel, PanelId, StoredSubmission};

use super::super::{Caller, Workspace};
use super::entry::FINISHED;
use super::panels::PanelView;
use super::study::{ATTEMPTS, moment, wanted};
use super::{Known, service, settings_of, study_of};
use crate::{Error, Status};

/// What a synchronisation did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Synced {
    /// Submissions whose state changed.
    pub changed: usize,
    /// Submissions that were approved.
    pub approved: usize,
    /// Bonuses that were paid.
    pub paid: usize,
    /// Bonuses that wait for the service to show them.
    pub waiting: usize,
    /// The places that the study has now, if it grew.
    pub grown_to: Option<u32>,
    /// Whether the study was ended because the campaign has.
    pub stopped: bool,
}

/// How long somebody who took too long may still hand in a code, in microseconds: a week. No service says when it ends.
const LATE: i64 = 7 * 86_400 * 1_000_000;

/// What people read who are asked to return a submission.
const RETURN_REASON: &str =
    "Thank you for taking part. These answers cannot be used in this study; please return the submission.";

/// The submissions that can be approved: people who have finished and await review, except those who do not seem to
/// read and those whom the service does not know.
pub(super) fn ready_to_approve(view: &PanelView) -> Vec<String> {
    let code = &view.settings.entry.code;
    let ready = view.people.iter().filter(|one| {
        one.doubt.is_none()
            && one.person.outcome.as_deref() == Some(FINISHED)
            && one.person.verified == Some(1)
    });
    let waiting = ready.filter_map(|one| one.submission.as_ref()).filter(|one| {
        one.decision.is_none()
            && one.status == SubmissionStatus::AwaitingReview.as_str()
            && one.code.as_ref().is_none_or(|entered| entered == code)
    });
    waiting.map(|one| one.submission.clone()).collect()
}

impl Workspace {
    /// Brings all studies up to date, except those that have ended and where nobody waits for anything. Returns those that could not be, and why.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn sync_panels(&self) -> Result<Vec<(PanelId, Error)>, Error> {
        let without_work = self.studies_without_work().await?;
        let mut failed = Vec::new();
        for panel in self.store().studies().await? {
            let (id, is_idle, workspace) = (panel.id, without_work.contains(&panel.id), self.clone());
            // A task of its own: what a service sends may make it panic, which must not keep the other studies from being brought up to date.
            let one = tokio::spawn(async move { workspace.sync_unless_done(panel, is_idle).await });
            let done = one.await.unwrap_or_else(|error| Err(Error::Panel(error.to_string())));
            if let Err(error) = done {
                failed.push((id, error));
            }
        }
        Ok(failed)
    }

    /// The studies that have ended, and where nobody waits for anything.
    pub(super) async fn studies_without_work(&self) -> Result<HashSet<PanelId>, Error> {
        let late = Moment(self.now().0.saturating_sub(LATE));
        Ok(self.store().studies_without_work(late).await?.into_iter().collect())
    }

    async fn sync_unless_done(&self, panel: Panel, is_idle: bool) -> Result<(), Error> {
        // The operator may have removed the service.
        let is_known = panel.connection.as_deref().is_some_and(|name| self.crowds().panel(name).is_some());
        if !is_known || is_idle && !self.may_grow(&panel).await? {
            return Ok(());
        }
        self.sync_panel(panel).await.map(drop)
    }

    /// Whether a study that has ended may get more places by itself, which opens it again.
    async fn may_grow(&self, panel: &Panel) -> Result<bool, Error> {
        let most = i64::from(wanted(&settings_of(panel)?)?.most_places);
        if panel.places.is_some_and(|places| most <= places) {
            return Ok(false);
        }
        let campaign = self.campaign(Caller::local(), panel.campaign).await?;
        Ok(campaign.campaign()?.with_state(|state| state.status()) != Status::Stopped)
    }

    /// Brings the study of a panel up to date.
    ///
    /// # Errors
    /// Errors from the service. What was done before stays done.
    pub async fn sync_panel(&self, panel: Panel) -> Result<Synced, Error> {
        let (client, connection) = service(self, &panel)?;
        let id = study_of(&panel)?.to_owned();
        let study = client.study(&id).await?;
        let has_ended =
            |study: &Study| matches!(study.status, StudyStatus::AwaitingReview | StudyStatus::Completed);
        let was_over = has_ended(&study);
        let mut done = Synced::default();
        if study.status == StudyStatus::Unpublished {
            self.remember(&panel, &study).await?;
            return Ok(done);
        }
        let (listed, date) = client.submissions(&id).await?;
        let at = date.map_or_else(|| self.now(), moment);
        for one in &listed {
            done.changed += usize::from(self.observe(panel.id, one, at).await?);
        }
        if was_over && has_ended_before(&panel) {
            self.end_growth(panel.id, study.total_available_places).await?;
        }
        let known = Known::read(self, panel).await?;
        self.verify(&client, &known, &listed).await?;
        self.decide_by_itself(&known).await?;
        let known = Known::find(self, known.panel.id).await?;
        // Approvals and bonuses do not wait for each other: an error in one is told after the other was done.
        let approving = self.carry_out_decisions(&client, &known, &mut done).await;
        let spending = self.spend(known.panel.id).await;
        // As it is now: the owner may have changed it while the service was asked, and another synchronisation may have paid.
        let mut known = Known::find(self, known.panel.id).await?;
        let paying = self.pay_bonuses(&client, &connection, &mut known, &id, &mut done).await;
        let steering = self.steer(&client, &connection, &known, &study, &mut done).await;
        drop(spending);
        let study = client.study(&id).await?;
        self.remember_read(&known.panel, &study, was_over && has_ended(&study)).await?;
        approving.and(paying).and(steering)?;
        Ok(done)
    }

    /// Records what a list says about a submission. Returns whether anything changed.
    async fn observe(&self, panel: PanelId, one: &PanelSubmission, at: Moment) -> Result<bool, Error> {
        let Some(status) = one.status() else {
            tracing::warn!(submission = one.id, "a submission has an unknown status");
            return Ok(false);
        };
        let observation = Observation { status, at: at.0, seen: Seen::Poll };
        let seconds = one
            .time_taken
            .filter(|seconds| (0.0..1e9).contains(seconds))
            .map(|seconds| seconds.round() as i64);
        let told = Told { person: one.participant_id.clone(), code: one.entered_code.clone(), seconds };
        self.take_in(panel, &one.id, observation, told).await
    }

    /// Processes a verified webhook about a known submission. One of a submission that we do not know is left to the
    /// next list, since it does not say of which study it is.
    ///
    /// # Errors
    /// Errors from the store; then the service should send it again.
    pub async fn take_in_webhook(
        &self,
        connection: &str,
        event_id: &str,
        at: Moment,
        event: WebhookEvent,
    ) -> Result<bool, Error> {
        if self.store().knows_webhook(connection, event_id).await? {
            return Ok(false);
        }
        let mut is_news = false;
        if let WebhookEvent::Submission { submission, person, status: Some(status) } = event {
            for known in self.store().find_submissions(&submission).await? {
                let panel = self.store().panel(known.panel).await?;
                if panel.is_none_or(|panel| panel.connection.as_deref() != Some(connection)) {
                    continue;
                }
                let observation = Observation { status, at: at.0, seen: Seen::Webhook };
                let told = Told { person: person.clone(), code: None, seconds: None };
                is_news |= self.take_in(known.panel, &submission, observation, told).await?;
            }
        }
        // Only now: if this fails, the service sends it again, and taking it in again does no harm.
        self.store().remember_webhook(connection.to_owned(), event_id.to_owned(), self.now()).await?;
        Ok(is_news)
    }

    async fn take_in(
        &self,
        panel: PanelId,
        id: &str,
        observation: Observation,
        told: Told,
    ) -> Result<bool, Error> {
        for _ in 0..ATTEMPTS {
            let known = self.store().find_submissions(id).await?.into_iter().find(|one| one.panel == panel);
            let Some(old) = known else {
                let new = StoredSubmission {
                    panel,
                    submission: id.to_owned(),
                    person: told.person.clone(),
                    status: observation.status.as_str().to_owned(),
                    at: Moment(observation.at),
                    code: told.code.clone(),
                    seconds: told.seconds,
                    decision: None,
                    asked: None,
                };
                if self.store().add_submission(new).await? {
                    return Ok(true);
                }
                continue;
            };
            let Some(status) = SubmissionStatus::parse(&old.status) else { return Ok(false) };
            let before = Submission { status, at: old.at.0 };
            let after = before.after(observation).unwrap_or(before);
            let new = StoredSubmission {
                status: after.status.as_str().to_owned(),
                at: Moment(after.at),
                code: told.code.clone().or_else(|| old.code.clone()),
                seconds: told.seconds.or(old.seconds),
                ..old.clone()
            };
            if new == old {
                return Ok(false);
            }
            if self.store().change_submission(old.clone(), new).await? {
                return Ok(after.status != before.status);
            }
        }
        Ok(false)
    }

    /// Verifies people's ids: anybody can make up an id in a link. A session counts if the service knows it, for this person and study.
    async fn verify(
        &self,
        client: &Prolific,
        known: &Known,
        listed: &[PanelSubmission],
    ) -> Result<(), Error> {
        for person in known.people.iter().filter(|one| one.verified.is_none()) {
            let Some(session) = person.session.clone() else { continue };
            let is_good = match listed.iter().find(|one| one.id == session) {
                Some(one) => one.participant_id == person.person,
                // It may be newer than the list.
                None => match client.submission(&session).await {
                    Ok(one) => one.participant_id == person.person && one.study_id == known.panel.study,
                    Err(CrowdError::Refused { status: 404, .. } | CrowdError::BadPanel { .. }) => false,
                    Err(error) => return Err(error.into()),
                },
            };
            self.store().set_verified(person.panel, person.worker.clone(), session, is_good).await?;
        }
        Ok(())
    }

    async fn decide_by_itself(&self, known: &Known) -> Result<(), Error> {
        if !wanted(&known.settings)?.approve {
            return Ok(());
        }
        let access = self.campaign(Caller::local(), known.panel.campaign).await?;
        access.approve_all(known.panel.id).await.map(drop)
    }

    async fn carry_out_decisions(
        &self,
        client: &Prolific,
        known: &Known,
        done: &mut Synced,
    ) -> Result<(), Error> {
        use grove_crowd::SubmissionStatus as S;
        for one in &known.submissions {
            let Some(status) = S::parse(&one.status) else { continue };
            let decision = one.decision.as_deref().unwrap_or_default();
            let outcome = match decision {
                "approve" if status == S::AwaitingReview => client.approve(&one.submission).await,
                "return" if one.asked.is_none() && !status.is_final() => {
                    client.ask_to_return(&one.submission, RETURN_REASON).await
                }
                _ => continue,
            };
            match outcome {
                Ok(()) => self.store().has_asked(one.panel, one.submission.clone(), self.now()).await?,
                // Its status has changed meanwhile; the next list has the new one. The others must not wait for it.
                Err(CrowdError::Refused { status: 400 | 404 | 409 | 422, reason, .. }) => {
                    tracing::warn!(submission = one.submission, decision, reason, "a decision was refused");
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            if decision == "approve" {
                done.approved += 1;
                let shown = client.submission(&one.submission).await?;
                self.observe(one.panel, &shown, Moment(one.at.0.max(self.now().0))).await?;
            }
        }
        Ok(())
    }

    /// Pays what the journal says, once.
    async fn pay_bonuses(
        &self,
        client: &Prolific,
        connection: &PanelConnection,
        known: &mut Known,
        study: &str,
        done: &mut Synced,
    ) -> Result<(), Error> {
        for bonus in known.bonuses.iter().filter(|one| one.status == BonusStatus::Sent.as_str()) {
            self.resolve_bonus(client, connection, known, bonus, done).await?;
        }
        let intended = self.store().bonuses_of(known.panel.id).await?.into_iter();
        let intended: Vec<Bonus> =
            intended.filter(|one| one.status == BonusStatus::Intended.as_str()).collect();
        let mut parts: Vec<&[Bonus]> = intended.chunks(Prolific::MOST_BONUSES).rev().collect();
        while let Some(part) = parts.pop() {
            let amounts: Vec<(String, Cents)> =
                part.iter().map(|one| (one.submission.clone(), Cents(one.cents.unsigned_abs()))).collect();
            let price = client.price(amounts.iter().map(|(_, cents)| *cents).sum(), 1).await?;
            // The service may round every one of them.
            let least = price.minus(Cents(part.len() as u64));
            self.check_budget(client, connection, known, study, least).await?;
            let batch = match client.prepare_bonuses(study, &amounts).await {
                Ok(batch) => batch,
                // One that is not taken must not hold up the others. Other refusals, such as of an unknown study, say nothing about a single bonus.
                Err(CrowdError::Refused { status: 400 | 422, reason, .. }) => {
                    if let [one] = part {
                        tracing::error!(
                            submission = one.submission,
                            reason,
                            "the panel does not take a bonus"
                        );
                        self.store().refuse_bonus(known.panel.id, one.id).await?;
                    } else {
                        parts.extend(part.chunks(1).rev());
                    }
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let total = batch.total().filter(|total| *total > Cents::ZERO).unwrap_or(price);
            self.check_budget(client, connection, known, study, total).await?;
            let ids: Vec<_> = part.iter().map(|one| one.id).collect();
            let (panel, seen) = (known.panel.id, known.panel.commitments);
            match self.store().send_bonuses(panel, ids, batch.id.clone(), self.now(), seen).await {
                Ok(()) => known.panel.commitments += 1,
                // Another program is sending them, or has committed money: what is left of the budget has to be looked at again.
                Err(grove_store::Error::Conflict) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            let paid = client.pay_bonuses(&batch.id).await;
            let outcome = match &paid {
                Ok(()) => Some(BonusStatus::Paid),
                // Whether it was paid is found out later, by what the service shows.
                Err(error) if error.is_uncertain() => None,
                Err(_) => Some(BonusStatus::Intended),
            };
            if let Some(outcome) = outcome {
                for one in part {
                    let (panel, batch) = (known.panel.id, batch.id.clone());
                    self.store().settle_bonus(panel, one.id, batch, outcome.as_str()).await?;
                }
            }
            match paid {
                Ok(()) => done.paid += part.len(),
                Err(error) if error.is_uncertain() => done.waiting += part.len(),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Finds out what became of a bonus that was sent and not acknowledged.
    async fn resolve_bonus(
        &self,
        client: &Prolific,
        connection: &PanelConnection,
        known: &Known,
        bonus: &Bonus,
        done: &mut Synced,
    ) -> Result<(), Error> {
        let Some(shown) = client.submission(&bonus.submission).await?.bonuses() else {
            done.waiting += 1;
            return Ok(());
        };
        let of =
            |one: &&Bonus| one.submission == bonus.submission && one.status == BonusStatus::Paid.as_str();
        let settled: Cents = known.bonuses.iter().filter(of).map(|one| Cents(one.cents.unsigned_abs())).sum();
        let since = self.now().0.saturating_sub(bonus.sent.unwrap_or(bonus.created).0);
        let since = Duration::from_micros(u64::try_from(since).unwrap_or(0));
        let settle = async |status: BonusStatus| {
            let batch = bonus.batch.clone().unwrap_or_default();
            self.store().settle_bonus(bonus.panel, bonus.id, batch, status.as_str()).await
        };
        match resolve(settled, Cents(bonus.cents.unsigned_abs()), shown, since, connection.patience) {
            Resolution::Paid => {
                settle(BonusStatus::Paid).await?;
                done.paid += 1;
            }
            Resolution::NotPaid => {
                settle(BonusStatus::Intended).await?;
            }
            Resolution::Wait => done.waiting += 1,
            Resolution::Unexplained => {
                done.waiting += 1;
                tracing::error!(
                    submission = bonus.submission,
                    %shown,
                    "the panel has paid an amount that the journal does not explain; look at the study's page there"
                );
            }
        }
        Ok(())
    }

    /// Refuses bonuses that would take a study over its budget.
    async fn check_budget(
        &self,
        client: &Prolific,
        connection: &PanelConnection,
        known: &Known,
        study: &str,
        bonuses: Cents,
    ) -> Result<(), Error> {
        let settings = wanted(&known.settings)?;
        // The service may not show all places yet that it was asked for.
        let asked = self.asked_for(&known.panel, connection).map_or(0, |(places, _)| places);
        let places = client.study(study).await?.total_available_places.max(asked);
        let rewards = client.price(settings.reward, places).await?;
        let paid = self.committed_bonuses(client, known.panel.id, study).await?;
        let (all, limit) = (rewards + paid + bonuses, settings.budget.min(connection.most));
        if all > limit {
            let message = format!(
                "with these bonuses the study would cost {all}, which is above its budget of {limit}; raise the budget"
            );
            return Err(CrowdError::OverBudget(message).into());
        }
        Ok(())
    }

    /// What bonuses cost that were paid or may have been, with fees and tax: as the service says, or by the journal where the service does not show
    /// all of them yet.
    pub(super) async fn committed_bonuses(
        &self,
        client: &Prolific,
        panel: PanelId,
        study: &str,
    ) -> Result<Cents, Error> {
        let (_, shown) = client.costs(study).await?;
        let journal = self.store().bonuses_of(panel).await?.into_iter();
        let is_sent = |one: &Bonus| {
            matches!(BonusStatus::parse(&one.status), Some(BonusStatus::Sent | BonusStatus::Paid))
        };
        let sent: Cents = journal.filter(is_sent).map(|one| Cents(one.cents.unsigned_abs())).sum();
        let price = if sent == Cents::ZERO { Cents::ZERO } else { client.price(sent, 1).await? };
        Ok(shown.max(price))
    }

    /// Ends or pauses the study if the campaign has ended or is paused, or adds places if more people are needed and the budget allows it.
    async fn steer(
        &self,
        client: &Prolific,
        connection: &PanelConnection,
        known: &Known,
        study: &Study,
        done: &mut Synced,
    ) -> Result<(), Error> {
        let settings = wanted(&known.settings)?;
        let campaign = self.campaign(Caller::local(), known.panel.campaign).await?;
        let campaign = campaign.campaign()?;
        let status = campaign.with_state(|state| state.status());
        if status == Status::Stopped {
            if matches!(study.status, StudyStatus::Active | StudyStatus::Paused) {
                self.change_study(&known.panel, StudyAction::Stop).await?;
                done.stopped = true;
            }
            return Ok(());
        }
        let panel = &known.panel;
        if status == Status::Paused {
            // Whoever came now would be sent away. It is asked anew: its owner may have paused it since.
            if client.study(&study.id).await?.status == StudyStatus::Active
                // Before it is done, so that it is resumed whenever this program is killed.
                && self.decide_pause(panel, panel.commitments, true).await?
                && let Err(error) = self.change_study(panel, StudyAction::Pause).await
            {
                // If it goes on and its owner pauses it, it is not to be resumed with the campaign.
                let is_refused = matches!(&error, Error::Crowd(error) if !error.is_uncertain());
                if is_refused && client.study(&study.id).await?.status == StudyStatus::Active {
                    self.decide_pause(panel, panel.commitments + 1, false).await?;
                }
                return Err(error);
            }
            return Ok(());
        }
        if panel.paused_with_campaign != 0 {
            let is_paused = client.study(&study.id).await?.status == StudyStatus::Paused;
            if is_paused {
                self.check_owner(panel).await?;
            }
            // Its owner may have paused it through another program since the panel was read: then it stays paused.
            if self.decide_pause(panel, panel.commitments, is_paused).await? && is_paused {
                self.change_study(panel, StudyAction::Start).await?;
                self.decide_pause(panel, panel.commitments + 1, false).await?;
            }
            return Ok(());
        }
        // A study whose people are all approved has ended for the service, and opens again with more places.
        let may_grow = matches!(
            study.status,
            StudyStatus::Active | StudyStatus::AwaitingReview | StudyStatus::Completed
        );
        if !may_grow || settings.most_places <= study.total_available_places {
            return Ok(());
        }
        let taken = known
            .submissions
            .iter()
            .filter(|one| SubmissionStatus::parse(&one.status).is_some_and(SubmissionStatus::takes_place));
        let forecast = campaign.snapshot().forecast.and_then(|forecast| forecast.questions);
        let growth = Growth {
            places: study.total_available_places,
            taken: u32::try_from(taken.count()).unwrap_or(u32::MAX),
            answers_needed: forecast
                .filter(|questions| (0.0..1e9).contains(questions))
                .map(|questions| questions.ceil() as u64),
            answers_each: known.settings.entry.questions,
            most: settings.most_places,
        };
        let (wanted, has) = (growth.wanted(), study.total_available_places);
        if wanted <= has {
            return Ok(());
        }
        self.check_owner(panel).await?;
        let bonuses = self.committed_bonuses(client, known.panel.id, &study.id).await?;
        let limit = settings.budget.min(connection.most).minus(bonuses);
        let mut search = Affordable::new(has + 1, wanted, limit);
        while let Some(places) = search.wanted() {
            search.told(places, client.price(settings.reward, places).await?);
        }
        let Some(places) = search.found() else { return Ok(()) };
        if self.ask_for_places(client, connection, panel, places).await? {
            done.grown_to = Some(places);
        }
        Ok(())
    }

    /// Records whether a study is paused because its campaign is, by a decision that rests on so many commitments. Returns false if something was decided
    /// since: then nothing is done, and the next synchronisation decides anew.
    async fn decide_pause(&self, panel: &Panel, seen: i64, is_paused: bool) -> Result<bool, Error> {
        match self.store().set_paused_with_campaign(panel, Some(seen), is_paused).await {
            Ok(()) => Ok(true),
            Err(grove_store::Error::Conflict) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The most places that the service was asked for and may still give, and when. After some patience, it has given what it shows: the request may never
    /// have been sent.
    fn asked_for(&self, panel: &Panel, connection: &PanelConnection) -> Option<(u32, Moment)> {
        let (places, at) = (u32::try_from(panel.places_asked?).ok()?, panel.places_asked_at?);
        let since = u64::try_from(self.now().0.saturating_sub(at.0)).unwrap_or(0);
        (Duration::from_micros(since) < connection.patience.0).then_some((places, at))
    }

    /// Gives a study more places, by a decision that rests on the settings and the commitments in `panel`. Returns false if another program has changed or
    /// committed something since: then it has to be decided anew.
    pub(super) async fn ask_for_places(
        &self,
        client: &Prolific,
        connection: &PanelConnection,
        panel: &Panel,
        places: u32,
    ) -> Result<bool, Error> {
        let before = self.asked_for(panel, connection);
        // An earlier request for more may still be on its way.
        let most = before.map_or(places, |(asked, _)| asked.max(places));
        match self.store().commit_places(panel, panel.commitments, Some((most, self.now()))).await {
            Ok(()) => {}
            Err(grove_store::Error::Conflict) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        if let Err(error) = client.set_places(study_of(panel)?, places).await {
            // What was clearly refused is not held back for it. If this fails too, somebody else has committed money, and has the right number.
            if !error.is_uncertain() {
                let _ = self.store().commit_places(panel, panel.commitments + 1, before).await;
            }
            return Err(error.into());
        }
        // Whoever has stopped it through another program meanwhile wants no more places. They cannot be taken back, and may have opened it again.
        let now = Known::find(self, panel.id).await?;
        if wanted(&now.settings)?.most_places < places {
            self.change_study(panel, StudyAction::Stop).await?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Refuses to spend for a campaign whose owner may not use the service any more: what happens by itself happens for the owner.
    async fn check_owner(&self, panel: &Panel) -> Result<(), Error> {
        let owner = match self.store().campaign(panel.campaign).await?.owner {
            // An account that is gone may use nothing.
            Some(owner) => {
                Some(self.store().owner(owner).await?.map_or_else(String::new, |owner| owner.name))
            }
            // The operator's own.
            None => None,
        };
        let name = panel.connection.as_deref().unwrap_or_default();
        if self.crowds().panels_for(owner.as_deref()).any(|panel| panel.name == name) {
            return Ok(());
        }
        Err(Error::Panel(format!(
            "the campaign's owner may not use the panel {name:?} any more, so the study is not resumed and gets no more places"
        )))
    }
}

/// Whether a study has ended for a version of Grove that did not let ended studies grow: nobody expects it to open again. That version did not store how
/// many places a study has.
fn has_ended_before(panel: &Panel) -> bool {
    panel.places.is_none() && matches!(panel.status.as_str(), "COMPLETED" | "AWAITING REVIEW")
}

/// What was reported about a submission besides its status.
struct Told {
    person: String,
    code: Option<String>,
    seconds: Option<i64>,
}
