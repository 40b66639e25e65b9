//! Matrix products in whole tiles, where large problems spend nearly all of their time.
//!
//! Every element of a product is a sum of chains of at most [`CHAIN`] fused multiply-adds in the order of the inner
//! index, whatever the width of the vectors and the sizes of the blocks, so that the bits are the same on every
//! processor. All sides are multiples of [`TILE`].

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::arithmetic::{Arithmetic, TILE};

/// How many products are summed before the sum is added to its element.
const CHAIN: usize = 32;

/// How much of the inner side is taken at once: a few columns of the right factor, so deep, stay in the nearest cache
/// while all rows of a band go over them.
const DEPTH: usize = 4 * CHAIN;

/// How many rows are taken at once: their share of the left factor stays in the second cache while all columns go over
/// it. A multiple of six as well as of a tile.
const BAND: usize = 12 * TILE;

/// The most columns that are summed at once: two of the widest vectors.
const WIDEST: usize = 16;

/// Copying columns of the right factor pays from so many rows on.
const COPIED_FROM: usize = 4 * TILE;

/// Copying the left factor pays from so many columns on.
const PACKED_FROM: usize = 32 * TILE;

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
    let mut packed = Vec::new();
    for band in rows.chunks_mut(BAND * stride) {
        for depth in steps(left.len()) {
            let band = Band {
                target: &mut *band,
                stride,
                columns: target.clone(),
                left: Left::Within(left.start + depth.start),
                depth: depth.len(),
                right: right.skip(depth.start),
            };
            arithmetic.accumulate(band, &mut packed);
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
    let mut packed = Vec::new();
    for (at, band) in target.chunks_mut(BAND * stride).enumerate() {
        let left = left.skip(at * BAND);
        for depth in steps(inner) {
            let band = Band {
                target: &mut *band,
                stride,
                columns: columns.clone(),
                left: Left::Other(Rows { first: left.first + depth.start, ..left }),
                depth: depth.len(),
                right: right.skip(depth.start),
            };
            arithmetic.accumulate(band, &mut packed);
        }
    }
}

/// The inner side in pieces of at most [`DEPTH`].
fn steps(inner: usize) -> impl Iterator<Item = Range<usize>> {
    (0..inner).step_by(DEPTH).map(move |start| start..inner.min(start + DEPTH))
}

/// Some rows of a product: target\[columns\] += left * right.
pub(super) struct Band<'a> {
    target: &'a mut [f64],
    stride: usize,
    columns: Range<usize>,
    left: Left<'a>,
    /// The length of the sums, at most [`DEPTH`].
    depth: usize,
    right: Rows<'a>,
}

/// Where the left factor is.
#[derive(Clone, Copy)]
enum Left<'a> {
    /// In the rows of the target, from this column on.
    Within(usize),
    Other(Rows<'a>),
}

impl Band<'_> {
    /// One cell at a time, in any arithmetic.
    pub(super) fn accumulate<A: Arithmetic>(self) {
        for (at, row) in self.target.chunks_mut(self.stride).enumerate() {
            for (to, column) in self.columns.clone().zip(self.right.first..) {
                let left = match self.left {
                    Left::Within(first) => &row[first..],
                    Left::Other(left) => &left.cells[at * left.stride + left.first..],
                };
                let right = self.right.cells[column..].iter().step_by(self.right.stride);
                let products = left[..self.depth].iter().zip(right);
                row[to] = products.fold(row[to], |sum, (&left, &right)| A::multiply_add(left, right, sum));
            }
        }
    }
}

/// A band in vectors, with as many rows at once as the processor has registers for: at least eight sums, so that two
/// multiply-adds, each of which takes four cycles, can begin in every cycle.
pub(super) struct InVectors<'a> {
    pub(super) band: Band<'a>,
    /// Memory for the left factor in another order.
    pub(super) packed: &'a mut Vec<f64>,
}

impl WithSimd for InVectors<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { band, packed } = self;
        let rows = band.target.len() / band.stride;
        if band.columns.len() < PACKED_FROM {
            let left = Factor::InPlace(band.left);
            return band.sum(simd, left, None);
        }
        band.pack::<S>(packed);
        if rows >= COPIED_FROM && band.depth > CHAIN {
            band.sum(simd, Factor::Packed(packed), Some(&mut Copied([0.0; DEPTH * WIDEST])));
        } else {
            band.sum(simd, Factor::Packed(packed), None);
        }
    }
}

/// The left factor where it is, or group after group, each group's rows turned into columns.
#[derive(Clone, Copy)]
enum Factor<'a> {
    InPlace(Left<'a>),
    Packed(&'a [f64]),
}

impl Factor<'_> {
    /// Without the first few rows.
    #[inline(always)]
    fn skip(self, rows: usize, depth: usize) -> Self {
        match self {
            Self::InPlace(Left::Other(left)) => Self::InPlace(Left::Other(left.skip(rows))),
            Self::InPlace(within) => Self::InPlace(within),
            Self::Packed(packed) => Self::Packed(&packed[rows * depth..]),
        }
    }
}

/// A few columns of the right factor, without anything between them. Aligned to cache lines, so that no vector
/// straddles two.
#[repr(align(64))]
struct Copied([f64; DEPTH * WIDEST]);

/// How many rows are summed at once: first so often six, then so often four, then so often eight.
#[inline(always)]
fn groups<S: Simd>(rows: usize) -> [usize; 3] {
    if S::REGISTER_COUNT >= 32 {
        return [0, 0, rows / 8];
    }
    let fours = match rows % 6 {
        0 => 0,
        2 => 2,
        _ => 1,
    };
    [(rows - 4 * fours) / 6, fours, 0]
}

impl Band<'_> {
    /// Copies the left factor as [`Factor::Packed`], whose numbers the sums read one by one.
    #[inline(always)]
    fn pack<S: Simd>(&self, packed: &mut Vec<f64>) {
        let left = match self.left {
            Left::Within(first) => Rows { cells: self.target, stride: self.stride, first },
            Left::Other(left) => left,
        };
        let rows = self.target.len() / self.stride;
        packed.clear();
        packed.resize(rows * self.depth, 0.0);
        let [sixes, fours, eights] = groups::<S>(rows);
        let (packed_sixes, rest) = packed.split_at_mut(6 * sixes * self.depth);
        let (packed_fours, packed_eights) = rest.split_at_mut(4 * fours * self.depth);
        left.pack::<6>(packed_sixes, self.depth);
        left.skip(6 * sixes).pack::<4>(packed_fours, self.depth);
        debug_assert_eq!(packed_eights.len(), 8 * eights * self.depth);
        left.skip(6 * sixes + 4 * fours).pack::<8>(packed_eights, self.depth);
    }

    #[inline(always)]
    fn sum<S: Simd>(mut self, simd: S, left: Factor<'_>, mut copied: Option<&mut Copied>) {
        let mut at = 0;
        while at < self.columns.len() {
            let vectors = if at + 2 * S::F64_LANES <= self.columns.len() { 2 } else { 1 };
            match vectors {
                2 => self.sum_columns::<S, 2>(simd, at, left, copied.as_deref_mut()),
                _ => self.sum_columns::<S, 1>(simd, at, left, copied.as_deref_mut()),
            }
            at += vectors * S::F64_LANES;
        }
    }

    /// The sums of a few columns, `at` columns from the first, over all rows.
    #[inline(always)]
    fn sum_columns<S: Simd, const VECTORS: usize>(
        &mut self,
        simd: S,
        at: usize,
        left: Factor<'_>,
        copied: Option<&mut Copied>,
    ) {
        let right = Rows { first: self.right.first + at, ..self.right };
        let right = match copied {
            Some(copied) => right.copy::<S, VECTORS>(self.depth, copied),
            None => right,
        };
        let (stride, to, depth) = (self.stride, self.columns.start + at, self.depth);
        let [sixes, fours, _] = groups::<S>(self.target.len() / stride);
        if S::REGISTER_COUNT >= 32 {
            return sum_rows::<S, 8, VECTORS>(simd, (self.target, stride, to), (left, depth), right);
        }
        let (target_sixes, target_fours) = self.target.split_at_mut(6 * sixes * stride);
        debug_assert_eq!(target_fours.len(), 4 * fours * stride);
        sum_rows::<S, 6, VECTORS>(simd, (target_sixes, stride, to), (left, depth), right);
        let left = left.skip(6 * sixes, depth);
        sum_rows::<S, 4, VECTORS>(simd, (target_fours, stride, to), (left, depth), right);
    }
}

impl Rows<'_> {
    /// Groups of rows, each group column by column.
    #[inline(always)]
    fn pack<const HEIGHT: usize>(self, packed: &mut [f64], depth: usize) {
        let mut at = self.first;
        for group in packed.chunks_exact_mut(HEIGHT * depth) {
            let (columns, _) = group.as_chunks_mut::<HEIGHT>();
            for row in 0..HEIGHT {
                for (column, &value) in columns.iter_mut().zip(&self.cells[at..]) {
                    column[row] = value;
                }
                at += self.stride;
            }
        }
    }

    /// A few columns of the first rows.
    #[inline(always)]
    fn copy<S: Simd, const VECTORS: usize>(self, rows: usize, copied: &mut Copied) -> Rows<'_> {
        let stride = VECTORS * S::F64_LANES;
        let (to, _) = S::as_mut_simd_f64s(&mut copied.0);
        let (to, _) = to.as_chunks_mut::<VECTORS>();
        let mut from = self.first;
        for to in &mut to[..rows] {
            *to = vectors::<S, VECTORS>(&self.cells[from..]);
            from += self.stride;
        }
        Rows { cells: &copied.0, stride, first: 0 }
    }
}

/// The first few vectors of a row.
#[inline(always)]
fn vectors<S: Simd, const VECTORS: usize>(row: &[f64]) -> [S::f64s; VECTORS] {
    let (row, _) = S::as_simd_f64s(row);
    *row.first_chunk().expect("a tile lies within its row")
}

/// The sums of a few columns, from `to` on, over groups of rows.
#[inline(always)]
fn sum_rows<S: Simd, const HEIGHT: usize, const VECTORS: usize>(
    simd: S,
    (target, stride, to): (&mut [f64], usize, usize),
    (left, depth): (Factor<'_>, usize),
    right: Rows<'_>,
) {
    for (group, target) in target.chunks_mut(HEIGHT * stride).enumerate() {
        for start in (0..depth).step_by(CHAIN) {
            let length = CHAIN.min(depth - start);
            let right = right.skip(start);
            let sums = match left {
                Factor::InPlace(Left::Within(first)) => {
                    let left = Rows { cells: target, stride, first: first + start };
                    sum_in_place::<S, HEIGHT, VECTORS>(simd, length, left, right)
                }
                Factor::InPlace(Left::Other(left)) => {
                    let left = Rows { first: left.first + start, ..left.skip(group * HEIGHT) };
                    sum_in_place::<S, HEIGHT, VECTORS>(simd, length, left, right)
                }
                Factor::Packed(packed) => {
                    let (columns, _) = packed[group * HEIGHT * depth..].as_chunks::<HEIGHT>();
                    let columns = &columns[start..start + length];
                    sum_chains::<S, HEIGHT, VECTORS>(
                        simd,
                        length,
                        #[inline(always)]
                        |row, k| columns[k][row],
                        right,
                    )
                }
            };
            add_to_rows(simd, (&mut target[to..], stride), sums);
        }
    }
}

/// The sums of a few rows of the left factor, which are read where they are.
#[inline(always)]
fn sum_in_place<S: Simd, const HEIGHT: usize, const VECTORS: usize>(
    simd: S,
    length: usize,
    left: Rows<'_>,
    right: Rows<'_>,
) -> [[S::f64s; VECTORS]; HEIGHT] {
    let mut rows: [&[f64]; HEIGHT] = [&[]; HEIGHT];
    for (row, at) in rows.iter_mut().zip((left.first..).step_by(left.stride)) {
        *row = &left.cells[at..][..length];
    }
    sum_chains(
        simd,
        length,
        #[inline(always)]
        |row, k| rows[row][k],
        right,
    )
}

/// One chain for each of a few elements, held in registers while the inner index runs. `left` gives a number by its row and column.
#[inline(always)]
fn sum_chains<S: Simd, const HEIGHT: usize, const VECTORS: usize>(
    simd: S,
    length: usize,
    left: impl Fn(usize, usize) -> f64,
    right: Rows<'_>,
) -> [[S::f64s; VECTORS]; HEIGHT] {
    let mut sums = [[simd.splat_f64s(0.0); VECTORS]; HEIGHT];
    let mut from = right.first;
    for k in 0..length {
        let row = vectors::<S, VECTORS>(&right.cells[from..]);
        for (at, sums) in sums.iter_mut().enumerate() {
            let left = simd.splat_f64s(left(at, k));
            for (sum, right) in sums.iter_mut().zip(row) {
                *sum = simd.mul_add_f64s(left, right, *sum);
            }
        }
        from += right.stride;
    }
    sums
}

#[inline(always)]
fn add_to_rows<S: Simd, const HEIGHT: usize, const VECTORS: usize>(
    simd: S,
    (target, stride): (&mut [f64], usize),
    sums: [[S::f64s; VECTORS]; HEIGHT],
) {
    let mut to = 0;
    for sums in sums {
        let (row, _) = S::as_mut_simd_f64s(&mut target[to..]);
        let row: &mut [_; VECTORS] = row.first_chunk_mut().expect("a tile lies within its row");
        for (cell, sum) in row.iter_mut().zip(sums) {
            *cell = simd.add_f64s(*cell, sum);
        }
        to += stride;
    }
}
