//! Fitting edge weights to given edge probabilities: l1-regularised maximum entropy.

mod curvature;
mod gauge;
mod objective;
mod quasi_newton;
mod scaling;
#[cfg(test)]
mod tests;

use crate::weights::tabulate;
use crate::{Concept, EdgeWeights, Error, Result};
use objective::{Objective, Point};

/// A fitting problem: the target probabilities of the edges, and how strongly each log-weight is pulled to zero.
///
/// The fit is the lambda = log W that minimises
/// -sum Pt_ij lambda_ij + log Z(lambda) + sum beta_ij |lambda_ij|
/// over the edges i->j, with the target probabilities Pt and the shrinkage beta: of all distributions whose edge
/// probabilities P are within beta of Pt, the one of greatest entropy. The problem is convex.
///
/// Edges that the starting weights forbid stay forbidden. An edge of target 0 without shrinkage has its optimum at
/// negative infinity and must be forbidden from the start; [`MaxEntropy::forbid_unseen`] does so.
#[derive(Clone, PartialEq, Debug)]
pub struct MaxEntropy {
    count: usize,
    /// Child-major like the rows of [`EdgeWeights`]; 0 for a concept under itself.
    target: Box<[f64]>,
    shrinkage: Box<[f64]>,
}

/// When a fit may stop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitLimits {
    /// Converged when no edge is further than this from its optimality condition. Below about 1e-8, rounding of
    /// the objective may stop a fit first, with [`FitOutcome::Stalled`].
    pub kkt_residual: f64,
    /// The most evaluations of log Z and all marginals.
    pub eliminations: usize,
}

impl Default for FitLimits {
    fn default() -> Self {
        Self { kkt_residual: 1e-6, eliminations: 2000 }
    }
}

/// Fitted weights, and their quality.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub struct Fit {
    /// The best weights found.
    pub weights: EdgeWeights,
    /// The value of the objective at these weights.
    pub objective: f64,
    /// How far the weights are from optimal: the largest over all edges of |P - Pt + beta| where lambda > 0,
    /// |P - Pt - beta| where lambda < 0, and the excess of |P - Pt| over beta where lambda = 0.
    pub kkt_residual: f64,
    /// The number of times that log Z and all marginals were computed.
    pub eliminations: usize,
    /// Why the fit stopped.
    pub outcome: FitOutcome,
}

/// Why a fit stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FitOutcome {
    /// The residual is within its limit.
    Converged,
    /// The limit on eliminations was reached first.
    BudgetSpent,
    /// Rounding prevents further improvement; the residual tells how far the weights are from the optimum.
    Stalled,
}

/// How far a child's target probabilities may be from summing to one: rounding, not error.
const SUM_TOLERANCE: f64 = 1e-9;

impl MaxEntropy {
    /// Computes the target probability and the shrinkage of every edge with functions of (parent, child), which are not
    /// called for a concept under itself.
    ///
    /// # Errors
    /// [`Error::NotAProbability`], [`Error::TargetsDoNotSumToOne`] for a child's target probabilities, and
    /// [`Error::NotAShrinkage`] for a negative or non-finite one.
    pub fn new(
        count: usize,
        mut target: impl FnMut(Concept, Concept) -> f64,
        mut shrinkage: impl FnMut(Concept, Concept) -> f64,
    ) -> Result<Self> {
        let target = tabulate(count, 0.0, |parent, child| {
            let value = target(parent, child);
            let valid = (0.0..=1.0).contains(&value);
            if valid { Ok(value) } else { Err(Error::NotAProbability { parent, child, value }) }
        })?;
        let shrinkage = tabulate(count, 0.0, |parent, child| {
            let value = shrinkage(parent, child);
            let valid = value >= 0.0 && value.is_finite();
            if valid { Ok(value) } else { Err(Error::NotAShrinkage { parent, child, value }) }
        })?;
        for (child, row) in Concept::all(count).zip(target.chunks(count + 1)) {
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() > SUM_TOLERANCE {
                return Err(Error::TargetsDoNotSumToOne { child, sum });
            }
        }
        Ok(Self { count, target, shrinkage })
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

    /// The starting weights with every edge forbidden whose target is 0 and that has no shrinkage.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if the weights have another number of concepts.
    pub fn forbid_unseen(&self, start: &EdgeWeights) -> Result<EdgeWeights> {
        self.check_count(start)?;
        EdgeWeights::from_fn(self.count, |parent, child| {
            let at = self.position(parent, child);
            let unseen = self.target[at] == 0.0 && self.shrinkage[at] == 0.0;
            if unseen { f64::NEG_INFINITY } else { start.log_weight(parent, child) }
        })
    }

    /// The fit from these starting weights, which may be an earlier fit, by a quasi-Newton method.
    ///
    /// Source: OWL-QN (Andrew and Gao 2007), with two additions. Adding a constant to all log-weights into a
    /// child changes no probability and nothing of the objective but the penalty, so the best constant is found exactly:
    /// a weighted median. And the Hessian's first guess is the exact covariance of the edges into one child. Without
    /// either of them, small shrinkage or a confident target takes tens of times as many eliminations. An elimination is O(N^3),
    /// the rest of a step O(N^2 log N). No random draws.
    ///
    /// Targets that all but two or three trees contradict, with shrinkage below 1e-3, can still exhaust the budget with
    /// probabilities about 1e-3 off; see [`Fit::outcome`].
    ///
    /// # Errors
    /// [`Error::CountMismatch`], [`Error::TargetForbidden`] for an edge that is forbidden and has a target,
    /// [`Error::OptimumAtInfinity`] for an edge of target 0 without shrinkage that is not forbidden,
    /// [`Error::Unreachable`] if no tree is possible.
    pub fn fit(&self, start: &EdgeWeights, limits: FitLimits) -> Result<Fit> {
        let (mut objective, mut start) = self.begin(start)?;
        gauge::recentre(&objective, &mut start);
        let (best, outcome) = quasi_newton::minimise(&mut objective, start, limits)?;
        Ok(finish(&objective, best, outcome))
    }

    /// The same fit by the paper's Algorithm 1, generalised iterative scaling: slow and simple, the reference for
    /// [`MaxEntropy::fit`].
    ///
    /// Each round moves every log-weight at once by the delta that minimises an upper bound of the objective; see
    /// the formula at its step. Each step is divided by N, so it takes thousands of rounds of O(N^3). It stops when no
    /// delta is larger than `threshold`. No random draws.
    ///
    /// # Errors
    /// As [`MaxEntropy::fit`].
    pub fn fit_by_scaling(&self, start: &EdgeWeights, threshold: f64, eliminations: usize) -> Result<Fit> {
        let (mut objective, start) = self.begin(start)?;
        let (best, outcome) = scaling::minimise(&mut objective, start, threshold, eliminations)?;
        Ok(finish(&objective, best, outcome))
    }

    fn begin(&self, start: &EdgeWeights) -> Result<(Objective, Vec<f64>)> {
        self.check_count(start)?;
        let objective = Objective::new(self, start)?;
        let log_weights = objective.variables_of(start);
        Ok((objective, log_weights))
    }

    fn check_count(&self, weights: &EdgeWeights) -> Result<()> {
        match weights.len() == self.count {
            true => Ok(()),
            false => Err(Error::CountMismatch { expected: self.count, found: weights.len() }),
        }
    }

    fn position(&self, parent: Concept, child: Concept) -> usize {
        (child.index() - 1) * (self.count + 1) + parent.index()
    }
}

fn finish(objective: &Objective, best: Point, outcome: FitOutcome) -> Fit {
    let kkt_residual = objective.kkt_residual(&best);
    let eliminations = objective.eliminations;
    Fit { objective: best.value, kkt_residual, eliminations, outcome, weights: best.weights }
}
