//! The probability that each concept is above each other, from all trees at once.

use grove_tree::Concept;

use super::chain::Chain;
use super::model::Model;
use super::moves::Workspace;
use crate::table::PairTable;

/// P(above) by counting over all trees. O(trees * N * depth).
pub(super) fn counted(count: usize, chains: &[Chain]) -> PairTable<f64> {
    let mut paths = PairTable::new(count, 0.0);
    let share = 1.0 / chains.len() as f64;
    for chain in chains {
        for lower in Concept::all(count) {
            chain.shape.ancestors(lower).for_each(|upper| paths[(upper, lower)] += share);
        }
    }
    paths
}

/// P(above) from the distribution of each concept's place given the others, in each of some trees. O(trees * N^2).
pub(super) fn surveyed(count: usize, chains: &[Chain], model: Model<'_>) -> PairTable<f64> {
    let mut paths = PairTable::new(count, 0.0);
    let mut space = Workspace::default();
    // Every pair is met twice: when its lower concept is surveyed, and when its upper one is.
    let share = 0.5 / chains.len() as f64;
    for chain in chains {
        let mut chain = chain.clone();
        for concept in Concept::all(count) {
            let (mut above, mut below) = (Vec::new(), Vec::new());
            let (shape, model) = chain.parts(model);
            let (push_above, push_below) = (|u, p| above.push((u, p)), |l, p| below.push((l, p)));
            space.survey(shape, concept, model, push_above, push_below);
            above.into_iter().for_each(|(upper, chance)| paths[(upper, concept)] += share * chance);
            below.into_iter().for_each(|(lower, chance)| paths[(concept, lower)] += share * chance);
        }
    }
    paths
}

/// The largest chance that the likelier answer to any question is wrong.
pub(super) fn largest_doubt(paths: &PairTable<f64>) -> f64 {
    paths.values().iter().map(|p| p.min(1.0 - p)).fold(0.0, f64::max)
}
