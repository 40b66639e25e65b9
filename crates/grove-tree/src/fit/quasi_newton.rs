use std::collections::VecDeque;

use super::{
    FitLimits, FitOutcome, gauge,
    objective::{Objective, Point, dot},
};
use crate::Error;

/// How many earlier steps the model of the curvature remembers.
const MEMORY: usize = 8;
/// The share of the predicted decrease that a step must bring (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Steps are halved at most so often.
const HALVINGS: usize = 40;
/// No log-weight moves further in one step: from far away the quadratic model sends an edge anywhere.
const LONGEST: f64 = 8.0;
/// The least curvature assumed of an edge.
const FLATTEST: f64 = 1e-9;

/// OWL-QN (Andrew and Gao 2007): see [`super::MaxEntropy::fit`].
pub(super) fn minimise(
    objective: &mut Objective,
    start: Point,
    limits: FitLimits,
) -> Result<(Point, FitOutcome), Error> {
    let mut memory = Memory::default();
    let mut point = start;
    loop {
        let slopes = objective.slopes(&point);
        if objective.kkt_residual(&point) <= limits.kkt_residual {
            return Ok((point, FitOutcome::Converged));
        }
        let direction = memory.direction(&point, &slopes);
        let next = match line_search(objective, &point, &slopes, &direction, limits.eliminations)? {
            Search::Found(next) => next,
            Search::BudgetSpent => return Ok((point, FitOutcome::BudgetSpent)),
            // The model may be to blame once; without memory there is nothing left to blame.
            Search::Failed if memory.is_empty() => return Ok((point, FitOutcome::Stalled)),
            Search::Failed => {
                memory = Memory::default();
                continue;
            }
        };
        memory.remember(&point, &next);
        point = next;
    }
}

enum Search {
    Found(Point),
    Failed,
    BudgetSpent,
}

/// Halves the step until the objective falls enough. A variable that would change its sign stops at zero.
fn line_search(
    objective: &mut Objective,
    from: &Point,
    slopes: &[f64],
    direction: &[f64],
    eliminations: usize,
) -> Result<Search, Error> {
    // Near the optimum decreases drown in the rounding of the objective itself.
    let rounding = 4.0 * f64::EPSILON * from.value.abs();
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        if objective.eliminations() >= eliminations {
            return Ok(Search::BudgetSpent);
        }
        let mut moved = within_orthant(from, slopes, direction, length);
        let predicted: f64 = moved
            .iter()
            .zip(&from.log_weights)
            .zip(slopes)
            .map(|((to, from), slope)| slope * (to - from))
            .sum();
        gauge::recentre(objective, &mut moved);
        let next = objective.evaluate(moved)?;
        if next.value <= from.value + SUFFICIENT * predicted + rounding {
            return Ok(Search::Found(next));
        }
        length /= 2.0;
    }
    Ok(Search::Failed)
}

fn within_orthant(from: &Point, slopes: &[f64], direction: &[f64], length: f64) -> Vec<f64> {
    let variables = from.log_weights.iter().zip(slopes).zip(direction);
    variables
        .map(|((&log_weight, &slope), &direction)| {
            let side = if log_weight == 0.0 { -slope } else { log_weight };
            let moved = log_weight + length * direction;
            if moved * side > 0.0 { moved } else { 0.0 }
        })
        .collect()
}

/// Limited-memory BFGS: the latest steps, each with the change of gradient that it brought.
#[derive(Default)]
struct Memory {
    steps: VecDeque<Step>,
}

struct Step {
    moved: Vec<f64>,
    change: Vec<f64>,
    /// The product of the two.
    curvature: f64,
}

impl Memory {
    fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    fn remember(&mut self, from: &Point, to: &Point) {
        let difference = |to: &[f64], from: &[f64]| -> Vec<f64> {
            to.iter().zip(from).map(|(to, from)| to - from).collect()
        };
        let moved = difference(&to.log_weights, &from.log_weights);
        let change = difference(&to.marginals, &from.marginals);
        let curvature = dot(&moved, &change);
        if curvature > f64::EPSILON * dot(&change, &change) {
            if self.steps.len() == MEMORY {
                self.steps.pop_front();
            }
            self.steps.push_back(Step { moved, change, curvature });
        }
    }

    /// A direction of descent: the quasi-Newton step, without the parts that go up.
    fn direction(&mut self, point: &Point, slopes: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> =
            self.newton_step(point, slopes).iter().map(|step| (-step).clamp(-LONGEST, LONGEST)).collect();
        for (step, slope) in direction.iter_mut().zip(slopes) {
            if *step * slope >= 0.0 {
                *step = 0.0;
            }
        }
        direction
    }

    /// The inverse Hessian's guess times the slopes: the two loops of L-BFGS (Nocedal 1980).
    fn newton_step(&self, point: &Point, slopes: &[f64]) -> Vec<f64> {
        let mut result = slopes.to_vec();
        let mut shares = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter().rev() {
            let share = dot(&step.moved, &result) / step.curvature;
            add(&mut result, -share, &step.change);
            shares.push(share);
        }
        self.divide_by_curvature(point, &mut result);
        for (step, share) in self.steps.iter().zip(shares.iter().rev()) {
            let back = dot(&step.change, &result) / step.curvature;
            add(&mut result, share - back, &step.moved);
        }
        result
    }

    /// Divides by the variance P(1 - P) of each edge, the Hessian's diagonal, scaled to fit the latest step.
    fn divide_by_curvature(&self, point: &Point, vector: &mut [f64]) {
        let variance = |marginal: &f64| (marginal * (1.0 - marginal)).max(FLATTEST);
        let scale = self.steps.back().map_or(1.0, |step| {
            let squares = step.change.iter().zip(&point.marginals);
            step.curvature
                / squares.map(|(change, marginal)| change * change / variance(marginal)).sum::<f64>()
        });
        for (entry, marginal) in vector.iter_mut().zip(&point.marginals) {
            *entry *= scale / variance(marginal);
        }
    }
}

fn add(to: &mut [f64], factor: f64, vector: &[f64]) {
    for (to, entry) in to.iter_mut().zip(vector) {
        *to += factor * entry;
    }
}
