//! Independent trees by loop-erased walks.

use rand::Rng;

use super::EdgeWeights;
use super::alias::AliasTables;
use crate::Concept;

/// Wilson's algorithm (1996): from each concept in turn walk from child to parent, with probabilities proportional to the
/// weights, until the tree so far is met; loops are erased by overwriting a concept's parent on each visit.
///
/// One random number a step. The expected number of steps for one tree does not depend on the order; it is about 2N for
/// weights of one size and grows without bound as the root's edges get weaker.
#[derive(Clone, Debug)]
pub(super) struct Wilson {
    tables: AliasTables,
}

impl Wilson {
    /// O(N^2). Every concept must have some parent.
    pub(super) fn new(weights: &EdgeWeights) -> Self {
        let rows = weights.concepts().map(|child| {
            let incoming = weights.incoming(child);
            let largest = incoming.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            incoming.iter().map(|log_weight| (log_weight - largest).exp()).collect()
        });
        Self { tables: AliasTables::new(weights.len() + 1, rows) }
    }

    /// Draws one tree into `parents`, which holds one entry per concept and the root's at 0.
    pub(super) fn draw(&self, parents: &mut [Concept], in_tree: &mut Vec<bool>, rng: &mut impl Rng) {
        in_tree.clear();
        in_tree.resize(parents.len(), false);
        in_tree[0] = true;
        for start in 1..parents.len() {
            let mut at = start;
            while !in_tree[at] {
                let parent = self.tables.draw(at, rng);
                parents[at] = Concept::new(parent);
                at = parent;
            }
            at = start;
            while !in_tree[at] {
                in_tree[at] = true;
                at = parents[at].index();
            }
        }
    }
}
