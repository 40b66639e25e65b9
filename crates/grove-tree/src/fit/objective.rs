use std::ops::Range;

use super::MaxEntropy;
use crate::{Concept, EdgeWeights, Error, Result};

/// The objective over the log-weights of the allowed edges, numbered child by child.
pub(super) struct Objective {
    /// The number of concepts, N.
    pub(super) count: usize,
    edges: Vec<(Concept, Concept)>,
    /// The variables of the edges into each child.
    pub(super) columns: Vec<Range<usize>>,
    pub(super) target: Vec<f64>,
    pub(super) shrinkage: Vec<f64>,
    /// How often [`Objective::evaluate`] was called.
    pub(super) eliminations: usize,
}

/// Log-weights and the results of one elimination with them.
#[derive(Clone)]
pub(super) struct Point {
    pub(super) log_weights: Vec<f64>,
    pub(super) marginals: Vec<f64>,
    pub(super) value: f64,
    pub(super) weights: EdgeWeights,
}

impl Objective {
    pub(super) fn new(problem: &MaxEntropy, start: &EdgeWeights) -> Result<Self> {
        let mut objective = Self {
            count: problem.len(),
            edges: Vec::new(),
            columns: Vec::new(),
            target: Vec::new(),
            shrinkage: Vec::new(),
            eliminations: 0,
        };
        for child in start.concepts() {
            let first = objective.edges.len();
            for (parent, &log_weight) in start.incoming(child).iter().enumerate() {
                let parent = Concept::new(parent);
                let at = problem.position(parent, child);
                let (target, shrinkage) = (problem.target[at], problem.shrinkage[at]);
                match log_weight == f64::NEG_INFINITY {
                    true if target > 0.0 => return Err(Error::TargetForbidden { parent, child }),
                    true => continue,
                    false if target == 0.0 && shrinkage == 0.0 => {
                        return Err(Error::OptimumAtInfinity { parent, child });
                    }
                    false => {
                        objective.edges.push((parent, child));
                        objective.target.push(target);
                        objective.shrinkage.push(shrinkage);
                    }
                }
            }
            objective.columns.push(first..objective.edges.len());
        }
        Ok(objective)
    }

    pub(super) fn variables_of(&self, weights: &EdgeWeights) -> Vec<f64> {
        self.edges.iter().map(|&(parent, child)| weights.log_weight(parent, child)).collect()
    }

    /// One elimination: log Z and all marginals.
    pub(super) fn evaluate(&mut self, log_weights: Vec<f64>) -> Result<Point> {
        self.eliminations += 1;
        let weights = self.to_weights(&log_weights)?;
        let all = weights.marginals()?;
        let marginals = self.edges.iter().map(|&(parent, child)| all.probability(parent, child)).collect();
        let value = all.log_partition() - dot(&self.target, &log_weights) + self.penalty(&log_weights);
        Ok(Point { log_weights, marginals, value, weights })
    }

    fn to_weights(&self, log_weights: &[f64]) -> Result<EdgeWeights> {
        let mut row = vec![f64::NEG_INFINITY; self.count + 1];
        let mut row_of = Concept::ROOT;
        EdgeWeights::from_fn(self.count, |parent, child| {
            if row_of != child {
                row_of = child;
                row.fill(f64::NEG_INFINITY);
                for at in self.columns[child.index() - 1].clone() {
                    row[self.edges[at].0.index()] = log_weights[at];
                }
            }
            row[parent.index()]
        })
    }

    /// sum beta |lambda|.
    fn penalty(&self, log_weights: &[f64]) -> f64 {
        log_weights.iter().zip(&self.shrinkage).map(|(log_weight, beta)| beta * log_weight.abs()).sum()
    }

    /// The steepest one-sided slope of the objective in each variable (Andrew and Gao's pseudo-gradient): zero exactly
    /// where the variable is optimal, given the others.
    pub(super) fn slopes(&self, point: &Point) -> Vec<f64> {
        let smooth = point.marginals.iter().zip(&self.target).map(|(marginal, target)| marginal - target);
        let variables = point.log_weights.iter().zip(&self.shrinkage);
        smooth
            .zip(variables)
            .map(|(slope, (&log_weight, &beta))| one_sided(slope, log_weight, beta))
            .collect()
    }

    /// The largest violation of the optimality conditions; see [`super::Fit::kkt_residual`].
    pub(super) fn kkt_residual(&self, point: &Point) -> f64 {
        self.slopes(point).iter().fold(0.0, |most, slope| slope.abs().max(most))
    }
}

fn one_sided(slope: f64, log_weight: f64, beta: f64) -> f64 {
    if log_weight > 0.0 {
        slope + beta
    } else if log_weight < 0.0 {
        slope - beta
    } else {
        // At the kink: the part of the slope that exceeds the penalty.
        slope.signum() * (slope.abs() - beta).max(0.0)
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
