//! Independent trees by loop-erased walks.

use rand::Rng;

use super::EdgeWeights;
use super::alias::AliasTables;
use crate::Concept;

/// Wilson's algorithm (1996) in its form as cycle popping: every concept draws a parent with probability proportional to
/// its weight; while there are cycles, all concepts on one draw again. The result has the same distribution as the
/// loop-erased walk from child to parent, but most draws do not depend on each other.
///
/// One random number per draw. The expected number of draws for one tree does not depend on the order in which cycles are
/// found; it is about 2N for weights of one size and grows without bound as the root's edges get weaker.
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
    pub(super) fn draw(&self, parents: &mut [Concept], seen_from: &mut Vec<usize>, rng: &mut impl Rng) {
        for (concept, parent) in parents.iter_mut().enumerate().skip(1) {
            *parent = self.tables.draw(concept, rng);
        }
        seen_from.clear();
        seen_from.resize(parents.len(), UNSEEN);
        seen_from[0] = 0;
        for start in 1..parents.len() {
            let mut at = start;
            loop {
                while seen_from[at] == UNSEEN {
                    seen_from[at] = start;
                    at = parents[at].index();
                }
                if seen_from[at] != start {
                    break;
                }
                // The path met itself: draw again around the cycle, and continue from where it was entered.
                while seen_from[at] == start {
                    seen_from[at] = UNSEEN;
                    let next = parents[at].index();
                    parents[at] = self.tables.draw(at, rng);
                    at = next;
                }
            }
        }
    }
}

const UNSEEN: usize = usize::MAX;
