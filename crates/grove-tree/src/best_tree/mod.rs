mod dense;
mod search;
mod sparse;

use std::borrow::Cow;

use crate::weights::{checked, unreachable_concepts};
use crate::{Concept, EdgeWeights, Error, Result, Tree};
use dense::Row;
use search::{Edge, Search};
use sparse::Heap;

impl EdgeWeights {
    /// The most probable tree; see [`best_tree`]. Its score is [`EdgeWeights::log_score`].
    ///
    /// # Errors
    /// [`Error::Unreachable`] if no tree is possible.
    pub fn best_tree(&self) -> Result<Tree> {
        best_tree(self.len(), |child| self.incoming(child))
    }
}

/// The tree whose edges have the greatest sum of scores. `incoming` gives a child's row of scores by its parent's
/// number `0..=N`; its own entry is ignored, and negative infinity forbids an edge.
///
/// The root may have any number of children. Ties go to the parent with the lowest number, so that the result depends
/// on the scores alone. Contracted scores are differences: the sum returned lies within rounding, some
/// N times 2^-53 times the largest finite score, of the true maximum.
///
/// # Method
/// Chu and Liu (1965), Edmonds (1967), in Tarjan's (1977) form for dense graphs: follow best parents; where that runs
/// into a cycle, contract it to one node whose score from a parent p is the maximum over its members c of
/// score(p, c) - score(c's parent on the cycle, c). O(N^2) time, no random draws. The rows given are only read; each
/// contraction adds one row, and there is none where the best parents already form a tree.
///
/// # Errors
/// [`Error::Unreachable`] if no tree is possible, [`Error::NotALogWeight`] for NaN, positive infinity and finite scores
/// beyond 1e100.
///
/// # Panics
/// If a row does not hold N+1 scores.
pub fn best_tree<'a>(count: usize, incoming: impl Fn(Concept) -> &'a [f64]) -> Result<Tree> {
    let row = |child| {
        let row = incoming(child);
        assert_eq!(row.len(), count + 1, "a row of scores has one entry for the root and each concept");
        Row(Cow::Borrowed(row))
    };
    let found = Search::new(count, Concept::all(count).map(row)).solve()?;
    let is_allowed = |parent: Concept, child| incoming(child)[parent.index()] > f64::NEG_INFINITY;
    found.ok_or_else(|| Error::Unreachable(unreachable_concepts(count, is_allowed)))
}

/// The tree whose edges have the greatest sum of scores, where few edges are possible: `parents` lists the possible parents of each
/// concept in turn, the root among them, with the scores of their edges.
///
/// # Method
/// As [`best_tree`], but the edges into a node are a heap with a common shift, and the smaller heap is merged into the larger, so that K
/// listed parents take O(K log^2 K) time and no square array.
///
/// # Errors
/// As [`best_tree`].
///
/// # Panics
/// If a parent is beyond the last concept.
pub fn best_sparse_tree(parents: &[Vec<(Concept, f64)>]) -> Result<Tree> {
    let count = parents.len();
    let heap = |(child, list): (Concept, &Vec<(Concept, f64)>)| {
        let possible = list.iter().filter(|&&(parent, score)| parent != child && score != f64::NEG_INFINITY);
        let edges = possible.map(|&(parent, score)| {
            let score = checked(parent, child, score)?;
            Ok(Edge { score, parent: parent.index(), child: child.index() })
        });
        edges.collect::<Result<Heap>>()
    };
    let heaps = Concept::all(count).zip(parents).map(heap).collect::<Result<Vec<Heap>>>()?;
    let found = Search::new(count, heaps).solve()?;
    let is_listed = |parent, child: Concept| {
        let mut listed = parents[child.index() - 1].iter();
        listed.any(|&(other, score)| other == parent && score > f64::NEG_INFINITY)
    };
    found.ok_or_else(|| Error::Unreachable(unreachable_concepts(count, is_listed)))
}

#[cfg(test)]
mod tests;
