use std::collections::BTreeMap;

use crate::votes::StoredVote;
use crate::{CorrectionId, Entry, Event, Position, SubmittedVote, VoteId};

/// What the tables of a campaign should hold, according to its log.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Replay {
    pub(crate) last: Position,
    pub(crate) concepts: u32,
    pub(crate) advanced: Position,
    pub(crate) votes: BTreeMap<VoteId, StoredVote>,
    /// The position of each correction and, if it was undone, of its undoing.
    pub(crate) corrections: BTreeMap<CorrectionId, (Position, Option<Position>)>,
    /// Contradictions in the log.
    pub(crate) problems: Vec<String>,
}

impl Replay {
    pub(crate) fn read(&mut self, entry: Entry) {
        let position = entry.position;
        let before = self.last;
        self.check(position == before.next(), || format!("entry {before} is followed by entry {position}"));
        self.last = position;
        match entry.event {
            Event::ConceptAdded { concept, .. } => {
                let expected = self.concepts + 1;
                self.check(concept == expected, || {
                    format!("entry {position} adds concept {concept}, not {expected}")
                });
                self.concepts = concept;
            }
            Event::VoteCast(SubmittedVote { id, response, took_ms, link }) => {
                let vote = StoredVote { id, response, took_ms, link, position, withdrawn: None };
                let earlier = self.votes.insert(id, vote);
                self.check(earlier.is_none(), || format!("entry {position} casts vote {id} again"));
            }
            Event::VoteWithdrawn { vote } => {
                let withdrawn = self.votes.get_mut(&vote).map(|stored| &mut stored.withdrawn);
                let done = end(withdrawn, position);
                self.check(done, || format!("entry {position} withdraws vote {vote}, which is not counted"));
            }
            Event::CorrectionMade { id: correction, .. } => {
                let earlier = self.corrections.insert(correction, (position, None));
                self.check(earlier.is_none(), || {
                    format!("entry {position} makes correction {correction} again")
                });
            }
            Event::CorrectionTakenBack { correction } => {
                let undone = self.corrections.get_mut(&correction).map(|(_, undone)| undone);
                let done = end(undone, position);
                self.check(done, || {
                    format!("entry {position} undoes correction {correction}, which is not in force")
                });
            }
            Event::Advanced { votes_to, .. } => {
                let from = self.advanced;
                self.check(votes_to >= from && votes_to < position, || {
                    format!("entry {position} moves the belief from {from} to {votes_to}")
                });
                self.advanced = votes_to;
            }
            _ => {}
        }
    }

    /// How many votes were not withdrawn.
    pub(crate) fn standing(&self) -> i64 {
        self.votes.values().filter(|vote| vote.withdrawn.is_none()).count() as i64
    }

    fn check(&mut self, right: bool, problem: impl FnOnce() -> String) {
        if !right {
            self.problems.push(problem());
        }
    }
}

/// Records the end of a vote or a correction; returns whether it was in force.
fn end(ended: Option<&mut Option<Position>>, position: Position) -> bool {
    let Some(ended @ None) = ended else { return false };
    *ended = Some(position);
    true
}
