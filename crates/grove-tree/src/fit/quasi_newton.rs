use std::collections::VecDeque;

use super::{
    FitLimits, FitOutcome,
    curvature::Curvature,
    gauge,
    objective::{Objective, Point, dot},
};
use crate::Result;

/// How many earlier steps the model of the curvature remembers.
const MEMORY: usize = 8;
/// The share of the predicted decrease that a step must bring (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// The most halvings of a step.
const HALVINGS: usize = 40;
/// Steps without progress after which the fit has stalled.
const PATIENCE: usize = 20;
/// The least cosine between a step and the change of gradient along it that is not mere rounding.
const STRAIGHTEST: f64 = 1e-10;

/// OWL-QN (Andrew and Gao 2007): see [`super::MaxEntropy::fit`].
pub(super) fn minimise(
    objective: &mut Objective,
    start: Vec<f64>,
    limits: FitLimits,
) -> Result<(Point, FitOutcome)> {
    let mut memory = Memory::default();
    let mut point = objective.evaluate(start)?;
    let mut patience = Patience::default();
    loop {
        let slopes = objective.slopes(&point);
        let residual = objective.kkt_residual(&point);
        if residual <= limits.kkt_residual {
            return Ok((point, FitOutcome::Converged));
        }
        if patience.is_exhausted(&point, residual) {
            return Ok((patience.best(point), FitOutcome::Stalled));
        }
        let direction = memory.direction(&point, &slopes, &Curvature::new(objective, &point, &slopes));
        let next = match line_search(objective, &point, &slopes, &direction, limits.eliminations)? {
            Search::Found(next) => next,
            Search::BudgetSpent => return Ok((patience.best(point), FitOutcome::BudgetSpent)),
            // A bad model of the curvature is dropped once; without one, the search has nothing left to try.
            Search::Failed if memory.is_empty() => return Ok((patience.best(point), FitOutcome::Stalled)),
            Search::Failed => {
                memory = Memory::default();
                continue;
            }
        };
        memory.remember(&point, &next);
        point = next;
    }
}

/// Notices when steps no longer lower the objective by more than its rounding, nor the residual.
#[derive(Default)]
struct Patience {
    lowest: Option<f64>,
    closest: Option<(f64, Point)>,
    steps: usize,
}

impl Patience {
    fn is_exhausted(&mut self, point: &Point, residual: f64) -> bool {
        let lower = self.lowest.is_none_or(|lowest| point.value < lowest - rounding(point));
        let closer = self.closest.as_ref().is_none_or(|(least, _)| residual < *least);
        if lower {
            self.lowest = Some(point.value);
        }
        if lower || closer {
            // At a lower objective, earlier residuals no longer count.
            self.closest = Some((residual, point.clone()));
        }
        self.steps = if lower || closer { 0 } else { self.steps + 1 };
        self.steps >= PATIENCE
    }

    fn best(self, latest: Point) -> Point {
        self.closest.map_or(latest, |(_, point)| point)
    }
}

/// The rounding error of the objective, which hides small decreases near the optimum.
fn rounding(point: &Point) -> f64 {
    4.0 * f64::EPSILON * point.value.abs()
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
) -> Result<Search> {
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        if objective.eliminations >= eliminations {
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
        if next.value <= from.value + SUFFICIENT * predicted + rounding(from) {
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

/// Limited-memory BFGS: the latest steps, each with the change of the gradient along it.
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

impl Step {
    /// None if the objective did not bend upwards along the step, as far as rounding shows.
    fn new(moved: Vec<f64>, change: Vec<f64>) -> Option<Self> {
        let curvature = dot(&moved, &change);
        let bends = curvature > STRAIGHTEST * (dot(&moved, &moved) * dot(&change, &change)).sqrt();
        bends.then_some(Self { moved, change, curvature })
    }
}

impl Memory {
    fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    fn remember(&mut self, from: &Point, to: &Point) {
        let difference =
            |to: &[f64], from: &[f64]| to.iter().zip(from).map(|(to, from)| to - from).collect::<Vec<_>>();
        let moved = difference(&to.log_weights, &from.log_weights);
        if let Some(step) = Step::new(moved, difference(&to.marginals, &from.marginals)) {
            if self.steps.len() == MEMORY {
                self.steps.pop_front();
            }
            self.steps.push_back(step);
        }
    }

    /// A direction of descent: the quasi-Newton step, or a simpler one if that does not go down.
    fn direction(&mut self, point: &Point, slopes: &[f64], curvature: &Curvature<'_>) -> Vec<f64> {
        let mut direction = downhill(point, slopes, &self.newton_step(slopes, curvature));
        if dot(&direction, slopes) >= 0.0 {
            self.steps.clear();
            direction = downhill(point, slopes, &curvature.solve(slopes));
        }
        if dot(&direction, slopes) >= 0.0 {
            direction = downhill(point, slopes, slopes);
        }
        direction
    }

    /// The estimated inverse Hessian times the slopes: the two loops of L-BFGS (Nocedal 1980), over the free variables.
    fn newton_step(&self, slopes: &[f64], curvature: &Curvature<'_>) -> Vec<f64> {
        let free = |step: &Step| Step::new(curvature.restrict(&step.moved), curvature.restrict(&step.change));
        let steps: Vec<Step> = self.steps.iter().filter_map(free).collect();
        // Slopes are zero wherever a variable is held.
        let mut result = slopes.to_vec();
        let mut shares = Vec::with_capacity(steps.len());
        for step in steps.iter().rev() {
            let share = dot(&step.moved, &result) / step.curvature;
            add(&mut result, -share, &step.change);
            shares.push(share);
        }
        result = curvature.solve(&result);
        if let Some(latest) = steps.last() {
            let scale = latest.curvature / dot(&latest.change, &curvature.solve(&latest.change));
            result.iter_mut().for_each(|entry| *entry *= scale);
        }
        for (step, share) in steps.iter().zip(shares.iter().rev()) {
            let back = dot(&step.change, &result) / step.curvature;
            add(&mut result, share - back, &step.moved);
        }
        result
    }
}

/// Against the step, damped; a variable at zero moves only to the side where the objective falls.
///
/// Damping: an edge far below its target has the Newton step Pt/P - 1, however large, but needs only
/// log(Pt/P): so x becomes log(1 + |x|) with its sign, which changes little where steps are small.
fn downhill(point: &Point, slopes: &[f64], step: &[f64]) -> Vec<f64> {
    let variables = point.log_weights.iter().zip(slopes).zip(step);
    variables
        .map(|((&log_weight, &slope), &step)| {
            let uphill = log_weight == 0.0 && step * slope <= 0.0;
            if uphill { 0.0 } else { -step.signum() * step.abs().ln_1p() }
        })
        .collect()
}

fn add(to: &mut [f64], factor: f64, vector: &[f64]) {
    for (to, entry) in to.iter_mut().zip(vector) {
        *to += factor * entry;
    }
}
