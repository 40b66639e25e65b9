//! Every closed form against the sum over all trees.

use crate::common::{Enumerated, edges, random_weights};
use grove_tree::{Concept, EdgeWeights, Error};

const SIGMAS: [f64; 5] = [1.0, 5.0, 10.0, 20.0, 40.0];
const ROOT_SHIFTS: [f64; 6] = [0.0, -10.0, -20.0, -30.0, -40.0, -80.0];
const TOLERANCE: f64 = 1e-9;

/// 1e-9 of the value, or of 1 where the value is smaller: for log Z and the like.
fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0)
}

/// 1e-9 absolutely and, from 1e-6 on, relatively.
fn close_probability(found: f64, expected: f64) -> bool {
    let allowed = if expected > 1e-6 { TOLERANCE * expected } else { TOLERANCE };
    (found - expected).abs() <= allowed
}

/// The whole grid of spreads and root shifts, for 1 to 6 concepts.
fn grid() -> impl Iterator<Item = EdgeWeights> {
    (1..=6).flat_map(|count| {
        SIGMAS.into_iter().flat_map(move |sigma| {
            ROOT_SHIFTS.into_iter().enumerate().map(move |(seed, shift)| {
                random_weights(count, sigma, shift, 100 * count as u64 + seed as u64)
            })
        })
    })
}

/// How many edges have a probability that enumeration does not confirm.
fn wrong_marginals(weights: &EdgeWeights, truth: &Enumerated) -> usize {
    let marginals = weights.marginals().expect("some tree is possible");
    edges(weights.len())
        .filter(|&(parent, child)| {
            !close_probability(marginals.probability(parent, child), truth.edge(parent, child))
        })
        .count()
}

#[test]
fn partition_and_marginals() {
    for weights in grid() {
        let truth = Enumerated::new(&weights);
        assert!(close(weights.log_partition().unwrap(), truth.log_partition), "{weights:?}");
        assert!(close(weights.marginals().unwrap().log_partition(), truth.log_partition), "{weights:?}");
        assert_eq!(wrong_marginals(&weights, &truth), 0, "{weights:?}");
    }
}

#[test]
fn entropy_divergence_and_log_probability() {
    for weights in grid() {
        let truth = Enumerated::new(&weights);
        assert!(close(weights.entropy().unwrap(), truth.entropy()), "{weights:?}");
        for (tree, &log_probability) in truth.trees.iter().zip(&truth.log_probabilities).step_by(97) {
            assert!(close(weights.log_probability(tree).unwrap(), log_probability), "{weights:?}");
        }
        let other = random_weights(weights.len(), 2.0, -3.0, 5);
        let divergence = weights.kl_divergence(&other).unwrap();
        assert!(close(divergence, truth.kl_divergence(&Enumerated::new(&other))), "{weights:?}");
        assert!(weights.kl_divergence(&weights).unwrap().abs() <= TOLERANCE);
    }
}

#[test]
fn an_infinite_divergence_names_the_edge() {
    let weights = random_weights(4, 1.0, 0.0, 3);
    let (parent, child) = (Concept::new(2), Concept::new(3));
    let mut other = weights.clone();
    other.forbid(parent, child).unwrap();
    assert_eq!(weights.kl_divergence(&other), Err(Error::InfiniteDivergence { parent, child }));
    assert!(other.kl_divergence(&weights).unwrap() > 0.0);
}

#[test]
fn a_transposed_matrix_is_caught() {
    let weights = random_weights(5, 1.0, 0.0, 1);
    let transposed = EdgeWeights::from_fn(5, |parent, child| match parent.is_root() {
        true => weights.log_weight(parent, child),
        false => weights.log_weight(child, parent),
    });
    assert!(wrong_marginals(&transposed.unwrap(), &Enumerated::new(&weights)) > 0);
}

#[test]
fn one_concept_is_under_the_root() {
    let weights = random_weights(1, 5.0, -80.0, 7);
    let one = Concept::new(1);
    assert_eq!(weights.log_partition().unwrap(), weights.log_weight(Concept::ROOT, one));
    assert_eq!(weights.marginals().unwrap().incoming(one), [1.0, 0.0]);
}

#[test]
fn no_tree_is_an_error_that_names_the_concepts() {
    let weights = EdgeWeights::from_fn(3, |parent, child| {
        if child.index() > 1 && parent.index() < 2 { f64::NEG_INFINITY } else { 0.0 }
    })
    .unwrap();
    let unreachable = Error::Unreachable([2, 3].map(Concept::new).to_vec());
    assert_eq!(weights.log_partition(), Err(unreachable.clone()));
    assert_eq!(weights.marginals(), Err(unreachable));
}
