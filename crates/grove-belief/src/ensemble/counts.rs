//! How often each concept stands above each other one, over all trees at once.

use grove_tree::Concept;

use super::chain::{Chain, Context};
use super::moves::Workspace;

/// P(above) for every ordered pair: N^2 numbers, so for small N only.
pub(super) struct Paths {
    count: usize,
    above: Vec<f64>,
}

impl Paths {
    fn new(count: usize) -> Self {
        Self { count, above: vec![0.0; (count + 1) * (count + 1)] }
    }

    /// By counting over all trees. O(trees * N * depth).
    pub(super) fn counted(count: usize, chains: &[Chain]) -> Self {
        let mut paths = Self::new(count);
        let share = 1.0 / chains.len() as f64;
        for chain in chains {
            for lower in Concept::all(count) {
                chain.shape.ancestors(lower).for_each(|upper| paths.add(upper, lower, share));
            }
        }
        paths
    }

    /// By asking in each of some trees where every single concept would be, given the others. O(trees * N^2).
    pub(super) fn surveyed(count: usize, chains: &[Chain], context: Context<'_>) -> Self {
        let mut paths = Self::new(count);
        let mut space = Workspace::default();
        // Every pair is met twice: when its lower concept is surveyed, and when its upper one is.
        let share = 0.5 / chains.len() as f64;
        for chain in chains {
            let mut chain = chain.clone();
            for concept in Concept::all(count) {
                let mut met: Vec<(Concept, Concept, f64)> = Vec::new();
                let mut also = Vec::new();
                chain.survey(
                    concept,
                    context,
                    &mut space,
                    |upper, chance| met.push((upper, concept, chance)),
                    |lower, chance| also.push((concept, lower, chance)),
                );
                met.into_iter()
                    .chain(also)
                    .for_each(|(upper, lower, chance)| paths.add(upper, lower, share * chance));
            }
        }
        paths
    }

    fn add(&mut self, upper: Concept, lower: Concept, share: f64) {
        self.above[lower.index() * (self.count + 1) + upper.index()] += share;
    }

    pub(super) fn path(&self, upper: Concept, lower: Concept) -> f64 {
        self.above[lower.index() * (self.count + 1) + upper.index()]
    }

    /// The largest chance that the likelier answer to any question is wrong.
    pub(super) fn largest_doubt(&self) -> f64 {
        self.above.iter().map(|p| p.min(1.0 - p)).fold(0.0, f64::max)
    }
}
