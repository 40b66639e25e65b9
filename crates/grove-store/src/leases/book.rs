use std::collections::BTreeMap;

use super::{Lease, Quota};
use crate::{Error, Kind, Moment, Question, WorkerId};

/// The leases of one campaign. Pure: knows neither clock nor database.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Book(BTreeMap<Question, BTreeMap<WorkerId, Term>>);

/// A lease as it is written down.
type Line = (WorkerId, Kind, u32, u32, Moment, Moment);

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
            holders.iter().map(move |(worker, term)| term.lease(worker, question))
        })
    }

    pub(crate) fn leases_of(&self, worker: &WorkerId) -> Vec<Lease> {
        let held = |(question, holders): (&Question, &BTreeMap<WorkerId, Term>)| {
            holders.get(worker).map(|term| term.lease(worker, *question))
        };
        self.0.iter().filter_map(held).collect()
    }

    /// The book as it is written down.
    pub(crate) fn to_json(&self) -> String {
        let line = |Lease { worker, question, taken, until }| -> Line {
            (worker, question.kind, question.upper, question.lower, taken, until)
        };
        serde_json::to_string(&self.leases().map(line).collect::<Vec<_>>())
            .expect("words and numbers can be written")
    }

    pub(crate) fn from_json(text: &str) -> Result<Self, Error> {
        let lines: Vec<Line> = serde_json::from_str(text)
            .map_err(|error| Error::damaged(format!("the leases cannot be read ({error})")))?;
        let mut book = Self::default();
        for (worker, kind, upper, lower, taken, until) in lines {
            book.enter(Lease { worker, question: Question { kind, upper, lower }, taken, until });
        }
        Ok(book)
    }
}

impl Term {
    fn lease(self, worker: &WorkerId, question: Question) -> Lease {
        Lease { worker: worker.clone(), question, taken: self.taken, until: self.until }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// A plain list, searched from end to end.
    #[derive(Default)]
    struct Plain {
        leases: Vec<Lease>,
        votes: BTreeSet<(WorkerId, Question)>,
    }

    impl Plain {
        fn may_take(&self, worker: &WorkerId, question: Question, quota: Quota, now: Moment) -> bool {
            let live = |lease: &&Lease| lease.until > now && lease.question == question;
            let leases = self.leases.iter().filter(live).count() as u32;
            let votes = self.votes.iter().filter(|(_, answered)| *answered == question).count() as u32;
            leases < quota.at_once
                && quota.in_all.is_none_or(|in_all| leases + votes < in_all)
                && !self.leases.iter().filter(live).any(|lease| lease.worker == *worker)
        }

        fn end(&mut self, worker: &WorkerId, question: Question) {
            self.leases.retain(|lease| lease.worker != *worker || lease.question != question);
        }
    }

    /// The first of so many steps of asking, answering, quitting and waiting at which the book and the list differ.
    fn first_difference(steps: u32, fault: impl Fn(Quota) -> Quota) -> Option<u32> {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (mut book, mut plain) = (Book::default(), Plain::default());
        let mut now = Moment(0);
        for step in 0..steps {
            let worker = WorkerId::new(format!("w{}", rng.random_range(0..8))).unwrap();
            let question = Question { kind: Kind::Path, upper: 0, lower: rng.random_range(1..6) };
            let at_once = rng.random_range(1..4);
            let quota = Quota { at_once, in_all: rng.random_bool(0.5).then(|| rng.random_range(1..6)) };
            match rng.random_range(0..10) {
                0..6 => {
                    book.sweep(now);
                    let votes =
                        plain.votes.iter().filter(|(_, answered)| *answered == question).count() as u32;
                    let may = match book.room(question, &worker, fault(quota)) {
                        Room::None => false,
                        Room::UnlessVotes(most) => votes < most,
                        Room::Free => true,
                    };
                    if may != plain.may_take(&worker, question, quota, now) {
                        return Some(step);
                    }
                    if may {
                        let until = Moment(now.0 + rng.random_range(1..30));
                        plain.end(&worker, question);
                        plain.leases.push(Lease { worker: worker.clone(), question, taken: now, until });
                        book.enter(Lease { worker, question, taken: now, until });
                    }
                }
                6 => {
                    plain.votes.insert((worker.clone(), question));
                    plain.end(&worker, question);
                    book.strike(&worker, question);
                }
                7 => {
                    plain.end(&worker, question);
                    book.strike(&worker, question);
                }
                // Votes are taken back, or the questions would all be full soon.
                8 => drop(plain.votes.pop_first()),
                _ => now = Moment(now.0 + rng.random_range(0..10)),
            }
            let live = |leases: &mut dyn Iterator<Item = Lease>| {
                let live = leases.filter(|lease| lease.until > now);
                live.map(|lease| (lease.worker, lease.question, lease.until)).collect::<BTreeSet<_>>()
            };
            if step % 64 == 0 && Book::from_json(&book.to_json()).ok().as_ref() != Some(&book) {
                return Some(step);
            }
            if step % 16 == 0 && live(&mut book.leases()) != live(&mut plain.leases.iter().cloned()) {
                return Some(step);
            }
            plain.leases.retain(|lease| lease.until > now);
        }
        None
    }

    #[test]
    fn a_book_is_a_list_of_leases() {
        assert_eq!(first_difference(100_000, |quota| quota), None);
        // The controls: quotas that are not kept are seen.
        assert!(first_difference(10_000, |quota| Quota { at_once: quota.at_once + 1, ..quota }).is_some());
        assert!(first_difference(10_000, |quota| Quota { in_all: None, ..quota }).is_some());
    }
}
