use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use grove_belief::{Money, WorkerReport};
use grove_formats::{Source, read_votes};
use grove_store::{
    Actor, Credential, CredentialId, Entry, Event, Moment, Position, Purpose, Receipt, SecretHash,
    SubmittedVote, Vote, VoteId, WorkerId,
};
use tokio::sync::watch;

use super::{Caller, Operation, View, Workspace};
use crate::{
    Campaign, CorrectionState, Edit, Error, Imported, Measures, NamedReport, Next, Settings, Snapshot, State,
    VoteState, Why, Work, read_log,
};

/// A campaign as one caller sees it: every function asks first whether the caller's role allows it.
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
    /// The number of votes that count.
    pub votes: u64,
    /// The number of votes that were withdrawn.
    pub withdrawn: u64,
    /// What the last report says of them, if it knows them.
    pub report: Option<WorkerReport>,
}

/// How good the hierarchy was at one of the belief's records.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CurvePoint {
    /// The position of the record.
    pub position: Position,
    /// When it was made.
    pub at: Moment,
    /// How good the hierarchy was then.
    pub measures: Measures,
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
        self.caller.require_for(Operation::NextQuestion, worker)?;
        self.campaign.next(worker).await
    }

    /// Casts a vote.
    ///
    /// # Errors
    /// As [`Campaign::vote`].
    pub async fn cast(&self, vote: SubmittedVote) -> Result<Receipt, Error> {
        self.caller.require_for(Operation::CastVote, &vote.vote.worker)?;
        self.campaign.vote(vote).await
    }

    /// Withdraws a vote of a worker.
    ///
    /// # Errors
    /// As [`Campaign::withdraw`].
    pub async fn withdraw(&self, worker: &WorkerId, vote: VoteId) -> Result<Receipt, Error> {
        self.caller.require_for(Operation::WithdrawVote, worker)?;
        self.campaign.withdraw(worker, vote).await
    }

    /// Withdraws the last vote of a worker, and returns it.
    ///
    /// # Errors
    /// As [`Campaign::undo`].
    pub async fn undo(&self, worker: &WorkerId) -> Result<SubmittedVote, Error> {
        self.caller.require_for(Operation::WithdrawVote, worker)?;
        self.campaign.undo(worker).await
    }

    /// The state of the campaign, as [`Campaign::state`].
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub fn state(&self) -> Result<impl Deref<Target = State> + '_, Error> {
        self.caller.require(Operation::Read)?;
        Ok(self.campaign.state())
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
    /// [`Error::Forbidden`], and whatever the store reports.
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
    /// [`Error::Forbidden`], and whatever the store reports.
    pub async fn history(&self, after: Position, limit: u32) -> Result<Vec<Entry>, Error> {
        self.caller.require(Operation::ReadVotes)?;
        Ok(self.workspace.store().log(self.campaign.id(), after, limit).await?)
    }

    /// How good the hierarchy has been over time, from the belief's own records.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and whatever the store reports.
    pub async fn curve(&self) -> Result<Vec<CurvePoint>, Error> {
        self.caller.require(Operation::Read)?;
        let log = read_log(self.workspace.store(), self.campaign.id(), Position::START).await?;
        let point = |entry: &Entry| {
            let Event::Advanced { work, .. } = &entry.event else { return None };
            let measures = Work::from_json(work)?.measures?;
            Some(CurvePoint { position: entry.position, at: entry.at, measures })
        };
        Ok(log.iter().filter_map(point).collect())
    }

    /// Everybody who ever voted, in the order of their first votes.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and whatever the store reports.
    pub async fn workers(&self) -> Result<Vec<WorkerSummary>, Error> {
        self.caller.require(Operation::ReadWorkers)?;
        let report = self.campaign.snapshot().report.clone();
        let mut reports: HashMap<&WorkerId, WorkerReport> = HashMap::new();
        if let Some(named) = &report {
            let known = named.report.workers.iter();
            reports.extend(known.filter_map(|one| Some((named.workers.get(one.worker.index())?, *one))));
        }
        let tallies = self.workspace.store().workers(self.campaign.id()).await?;
        let summary = |tally: grove_store::WorkerTally| WorkerSummary {
            report: reports.get(&tally.worker).copied(),
            worker: tally.worker,
            votes: tally.votes,
            withdrawn: tally.withdrawn,
        };
        Ok(tallies.into_iter().map(summary).collect())
    }

    /// What each worker has earned: votes that count, and their price.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and whatever the store reports.
    pub async fn payments(&self) -> Result<Vec<(WorkerId, u64, Money)>, Error> {
        self.caller.require(Operation::ReadPayments)?;
        let price = self.campaign.with_state(|state| state.settings().price());
        let tallies = self.workspace.store().workers(self.campaign.id()).await?.into_iter();
        let payment = |tally: grove_store::WorkerTally| {
            (tally.worker, tally.votes, price.times(tally.votes).unwrap_or_default())
        };
        Ok(tallies.map(payment).collect())
    }

    /// Changes the campaign.
    ///
    /// # Errors
    /// As [`Campaign::edit`].
    pub async fn edit(&self, edit: Edit) -> Result<(), Error> {
        for operation in self.campaign.with_state(|state| edit.operations(state.settings())) {
            self.caller.require(operation)?;
        }
        self.campaign.edit(self.caller.actor.clone(), edit).await
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
    /// [`Error::Forbidden`], and whatever the store reports.
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
            let worker = WorkerId::new(read.vote.worker).map_err(bad)?;
            let question = read.vote.question.map(|concept| numbers[concept.index() - 1]);
            Ok(Vote { worker, question, answer: read.vote.answer })
        });
        let votes: Result<Vec<Vote>, Error> = votes.collect();
        self.campaign.import(votes?).await
    }

    /// Replaces a worker by an anonymous stand-in, everywhere and for good, and returns the stand-in.
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
    /// [`Error::Forbidden`], and whatever the store reports.
    pub async fn invitations(&self) -> Result<Vec<Credential>, Error> {
        self.caller.require(Operation::Invite)?;
        Ok(self.workspace.store().invitations(self.campaign.id()).await?)
    }

    /// Adds an invitation, known by the hash of its secret: whoever has the secret may answer.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and whatever the store reports.
    pub async fn invite(&self, label: String, hash: SecretHash) -> Result<CredentialId, Error> {
        self.caller.require(Operation::Invite)?;
        self.workspace.add_credential(Purpose::Invitation(self.campaign.id()), label, hash).await
    }

    /// Revokes an invitation to the campaign.
    ///
    /// # Errors
    /// [`grove_store::Error::Unknown`] invitation.
    pub async fn revoke_invitation(&self, id: CredentialId) -> Result<(), Error> {
        self.workspace.revoke(self.invitations().await?, id, "invitation").await
    }

    /// Deletes the campaign with all its votes, for good.
    ///
    /// # Errors
    /// [`Error::Forbidden`], and whatever the store reports.
    pub async fn delete(self) -> Result<(), Error> {
        self.caller.require(Operation::DeleteCampaign)?;
        let id = self.campaign.id();
        self.workspace.store().delete_campaign(id).await?;
        // Nobody needs the belief any more, so there is no waiting for what it is doing.
        if let Some(running) = self.workspace.forget(id).await {
            running.abandon();
        }
        Ok(())
    }
}
