use std::collections::HashMap;

use grove_store::{Entry, Event, Question};

use crate::State;

/// The log as far as this program has seen it, and what the belief does not know yet.
pub(super) struct Front {
    pub(super) state: State,
    /// Votes on each question that the belief has still to take in.
    unbelieved: HashMap<Question, u32>,
}

impl Front {
    pub(super) fn new(state: State) -> Self {
        let mut front = Self { state, unbelieved: HashMap::new() };
        front.believed(0);
        front
    }

    pub(super) fn read(&mut self, entry: &Entry) {
        self.state.read(entry);
        if let Event::VoteCast(vote) = &entry.event {
            *self.unbelieved.entry(vote.vote.question).or_default() += 1;
        }
    }

    /// Notes that the belief has taken in so many of all votes.
    pub(super) fn believed(&mut self, votes: usize) {
        self.unbelieved.clear();
        for vote in self.state.votes().all().iter().skip(votes) {
            *self.unbelieved.entry(vote.vote.question).or_default() += 1;
        }
    }

    /// How many votes on a question the belief has still to take in.
    pub(super) fn unbelieved(&self, question: Question) -> u32 {
        self.unbelieved.get(&question).copied().unwrap_or(0)
    }
}
