use std::collections::BTreeMap;

use super::{Lease, Quota};
use crate::{Screen, WorkerId};

/// The leases of one campaign, by the topics of their screens: two workers who answer a screen with other options about the same concept would tell
/// much the same. Pure: it uses neither clock nor database.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct LeaseTable(BTreeMap<Screen, Vec<Lease>>);

/// Whether a worker can lease a screen, as far as the other leases tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Availability {
    /// The worker has leased it already, or enough others have.
    Taken,
    /// It can be leased if fewer votes than this count.
    BelowVotes(u32),
    /// It can be leased whatever the votes.
    Free,
}

impl LeaseTable {
    pub(crate) fn availability(&self, screen: &Screen, worker: &WorkerId, quota: Quota) -> Availability {
        let leases = self.0.get(&screen.topic()).map_or(&[][..], Vec::as_slice);
        // There are far fewer leases than u32 can count.
        let count = leases.len() as u32;
        if count >= quota.at_once || leases.iter().any(|lease| lease.worker == *worker) {
            return Availability::Taken;
        }
        match quota.in_all {
            Some(in_all) if count >= in_all => Availability::Taken,
            Some(in_all) => Availability::BelowVotes(in_all - count),
            None => Availability::Free,
        }
    }

    pub(crate) fn insert(&mut self, lease: Lease) {
        self.0.entry(lease.screen.topic()).or_default().push(lease);
    }

    /// Removes and returns a lease.
    pub(crate) fn remove(&mut self, worker: &WorkerId, screen: &Screen) -> Option<Lease> {
        let key = screen.topic();
        let leases = self.0.get_mut(&key)?;
        let removed = leases.extract_if(.., |lease| lease.worker == *worker).next();
        if leases.is_empty() {
            self.0.remove(&key);
        }
        removed
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&Lease) -> bool) {
        self.0.retain(|_, leases| {
            leases.retain(&keep);
            !leases.is_empty()
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Lease> {
        self.0.values().flatten()
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(&self.iter().collect::<Vec<_>>()).expect("text and numbers can be serialized")
    }

    /// Leases that another version of the program wrote in another way are lost, as in a crash.
    pub(crate) fn from_json(text: &str) -> Self {
        let mut table = Self::default();
        for lease in serde_json::from_str::<Vec<Lease>>(text).unwrap_or_default() {
            table.insert(lease);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Moment;

    /// A plain list, searched linearly.
    #[derive(Default)]
    struct Plain {
        leases: Vec<Lease>,
        votes: BTreeSet<(WorkerId, Screen)>,
    }

    impl Plain {
        fn may_take(&self, worker: &WorkerId, screen: &Screen, quota: Quota, now: Moment) -> bool {
            let live = |lease: &&Lease| lease.until > now && same(&lease.screen, screen);
            let leases = self.leases.iter().filter(live).count() as u32;
            let votes = self.votes.iter().filter(|(_, answered)| same(answered, screen)).count() as u32;
            leases < quota.at_once
                && quota.in_all.is_none_or(|in_all| leases + votes < in_all)
                && !self.leases.iter().filter(live).any(|lease| lease.worker == *worker)
        }

        fn end(&mut self, worker: &WorkerId, screen: &Screen) {
            self.leases.retain(|lease| lease.worker != *worker || !same(&lease.screen, screen));
        }
    }

    /// Whether two picks are about the same concept.
    fn same(one: &Screen, other: &Screen) -> bool {
        one.concepts().next() == other.concepts().next()
    }

    /// The first of so many steps of asking, answering, skipping and waiting at which the table and the list differ.
    fn first_difference(steps: u32, fault: impl Fn(Quota) -> Quota) -> Option<u32> {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let (mut table, mut plain) = (LeaseTable::default(), Plain::default());
        let mut now = Moment(0);
        for step in 0..steps {
            let worker = WorkerId::new(format!("w{}", rng.random_range(0..8))).unwrap();
            let options = vec![rng.random_range(7..9), rng.random_range(9..12)];
            let screen = Screen::Pick { lower: rng.random_range(1..6), options };
            let at_once = rng.random_range(1..4);
            let quota = Quota { at_once, in_all: rng.random_bool(0.5).then(|| rng.random_range(1..6)) };
            match rng.random_range(0..10) {
                0..6 => {
                    table.retain(|lease| lease.until > now);
                    let votes =
                        plain.votes.iter().filter(|(_, answered)| same(answered, &screen)).count() as u32;
                    let may = match table.availability(&screen, &worker, fault(quota)) {
                        Availability::Taken => false,
                        Availability::BelowVotes(most) => votes < most,
                        Availability::Free => true,
                    };
                    if may != plain.may_take(&worker, &screen, quota, now) {
                        return Some(step);
                    }
                    if may {
                        let until = Moment(now.0 + rng.random_range(1..30));
                        plain.end(&worker, &screen);
                        let lease = Lease { worker, screen, taken: now, until };
                        plain.leases.push(lease.clone());
                        table.insert(lease);
                    }
                }
                6 => {
                    plain.end(&worker, &screen);
                    table.remove(&worker, &screen);
                    plain.votes.insert((worker, screen));
                }
                7 => {
                    plain.end(&worker, &screen);
                    table.remove(&worker, &screen);
                }
                // Votes are withdrawn, or all quotas would soon be used up.
                8 => drop(plain.votes.pop_first()),
                _ => now = Moment(now.0 + rng.random_range(0..10)),
            }
            let live = |leases: &mut dyn Iterator<Item = Lease>| {
                let live = leases.filter(|lease| lease.until > now);
                live.map(|lease| (lease.worker, lease.screen, lease.until)).collect::<BTreeSet<_>>()
            };
            if step % 64 == 0 && LeaseTable::from_json(&table.to_json()) != table {
                return Some(step);
            }
            if step % 16 == 0 && live(&mut table.iter().cloned()) != live(&mut plain.leases.iter().cloned()) {
                return Some(step);
            }
            plain.leases.retain(|lease| lease.until > now);
        }
        None
    }

    #[test]
    fn leases_of_another_version_are_lost() {
        assert!(LeaseTable::from_json(r#"[["ann","path",1,2,0,9]]"#).is_empty());
    }

    #[test]
    fn a_table_is_a_list_of_leases() {
        assert_eq!(first_difference(100_000, |quota| quota), None);
        // The controls: violated quotas are noticed.
        assert!(first_difference(10_000, |quota| Quota { at_once: quota.at_once + 1, ..quota }).is_some());
        assert!(first_difference(10_000, |quota| Quota { in_all: None, ..quota }).is_some());
    }
}
