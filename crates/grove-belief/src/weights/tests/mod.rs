//! The engine against enumeration and against the exact engine, where the two must agree.

mod concepts;
mod drawing;
mod votes;

use grove_tree::{Concept, EdgeWeights, Tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::{Answer, Belief, Kind, Question, Settings, Vote, Worker};

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// All trees over a few concepts: every list of parents that has no cycle.
fn all_trees(count: usize) -> Vec<Tree> {
    let parent = |number: usize, at: usize| Concept::new(number / (count + 1).pow(at as u32) % (count + 1));
    let lists = (0..(count + 1).pow(count as u32))
        .map(|number| (0..count).map(|at| parent(number, at)).collect::<Vec<_>>());
    lists.filter_map(|parents| Tree::from_parents(&parents).ok()).collect()
}

fn ordered_pairs(count: usize) -> Vec<(Concept, Concept)> {
    let pairs = Concept::all(count).flat_map(|upper| Concept::all(count).map(move |lower| (upper, lower)));
    pairs.filter(|(upper, lower)| upper != lower).collect()
}

fn random_weights(count: usize, spread: f64, seed: u64) -> EdgeWeights {
    let mut rng = rng(seed);
    EdgeWeights::from_fn(count, |_, _| spread * (rng.random::<f64>() - 0.5)).unwrap()
}

fn vote(kind: Kind, upper: usize, lower: usize, answer: Answer, worker: u32) -> Vote {
    let question = Question::new(kind, Concept::new(upper), Concept::new(lower)).unwrap();
    Vote { question, worker: Worker::new(worker), answer }
}

fn start(count: usize, noise: f64) -> Weights {
    let evidence = Evidence::new(count, Settings::one_rate(noise).unwrap()).unwrap();
    Weights::new(evidence, WeightsSettings::default()).unwrap()
}

fn parent_chance(belief: &dyn Belief, parent: Concept, child: Concept) -> f64 {
    belief.parents(child).iter().find(|(listed, _)| *listed == parent).map_or(0.0, |(_, chance)| *chance)
}

/// The largest distance between two beliefs about any path or parent.
fn distance(one: &dyn Belief, other: &dyn Belief) -> f64 {
    let count = one.evidence().count();
    let mut most: f64 = 0.0;
    for (upper, lower) in ordered_pairs(count) {
        most = most.max((one.path(upper, lower) - other.path(upper, lower)).abs());
    }
    for child in Concept::all(count) {
        for parent in (0..=count).map(Concept::new) {
            most = most.max((parent_chance(one, parent, child) - parent_chance(other, parent, child)).abs());
        }
    }
    most
}

#[test]
fn refuses_unsupported_settings() {
    let evidence = |count| Evidence::new(count, Settings::one_rate(0.1).unwrap()).unwrap();
    let few = WeightsSettings { samples: 999, ..WeightsSettings::default() };
    assert_eq!(Weights::new(evidence(3), few).unwrap_err(), Error::TooSmall("the number of samples", 1_000));
    for beta in [-1e-9, f64::NAN, f64::INFINITY] {
        let settings = WeightsSettings { beta, ..WeightsSettings::default() };
        assert!(matches!(Weights::new(evidence(3), settings), Err(Error::BadShrinkage(_))));
    }
    let learnt = Evidence::new(3, Settings::default()).unwrap();
    let refused = Weights::new(learnt, WeightsSettings::default()).unwrap_err();
    assert_eq!(refused, Error::NeedsGivenRates("weights"));
    let refused = Weights::new(evidence(501), WeightsSettings::default()).unwrap_err();
    assert_eq!(refused, Error::TooManyConcepts { engine: "weights", most: 500, count: 501 });
}
