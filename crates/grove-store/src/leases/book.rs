use std::collections::BTreeMap;

use super::{Lease, Quota};
use crate::{Moment, Question, WorkerId};

/// The leases of one campaign. Pure: knows neither clock nor database.
#[derive(Clone, Default, Debug)]
pub(crate) struct Book(BTreeMap<Question, BTreeMap<WorkerId, Term>>);

/// From when until when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Term {
    taken: Moment,
    until: Moment,
}

/// What the leases alone say about a worker's wish for a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    /// The worker has it already, or enough others have.
    None,
    /// It may be leased if fewer than so many votes count.
    UnlessVotes(u32),
    /// It may be leased whatever the votes.
    Free,
}

impl Book {
    pub(crate) fn room(&self, question: Question, worker: &WorkerId, quota: Quota) -> Room {
        let holders = self.0.get(&question);
        // Leases are far fewer than u32 can count.
        let leases = holders.map_or(0, |holders| holders.len() as u32);
        if leases >= quota.at_once || holders.is_some_and(|holders| holders.contains_key(worker)) {
            return Room::None;
        }
        match quota.in_all {
            Some(in_all) if leases >= in_all => Room::None,
            Some(in_all) => Room::UnlessVotes(in_all - leases),
            None => Room::Free,
        }
    }

    pub(crate) fn enter(&mut self, lease: Lease) {
        let term = Term { taken: lease.taken, until: lease.until };
        self.0.entry(lease.question).or_default().insert(lease.worker, term);
    }

    /// Lets a lease last longer; whether there is one that has not ended.
    pub(crate) fn extend(
        &mut self,
        worker: &WorkerId,
        question: Question,
        now: Moment,
        until: Moment,
    ) -> bool {
        let term = self.0.get_mut(&question).and_then(|holders| holders.get_mut(worker));
        match term {
            Some(term) if term.until > now => {
                term.until = until;
                true
            }
            _ => false,
        }
    }

    /// Strikes a lease out; whether there was one.
    pub(crate) fn strike(&mut self, worker: &WorkerId, question: Question) -> bool {
        let Some(holders) = self.0.get_mut(&question) else { return false };
        let was = holders.remove(worker).is_some();
        if holders.is_empty() {
            self.0.remove(&question);
        }
        was
    }

    /// Strikes out all leases of a worker.
    pub(crate) fn strike_worker(&mut self, worker: &WorkerId) {
        self.0.retain(|_, holders| {
            holders.remove(worker);
            !holders.is_empty()
        });
    }

    /// Strikes out what has ended.
    pub(crate) fn sweep(&mut self, now: Moment) {
        self.0.retain(|_, holders| {
            holders.retain(|_, term| term.until > now);
            !holders.is_empty()
        });
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn leases(&self) -> impl Iterator<Item = Lease> + '_ {
        self.0.iter().flat_map(|(&question, holders)| {
            holders.iter().map(move |(worker, term)| Lease {
                worker: worker.clone(),
                question,
                taken: term.taken,
                until: term.until,
            })
        })
    }

    /// The leases in this book that are not in the other, or not so.
    pub(crate) fn not_in<'b>(&'b self, other: &'b Self) -> impl Iterator<Item = Lease> + 'b {
        self.leases().filter(|lease| {
            let term = other.0.get(&lease.question).and_then(|holders| holders.get(&lease.worker));
            term != Some(&Term { taken: lease.taken, until: lease.until })
        })
    }
}
