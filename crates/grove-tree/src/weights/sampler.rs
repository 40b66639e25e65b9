//! Independent trees from a distribution, by the faster of two methods.

use rand::Rng;

use super::restore::{self, Restore};
use super::wilson::Wilson;
use super::{EdgeMarginals, EdgeWeights};
use crate::{Concept, Error, Result, Tree};

/// Draws independent trees from some [`EdgeWeights`]. Built once, in O(N^3); a tree then takes O(N) to O(N^2).
#[derive(Clone, Debug)]
pub struct Sampler {
    weights: EdgeWeights,
    log_partition: f64,
    drawer: Drawer,
}

/// How a [`Sampler`] works. Both methods are exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SamplingMethod {
    /// Wilson's loop-erased walk: fast unless the walk takes long to find the root.
    Walk,
    /// Restoring concepts in the reverse order of their elimination: takes the same time for all weights.
    Restore,
}

/// A tree and the logarithm of its probability.
#[derive(Clone, PartialEq, Debug)]
pub struct SampledTree {
    /// The tree.
    pub tree: Tree,
    /// The logarithm of the probability with which it is drawn.
    pub log_probability: f64,
}

#[derive(Clone, Debug)]
enum Drawer {
    Walk(Wilson),
    Restore(Restore),
}

/// Working memory, kept between draws.
#[derive(Default)]
struct Scratch {
    parents: Vec<Concept>,
    seen_from: Vec<usize>,
    restore: restore::Scratch,
}

impl EdgeWeights {
    /// A sampler by the method that is expected to be faster.
    ///
    /// # Errors
    /// [`Error::Unreachable`] if no tree is possible.
    pub fn sampler(&self) -> Result<Sampler> {
        let marginals = self.marginals()?;
        let method = faster_method(self.len(), marginals.expected_steps());
        Ok(Sampler::new(self, &marginals, method))
    }

    /// A sampler by a given method.
    ///
    /// # Errors
    /// [`Error::Unreachable`] if no tree is possible; [`Error::WalkTooLong`] if walks would take too long, as they do if
    /// the root's edges have small weights.
    pub fn sampler_by(&self, method: SamplingMethod) -> Result<Sampler> {
        let marginals = self.marginals()?;
        let expected_steps = marginals.expected_steps();
        if method == SamplingMethod::Walk && expected_steps > LONGEST_WALK {
            return Err(Error::WalkTooLong { expected_steps });
        }
        Ok(Sampler::new(self, &marginals, method))
    }
}

/// The most expected steps per tree: about a second. Sampling can be cancelled only between trees, so a tree must not take longer.
const LONGEST_WALK: f64 = 1e8;

/// Measured at N = 10 to 500: restoring a tree takes as long as 7 steps of the walk per concept and one per 12 pairs.
fn faster_method(count: usize, expected_steps: f64) -> SamplingMethod {
    let count = count as f64;
    let restoring = 7.0 * count + count * count / 12.0;
    if expected_steps <= restoring { SamplingMethod::Walk } else { SamplingMethod::Restore }
}

impl Sampler {
    fn new(weights: &EdgeWeights, marginals: &EdgeMarginals, method: SamplingMethod) -> Self {
        let drawer = match method {
            SamplingMethod::Walk => Drawer::Walk(Wilson::new(weights)),
            SamplingMethod::Restore => Drawer::Restore(Restore::new(weights, marginals)),
        };
        Self { weights: weights.clone(), log_partition: marginals.log_partition(), drawer }
    }

    /// The number of concepts, N.
    #[must_use]
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no concepts besides the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The method in use.
    #[must_use]
    pub fn method(&self) -> SamplingMethod {
        match self.drawer {
            Drawer::Walk(_) => SamplingMethod::Walk,
            Drawer::Restore(_) => SamplingMethod::Restore,
        }
    }

    /// Draws one tree.
    pub fn draw(&self, rng: &mut impl Rng) -> SampledTree {
        self.draw_with(&mut Scratch::default(), rng)
    }

    /// Draws trees one after the other. Calls `cancelled` before each.
    ///
    /// # Errors
    /// [`Error::Cancelled`] as soon as `cancelled` returns true.
    pub fn draw_many(
        &self,
        count: usize,
        rng: &mut impl Rng,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<SampledTree>> {
        let mut scratch = Scratch::default();
        let mut trees = Vec::with_capacity(count);
        while trees.len() < count {
            if cancelled() {
                return Err(Error::Cancelled);
            }
            trees.push(self.draw_with(&mut scratch, rng));
        }
        Ok(trees)
    }

    fn draw_with(&self, scratch: &mut Scratch, rng: &mut impl Rng) -> SampledTree {
        let Scratch { parents, seen_from, restore } = scratch;
        parents.resize(self.weights.len() + 1, Concept::ROOT);
        match &self.drawer {
            Drawer::Walk(wilson) => wilson.draw(parents, seen_from, rng),
            Drawer::Restore(restored) => restored.draw(parents, restore, rng),
        }
        let rows = self.weights.log_weights.chunks(parents.len());
        let log_score: f64 = rows.zip(&parents[1..]).map(|(row, parent)| row[parent.index()]).sum();
        let tree = Tree::from_parents_unchecked(parents[1..].iter().copied());
        SampledTree { tree, log_probability: log_score - self.log_partition }
    }
}
