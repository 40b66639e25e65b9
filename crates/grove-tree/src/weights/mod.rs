//! Probability distributions over all trees, given by one weight per edge.

mod alias;
mod arithmetic;
mod edit;
mod exponential;
mod information;
mod marginals;
mod network;
mod partition;
mod paths;
mod product;
mod reachable;
mod restore;
mod sampler;
mod tile;
mod wilson;

pub use marginals::EdgeMarginals;
pub use paths::PathMarginals;
pub(crate) use reachable::unreachable_concepts;
pub use sampler::{SampledTree, Sampler, SamplingMethod};

use std::ops::Range;

use crate::{Concept, Error, Result, Tree};

/// A distribution over the trees of N concepts in which edges are independent, given that they form a tree:
/// P(T|W) = prod W_ij / Z(W) over the edges i->j of T.
///
/// The value holds lambda = log W; negative infinity forbids an edge. Only the ratios of the weights into one child
/// matter: multiplying them all by one number changes nothing but Z. The weights may leave no tree possible;
/// functions that need a tree then return [`Error::Unreachable`].
#[derive(Clone, PartialEq, Debug)]
pub struct EdgeWeights {
    count: usize,
    /// Child-major: the row of child `j` begins at `(j - 1) * (N + 1)` and holds its parents `0..=N`, its own entry
    /// being negative infinity.
    log_weights: Box<[f64]>,
}

/// No finite log-weight may be larger in magnitude, so that sums over the edges of a tree stay finite.
const LARGEST: f64 = 1e100;

impl EdgeWeights {
    /// The distribution under which all (N+1)^(N-1) trees are equally probable: every weight is one.
    #[must_use]
    pub fn uniform(count: usize) -> Self {
        Self::from_fn(count, |_, _| 0.0).expect("zero is a log-weight")
    }

    /// Computes the log-weight of every edge with a function of (parent, child), which is not called for a concept
    /// under itself. Negative infinity forbids an edge.
    ///
    /// # Errors
    /// [`Error::NotALogWeight`] for NaN, positive infinity and finite numbers beyond 1e100.
    pub fn from_fn(count: usize, mut log_weight: impl FnMut(Concept, Concept) -> f64) -> Result<Self> {
        let entry = |parent, child| checked(parent, child, log_weight(parent, child));
        Ok(Self { count, log_weights: tabulate(count, f64::NEG_INFINITY, entry)? })
    }

    /// Log-weights from one row after the other, by child, each with its parents `0..=N`. A concept's entry under itself is
    /// ignored. Negative infinity forbids an edge.
    ///
    /// # Errors
    /// [`Error::NotALogWeight`] for NaN, positive infinity and finite numbers beyond 1e100.
    ///
    /// # Panics
    /// If there are not N rows of N+1 entries.
    pub fn from_rows(count: usize, rows: impl Into<Box<[f64]>>) -> Result<Self> {
        let mut log_weights = rows.into();
        assert_eq!(
            log_weights.len(),
            count * (count + 1),
            "a row has one entry for the root and each concept"
        );
        for (row, child) in log_weights.chunks_exact_mut(count + 1).zip(1..) {
            check_row(child, row)?;
            row[child] = f64::NEG_INFINITY;
        }
        Ok(Self { count, log_weights })
    }

    /// The number of concepts, N.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no concepts besides the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All concepts, without the root.
    pub fn concepts(&self) -> impl DoubleEndedIterator<Item = Concept> + ExactSizeIterator + Clone {
        Concept::all(self.count)
    }

    /// The log-weight of an edge; negative infinity if it is forbidden, and for a concept under itself.
    ///
    /// # Panics
    /// If the child is the root or either concept does not exist.
    #[must_use]
    pub fn log_weight(&self, parent: Concept, child: Concept) -> f64 {
        self.incoming(child)[parent.index()]
    }

    /// The log-weights of all edges into one child, by the parent's number `0..=N`.
    ///
    /// # Panics
    /// If the child is the root or does not exist.
    #[must_use]
    pub fn incoming(&self, child: Concept) -> &[f64] {
        &self.log_weights[self.row(child)]
    }

    /// All log-weights, as [`EdgeWeights::from_rows`] takes them.
    #[must_use]
    pub fn rows(&self) -> &[f64] {
        &self.log_weights
    }

    /// Replaces the log-weight of one edge.
    ///
    /// # Errors
    /// [`Error::NotALogWeight`] for NaN, positive infinity and finite numbers beyond 1e100, [`Error::NoSuchEdge`] for a concept
    /// under itself, an edge into the root and unknown concepts. Nothing changes then.
    pub fn set_log_weight(&mut self, parent: Concept, child: Concept, value: f64) -> Result<()> {
        let at = self.position(parent, child)?;
        self.log_weights[at] = checked(parent, child, value)?;
        Ok(())
    }

    /// The logarithm of the product of a tree's weights: its log-probability before division by Z. O(N).
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if the tree has another number of concepts.
    pub fn log_score(&self, tree: &Tree) -> Result<f64> {
        self.check_count(tree.len())?;
        Ok(tree.edges().map(|(parent, child)| self.log_weight(parent, child)).sum())
    }

    fn check_count(&self, other: usize) -> Result<()> {
        match other == self.count {
            true => Ok(()),
            false => Err(Error::CountMismatch { expected: self.count, found: other }),
        }
    }

    /// The position of a child's row in `log_weights`.
    fn row(&self, child: Concept) -> Range<usize> {
        assert!(!child.is_root(), "the root has no parent");
        let width = self.count + 1;
        (child.index() - 1) * width..child.index() * width
    }

    /// The position of an edge in `log_weights`.
    fn position(&self, parent: Concept, child: Concept) -> Result<usize> {
        let exists = |concept: Concept| concept.index() <= self.count;
        if child.is_root() || parent == child || !exists(parent) || !exists(child) {
            return Err(Error::NoSuchEdge { parent, child, count: self.count });
        }
        Ok((child.index() - 1) * (self.count + 1) + parent.index())
    }
}

/// One number per edge, child by child, each with its parents `0..=N`; `own` for a concept under itself.
pub(crate) fn tabulate(
    count: usize,
    own: f64,
    mut entry: impl FnMut(Concept, Concept) -> Result<f64>,
) -> Result<Box<[f64]>> {
    let mut entries = Vec::with_capacity(count * (count + 1));
    for child in Concept::all(count) {
        for parent in (0..=count).map(Concept::new) {
            entries.push(if parent == child { own } else { entry(parent, child)? });
        }
    }
    Ok(entries.into_boxed_slice())
}

pub(crate) fn checked(parent: Concept, child: Concept, value: f64) -> Result<f64> {
    if is_log_weight(value) { Ok(value) } else { Err(Error::NotALogWeight { parent, child, value }) }
}

pub(crate) fn is_log_weight(value: f64) -> bool {
    // Not `||`, so that loops over rows need no branch.
    (value == f64::NEG_INFINITY) | (value.abs() <= LARGEST)
}

/// Whether the entries of a child's row are log-weights, all but its own.
pub(crate) fn check_row(child: usize, row: &[f64]) -> Result<()> {
    // One pass without branches for the usual case that all of them are.
    if row.iter().fold(true, |valid, &value| valid & is_log_weight(value)) {
        return Ok(());
    }
    for (parent, &value) in row.iter().enumerate().filter(|&(parent, _)| parent != child) {
        checked(Concept::new(parent), Concept::new(child), value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_rows_by_child() {
        let number = |parent: Concept, child: Concept| (10 * parent.index() + child.index()) as f64;
        let weights = EdgeWeights::from_fn(3, number).unwrap();
        assert_eq!(weights.incoming(Concept::new(2)), [2.0, 12.0, f64::NEG_INFINITY, 32.0]);
        assert_eq!(weights.log_weight(Concept::new(3), Concept::new(1)), 31.0);
    }

    #[test]
    fn takes_rows_as_they_are() {
        let rows = [0.5, f64::NAN, 2.0, 1.0, f64::NEG_INFINITY, 7.0];
        let weights = EdgeWeights::from_rows(2, rows).unwrap();
        let number = |parent: Concept, child: Concept| rows[(child.index() - 1) * 3 + parent.index()];
        assert_eq!(weights, EdgeWeights::from_fn(2, number).unwrap());
        for value in [f64::NAN, f64::INFINITY, 1e101] {
            let refused = EdgeWeights::from_rows(2, [0.0, 0.0, 0.0, 0.0, value, 0.0]);
            assert!(
                matches!(refused, Err(Error::NotALogWeight { parent, child, .. }) if (parent.index(), child.index()) == (1, 2))
            );
        }
    }

    #[test]
    fn refuses_invalid_weights_and_edges() {
        let [one, two] = [1, 2].map(Concept::new);
        for value in [f64::NAN, f64::INFINITY, 1e101, -1e101] {
            assert!(EdgeWeights::from_fn(2, |_, _| value).is_err());
            let mut weights = EdgeWeights::uniform(2);
            assert!(matches!(weights.set_log_weight(one, two, value), Err(Error::NotALogWeight { .. })));
            assert_eq!(weights, EdgeWeights::uniform(2));
        }
        let mut weights = EdgeWeights::uniform(2);
        for (parent, child) in
            [(one, one), (one, Concept::ROOT), (Concept::new(3), one), (one, Concept::new(3))]
        {
            let refused = weights.set_log_weight(parent, child, 0.0);
            assert_eq!(refused, Err(Error::NoSuchEdge { parent, child, count: 2 }));
        }
    }
}
