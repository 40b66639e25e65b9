//! Matrix products in whole tiles, where large problems spend nearly all of their time.
//!
//! Every element of a product is one chain of fused multiply-adds in the order of the inner index, whatever the
//! width of the vectors, so that the bits are the same on every processor. All sides are multiples of [`TILE`].

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::arithmetic::{Arithmetic, TILE};

/// How much of the inner side is taken at once, so that a tile's share of the left factor stays in the nearest cache.
const DEPTH: usize = 32;

/// Rows of a matrix, one after the other at a fixed distance; columns are counted from `first`.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) cells: &'a [f64],
    pub(super) stride: usize,
    pub(super) first: usize,
}

impl Rows<'_> {
    /// Without the first few rows.
    fn skip(self, rows: usize) -> Self {
        Self { cells: &self.cells[rows * self.stride..], ..self }
    }
}

/// rows\[target\] += rows\[left\] * right: the left factor is in other columns of the same rows.
pub(super) fn multiply_add_within<A: Arithmetic>(
    arithmetic: A,
    rows: &mut [f64],
    stride: usize,
    target: Range<usize>,
    left: Range<usize>,
    right: Rows<'_>,
) {
    let mut packed_columns = [[A::ZERO; TILE]; DEPTH];
    for tile in rows.chunks_mut(TILE * stride) {
        for depth in steps(left.len()) {
            let packed = &mut packed_columns[..depth.len()];
            pack(packed, Rows { cells: tile, stride, first: left.start + depth.start });
            let (columns, right) = (target.clone(), right.skip(depth.start));
            arithmetic.accumulate(TileRow { target: tile, stride, columns, packed, right });
        }
    }
}

/// target\[columns\] += left * right, `inner` being the length of the sums; all three in different matrices.
pub(super) fn multiply_add<A: Arithmetic>(
    arithmetic: A,
    target: &mut [f64],
    stride: usize,
    columns: Range<usize>,
    (left, inner): (Rows<'_>, usize),
    right: Rows<'_>,
) {
    let mut packed_columns = [[A::ZERO; TILE]; DEPTH];
    for (at, tile) in target.chunks_mut(TILE * stride).enumerate() {
        for depth in steps(inner) {
            let packed = &mut packed_columns[..depth.len()];
            let left = left.skip(at * TILE);
            pack(packed, Rows { first: left.first + depth.start, ..left });
            let (columns, right) = (columns.clone(), right.skip(depth.start));
            arithmetic.accumulate(TileRow { target: tile, stride, columns, packed, right });
        }
    }
}

/// The inner side in pieces of at most [`DEPTH`].
fn steps(inner: usize) -> impl Iterator<Item = Range<usize>> {
    (0..inner).step_by(DEPTH).map(move |start| start..inner.min(start + DEPTH))
}

/// Turns a tile's rows of the left factor into columns that a tile's sum reads one by one.
fn pack(packed: &mut [[f64; TILE]], left: Rows<'_>) {
    for (at, row) in left.cells.chunks(left.stride).take(TILE).enumerate() {
        for (column, &value) in packed.iter_mut().zip(&row[left.first..]) {
            column[at] = value;
        }
    }
}

/// One row of tiles: target\[columns\] += packed * right.
pub(super) struct TileRow<'a> {
    target: &'a mut [f64],
    stride: usize,
    columns: Range<usize>,
    packed: &'a [[f64; TILE]],
    right: Rows<'a>,
}

impl TileRow<'_> {
    /// One cell at a time, in any arithmetic.
    pub(super) fn accumulate<A: Arithmetic>(self) {
        for (at, row) in self.target.chunks_mut(self.stride).enumerate() {
            for (cell, column) in row[self.columns.clone()].iter_mut().zip(self.right.first..) {
                let right = self.right.cells[column..].iter().step_by(self.right.stride);
                let products = self.packed.iter().zip(right);
                *cell = products.fold(*cell, |sum, (left, &right)| A::multiply_add(left[at], right, sum));
            }
        }
    }
}

/// In vectors, with as many columns at once as the processor has registers for.
impl WithSimd for TileRow<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut at = 0;
        if S::REGISTER_COUNT >= 32 {
            while at + 2 * S::F64_LANES <= self.columns.len() {
                self.sum_tile::<S, 2>(simd, at);
                at += 2 * S::F64_LANES;
            }
        }
        while at < self.columns.len() {
            self.sum_tile::<S, 1>(simd, at);
            at += S::F64_LANES;
        }
    }
}

impl TileRow<'_> {
    /// The sums of one tile, `at` columns from the first, held in registers while the inner index runs.
    #[inline(always)]
    fn sum_tile<S: Simd, const VECTORS: usize>(&mut self, simd: S, at: usize) {
        let (to, from) = (self.columns.start + at, self.right.first + at);
        let mut sums = [[simd.splat_f64s(0.0); VECTORS]; TILE];
        for (left, row) in self.packed.iter().zip(self.right.cells.chunks_exact(self.right.stride)) {
            let (row, _) = S::as_simd_f64s(&row[from..]);
            let row: &[_; VECTORS] = row.first_chunk().expect("a tile lies within its row");
            for (sums, left) in sums.iter_mut().zip(left) {
                let left = simd.splat_f64s(*left);
                for (sum, right) in sums.iter_mut().zip(row) {
                    *sum = simd.mul_add_f64s(left, *right, *sum);
                }
            }
        }
        for (row, sums) in self.target.chunks_exact_mut(self.stride).zip(&sums) {
            let (row, _) = S::as_mut_simd_f64s(&mut row[to..]);
            let row: &mut [_; VECTORS] = row.first_chunk_mut().expect("a tile lies within its row");
            for (cell, sum) in row.iter_mut().zip(sums) {
                *cell = simd.add_f64s(*cell, *sum);
            }
        }
    }
}
