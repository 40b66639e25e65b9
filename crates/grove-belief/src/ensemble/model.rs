use grove_tree::Concept;

use crate::Evidence;
use crate::corrections::Constraints;
use crate::pairs::{PairId, Pairs, Score, side};

/// What every move of every chain reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model<'a> {
    pub(crate) evidence: &'a Evidence,
}

impl Model<'_> {
    pub(crate) fn pairs(&self) -> &Pairs {
        self.evidence.pairs()
    }

    pub(crate) fn constraints(&self) -> &Constraints {
        self.evidence.corrections().constraints()
    }

    /// The prior's constant for every ancestor pair.
    pub(crate) fn per_ancestor(&self) -> f64 {
        self.evidence.settings().prior.per_ancestor()
    }

    /// The prior's constant for every concept with others below it.
    pub(crate) fn per_parent(&self) -> f64 {
        self.evidence.settings().prior.per_parent()
    }
}

/// The scores of all pairs, as one chain sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scores<'a>(pub(crate) &'a [Score]);

impl Scores<'_> {
    /// What `upper` above `lower` adds to the log-posterior.
    pub(crate) fn path(&self, pair: PairId, upper: Concept, lower: Concept) -> f64 {
        self.0[pair.index()].path[side(upper, lower)]
    }

    /// What `upper` directly above `lower` adds to the log-posterior.
    pub(crate) fn edge(&self, pair: PairId, upper: Concept, lower: Concept) -> f64 {
        self.0[pair.index()].edge[side(upper, lower)]
    }
}

/// 1 / (1 + e^-x).
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
