use std::collections::HashMap;

use grove_belief::Worker;
use grove_store::{Moment, Position, Vote, VoteId, WorkerId};

/// A vote, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VoteState {
    /// The id under which it was submitted.
    pub id: VoteId,
    /// Who answered what.
    pub vote: Vote,
    /// When it was cast.
    pub at: Moment,
    /// Its position in the log.
    pub position: Position,
    /// The position at which it was withdrawn, if it was.
    pub withdrawn: Option<Position>,
    /// Its number in the evidence; none for a vote about a concept that was gone.
    pub(crate) evidence: Option<grove_belief::VoteId>,
}

/// All votes that were ever cast, and the workers in the order of their first votes.
#[derive(Clone, Default, Debug)]
pub struct Votes {
    all: Vec<VoteState>,
    by_id: HashMap<VoteId, usize>,
    workers: Vec<WorkerId>,
    by_worker: HashMap<WorkerId, u32>,
    withdrawn: usize,
}

impl Votes {
    /// All votes, withdrawn ones too, in the order of the log.
    #[must_use]
    pub fn all(&self) -> &[VoteState] {
        &self.all
    }

    /// The votes that count: those that were not withdrawn.
    pub fn alive(&self) -> impl DoubleEndedIterator<Item = &VoteState> {
        self.all.iter().filter(|vote| vote.withdrawn.is_none())
    }

    /// How many votes count.
    #[must_use]
    pub fn count(&self) -> usize {
        self.all.len() - self.withdrawn
    }

    /// A vote by its id.
    #[must_use]
    pub fn get(&self, id: VoteId) -> Option<&VoteState> {
        self.by_id.get(&id).map(|&at| &self.all[at])
    }

    /// The votes that are part of the evidence, by their numbers there.
    pub(crate) fn recorded(&self) -> Vec<(grove_belief::VoteId, VoteId)> {
        self.all.iter().filter_map(|vote| Some((vote.evidence?, vote.id))).collect()
    }

    /// The vote at a position of the log.
    pub(super) fn at(&self, position: Position) -> Option<&VoteState> {
        self.all.binary_search_by_key(&position, |vote| vote.position).ok().map(|at| &self.all[at])
    }

    /// Everybody who ever voted, in the order of their first votes, by which the belief numbers them.
    #[must_use]
    pub fn workers(&self) -> &[WorkerId] {
        &self.workers
    }

    /// The belief's number of a worker; the next free one if they never voted.
    #[must_use]
    pub fn worker(&self, worker: &WorkerId) -> Worker {
        Worker::new(self.by_worker.get(worker).copied().unwrap_or(self.workers.len() as u32))
    }

    pub(super) fn register(&mut self, worker: &WorkerId) -> Worker {
        let number = self.worker(worker);
        if number.index() == self.workers.len() {
            self.by_worker.insert(worker.clone(), self.workers.len() as u32);
            self.workers.push(worker.clone());
        }
        number
    }

    pub(super) fn push(&mut self, vote: VoteState) {
        self.by_id.insert(vote.id, self.all.len());
        self.all.push(vote);
    }

    /// Marks a vote as withdrawn, if it counted until now.
    pub(super) fn withdraw(&mut self, id: VoteId, at: Position) -> Option<&mut VoteState> {
        let vote = &mut self.all[*self.by_id.get(&id)?];
        if vote.withdrawn.is_some() {
            return None;
        }
        vote.withdrawn = Some(at);
        self.withdrawn += 1;
        Some(vote)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut VoteState> {
        self.all.iter_mut()
    }

    /// Replaces whoever cast the vote at a position by a stand-in.
    pub(super) fn erase(&mut self, first_vote: Position, stand_in: &WorkerId) {
        let Some(gone) = self.at(first_vote).map(|vote| vote.vote.worker.clone()) else { return };
        if gone == *stand_in {
            return;
        }
        for vote in self.all.iter_mut().filter(|vote| vote.vote.worker == gone) {
            vote.vote.worker = stand_in.clone();
        }
        if let Some(number) = self.by_worker.remove(&gone) {
            self.workers[number as usize] = stand_in.clone();
            self.by_worker.insert(stand_in.clone(), number);
        }
    }
}
