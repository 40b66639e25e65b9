//! Which sets of corrections are accepted, against a list of all trees.

use std::collections::HashMap;

use grove_belief::{Clash, Correction, Error, Evidence, Settings};
use grove_tree::{Concept, Tree};

use crate::cases::{correction, rng};
use crate::oracle::all_trees;
use rand::RngExt;

/// For every correction met, which trees fulfil it.
struct Judge {
    trees: Vec<Tree>,
    known: HashMap<Correction, Vec<bool>>,
}

impl Judge {
    fn new(count: usize) -> Self {
        Self { trees: all_trees(count), known: HashMap::new() }
    }

    fn is_feasible(&mut self, corrections: &[Correction]) -> bool {
        for &correction in corrections {
            let trees = &self.trees;
            self.known
                .entry(correction)
                .or_insert_with(|| trees.iter().map(|tree| tree.satisfies(correction)).collect());
        }
        let fulfilled: Vec<&Vec<bool>> =
            corrections.iter().map(|correction| &self.known[correction]).collect();
        (0..self.trees.len()).any(|tree| fulfilled.iter().all(|holds| holds[tree]))
    }

    /// A clash is impossible as a whole, and possible without any one of its parts.
    fn assert_smallest(&mut self, Clash(clash): &Clash) {
        assert!(!self.is_feasible(clash), "{clash:?} do not clash");
        for left_out in 0..clash.len() {
            let mut rest = clash.clone();
            rest.remove(left_out);
            assert!(self.is_feasible(&rest), "{clash:?} clash without the one at {left_out}");
        }
    }
}

fn in_force(evidence: &Evidence) -> Vec<Correction> {
    evidence.corrections().iter().map(|(_, correction)| correction).collect()
}

const SETS: usize = 4_000;

#[test]
fn accepts_exactly_what_some_tree_fulfils() {
    for count in 1..=5 {
        let (mut rng, mut judge) = (rng(count as u64), Judge::new(count));
        let [mut accepted, mut refused, mut beyond_pairs] = [0, 0, 0];
        for _ in 0..SETS {
            let mut evidence = Evidence::new(count, Settings::default()).unwrap();
            for _ in 0..rng.random_range(1..=8) {
                let before = in_force(&evidence);
                let next = correction(count, &mut rng);
                let all: Vec<Correction> = before.iter().copied().chain([next]).collect();
                match evidence.correct(next) {
                    Ok(_) => {
                        accepted += 1;
                        assert!(judge.is_feasible(&all), "accepted {all:?}");
                        assert_eq!(in_force(&evidence), all);
                    }
                    Err(Error::Clash(clash)) => {
                        refused += 1;
                        beyond_pairs += usize::from(clash.0.len() > 2);
                        assert!(!judge.is_feasible(&all), "refused {all:?} for {clash:?}");
                        judge.assert_smallest(&clash);
                        assert!(clash.0.contains(&next) && clash.0.iter().all(|one| all.contains(one)));
                        assert_eq!(in_force(&evidence), before);
                    }
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
        // A single concept can only be told that it stands at the top.
        assert!(count < 3 || beyond_pairs > 100, "looking at two at a time would do: {beyond_pairs}");
        assert!(
            accepted > SETS && (refused > SETS / 2 || count == 1),
            "{accepted} accepted, {refused} refused"
        );
    }
}

#[test]
fn taking_one_back_makes_room() {
    let (mut rng, mut judge) = (rng(9), Judge::new(4));
    let mut changed = 0;
    for _ in 0..SETS {
        let mut evidence = Evidence::new(4, Settings::default()).unwrap();
        let (first, second) = (correction(4, &mut rng), correction(4, &mut rng));
        let id = evidence.correct(first).unwrap();
        let together = evidence.clone().correct(second).is_ok();
        assert_eq!(together, judge.is_feasible(&[first, second]));
        assert_eq!(evidence.take_back(id).unwrap(), first);
        assert!(evidence.take_back(id).is_err() && evidence.corrections().is_empty());
        assert!(evidence.correct(second).is_ok());
        changed += usize::from(!together);
    }
    assert!(changed > SETS / 10);
}

#[test]
fn many_pinned_parents_of_one_concept_are_seen_through() {
    // Twelve concepts, each with a child of its own, all above the thirteenth, which is pinned under the last of them.
    let (uppers, low) = (12, Concept::new(25));
    let mut evidence = Evidence::new(25, Settings::one_rate(0.1).unwrap()).unwrap();
    for upper in (1..=uppers).map(Concept::new) {
        let child = Concept::new(upper.index() + uppers);
        evidence.correct(Correction::DirectlyUnder { lower: child, upper }).unwrap();
        evidence.correct(Correction::SomewhereUnder { lower: low, upper }).unwrap();
    }
    let last = Concept::new(uppers);
    evidence.correct(Correction::DirectlyUnder { lower: low, upper: last }).unwrap();
    // So none of the others can be under the last; there are 11! orders in which the others might be tried.
    let between = Correction::SomewhereUnder { lower: Concept::new(uppers - 1), upper: last };
    assert!(matches!(evidence.correct(between), Err(Error::Clash(_))));
}
