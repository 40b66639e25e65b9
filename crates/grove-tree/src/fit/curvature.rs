use std::ops::Range;

use super::objective::{Objective, Point};

/// The part of the Hessian that is known in closed form: the edges into one child exclude each other, so their
/// covariance is diag(P) - P P'. Edges into different children are taken as independent.
///
/// It is over the free variables only: those that are not held at zero by their penalty.
pub(super) struct Curvature<'a> {
    columns: &'a [Range<usize>],
    marginals: &'a [f64],
    free: Vec<bool>,
}

/// The smallest probability used as a divisor.
const LEAST: f64 = 1e-12;

impl<'a> Curvature<'a> {
    pub(super) fn new(objective: &'a Objective, point: &'a Point, slopes: &[f64]) -> Self {
        let variables = point.log_weights.iter().zip(slopes);
        let free = variables.map(|(&log_weight, &slope)| log_weight != 0.0 || slope != 0.0).collect();
        Self { columns: &objective.columns, marginals: &point.marginals, free }
    }

    /// A copy with zero for the variables that are not free.
    pub(super) fn restrict(&self, vector: &[f64]) -> Vec<f64> {
        vector.iter().zip(&self.free).map(|(&entry, &free)| if free { entry } else { 0.0 }).collect()
    }

    /// Multiplies a restricted vector by the inverse: v_i / P_i + sum of v / (1 - sum of P) over a child's free edges
    /// (Sherman and Morrison). 1 - sum of P is what its held edges have, so nothing is subtracted. O(N^2).
    ///
    /// Where no edge is held the matrix is singular along a constant, which [`super::gauge`] handles; the first term
    /// alone is then an inverse.
    pub(super) fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let mut solution: Vec<f64> =
            vector.iter().zip(self.marginals).map(|(entry, marginal)| entry / marginal.max(LEAST)).collect();
        for column in self.columns {
            let held: f64 = column.clone().filter(|&at| !self.free[at]).map(|at| self.marginals[at]).sum();
            if held > 0.0 {
                let shift = vector[column.clone()].iter().sum::<f64>() / held.max(LEAST);
                column.clone().filter(|&at| self.free[at]).for_each(|at| solution[at] += shift);
            }
        }
        solution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_the_multinomial_covariance() {
        // The fourth edge into the first child is held; the second child has one edge only, held too.
        let marginals = [0.2, 0.3, 0.4, 0.1, 1.0];
        let free = vec![true, true, true, false, false];
        let curvature = Curvature { columns: &[0..4, 4..5], marginals: &marginals, free };
        let vector = curvature.restrict(&[1.0, -2.0, 0.5, 7.0, 7.0]);
        let solution = curvature.solve(&vector);
        let mean: f64 = solution.iter().zip(&marginals).map(|(x, p)| x * p).sum();
        let product = solution.iter().zip(&marginals).map(|(x, p)| p * (x - mean)).take(3);
        assert!(product.zip(&vector).all(|(product, entry)| (product - entry).abs() < 1e-14));
        assert_eq!(solution[3..], [0.0, 0.0]);
    }
}
