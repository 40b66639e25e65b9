use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::search::{Edge, Entering, Search};
use crate::Result;

/// The edges into a node, best first, including edges from within it, which are dropped when met.
#[derive(Default)]
pub(super) struct Heap {
    edges: BinaryHeap<Edge>,
    /// Added to the score of every edge in the heap.
    shift: f64,
}

impl FromIterator<Edge> for Heap {
    fn from_iter<I: IntoIterator<Item = Edge>>(edges: I) -> Self {
        Self { edges: edges.into_iter().collect(), shift: 0.0 }
    }
}

impl Entering for Heap {
    fn best(search: &mut Search<Self>, node: usize) -> Result<Option<Edge>> {
        while let Some(edge) = search.nodes[node].entering.edges.pop() {
            if search.outermost(edge.parent) != node {
                return Ok(Some(Edge { score: edge.score + search.nodes[node].entering.shift, ..edge }));
            }
        }
        Ok(None)
    }

    /// Merges the smaller heap into the larger, so that K edges are moved O(K log K) times in all.
    fn joined(search: &mut Search<Self>, whole: usize) -> Self {
        let mut joined = Self::default();
        for at in 0..search.members(whole).len() {
            let member = search.members(whole)[at];
            let node = &mut search.nodes[member];
            let mut other = std::mem::take(&mut node.entering);
            other.shift -= node.chosen.score;
            if other.edges.len() > joined.edges.len() {
                std::mem::swap(&mut joined, &mut other);
            }
            let moved = other.shift - joined.shift;
            joined
                .edges
                .extend(other.edges.into_iter().map(|edge| Edge { score: edge.score + moved, ..edge }));
        }
        joined
    }
}

impl Edge {
    /// Of equal scores the lowest parent comes first, so that the result depends on the scores alone.
    fn key(&self) -> (Reverse<usize>, Reverse<usize>) {
        (Reverse(self.parent), Reverse(self.child))
    }
}

impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.key().cmp(&other.key()))
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Edge {}
