//! The walk from child to parent as a network of weights, and the elimination of concepts from it.

use std::ops::Range;

use super::EdgeWeights;
use super::arithmetic::{Arithmetic, TILE};
use super::product::{Rows, multiply_add, multiply_add_within};
use super::tile;

/// The weights of going from each concept (a row) to each other (a column) and to the root (its exit).
///
/// The number of concepts is padded to whole tiles with concepts under the root, of weight one and without incoming
/// edges; they change neither Z nor any probability. The diagonal is never read.
pub(super) struct Network {
    pub(super) size: usize,
    pub(super) stride: usize,
    pub(super) cells: Vec<f64>,
    pub(super) exits: Vec<f64>,
}

impl Network {
    /// The network of some edge weights, each row divided by its largest weight; also the sum of the logarithms of
    /// these divisors, to be added to log Z.
    pub(super) fn of<A: Arithmetic>(arithmetic: A, weights: &EdgeWeights) -> (Self, f64) {
        let count = weights.len();
        let size = count.max(1).next_multiple_of(TILE);
        let stride = stride(size);
        // Filled with logarithms, and exponentiated all at once at the end.
        let (mut cells, mut exits) = (vec![f64::NEG_INFINITY; size * stride], vec![0.0; size]);
        let mut shift = 0.0;
        for ((child, row), exit) in weights.concepts().zip(cells.chunks_mut(stride)).zip(&mut exits) {
            let incoming = weights.incoming(child);
            let largest = maximum(arithmetic, incoming);
            // A row without any weight stays zero.
            let divisor = if largest > f64::NEG_INFINITY { largest } else { 0.0 };
            shift += divisor;
            *exit = incoming[0] - divisor;
            for (cell, log_weight) in row.iter_mut().zip(&incoming[1..]) {
                *cell = log_weight - divisor;
            }
        }
        arithmetic.exponentiate(&mut cells);
        arithmetic.exponentiate(&mut exits);
        (Self { size, stride, cells, exits }, shift)
    }

    /// Some rows, with columns counted from `first`.
    fn rows(&self, range: &Range<usize>, first: usize) -> Rows<'_> {
        let cells = &self.cells[range.start * self.stride..range.end * self.stride];
        Rows { cells, stride: self.stride, first }
    }

    /// Splits the concepts into two ranges of whole tiles, the second no longer than the first.
    pub(super) fn halves(&self) -> [Range<usize>; 2] {
        let middle = halve(0..self.size);
        [0..middle, middle..self.size]
    }

    /// Eliminates some concepts: the result is a network over the others in which the walk has the same
    /// distribution. `eliminated` and `kept` are the two [`Network::halves`]. Writes the pivots of the eliminated.
    ///
    /// O(n^3 * 7/24) for half of n concepts.
    pub(super) fn reduce<A: Arithmetic>(
        &self,
        arithmetic: A,
        kept: Range<usize>,
        eliminated: Range<usize>,
        pivots: &mut [f64],
    ) -> Reduced {
        let mut cells = self.rows(&eliminated, 0).cells.to_vec();
        let mut hitting_exits = self.exits[eliminated.clone()].to_vec();
        let mut part = Part { rows: &mut cells, exits: &mut hitting_exits, pivots };
        eliminate(arithmetic, &mut part, self.stride, eliminated.clone(), kept.clone());
        let hitting = Hitting { stride: self.stride, cells, exits: hitting_exits };

        let mut network = self.restricted_to(&kept);
        let left = self.rows(&kept, eliminated.start);
        let right = Rows { cells: &hitting.cells, stride: self.stride, first: kept.start };
        let Self { size, stride, cells, exits } = &mut network;
        multiply_add(arithmetic, cells, *stride, 0..*size, (left, eliminated.len()), right);
        carry_exits(arithmetic, exits, left, &hitting.exits);
        Reduced { network, hitting }
    }

    /// The rows and columns of some concepts.
    fn restricted_to(&self, kept: &Range<usize>) -> Self {
        let (size, stride) = (kept.len(), stride(kept.len()));
        let mut cells = Vec::with_capacity(size * stride);
        for row in self.rows(kept, 0).cells.chunks(self.stride) {
            cells.extend_from_slice(&row[kept.clone()]);
            cells.resize(cells.len() + stride - size, 0.0);
        }
        Self { size, stride, cells, exits: self.exits[kept.clone()].to_vec() }
    }
}

/// The result of [`Network::reduce`].
pub(super) struct Reduced {
    /// The network over the concepts that were kept.
    pub(super) network: Network,
    /// Where the walk from an eliminated concept first meets a kept one.
    pub(super) hitting: Hitting,
}

/// For each eliminated concept, the probability that the walk meets a given kept concept, or the root, first.
pub(super) struct Hitting {
    /// Columns as in the original network; only those of kept concepts are meaningful.
    pub(super) stride: usize,
    pub(super) cells: Vec<f64>,
    pub(super) exits: Vec<f64>,
}

/// A distance between rows that is an odd number of cache lines: with powers of two, rows would compete for the same few cache sets.
fn stride(size: usize) -> usize {
    if (size / TILE).is_multiple_of(2) && size > 8 * TILE { size + TILE } else { size }
}

fn halve(range: Range<usize>) -> usize {
    range.start + (range.len() / TILE).div_ceil(2) * TILE
}

/// Some rows of a network that is being reduced.
struct Part<'a> {
    rows: &'a mut [f64],
    exits: &'a mut [f64],
    pivots: &'a mut [f64],
}

impl Part<'_> {
    fn split(&mut self, at: usize, stride: usize) -> [Part<'_>; 2] {
        let (first_rows, last_rows) = self.rows.split_at_mut(at * stride);
        let (first_exits, last_exits) = self.exits.split_at_mut(at);
        let (first_pivots, last_pivots) = self.pivots.split_at_mut(at);
        [
            Part { rows: first_rows, exits: first_exits, pivots: first_pivots },
            Part { rows: last_rows, exits: last_exits, pivots: last_pivots },
        ]
    }

    /// Sends the weights that lead to `through`, whose hitting probabilities are known, on to `live` and the root.
    fn go_through<A: Arithmetic>(
        &mut self,
        arithmetic: A,
        stride: usize,
        through: (&Part<'_>, Range<usize>),
        live: Range<usize>,
    ) {
        let (other, columns) = through;
        let right = Rows { cells: other.rows, stride, first: live.start };
        multiply_add_within(arithmetic, self.rows, stride, live, columns.clone(), right);
        let left = Rows { cells: self.rows, stride, first: columns.start };
        carry_exits(arithmetic, self.exits, left, other.exits);
    }
}

/// exits += left * others
fn carry_exits<A: Arithmetic>(arithmetic: A, exits: &mut [f64], left: Rows<'_>, others: &[f64]) {
    arithmetic.vectorize(
        #[inline(always)]
        || {
            for (exit, row) in exits.iter_mut().zip(left.cells.chunks(left.stride)) {
                *exit = A::add(*exit, dot::<A>(&row[left.first..], others));
            }
        },
    );
}

/// Turns the rows of the concepts `own` into hitting probabilities of `live`, the concepts that stay, which are next
/// to them: Gauss-Jordan elimination in halves, so that everything but the tiles on the diagonal is matrix products.
fn eliminate<A: Arithmetic>(
    arithmetic: A,
    part: &mut Part<'_>,
    stride: usize,
    own: Range<usize>,
    live: Range<usize>,
) {
    if own.len() == TILE {
        return eliminate_tile(arithmetic, part, stride, own.start, live);
    }
    let middle = halve(own.clone());
    let [first, last] = part.split(middle - own.start, stride);
    let (first, last) = ((first, own.start..middle), (last, middle..own.end));
    // The half further from the live columns goes first, so that the remaining columns stay contiguous.
    let live_is_after = live.start >= own.end;
    let ((mut far, far_own), (mut near, near_own)) =
        if live_is_after { (first, last) } else { (last, first) };
    let joined = near_own.start.min(live.start)..near_own.end.max(live.end);

    eliminate(arithmetic, &mut far, stride, far_own.clone(), joined.clone());
    near.go_through(arithmetic, stride, (&far, far_own), joined);
    eliminate(arithmetic, &mut near, stride, near_own.clone(), live.clone());
    far.go_through(arithmetic, stride, (&near, near_own), live);
}

/// Plain elimination of the concepts of one tile.
fn eliminate_tile<A: Arithmetic>(
    arithmetic: A,
    part: &mut Part<'_>,
    stride: usize,
    own: usize,
    live: Range<usize>,
) {
    let Part { rows, exits, pivots } = part;
    arithmetic.vectorize(
        #[inline(always)]
        || {
            let mut outside = [A::ZERO; TILE];
            for ((outside, row), exit) in outside.iter_mut().zip(rows.chunks(stride)).zip(exits.iter()) {
                *outside = A::add(*exit, sum::<A>(&row[live.clone()]));
            }
            let (visits, found) = tile::visits::<A>(tile::load(rows, stride, own), outside);
            pivots.copy_from_slice(&found);
            for at in live.step_by(TILE) {
                let old = tile::load(rows, stride, at);
                tile::store(rows, stride, at, &product::<A>(&visits, &old));
            }
            let old: tile::Lanes = *exits.first_chunk().expect("a tile of exits");
            for (exit, visits) in exits.iter_mut().zip(&visits) {
                *exit = dot::<A>(visits, &old);
            }
        },
    );
}

#[inline(always)]
fn product<A: Arithmetic>(left: &tile::Square, right: &tile::Square) -> tile::Square {
    let mut sums = [[A::ZERO; TILE]; TILE];
    for (k, right) in right.iter().enumerate() {
        for (sums, left) in sums.iter_mut().zip(left) {
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = A::multiply_add(left[k], *right, *sum);
            }
        }
    }
    sums
}

/// In a fixed order for any width of vectors: a sum per lane, then the lanes, then the remainder. Ignores the rest of the longer slice.
#[inline(always)]
pub(super) fn dot<A: Arithmetic>(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let ((a, a_rest), (b, b_rest)) = (a[..length].as_chunks::<TILE>(), b[..length].as_chunks::<TILE>());
    let mut sums = [A::ZERO; TILE];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..TILE {
            sums[lane] = A::multiply_add(a[lane], b[lane], sums[lane]);
        }
    }
    let sum = sums.into_iter().fold(A::ZERO, A::add);
    a_rest.iter().zip(b_rest).fold(sum, |sum, (a, b)| A::multiply_add(*a, *b, sum))
}

/// The sum of whole tiles, in the same order.
#[inline(always)]
pub(super) fn sum<A: Arithmetic>(values: &[f64]) -> f64 {
    let mut sums = [A::ZERO; TILE];
    for values in values.as_chunks::<TILE>().0 {
        for lane in 0..TILE {
            sums[lane] = A::add(sums[lane], values[lane]);
        }
    }
    sums.into_iter().fold(A::ZERO, A::add)
}

fn maximum<A: Arithmetic>(arithmetic: A, values: &[f64]) -> f64 {
    let greater = |a: f64, b: f64| if a > b { a } else { b };
    arithmetic.vectorize(
        #[inline(always)]
        || {
            let (chunks, rest) = values.as_chunks::<TILE>();
            let mut largest = [f64::NEG_INFINITY; TILE];
            for chunk in chunks {
                for lane in 0..TILE {
                    largest[lane] = greater(chunk[lane], largest[lane]);
                }
            }
            largest.into_iter().chain(rest.iter().copied()).fold(f64::NEG_INFINITY, greater)
        },
    )
}
