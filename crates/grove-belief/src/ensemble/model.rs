use grove_tree::Concept;

use crate::Evidence;
use crate::corrections::Rules;
use crate::pairs::{PairId, Pairs, Score, side};

/// What every move of every chain reads: the evidence, and what can be made of it once for all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model<'a> {
    pub(crate) evidence: &'a Evidence,
    pub(crate) tables: &'a Tables,
}

/// Derived from the evidence when it changes shape.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// The prior's constant for every ancestor pair.
    pub(crate) per_ancestor: f64,
    /// ln(1 + e^(per_ancestor * size)): the factor of a child that no vote speaks of, by the size of its subtree.
    undecided: Vec<f64>,
}

impl Tables {
    pub(crate) fn new(evidence: &Evidence) -> Self {
        let per_ancestor = evidence.settings().prior.per_ancestor();
        let undecided = (0..=evidence.count()).map(|size| softplus(per_ancestor * size as f64)).collect();
        Self { per_ancestor, undecided }
    }

    pub(crate) fn undecided(&self, size: usize) -> f64 {
        self.undecided[size]
    }
}

impl Model<'_> {
    pub(crate) fn pairs(&self) -> &Pairs {
        self.evidence.pairs()
    }

    pub(crate) fn rules(&self) -> &Rules {
        self.evidence.corrections().rules()
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

/// ln(1 + e^x).
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// 1 / (1 + e^-x).
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
