//! The probability that one concept is above another, estimated from sampled trees.

use rand::Rng;

use super::{EdgeWeights, Sampler};
use crate::{Concept, Error, Result};

/// The frequency with which each concept is above each other in sampled trees.
///
/// Under edge weights the probability of a path has no closed form; an estimate p from m trees has a standard error of
/// sqrt(p (1 - p) / m).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathMarginals {
    count: usize,
    samples: usize,
    /// In how many samples `i` was above `j`, at `(j - 1) * N + (i - 1)`.
    above: Vec<u32>,
}

impl PathMarginals {
    /// The number of trees sampled.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The share of samples in which `upper` was a proper ancestor of `lower`; 1 for the root above a concept.
    ///
    /// # Panics
    /// If either concept does not exist.
    #[must_use]
    pub fn probability(&self, upper: Concept, lower: Concept) -> f64 {
        match (upper.is_root(), lower.is_root()) {
            (_, true) => 0.0,
            (true, false) => 1.0,
            (false, false) => {
                let above = self.above[(lower.index() - 1) * self.count + upper.index() - 1];
                f64::from(above) / self.samples as f64
            }
        }
    }
}

impl EdgeWeights {
    /// Estimates from sampled trees the probability that each concept is above each other.
    /// O(N * depth) per tree, after the O(N^3) of [`EdgeWeights::sampler`].
    ///
    /// # Errors
    /// [`Error::Unreachable`] if no tree is possible, [`Error::NoSamples`] for none.
    pub fn path_marginals(&self, samples: u32, rng: &mut impl Rng) -> Result<PathMarginals> {
        self.sampler()?.path_marginals(samples, rng, &|| false)
    }
}

impl Sampler {
    /// As [`EdgeWeights::path_marginals`]; calls `cancelled` before each tree.
    ///
    /// # Errors
    /// [`Error::NoSamples`] for no samples, [`Error::Cancelled`] as soon as `cancelled` returns true.
    pub fn path_marginals(
        &self,
        samples: u32,
        rng: &mut impl Rng,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<PathMarginals> {
        if samples == 0 {
            return Err(Error::NoSamples);
        }
        let count = self.len();
        let mut above = vec![0; count * count];
        for _ in 0..samples {
            if cancelled() {
                return Err(Error::Cancelled);
            }
            let tree = self.draw(rng).tree;
            for lower in tree.concepts() {
                let row = &mut above[(lower.index() - 1) * count..lower.index() * count];
                for upper in tree.ancestors(lower) {
                    row[upper.index() - 1] += 1;
                }
            }
        }
        Ok(PathMarginals { count, samples: samples as usize, above })
    }
}
