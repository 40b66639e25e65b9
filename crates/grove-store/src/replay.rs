use std::collections::BTreeMap;

use crate::votes::StoredVote;
use crate::{CorrectionId, Entry, Event, Position, SubmittedVote, VoteId};

/// What a campaign's log says that the tables beside it should say.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Replay {
    pub(crate) last: Position,
    pub(crate) concepts: u32,
    pub(crate) advanced: Position,
    pub(crate) votes: BTreeMap<VoteId, StoredVote>,
    /// Where each correction was made and, if it was, taken back.
    pub(crate) corrections: BTreeMap<CorrectionId, (Position, Option<Position>)>,
    /// Where the log contradicts itself.
    pub(crate) problems: Vec<String>,
}

impl Replay {
    pub(crate) fn read(&mut self, entry: Entry) {
        let position = entry.position;
        let before = self.last;
        self.check(position == before.next(), || format!("after entry {before} comes entry {position}"));
        self.last = position;
        match entry.event {
            Event::ConceptAdded { concept, .. } => {
                let expected = self.concepts + 1;
                self.check(concept == expected, || {
                    format!("entry {position} adds concept {concept}, not {expected}")
                });
                self.concepts = concept;
            }
            Event::VoteCast(SubmittedVote { id, vote }) => {
                let earlier = self.votes.insert(id, StoredVote { id, vote, position, withdrawn: None });
                self.check(earlier.is_none(), || format!("entry {position} casts vote {id} again"));
            }
            Event::VoteWithdrawn { vote } => {
                let stored = self.votes.get_mut(&vote).map(|stored| &mut stored.withdrawn);
                let done = withdraw(stored, position);
                self.check(done, || format!("entry {position} withdraws vote {vote}, which does not count"));
            }
            Event::CorrectionMade { id: correction, .. } => {
                let earlier = self.corrections.insert(correction, (position, None));
                self.check(earlier.is_none(), || {
                    format!("entry {position} makes correction {correction} again")
                });
            }
            Event::CorrectionTakenBack { correction } => {
                let made = self.corrections.get_mut(&correction).map(|(_, taken_back)| taken_back);
                let done = withdraw(made, position);
                self.check(done, || {
                    format!("entry {position} takes correction {correction} back, which does not hold")
                });
            }
            Event::Advanced { votes_to, .. } => {
                let from = self.advanced;
                self.check(votes_to >= from && votes_to < position, || {
                    format!("entry {position} says the belief went from {from} to {votes_to}")
                });
                self.advanced = votes_to;
            }
            _ => {}
        }
    }

    fn check(&mut self, right: bool, problem: impl FnOnce() -> String) {
        if !right {
            self.problems.push(problem());
        }
    }
}

/// Marks what stands as taken back; whether it stood.
fn withdraw(end: Option<&mut Option<Position>>, position: Position) -> bool {
    match end {
        Some(end @ None) => {
            *end = Some(position);
            true
        }
        _ => false,
    }
}
