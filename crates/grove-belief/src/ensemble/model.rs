use grove_tree::Concept;

use crate::Evidence;
use crate::corrections::Constraints;
use crate::noise::WorkerPrior;
use crate::pairs::{PairId, Pairs, Score, side};

/// The evidence, and the scores of all pairs: everything that a move reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model<'a> {
    pub(crate) evidence: &'a Evidence,
    /// One score per pair, under given rates or under those of one chain.
    pub(crate) scores: &'a [Score],
}

impl<'a> Model<'a> {
    pub(crate) fn pairs(self) -> &'a Pairs {
        self.evidence.pairs()
    }

    pub(crate) fn constraints(self) -> &'a Constraints {
        self.evidence.corrections().constraints()
    }

    /// The prior of the workers' rates, if these are learnt.
    pub(crate) fn worker_prior(self) -> Option<&'a WorkerPrior> {
        self.evidence.settings().noise.learnt()
    }

    /// The prior's constant for every ancestor pair.
    pub(crate) fn per_ancestor(self) -> f64 {
        self.evidence.settings().prior.per_ancestor()
    }

    /// The prior's constant for every concept that has children.
    pub(crate) fn per_parent(self) -> f64 {
        self.evidence.settings().prior.per_parent()
    }

    /// The log-posterior gained by having `upper` above `lower`.
    pub(crate) fn path_score(self, pair: PairId, upper: Concept, lower: Concept) -> f64 {
        self.scores[pair.index()].path[side(upper, lower)]
    }

    /// The log-posterior gained by having `upper` directly above `lower`.
    pub(crate) fn edge_score(self, pair: PairId, upper: Concept, lower: Concept) -> f64 {
        self.scores[pair.index()].edge[side(upper, lower)]
    }
}

/// 1 / (1 + e^-x).
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
