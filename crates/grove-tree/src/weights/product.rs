//! Matrix products in whole tiles, the one place where the time of large problems goes.
//!
//! Every element of a product is one chain of fused multiply-adds in the order of the inner index, whatever the
//! width of the vectors, so that the bits are the same on every processor. All sides are multiples of [`TILE`].

use std::ops::Range;

use super::arithmetic::{Arithmetic, TILE};

/// How much of the inner side is taken at once, so that a tile's share of the left factor stays in the nearest cache.
const DEPTH: usize = 64;

/// Rows of a matrix, one after the other at a fixed distance.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) cells: &'a [f64],
    pub(super) stride: usize,
}

/// rows\[target\] += rows\[left\] * right\[target\]: the left factor stands in other columns of the target's own rows.
pub(super) fn multiply_add_within<A: Arithmetic>(
    arithmetic: A,
    rows: &mut [f64],
    stride: usize,
    target: Range<usize>,
    left: Range<usize>,
    right: Rows<'_>,
) {
    for row_tile in rows.chunks_mut(TILE * stride) {
        for depth in steps(left.len()) {
            let columns = left.start + depth.start..left.start + depth.end;
            let packed = &mut [[A::ZERO; TILE]; DEPTH][..depth.len()];
            pack(packed, row_tile, stride, columns);
            let right = Rows { cells: &right.cells[depth.start * right.stride..], ..right };
            accumulate(arithmetic, row_tile, stride, target.clone(), packed, right);
        }
    }
}

/// target\[columns\] += left\[left_columns\] * right\[columns\], all three in different matrices.
pub(super) fn multiply_add<A: Arithmetic>(
    arithmetic: A,
    target: &mut [f64],
    stride: usize,
    columns: Range<usize>,
    (left, left_columns): (Rows<'_>, Range<usize>),
    right: Rows<'_>,
) {
    let left_tiles = left.cells.chunks(TILE * left.stride);
    for (row_tile, left_tile) in target.chunks_mut(TILE * stride).zip(left_tiles) {
        for depth in steps(left_columns.len()) {
            let inner = left_columns.start + depth.start..left_columns.start + depth.end;
            let packed = &mut [[A::ZERO; TILE]; DEPTH][..depth.len()];
            pack(packed, left_tile, left.stride, inner);
            let right = Rows { cells: &right.cells[depth.start * right.stride..], ..right };
            accumulate(arithmetic, row_tile, stride, columns.clone(), packed, right);
        }
    }
}

/// The inner side in pieces of at most [`DEPTH`].
fn steps(inner: usize) -> impl Iterator<Item = Range<usize>> {
    (0..inner).step_by(DEPTH).map(move |start| start..inner.min(start + DEPTH))
}

/// Turns a tile's rows of the left factor into columns that a tile's sum reads one by one.
fn pack(packed: &mut [[f64; TILE]], rows: &[f64], stride: usize, columns: Range<usize>) {
    for (at, row) in rows.chunks(stride).enumerate() {
        for (column, &value) in packed.iter_mut().zip(&row[columns.clone()]) {
            column[at] = value;
        }
    }
}

/// One row of tiles: target\[columns\] += packed * right\[columns\], panel by panel.
fn accumulate<A: Arithmetic>(
    arithmetic: A,
    target: &mut [f64],
    stride: usize,
    columns: Range<usize>,
    packed: &[[f64; TILE]],
    right: Rows<'_>,
) {
    let panel = arithmetic.panel();
    arithmetic.vectorize(
        #[inline(always)]
        || {
            let mut at = columns.start;
            while at < columns.end {
                if panel == 2 * TILE && at + panel <= columns.end {
                    sum_tile::<A, { 2 * TILE }>(target, stride, at, packed, right);
                    at += 2 * TILE;
                } else {
                    sum_tile::<A, TILE>(target, stride, at, packed, right);
                    at += TILE;
                }
            }
        },
    );
}

/// The sums of one tile, held in registers while the inner index runs.
#[inline(always)]
fn sum_tile<A: Arithmetic, const COLUMNS: usize>(
    target: &mut [f64],
    stride: usize,
    at: usize,
    packed: &[[f64; TILE]],
    right: Rows<'_>,
) {
    let mut sums = [[A::ZERO; COLUMNS]; TILE];
    for (left, row) in packed.iter().zip(right.cells.chunks(right.stride)) {
        let row: &[f64; COLUMNS] = row[at..].first_chunk().expect("a panel lies within its row");
        for (sums, left) in sums.iter_mut().zip(left) {
            for (sum, right) in sums.iter_mut().zip(row) {
                *sum = A::multiply_add(*left, *right, *sum);
            }
        }
    }
    for (row, sums) in target.chunks_mut(stride).zip(&sums) {
        let row: &mut [f64; COLUMNS] = row[at..].first_chunk_mut().expect("a panel lies within its row");
        for (cell, sum) in row.iter_mut().zip(sums) {
            *cell = A::add(*cell, *sum);
        }
    }
}
