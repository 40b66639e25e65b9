//! The probability of every edge.

use pulp::{Arch, Simd, WithSimd};

use super::EdgeWeights;
use super::arithmetic::{Arithmetic, Linear, Logarithmic, TILE};
use super::network::{Hitting, Network, sum};
use super::partition::{SMALLEST_PIVOT, log_product};
use super::product::{Rows, multiply_add};
use super::tile;
use crate::{Concept, Result};

/// The probability of every edge under some [`EdgeWeights`], with log Z and the expected length of a walk.
#[derive(Clone, PartialEq, Debug)]
pub struct EdgeMarginals {
    count: usize,
    log_partition: f64,
    expected_steps: f64,
    /// Child-major like the weights: the row of child `j` begins at `(j - 1) * (N + 1)`.
    probabilities: Vec<f64>,
}

impl EdgeMarginals {
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

    /// log Z of the weights.
    #[must_use]
    pub fn log_partition(&self) -> f64 {
        self.log_partition
    }

    /// The expected number of steps of Wilson's walk for one tree: the sum of the expected visits of each concept.
    #[must_use]
    pub fn expected_steps(&self) -> f64 {
        self.expected_steps
    }

    /// The probability that `parent` is the parent of `child`.
    ///
    /// # Panics
    /// If the child is the root or either concept does not exist.
    #[must_use]
    pub fn probability(&self, parent: Concept, child: Concept) -> f64 {
        self.incoming(child)[parent.index()]
    }

    /// The probabilities of all parents `0..=N` of one child. They sum to one.
    ///
    /// # Panics
    /// If the child is the root or does not exist.
    #[must_use]
    pub fn incoming(&self, child: Concept) -> &[f64] {
        assert!(!child.is_root(), "the root has no parent");
        let width = self.count + 1;
        &self.probabilities[(child.index() - 1) * width..child.index() * width]
    }

    /// All probabilities, one row after the other, by child, each with its parents `0..=N`.
    #[must_use]
    pub fn rows(&self) -> &[f64] {
        &self.probabilities
    }
}

impl EdgeWeights {
    /// The probability of every edge, with log Z.
    ///
    /// # Formula
    /// Let the walk go from child to parent with probabilities proportional to the weights, and let e(p; j) be the
    /// probability that the walk from p reaches the root before it hits j. Then P(p is the parent of j) is proportional
    /// to W_pj e(p; j). This equals the usual W_pj (B_jj - B_jp), B the inverse Laplacian (Koo et al. 2007, section 3.1), but needs no
    /// difference: the concepts are halved, each half is eliminated from the network of the other, and escape
    /// probabilities go back through the hitting probabilities. Sums and products of positive numbers only, so that
    /// every marginal is right to about 1e-15 of itself. 1.1 N^3 multiply-adds.
    ///
    /// # Errors
    /// [`Error::Unreachable`](crate::Error::Unreachable) if no tree is possible.
    pub fn marginals(&self) -> Result<EdgeMarginals> {
        if let Some(marginals) = Arch::new().dispatch(FastMarginals(self)) {
            return Ok(marginals);
        }
        self.check_reachable()?;
        Ok(marginals(Logarithmic, self, f64::NEG_INFINITY)
            .expect("every logarithm is above negative infinity"))
    }
}

/// Marginals in plain numbers, unless these get too small.
struct FastMarginals<'a>(&'a EdgeWeights);

impl WithSimd for FastMarginals<'_> {
    type Output = Option<EdgeMarginals>;

    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        marginals(Linear(simd), self.0, SMALLEST_PIVOT)
    }
}

/// None if some concept's weight of escaping to the root is at or below `floor`; that weight is a lower bound of every
/// pivot in that concept's row.
fn marginals<A: Arithmetic>(arithmetic: A, weights: &EdgeWeights, floor: f64) -> Option<EdgeMarginals> {
    let (network, shift) = Network::of(arithmetic, weights);
    let (size, stride) = (network.size, network.stride);
    let mut escape = vec![A::ZERO; size * stride];
    let mut pivots = vec![A::ONE; size];
    let output = Output { rows: &mut escape, stride, first_column: 0, pivots: &mut pivots };
    solve(arithmetic, &network, output);
    let (expected_steps, probabilities) = arithmetic.vectorize(
        #[inline(always)]
        || probabilities::<A>(weights.len(), &network, &escape, floor),
    )?;
    let log_partition = shift + log_product::<A>(&pivots);
    Some(EdgeMarginals { count: weights.len(), log_partition, expected_steps, probabilities })
}

/// The expected number of steps of the walk, and the probability of every edge; None as in [`marginals`].
#[inline(always)]
fn probabilities<A: Arithmetic>(
    count: usize,
    network: &Network,
    escape: &[f64],
    floor: f64,
) -> Option<(f64, Vec<f64>)> {
    let Network { size, stride, cells, exits } = network;
    let mut expected_steps = 0.0;
    let mut probabilities = Vec::with_capacity(count * (count + 1));
    // Of a tile of children at once: one column of `escape` would use an eighth of each cache line that it reads.
    let mut terms = vec![A::ZERO; TILE * size];
    for (child, (row, &exit)) in cells.chunks(*stride).zip(exits).take(count).enumerate() {
        if child % TILE == 0 {
            fill_terms::<A>(&mut terms, network, escape, child);
        }
        let terms = &terms[child % TILE * size..][..*size];
        let escaping = A::add(exit, sum::<A>(terms));
        if escaping.is_nan() || escaping <= floor {
            return None;
        }
        let inverse = A::reciprocal(escaping);
        probabilities.push(A::value(A::multiply(exit, inverse)));
        probabilities.extend(terms[..count].iter().map(|&term| A::value(A::multiply(term, inverse))));
        A::normalize(&mut probabilities[child * (count + 1)..]);
        let total = A::add(exit, sum::<A>(&row[..*size]));
        expected_steps += A::value(A::multiply(total, inverse));
    }
    Some((expected_steps, probabilities))
}

/// The weight of each edge into the children of a tile, the `first` and so on, times the escape probability of its parent: a row for
/// each child.
#[inline(always)]
fn fill_terms<A: Arithmetic>(terms: &mut [f64], network: &Network, escape: &[f64], first: usize) {
    let Network { size, stride, cells, .. } = network;
    for parent in (0..*size).step_by(TILE) {
        let weights = tile::load(&cells[first * stride..], *stride, parent);
        let escape = tile::load(&escape[parent * stride..], *stride, first);
        let product =
            std::array::from_fn(|i| std::array::from_fn(|k| A::multiply(weights[i][k], escape[k][i])));
        tile::store(terms, *size, parent, &product);
    }
}

/// The output of [`solve`]: the rows of its concepts, in which it fills the columns of its concepts.
struct Output<'a> {
    rows: &'a mut [f64],
    stride: usize,
    first_column: usize,
    pivots: &'a mut [f64],
}

/// Fills in e(x; j) for all x and j of a network, and the pivots of one complete elimination.
fn solve<A: Arithmetic>(arithmetic: A, network: &Network, output: Output<'_>) {
    let Output { rows, stride, first_column, pivots } = output;
    if network.size == TILE {
        let weights = tile::load(&network.cells, network.stride, 0);
        let exits = *network.exits.first_chunk().expect("a tile of exits");
        let (escape, found) = arithmetic.vectorize(
            #[inline(always)]
            || tile::escape::<A>(&weights, &exits),
        );
        pivots.copy_from_slice(&found);
        return tile::store(rows, stride, first_column, &escape);
    }
    let [first, last] = network.halves();
    for (kept, eliminated) in [(first.clone(), last.clone()), (last, first.clone())] {
        let reduced =
            network.reduce(arithmetic, kept.clone(), eliminated.clone(), &mut pivots[eliminated.clone()]);
        let (above, below) = rows.split_at_mut(first.len() * stride);
        let (kept_rows, other_rows) = if kept.start == 0 { (above, below) } else { (below, above) };
        let first_column = first_column + kept.start;
        let output = Output { rows: kept_rows, stride, first_column, pivots: &mut pivots[kept.clone()] };
        solve(arithmetic, &reduced.network, output);

        let columns = first_column..first_column + kept.len();
        for (row, &exit) in other_rows.chunks_mut(stride).zip(&reduced.hitting.exits) {
            row[columns.clone()].fill(exit);
        }
        let Hitting { cells, stride: hitting_stride, .. } = &reduced.hitting;
        let hitting = Rows { cells, stride: *hitting_stride, first: kept.start };
        let escape = Rows { cells: kept_rows, stride, first: first_column };
        multiply_add(arithmetic, other_rows, stride, columns, (hitting, kept.len()), escape);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Log-weights without any pattern, from -`spread` to `spread`.
    fn scattered(count: usize, spread: f64) -> EdgeWeights {
        let mut state = 1_u64;
        EdgeWeights::from_fn(count, |_, _| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            spread * ((state >> 11) as f64 / 2.0_f64.powi(52) - 1.0)
        })
        .expect("finite")
    }

    #[test]
    fn the_bits_do_not_depend_on_the_width_of_vectors() {
        // The last one has more than one band of rows, and sums longer than are taken at once.
        for count in [1, 7, 8, 30, 77, 300] {
            let weights = scattered(count, 3.0);
            let one_by_one = FastMarginals(&weights).with_simd(pulp::Scalar);
            assert_eq!(Arch::new().dispatch(FastMarginals(&weights)), one_by_one);
        }
    }

    #[test]
    fn logarithms_agree_with_plain_numbers() {
        for count in [3, 8, 9, 40, 70, 130] {
            let weights = scattered(count, 10.0);
            let plain = weights.marginals().unwrap();
            let slow = marginals(Logarithmic, &weights, f64::NEG_INFINITY).unwrap();
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-11 * b.abs();
            assert!(close(plain.log_partition, slow.log_partition));
            assert!(close(plain.log_partition, weights.log_partition().unwrap()));
            assert!(close(plain.expected_steps, slow.expected_steps));
            assert!(plain.probabilities.iter().zip(&slow.probabilities).all(|(&a, &b)| close(a, b)));
        }
    }

    #[test]
    fn probabilities_sum_to_one_at_any_spread() {
        for spread in [1.0, 1e3, 1e7, 1e11, 1e15] {
            // Two concepts prefer each other, and their ties leave the tree by edges of tiny weight.
            let weights = EdgeWeights::from_fn(4, |parent, child| {
                if matches!((parent.index(), child.index()), (3, 4) | (4, 3)) { 0.0 } else { -spread }
            });
            let marginals = weights.unwrap().marginals().unwrap();
            for row in marginals.rows().chunks(5) {
                assert!((row.iter().sum::<f64>() - 1.0).abs() <= 1e-15 * 5.0, "spread {spread}: {row:?}");
            }
        }
    }

    #[test]
    fn plain_numbers_are_right_or_refused() {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * if b.abs() > 1e-6 { b.abs() } else { 1.0 };
        let mut refused = 0;
        for case in 0..1000_u32 {
            // Up to thousands of nats between the weights, whose products no double can hold.
            let spread = f64::from(case % 40 * 25);
            let weights = scattered(2 + case as usize % 12, spread);
            let truth = marginals(Logarithmic, &weights, f64::NEG_INFINITY).unwrap();
            assert!(close(weights.log_partition().unwrap(), truth.log_partition), "spread {spread}");
            match Arch::new().dispatch(FastMarginals(&weights)) {
                None => refused += 1,
                Some(plain) => {
                    assert!(plain.probabilities.iter().zip(&truth.probabilities).all(|(&a, &b)| close(a, b)));
                }
            }
        }
        assert!((100..900).contains(&refused), "{refused}");
    }
}
