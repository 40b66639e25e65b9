use std::collections::HashMap;

use grove_belief::Worker;
use grove_store::{CredentialId, Moment, Position, Response, VoteId, WorkerId};

/// A vote, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VoteState {
    /// The id under which it was submitted.
    pub id: VoteId,
    /// Who was shown what, and what they said.
    pub response: Response,
    /// How many milliseconds they took, if that is known.
    pub took_ms: Option<u32>,
    /// The invitation through which it came, if that is known.
    pub link: Option<CredentialId>,
    /// When it was cast.
    pub at: Moment,
    /// Its position in the log.
    pub position: Position,
    /// The position at which it was withdrawn, if it was.
    pub withdrawn: Option<Position>,
    /// Whether its worker or its link is excluded: then it is stored, and is not evidence.
    pub excluded: bool,
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
    /// The belief's number of the first of them: pseudo-workers come before.
    first_person: u32,
    withdrawn: usize,
    /// Not withdrawn, but excluded.
    excluded: usize,
}

impl Votes {
    /// All votes, withdrawn ones too, in the order of the log.
    #[must_use]
    pub fn all(&self) -> &[VoteState] {
        &self.all
    }

    /// The votes that count: those that were neither withdrawn nor excluded.
    pub fn alive(&self) -> impl DoubleEndedIterator<Item = &VoteState> {
        self.standing().filter(|vote| !vote.excluded)
    }

    /// How many votes count.
    #[must_use]
    pub fn count(&self) -> usize {
        self.standing_count() - self.excluded
    }

    /// The votes that were not withdrawn, those that are excluded too: the answers that people have given.
    pub fn standing(&self) -> impl DoubleEndedIterator<Item = &VoteState> {
        self.all.iter().filter(|vote| vote.withdrawn.is_none())
    }

    /// How many votes were not withdrawn. The budget counts these: whoever gave them may have to be paid, and they may be included again.
    #[must_use]
    pub fn standing_count(&self) -> usize {
        self.all.len() - self.withdrawn
    }

    /// How many votes were not withdrawn and are excluded.
    #[must_use]
    pub fn excluded_count(&self) -> usize {
        self.excluded
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

    /// Everybody who ever voted, in the order of their first votes.
    #[must_use]
    pub fn workers(&self) -> &[WorkerId] {
        &self.workers
    }

    /// Whether a worker ever voted.
    #[must_use]
    pub fn has_voted(&self, worker: &WorkerId) -> bool {
        self.by_worker.contains_key(worker)
    }

    /// The belief's number of a worker; the next free one if they never voted.
    #[must_use]
    pub fn worker(&self, worker: &WorkerId) -> Worker {
        self.by_worker.get(worker).map_or_else(|| self.stranger(), |at| Worker::new(self.first_person + at))
    }

    /// The belief's number of the next worker who votes for the first time.
    #[must_use]
    pub fn stranger(&self) -> Worker {
        Worker::new(self.first_person + self.workers.len() as u32)
    }

    /// Everybody who ever voted, with the belief's numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (Worker, &WorkerId)> {
        (self.first_person..).map(Worker::new).zip(&self.workers)
    }

    pub(super) fn number_people_from(&mut self, first: u32) {
        self.first_person = first;
    }

    pub(super) fn register(&mut self, worker: &WorkerId) -> Worker {
        let number = self.worker(worker);
        if number == self.stranger() {
            self.by_worker.insert(worker.clone(), self.workers.len() as u32);
            self.workers.push(worker.clone());
        }
        number
    }

    pub(super) fn push(&mut self, vote: VoteState) {
        self.by_id.insert(vote.id, self.all.len());
        self.excluded += usize::from(vote.excluded);
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
        self.excluded -= usize::from(vote.excluded);
        Some(vote)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut VoteState> {
        self.all.iter_mut()
    }

    /// Notes which votes are excluded, and returns whether that changes any.
    pub(super) fn exclude(&mut self, is_excluded: impl Fn(&VoteState) -> bool) -> bool {
        let mut changes = false;
        for vote in &mut self.all {
            let is_excluded = is_excluded(vote);
            changes |= is_excluded != vote.excluded;
            vote.excluded = is_excluded;
        }
        self.excluded = self.standing().filter(|vote| vote.excluded).count();
        changes
    }

    /// Replaces whoever cast the vote at a position by a stand-in, and returns who it was.
    pub(super) fn erase(&mut self, first_vote: Position, stand_in: &WorkerId) -> Option<WorkerId> {
        let gone = self.at(first_vote).map(|vote| vote.response.worker.clone())?;
        if gone == *stand_in {
            return None;
        }
        for vote in self.all.iter_mut().filter(|vote| vote.response.worker == gone) {
            vote.response.worker = stand_in.clone();
        }
        if let Some(number) = self.by_worker.remove(&gone) {
            self.workers[number as usize] = stand_in.clone();
            self.by_worker.insert(stand_in.clone(), number);
        }
        Some(gone)
    }
}
