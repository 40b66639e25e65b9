//! The elimination within one tile, where rows are short enough to be processed one by one.

use super::arithmetic::{Arithmetic, TILE};

/// One number per concept of a tile.
pub(super) type Lanes = [f64; TILE];
/// One number per pair of concepts of a tile.
pub(super) type Square = [Lanes; TILE];

/// Aligned to cache lines, so that no vector straddles two.
#[repr(align(64))]
struct Aligned<T>(T);

/// The expected visits of the walk among the concepts of a tile before it leaves them, divided by each concept's total
/// weight: with D the totals, (D - W)^-1, by Gauss-Jordan elimination. The second result is the pivots.
///
/// `outside` is each concept's weight of leaving the tile. The total is the sum of the remaining weights, which avoids
/// subtraction (Grassmann, Taksar and Heyman 1985).
#[inline(always)]
pub(super) fn visits<A: Arithmetic>(weights: Square, mut outside: Lanes) -> (Square, Lanes) {
    let Aligned(weights) = &mut Aligned(weights);
    let Aligned(visits) = &mut Aligned([[A::ZERO; TILE]; TILE]);
    for (at, row) in visits.iter_mut().enumerate() {
        row[at] = A::ONE;
    }
    let mut pivots = [A::ONE; TILE];
    for k in 0..TILE {
        // In pairs, because each sum depends on the one before.
        let pivot = weights[k][k + 1..].chunks(2).fold(outside[k], |sum, pair| {
            A::add(sum, if let [a, b] = *pair { A::add(a, b) } else { pair[0] })
        });
        pivots[k] = pivot;
        let inverse = [A::reciprocal(pivot); TILE];
        let (through, arrivals) = (multiply::<A>(&weights[k], &inverse), multiply::<A>(&visits[k], &inverse));
        let left = A::multiply(outside[k], inverse[0]);
        for i in 0..TILE {
            let factor = weights[i][k];
            outside[i] = A::multiply_add(factor, left, outside[i]);
            weights[i] = multiply_add::<A>(&[factor; TILE], &through, &weights[i]);
            visits[i] = multiply_add::<A>(&[factor; TILE], &arrivals, &visits[i]);
        }
        (weights[k], visits[k], outside[k]) = (through, arrivals, left);
    }
    (*visits, pivots)
}

/// `escape[x][j]`: the probability that the walk from x reaches the root before it hits j, in a network of one tile.
///
/// Lane j eliminates every concept but j, which absorbs the walk with value 0 as the root does with value 1; all
/// lanes run at once. The second result is the pivots of the lane that keeps the last concept.
#[inline(always)]
pub(super) fn escape<A: Arithmetic>(weights: &Square, exits: &Lanes) -> (Square, Lanes) {
    // Weight of going to the root, to the lane's absorbing concept, to the others.
    let Aligned(to_root) = &mut Aligned([[A::ZERO; TILE]; TILE]);
    let Aligned(to_kept) = &mut Aligned(*weights);
    let Aligned(to) = &mut Aligned([[[A::ZERO; TILE]; TILE]; TILE]);
    for i in 0..TILE {
        to_root[i] = [exits[i]; TILE];
        for p in 0..TILE {
            to[i][p] = zero_at::<A>(p, &[weights[i][p]; TILE]);
        }
    }
    let mut pivots = [A::ONE; TILE];
    for k in 0..TILE {
        let mut total = add::<A>(&to_root[k], &to_kept[k]);
        for pair in to[k][k + 1..].chunks(2) {
            let sum = if let [a, b] = pair { add::<A>(a, b) } else { pair[0] };
            total = add::<A>(&total, &sum);
        }
        pivots[k] = total[TILE - 1];
        let mut inverse = total;
        for inverse in &mut inverse {
            *inverse = A::reciprocal(*inverse);
        }
        to_root[k] = multiply::<A>(&to_root[k], &inverse);
        to_kept[k] = multiply::<A>(&to_kept[k], &inverse);
        for weight in &mut to[k][k + 1..] {
            *weight = multiply::<A>(weight, &inverse);
        }
        let through = to[k];
        for i in k + 1..TILE {
            let factor = to[i][k];
            to_root[i] = multiply_add::<A>(&factor, &to_root[k], &to_root[i]);
            to_kept[i] = multiply_add::<A>(&factor, &to_kept[k], &to_kept[i]);
            for (weight, through) in to[i][k + 1..].iter_mut().zip(&through[k + 1..]) {
                *weight = multiply_add::<A>(&factor, through, weight);
            }
        }
    }
    let escape = to_root;
    for k in (0..TILE).rev() {
        for p in k + 1..TILE {
            escape[k] = multiply_add::<A>(&to[k][p], &escape[p], &escape[k]);
        }
        escape[k] = zero_at::<A>(k, &escape[k]);
    }
    let last = TILE - 1;
    pivots[last] =
        (0..last).fold(exits[last], |sum, p| A::multiply_add(weights[last][p], escape[p][last], sum));
    (*escape, pivots)
}

#[inline(always)]
fn add<A: Arithmetic>(a: &Lanes, b: &Lanes) -> Lanes {
    std::array::from_fn(|lane| A::add(a[lane], b[lane]))
}

/// Without branches or single stores, which would prevent vector instructions.
#[inline(always)]
fn zero_at<A: Arithmetic>(zeroed: usize, a: &Lanes) -> Lanes {
    std::array::from_fn(|lane| if lane == zeroed { A::ZERO } else { a[lane] })
}

#[inline(always)]
fn multiply<A: Arithmetic>(a: &Lanes, b: &Lanes) -> Lanes {
    std::array::from_fn(|lane| A::multiply(a[lane], b[lane]))
}

#[inline(always)]
fn multiply_add<A: Arithmetic>(a: &Lanes, b: &Lanes, c: &Lanes) -> Lanes {
    std::array::from_fn(|lane| A::multiply_add(a[lane], b[lane], c[lane]))
}

/// The tile whose top left corner is the first row's cell `at`.
#[inline(always)]
pub(super) fn load(rows: &[f64], stride: usize, at: usize) -> Square {
    std::array::from_fn(|row| *rows[row * stride + at..].first_chunk().expect("a tile lies within its rows"))
}

/// Writes a tile to where [`load`] reads it.
#[inline(always)]
pub(super) fn store(rows: &mut [f64], stride: usize, at: usize, tile: &Square) {
    for (row, lanes) in tile.iter().enumerate() {
        *rows[row * stride + at..].first_chunk_mut().expect("a tile lies within its rows") = *lanes;
    }
}
