use super::{
    FitOutcome,
    objective::{Objective, Point},
};
use crate::Result;

/// The paper's Algorithm 1: all edges in parallel, until no step is larger than the threshold.
pub(super) fn minimise(
    objective: &mut Objective,
    start: Vec<f64>,
    threshold: f64,
    eliminations: usize,
) -> Result<(Point, FitOutcome)> {
    let mut point = objective.evaluate(start)?;
    loop {
        let deltas = steps(objective, &point);
        let largest = deltas.iter().fold(0.0_f64, |most, delta| most.max(delta.abs()));
        if largest <= threshold {
            return Ok((point, FitOutcome::Converged));
        }
        if objective.eliminations >= eliminations {
            return Ok((point, FitOutcome::BudgetSpent));
        }
        let moved = point.log_weights.iter().zip(&deltas).map(|(log_weight, delta)| log_weight + delta);
        point = objective.evaluate(moved.collect())?;
    }
}

fn steps(objective: &Objective, point: &Point) -> Vec<f64> {
    let edge = |at: usize| Edge {
        trees_edges: objective.count as f64,
        log_weight: point.log_weights[at],
        target: objective.target[at],
        shrinkage: objective.shrinkage[at],
        // An allowed edge has a positive probability, even if it underflows.
        marginal: point.marginals[at].max(f64::MIN_POSITIVE),
    };
    (0..point.log_weights.len()).map(|at| edge(at).step()).collect()
}

struct Edge {
    /// N: the number of edges of a tree.
    trees_edges: f64,
    log_weight: f64,
    target: f64,
    shrinkage: f64,
    marginal: f64,
}

impl Edge {
    /// The delta of lowest bound among: (1/N) log((Pt - beta) / P) if lambda + delta >= 0, which needs Pt > beta;
    /// (1/N) log((Pt + beta) / P) if lambda + delta <= 0; -lambda.
    ///
    /// The numerators hold the *target* probability: the paper's text drops the tilde once.
    fn step(&self) -> f64 {
        let raise = (self.target > self.shrinkage).then(|| self.towards(self.target - self.shrinkage));
        let lower = self.towards(self.target + self.shrinkage);
        let raise = raise.filter(|delta| self.log_weight + delta >= 0.0);
        let lower = Some(lower).filter(|delta| self.log_weight + delta <= 0.0);
        let candidates = [raise, lower, Some(-self.log_weight)].into_iter().flatten();
        candidates.min_by(|&a, &b| self.bound(a).total_cmp(&self.bound(b))).unwrap_or(0.0)
    }

    fn towards(&self, probability: f64) -> f64 {
        (probability / self.marginal).ln() / self.trees_edges
    }

    /// An upper bound of the change of the objective by delta, apart from the other edges:
    /// -Pt delta + P (e^(N delta) - 1) / N + beta (|lambda + delta| - |lambda|).
    fn bound(&self, delta: f64) -> f64 {
        self.marginal * (self.trees_edges * delta).exp_m1() / self.trees_edges - self.target * delta
            + self.shrinkage * ((self.log_weight + delta).abs() - self.log_weight.abs())
    }
}
