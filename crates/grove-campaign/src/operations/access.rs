use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use grove_belief::{Form, Money, WorkerReport};
use grove_formats::{Source, read_votes};
use grove_store::{
    Actor, Credential, CredentialId, Entry, Position, Purpose, Receipt, Reply, Response, Screen, SecretHash,
    SubmittedVote, VoteId, VoteSource, WorkerId,
};
use grove_tree::Concept;
use tokio::sync::watch;

use super::{Caller, Operation, Role, View, Workspace, allowed};
use crate::{
    Asked, Campaign, CorrectionState, CurvePoint, Edit, Error, Imported, NamedReport, Next, Samples,
    Settings, Snapshot, State, VoteState, Why, number,
};

/// The concepts of a snapshot in the order of its tree, with their depths.
fn places(snapshot: &Snapshot) -> Vec<(u32, usize, String)> {
    let mut children: HashMap<Concept, Vec<(Concept, &str)>> = HashMap::new();
    for (concept, entry) in snapshot.hierarchy.concepts() {
        children.entry(entry.parent).or_default().push((concept, &entry.name));
    }
    children.values_mut().for_each(|below| below.sort_by_cached_key(|(_, name)| name.to_lowercase()));
    let mut waiting = vec![(Concept::ROOT, "", 0)];
    let mut places = Vec::new();
    while let Some((concept, name, depth)) = waiting.pop() {
        if depth > 0 {
            places.push((number(&snapshot.numbers, concept), depth - 1, name.to_owned()));
        }
        let below = children.get(&concept).into_iter().flatten().rev();
        waiting.extend(below.map(|(child, name)| (*child, *name, depth + 1)));
    }
    places
}

/// A campaign as one caller sees it: every function first checks that the caller's role allows it.
#[derive(Clone)]
pub struct Access {
    pub(super) workspace: Workspace,
    pub(super) campaign: Campaign,
    pub(super) caller: Caller,
}

/// A worker's votes, and what they tell about the worker.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkerSummary {
    /// The worker.
    pub worker: WorkerId,
    /// The number of votes that were not withdrawn.
    pub votes: u64,
    /// The number of votes that were withdrawn.
    pub withdrawn: u64,
    /// How many of the votes that were not withdrawn are excluded, because the worker is, or the link through which they came.
    pub excluded: u64,
    /// Whether the worker is excluded, and not only a link that they came through.
    pub is_excluded: bool,
    /// What the last report says about them, if it includes them.
    pub report: Option<WorkerReport>,
    /// P(they copy a language model's answers), if they share enough questions with one.
    pub copies_model: Option<f64>,
}

/// The P(copies a model) from which a worker should be reviewed.
const COPIES: f64 = 0.9;

impl WorkerSummary {
    /// Whether the worker's answers seem to be a language model's.
    #[must_use]
    pub fn seems_copied(&self) -> bool {
        self.copies_model.is_some_and(|p| p >= COPIES)
    }
}

impl Access {
    /// Who the caller is.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The campaign itself, for a program that moves its belief. Only an administrator gets it.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn campaign(&self) -> Result<&Campaign, Error> {
        self.caller.require(Operation::Administrate)?;
        Ok(&self.campaign)
    }

    /// The settings as far as workers need them: title, language, consent and questions per task.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn task_settings(&self) -> Result<Settings, Error> {
        self.caller.require(Operation::NextQuestion)?;
        Ok(self.campaign.with_state(|state| state.settings().clone()))
    }

    /// The next questions for a worker.
    ///
    /// # Errors
    /// As [`Campaign::next`].
    pub async fn next(&self, worker: &WorkerId) -> Result<Next, Error> {
        self.next_or(worker, None).await
    }

    /// The next screens for a worker who was sent one ahead.
    ///
    /// # Errors
    /// As [`Campaign::next_or`].
    pub async fn next_or(&self, worker: &WorkerId, sent: Option<&Screen>) -> Result<Next, Error> {
        self.caller.require_for(Operation::NextQuestion, worker)?;
        if self.is_excluded(worker) {
            return Ok(Next::AllAnswered);
        }
        if !self.link_has_room(worker).await? {
            return Ok(Next::LinkUsedUp);
        }
        self.campaign.next_or(worker, sent).await
    }

    /// Whether the limits of the link that a worker came with have room for an answer of theirs.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn link_has_room(&self, worker: &WorkerId) -> Result<bool, Error> {
        self.caller.require_for(Operation::NextQuestion, worker)?;
        match self.caller.link.filter(|link| link.is_limited) {
            Some(link) => Ok(self.workspace.store().link_has_room(link.id, worker).await?),
            None => Ok(true),
        }
    }

    /// What a worker will probably be shown after what they hold.
    ///
    /// # Errors
    /// As [`Campaign::upcoming`].
    pub async fn upcoming(&self, worker: &WorkerId, held: &[Screen]) -> Result<Option<Asked>, Error> {
        self.caller.require_for(Operation::NextQuestion, worker)?;
        self.campaign.upcoming(worker, held).await
    }

    /// The concepts under which another can be placed, as the hierarchy is believed to be: each with its number, how
    /// deep it is, and its name, in the order of the tree. Only for workers who are asked to place concepts: the
    /// others need not see it.
    ///
    /// # Errors
    /// [`Error::Forbidden`], also where nobody is asked to place anything.
    pub fn places(&self) -> Result<Vec<(u32, usize, String)>, Error> {
        self.caller.require(Operation::NextQuestion)?;
        if !self.campaign.with_state(|state| state.settings().forms.contains(&Form::Place)) {
            return Err(self.caller.forbidden(Operation::Read));
        }
        Ok(places(&self.campaign.snapshot()))
    }

    /// The number of the concept with a name, for those who are asked to place concepts.
    ///
    /// # Errors
    /// [`Error::UnknownConcept`], and as [`Access::places`].
    pub fn place_named(&self, name: &str) -> Result<u32, Error> {
        self.places()?;
        self.campaign.with_state(|state| state.find(name))
    }

    /// Casts a vote, recorded with the caller's link. A worker's vote needs the ticket that came with the question;
    /// other roles may vote on any question.
    ///
    /// # Errors
    /// [`Error::Excluded`], and as [`Campaign::answer`].
    pub async fn cast(&self, vote: SubmittedVote, ticket: &str) -> Result<Receipt, Error> {
        self.caller.require_for(Operation::CastVote, &vote.response.worker)?;
        if self.is_excluded(&vote.response.worker) {
            return Err(Error::Excluded);
        }
        let link = self.caller.link;
        let vote = SubmittedVote { link: link.map(|link| link.id), ..vote };
        match self.caller.role {
            Role::Worker => {
                self.campaign.answer(vote, ticket, link.is_some_and(|link| link.is_limited)).await
            }
            _ => self.campaign.vote(vote).await,
        }
    }

    /// Whether a worker is excluded, or the link that they came with. They are not asked anything, since their
    /// answers would only use up the budget.
    fn is_excluded(&self, worker: &WorkerId) -> bool {
        self.campaign.with_state(|state| state.is_excluded(worker, self.caller.link.map(|link| link.id)))
    }

    /// Excludes the votes of a worker, or of everybody who came through a link, from the evidence: those of the past and those that are still to come. They
    /// stay in the log, and can be included again.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] worker or invitation.
    pub async fn exclude(&self, source: VoteSource) -> Result<(), Error> {
        self.caller.require(Operation::Exclude)?;
        if let VoteSource::Link(link) = source {
            let known = self.workspace.store().invitations(self.campaign.id()).await?;
            if known.iter().all(|invitation| invitation.id != link) {
                return Err(grove_store::Error::Unknown("invitation").into());
            }
        }
        self.edit(Edit::Exclude { source }).await
    }

    /// Includes votes again that were excluded.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn include(&self, source: VoteSource) -> Result<(), Error> {
        self.edit(Edit::Include { source }).await
    }

    /// Withdraws a vote of a worker.
    ///
    /// # Errors
    /// As [`Campaign::withdraw`].
    pub async fn withdraw(&self, worker: &WorkerId, vote: VoteId) -> Result<Receipt, Error> {
        self.caller.require_for(Operation::WithdrawVote, worker)?;
        self.campaign.withdraw(worker, vote).await
    }

    /// Changes the answer of a worker's vote.
    ///
    /// # Errors
    /// [`Error::Excluded`], and as [`Campaign::change`].
    pub async fn change(&self, worker: &WorkerId, vote: VoteId, reply: Reply) -> Result<Receipt, Error> {
        self.caller.require_for(Operation::WithdrawVote, worker)?;
        self.caller.require_for(Operation::CastVote, worker)?;
        if self.is_excluded(worker) {
            return Err(Error::Excluded);
        }
        self.campaign.change(worker, vote, reply).await
    }

    /// Withdraws the last vote of a worker, reserves its screen for them again, and returns it with a ticket for another answer.
    ///
    /// # Errors
    /// As [`Campaign::undo`].
    pub async fn undo(&self, worker: &WorkerId) -> Result<(SubmittedVote, String), Error> {
        self.caller.require_for(Operation::WithdrawVote, worker)?;
        self.campaign.undo_and_ask_again(worker).await
    }

    /// The state of the campaign, as [`Campaign::state`].
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn state(&self) -> Result<impl Deref<Target = State> + '_, Error> {
        self.caller.require(Operation::Read)?;
        Ok(self.campaign.state())
    }

    /// What people call the campaign, as [`Campaign::title`].
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn title(&self) -> Result<String, Error> {
        self.caller.require(Operation::Read)?;
        Ok(self.campaign.title())
    }

    /// What is believed at present, and how many votes it does not know yet.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn snapshot(&self) -> Result<(Arc<Snapshot>, usize), Error> {
        self.caller.require(Operation::Read)?;
        Ok((self.campaign.snapshot(), self.campaign.lag()))
    }

    /// A channel that receives every new snapshot.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn watch(&self) -> Result<watch::Receiver<Arc<Snapshot>>, Error> {
        self.caller.require(Operation::Read)?;
        Ok(self.campaign.watch())
    }

    /// As [`Access::hierarchy`], for programs, which would not notice that a hierarchy is empty because it is still being computed.
    ///
    /// # Errors
    /// [`Error::Rebuilding`], and as [`Access::hierarchy`].
    pub async fn export(&self, at: Option<Position>) -> Result<View, Error> {
        self.caller.require(Operation::Read)?;
        let snapshot = self.campaign.snapshot();
        let is_unpublished = snapshot.rebuilding && snapshot.position == Position::START;
        if at.is_none() && is_unpublished && self.campaign.state().votes().count() > 0 {
            return Err(Error::Rebuilding);
        }
        self.hierarchy(at).await
    }

    /// The hierarchy now, or as it was at a position of the log.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn hierarchy(&self, at: Option<Position>) -> Result<View, Error> {
        self.caller.require(Operation::Read)?;
        let Some(at) = at else { return Ok(View::from(&*self.campaign.snapshot())) };
        let shared = &self.workspace.shared;
        shared.replays.view_at(&shared.store, self.campaign.id(), at).await
    }

    /// The last report; none before the first.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn report(&self) -> Result<Option<Arc<NamedReport>>, Error> {
        self.caller.require(Operation::Read)?;
        Ok(self.campaign.snapshot().report.clone())
    }

    /// The votes behind the place of a concept.
    ///
    /// # Errors
    /// As [`Campaign::why`].
    pub async fn why(&self, lower: u32, upper: Option<u32>) -> Result<Why, Error> {
        self.caller.require(Operation::Read)?;
        self.campaign.why(lower, upper).await
    }

    /// Some hierarchies drawn from what is believed.
    ///
    /// # Errors
    /// As [`Campaign::samples`].
    pub async fn samples(&self, count: usize) -> Result<Option<Samples>, Error> {
        self.caller.require(Operation::Read)?;
        self.campaign.samples(count).await
    }

    /// The votes after a position of the log, at most `limit` of them, withdrawn ones too.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn votes(&self, after: Position, limit: usize) -> Result<Vec<VoteState>, Error> {
        self.caller.require(Operation::ReadVotes)?;
        let state = self.campaign.state();
        let all = state.votes().all();
        let first = all.partition_point(|vote| vote.position <= after);
        Ok(all[first..].iter().take(limit).cloned().collect())
    }

    /// The entries of the log after a position, at most `limit` of them.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn history(&self, after: Position, limit: u32) -> Result<Vec<Entry>, Error> {
        self.caller.require(Operation::ReadVotes)?;
        Ok(self.workspace.store().log(self.campaign.id(), after, limit).await?)
    }

    /// How good the hierarchy has been over time, from the belief's own records.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn curve(&self) -> Result<Vec<CurvePoint>, Error> {
        self.caller.require(Operation::Read)?;
        Ok(self.campaign.with_state(|state| state.curve().to_vec()))
    }

    /// Everybody who ever voted, in the order of their first votes.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn workers(&self) -> Result<Vec<WorkerSummary>, Error> {
        self.caller.require(Operation::ReadWorkers)?;
        let report = self.campaign.snapshot().report.clone();
        let mut reports: HashMap<WorkerId, WorkerReport> = HashMap::new();
        if let Some(named) = &report {
            let known = named.report.workers.iter();
            let named = known.filter_map(|one| Some((named.workers.get(&one.worker)?.clone(), *one)));
            reports.extend(named);
        }
        let copiers = self.copiers(&reports).await?;
        let tallies = self.workspace.store().workers(self.campaign.id()).await?;
        let state = self.campaign.state();
        let mut excluded: HashMap<&WorkerId, u64> = HashMap::new();
        if state.votes().excluded_count() > 0 {
            for vote in state.votes().standing().filter(|vote| vote.excluded) {
                *excluded.entry(&vote.response.worker).or_default() += 1;
            }
        }
        let summary = |tally: grove_store::WorkerTally| WorkerSummary {
            report: reports.get(&tally.worker).copied(),
            excluded: excluded.get(&tally.worker).copied().unwrap_or(0),
            is_excluded: state.is_excluded(&tally.worker, None),
            copies_model: copiers.get(&tally.worker).copied(),
            worker: tally.worker,
            votes: tally.votes,
            withdrawn: tally.withdrawn,
        };
        Ok(tallies.into_iter().map(summary).collect())
    }

    /// What each worker has earned: votes that count, and their price.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn payments(&self) -> Result<Vec<(WorkerId, u64, Money)>, Error> {
        self.caller.require(Operation::ReadPayments)?;
        let price = self.campaign.with_state(|state| state.settings().price());
        let tallies = self.workspace.store().workers(self.campaign.id()).await?.into_iter();
        // A model is paid for by its tokens.
        let tallies = tallies.filter(|tally| !super::models::is_model(&tally.worker));
        let payment = |tally: grove_store::WorkerTally| {
            (tally.worker, tally.votes, price.times(tally.votes).unwrap_or_default())
        };
        Ok(tallies.map(payment).collect())
    }

    /// Whether the caller's role allows an edit, given the present state.
    #[must_use]
    pub fn may_edit(&self, edit: &Edit, state: &State) -> bool {
        edit.operations(state).into_iter().all(|operation| allowed(operation, self.caller.role))
    }

    /// Changes the campaign.
    ///
    /// # Errors
    /// As [`Campaign::edit`].
    pub async fn edit(&self, edit: Edit) -> Result<(), Error> {
        for operation in self.campaign.with_state(|state| edit.operations(state)) {
            self.caller.require(operation)?;
        }
        self.campaign.edit(self.caller.actor.clone(), edit).await
    }

    /// Changes the campaign in several ways, and in none of them if one is refused.
    ///
    /// # Errors
    /// As [`Campaign::edit`].
    pub async fn edit_all(&self, edits: Vec<Edit>) -> Result<(), Error> {
        for edit in &edits {
            for operation in self.campaign.with_state(|state| edit.operations(state)) {
                self.caller.require(operation)?;
            }
            self.campaign.with_state(|state| state.plan(edit.clone()))?;
        }
        for edit in edits {
            self.campaign.edit(self.caller.actor.clone(), edit).await?;
        }
        Ok(())
    }

    /// Undoes the correction that was made last.
    ///
    /// # Errors
    /// [`Error::NoSuchCorrection`] if there is none.
    pub async fn undo_last_correction(&self) -> Result<(), Error> {
        self.caller.require(Operation::Correct)?;
        let last = self.campaign.with_state(|state| state.corrections().last().map(|last| last.id));
        self.edit(Edit::UndoCorrection { correction: last.ok_or(Error::NoSuchCorrection)? }).await
    }

    /// The corrections in force, the oldest first, with the names of the accounts that made them.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn corrections(&self) -> Result<Vec<(CorrectionState, Option<String>)>, Error> {
        self.caller.require(Operation::Read)?;
        let store = self.workspace.store();
        let standing: Vec<CorrectionState> =
            self.campaign.with_state(|state| state.corrections().into_iter().cloned().collect());
        let mut named = Vec::with_capacity(standing.len());
        for correction in standing {
            let before = Position(correction.position.0 - 1);
            let entry = store.log(self.campaign.id(), before, 1).await?.pop();
            let author = match entry {
                Some(Entry { actor: Actor::Owner(owner), .. }) => store.owner(owner).await?,
                _ => None,
            };
            named.push((correction, author.map(|owner| owner.name)));
        }
        Ok(named)
    }

    /// Imports a file of votes: all of them are read before the first is written.
    ///
    /// # Errors
    /// What is wrong with the file, and as [`Campaign::import`].
    pub async fn import(&self, file: &Source) -> Result<Imported, Error> {
        self.caller.require(Operation::ImportVotes)?;
        // A large file takes a while to read, and the state is locked while it is used: copy what is needed of it.
        let (index, numbers) =
            self.campaign.with_state(|state| (state.index(), state.concepts().numbers().to_vec()));
        let votes = read_votes(file, &index)?.into_iter().map(|read| {
            let bad = |error| Error::BadVote { line: read.line, problem: error };
            let grove_vocabulary::Response { worker, screen, reply } =
                read.response.map(|concept| number(&numbers, concept));
            Ok(Response { worker: WorkerId::new(worker).map_err(bad)?, screen, reply })
        });
        let votes: Result<Vec<Response>, Error> = votes.collect();
        self.campaign.import(votes?).await
    }

    /// Replaces a worker with an anonymous stand-in, everywhere and permanently, and returns the stand-in.
    ///
    /// # Errors
    /// As [`Campaign::erase_worker`].
    pub async fn erase_worker(&self, worker: &WorkerId) -> Result<WorkerId, Error> {
        self.caller.require(Operation::EraseWorker)?;
        let stand_in = self.campaign.erase_worker(self.caller.actor.clone(), worker).await?;
        self.workspace.shared.replays.forget(self.campaign.id());
        Ok(stand_in)
    }

    /// The invitations to the campaign, without their secrets, the newest first.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn invitations(&self) -> Result<Vec<Credential>, Error> {
        self.caller.require(Operation::Invite)?;
        Ok(self.workspace.store().invitations(self.campaign.id()).await?)
    }

    /// The names of all invitations by their ids, some empty, for those who may know who answers.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn link_names(&self) -> Result<HashMap<CredentialId, String>, Error> {
        self.caller.require(Operation::ReadWorkers)?;
        let invitations = self.workspace.store().invitations(self.campaign.id()).await?;
        Ok(invitations.into_iter().map(|link| (link.id, link.label)).collect())
    }

    /// Revokes an invitation to the campaign.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] invitation.
    pub async fn revoke_invitation(&self, id: CredentialId) -> Result<(), Error> {
        self.workspace.revoke(self.invitations().await?, id, "invitation").await
    }

    /// The read-only links to the hierarchy, without their secrets, the newest first.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn view_links(&self) -> Result<Vec<Credential>, Error> {
        self.caller.require(Operation::Invite)?;
        Ok(self.workspace.store().view_links(self.campaign.id()).await?)
    }

    /// Adds a read-only link to the hierarchy, known by the hash of its secret: whoever has the secret may look at it.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and errors from the store.
    pub async fn share(&self, label: String, hash: SecretHash) -> Result<CredentialId, Error> {
        self.caller.require(Operation::Invite)?;
        self.workspace.add_credential(Purpose::View(self.campaign.id()), label, hash).await
    }

    /// Revokes a read-only link.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] link.
    pub async fn revoke_view_link(&self, id: CredentialId) -> Result<(), Error> {
        self.workspace.revoke(self.view_links().await?, id, "link").await
    }

    /// Deletes the campaign with all its votes, permanently. Refused while people take part in one of its studies, or wait for their pay: nobody
    /// would pay them, and the study would go on by itself. The operator can delete it all the same.
    ///
    /// # Errors
    /// [`Error::Forbidden`], [`Error::Panel`] with what has to be done first, and errors from the store.
    pub async fn delete(&self) -> Result<(), Error> {
        self.caller.require(Operation::DeleteCampaign)?;
        let id = self.campaign.id();
        if self.caller.role != Role::Administrator {
            self.check_studies_are_over().await?;
        }
        self.workspace.store().delete_campaign(id).await?;
        // The belief is no longer needed, so its current computation is abandoned.
        if let Some(running) = self.workspace.forget(id).await {
            running.abandon();
        }
        Ok(())
    }
}
