//! Independent trees by running the elimination backwards, at a cost that does not depend on the weights' spread.

use pulp::{Arch, Simd, WithSimd};
use rand::{Rng, RngExt};

use super::arithmetic::{Arithmetic, Linear, Logarithmic};
use super::network::dot;
use super::partition::SMALLEST_PIVOT;
use super::{EdgeMarginals, EdgeWeights};
use crate::Concept;

/// Draws trees by restoring the concepts one by one, in the reverse order of an elimination.
///
/// # Formula
/// Eliminating k turns the weight from child c to parent p into w''(c,p) = w'(c,p) + w'(c,k) w'(k,p) / d_k. Read
/// backwards: given a tree without k, each edge c->p goes through k with the probability that the second term has in the
/// sum, independently of the others; then k draws its parent with probability proportional to w'(k,p) among the
/// concepts that are not below a re-routed child. This gives a tree with k from the right distribution, since the ways to
/// hang the re-routed subtrees together by w'(k,.)/d_k sum to the weight of k's allowed parents (Cayley's formula with
/// weights).
///
/// A present edge meets its second terms one after the other, so the concept that takes it over is drawn at once when the
/// edge appears, with probability proportional to the terms: one sum of at most N products, and no weights of intermediate
/// levels have to be kept. O(N^2) memory, N^3/3 to build; a tree takes O(N) for each edge that ever appears. There are N
/// such edges, and about N re-routed ones, because concepts with few children are eliminated first.
/// Two or three random numbers a concept and one a re-routed edge.
#[derive(Clone, Debug)]
pub(super) struct Restore {
    /// The concepts in the order of restoring, after the root at 0. All other fields use positions in this order.
    order: Vec<Concept>,
    stride: usize,
    /// `direct[c][p]`: the weight from c to p before any elimination.
    direct: Vec<f64>,
    /// `factors[c][k]`, k > c: the weight from c to k just before k was eliminated; and
    /// `factors[k][p]`, p < k: the probability of going from k to p at that moment.
    factors: Vec<f64>,
    /// `onward[p][k]` = `factors[k][p]`, so that the terms of an edge's weight are in two rows.
    onward: Vec<f64>,
    /// Whether the numbers are logarithms.
    logarithmic: bool,
}

/// Working memory, kept between draws.
#[derive(Default)]
pub(super) struct Scratch {
    /// The present tree.
    parents: Vec<usize>,
    /// The concepts to re-route when k is restored: a chain from `first[k]` along `next`, ended by 0.
    first: Vec<usize>,
    next: Vec<usize>,
    /// The concept that will re-route a concept's present edge when it is restored; 0 if none will.
    fates: Vec<usize>,
    sides: Vec<Side>,
}

/// Whether a concept may be the parent of one that is being restored.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Unknown,
    /// Below a child that is re-routed, or that child.
    CutOff,
    /// Still below the root.
    Free,
}

impl Restore {
    /// Every concept must have a path to the root.
    pub(super) fn new(weights: &EdgeWeights, marginals: &EdgeMarginals) -> Self {
        let order = order(marginals);
        Arch::new().dispatch(Build { weights, order: &order }).unwrap_or_else(|| {
            let (restore, _) = build(Logarithmic, weights, &order);
            Self { logarithmic: true, ..restore }
        })
    }

    /// Draws one tree into `parents`, which holds one entry per concept and the root's at 0.
    pub(super) fn draw(&self, parents: &mut [Concept], scratch: &mut Scratch, rng: &mut impl Rng) {
        if self.logarithmic {
            self.draw_by::<Logarithmic, _>(scratch, rng, Self::choose_parent::<Logarithmic, _>);
        } else {
            Arch::new().dispatch(Draw { restore: self, scratch, rng });
        }
        for (child, &parent) in scratch.parents.iter().enumerate().skip(1) {
            parents[self.order[child].index()] = self.order[parent];
        }
    }

    /// `choose` gives the parent of a restored concept.
    #[inline(always)]
    fn draw_by<A: Arithmetic, R: Rng>(
        &self,
        scratch: &mut Scratch,
        rng: &mut R,
        choose: impl Fn(&Self, usize, &mut Scratch, &mut R) -> usize,
    ) {
        let count = self.order.len() - 1;
        scratch.parents.clear();
        scratch.parents.push(0);
        scratch.next.resize(count + 1, 0);
        scratch.fates.clear();
        scratch.fates.resize(count + 1, 0);
        scratch.first.clear();
        scratch.first.resize(count + 1, 0);
        for k in 1..=count {
            let parent = choose(self, k, scratch, rng);
            let mut child = scratch.first[k];
            while child != 0 {
                let next = scratch.next[child];
                scratch.parents[child] = k;
                self.draw_fate::<A>(child, k, scratch, rng.random());
                child = next;
            }
            scratch.parents.push(parent);
            self.draw_fate::<A>(k, parent, scratch, rng.random());
        }
    }

    /// Draws which of the concepts still to be restored re-routes the edge from `child` to `parent`, if any: one of the
    /// terms whose sum is the edge's present weight.
    #[inline(always)]
    fn draw_fate<A: Arithmetic>(&self, child: usize, parent: usize, scratch: &mut Scratch, uniform: f64) {
        let from = child.max(parent) + 1;
        let direct = self.direct[child * self.stride + parent];
        let through = &self.factors[child * self.stride + from..(child + 1) * self.stride];
        let onward = &self.onward[parent * self.stride + from..(parent + 1) * self.stride];
        let threshold = A::multiply(A::of(uniform), A::add(direct, dot::<A>(through, onward)));
        scratch.fates[child] = 0;
        if threshold < direct {
            return;
        }
        let (mut sum, mut fate) = (direct, 0);
        for (k, (&through, &onward)) in (from..).zip(through.iter().zip(onward)) {
            let term = A::multiply(through, onward);
            if term > A::ZERO {
                (sum, fate) = (A::add(sum, term), k);
                if threshold < sum {
                    break;
                }
            }
        }
        // Rounding may leave the threshold above all sums; then the last possible concept is taken.
        scratch.fates[child] = fate;
        if fate != 0 {
            scratch.next[child] = scratch.first[fate];
            scratch.first[fate] = child;
        }
    }

    /// Draws a parent for `k` among the concepts that are not below a re-routed child: first among all, and only if
    /// that one is excluded, among the others. Both together have the probabilities of the second alone.
    #[inline(always)]
    fn choose_parent<A: Arithmetic, R: Rng>(&self, k: usize, scratch: &mut Scratch, rng: &mut R) -> usize {
        let row = &self.factors[k * self.stride..k * self.stride + k];
        let first_try = pick::<A>(A::of(rng.random()), row.iter().copied());
        if !scratch.is_cut_off(first_try, k) {
            return first_try;
        }
        scratch.find_sides(k);
        let free =
            || row.iter().zip(&scratch.sides).map(|(&p, side)| if *side == Side::Free { p } else { A::ZERO });
        let total = free().fold(A::ZERO, A::add);
        pick::<A>(A::multiply(A::of(rng.random()), total), free())
    }
}

/// The first place where the sum of the weights so far exceeds the threshold; if rounding leaves none, the last
/// place of positive weight.
#[inline(always)]
fn pick<A: Arithmetic>(threshold: f64, weights: impl Iterator<Item = f64>) -> usize {
    let (mut sum, mut last) = (A::ZERO, 0);
    for (at, weight) in weights.enumerate() {
        if weight > A::ZERO {
            (sum, last) = (A::add(sum, weight), at);
            if threshold < sum {
                break;
            }
        }
    }
    last
}

impl Scratch {
    /// Whether a concept is below, or is, a child that will be re-routed to `k`. O(depth).
    fn is_cut_off(&self, concept: usize, k: usize) -> bool {
        let mut at = concept;
        while at != 0 && self.fates[at] != k {
            at = self.parents[at];
        }
        at != 0
    }

    /// The same for all concepts at once. O(k).
    fn find_sides(&mut self, k: usize) {
        self.sides.clear();
        self.sides.resize(k, Side::Unknown);
        self.sides[0] = Side::Free;
        let mut child = self.first[k];
        while child != 0 {
            self.sides[child] = Side::CutOff;
            child = self.next[child];
        }
        for start in 1..k {
            let mut known = start;
            while self.sides[known] == Side::Unknown {
                known = self.parents[known];
            }
            let side = self.sides[known];
            let mut at = start;
            while self.sides[at] == Side::Unknown {
                self.sides[at] = side;
                at = self.parents[at];
            }
        }
    }
}

/// The root, then the concepts by decreasing expected number of children.
fn order(marginals: &EdgeMarginals) -> Vec<Concept> {
    let mut children = vec![0.0; marginals.len() + 1];
    for child in Concept::all(marginals.len()) {
        for (sum, probability) in children.iter_mut().zip(marginals.incoming(child)) {
            *sum += probability;
        }
    }
    let mut order: Vec<Concept> = Concept::all(marginals.len()).collect();
    order.sort_by(|a, b| children[b.index()].total_cmp(&children[a.index()]));
    order.insert(0, Concept::ROOT);
    order
}

/// The elimination with plain numbers, unless these get too small.
struct Build<'a> {
    weights: &'a EdgeWeights,
    order: &'a [Concept],
}

impl WithSimd for Build<'_> {
    type Output = Option<Restore>;

    fn with_simd<S: Simd>(self, simd: S) -> Option<Restore> {
        let (restore, smallest_pivot) = build(Linear(simd), self.weights, self.order);
        (smallest_pivot >= SMALLEST_PIVOT).then_some(restore)
    }
}

/// Eliminates the concepts one by one, the last of the order first. Also returns the smallest pivot.
fn build<A: Arithmetic>(arithmetic: A, weights: &EdgeWeights, order: &[Concept]) -> (Restore, f64) {
    let stride = order.len();
    let mut direct = vec![f64::NEG_INFINITY; stride * stride];
    for (&child, row) in order.iter().zip(direct.chunks_mut(stride)).skip(1) {
        let incoming = weights.incoming(child);
        let largest = incoming.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (&parent, cell) in order.iter().zip(row) {
            *cell = incoming[parent.index()] - largest;
        }
    }
    arithmetic.exponentiate(&mut direct);
    let mut factors = direct.clone();
    let mut smallest_pivot = f64::INFINITY;
    for k in (1..stride).rev() {
        let (others, rest) = factors.split_at_mut(k * stride);
        let own = &mut rest[..k];
        let pivot = own.iter().copied().fold(A::ZERO, A::add);
        smallest_pivot = if pivot < smallest_pivot || pivot.is_nan() { pivot } else { smallest_pivot };
        let inverse = A::reciprocal(pivot);
        for weight in own.iter_mut() {
            *weight = A::multiply(*weight, inverse);
        }
        arithmetic.vectorize(
            #[inline(always)]
            || {
                for row in others.chunks_mut(stride).skip(1) {
                    let factor = row[k];
                    for (cell, weight) in row[..k].iter_mut().zip(&*own) {
                        *cell = A::multiply_add(factor, *weight, *cell);
                    }
                }
            },
        );
    }
    let mut onward = vec![A::ZERO; stride * stride];
    for (k, row) in factors.chunks(stride).enumerate() {
        for (parent, &probability) in row[..k].iter().enumerate() {
            onward[parent * stride + k] = probability;
        }
    }
    let restore = Restore { order: order.to_vec(), stride, direct, factors, onward, logarithmic: false };
    (restore, smallest_pivot)
}

/// One tree in plain numbers.
struct Draw<'a, R> {
    restore: &'a Restore,
    scratch: &'a mut Scratch,
    rng: &'a mut R,
}

impl<R: Rng> WithSimd for Draw<'_, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let choose = Restore::choose_parent::<Linear<S>, R>;
        self.restore.draw_by::<Linear<S>, R>(self.scratch, self.rng, choose);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Tree;

    /// How many of 10,000 draws have a cycle when `choose` picks the parents of restored concepts.
    fn cycles(choose: impl Fn(&Restore, usize, &mut Scratch, &mut ChaCha8Rng) -> usize) -> usize {
        let weights = EdgeWeights::uniform(6);
        let restore = Restore::new(&weights, &weights.marginals().unwrap());
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut scratch = Scratch::default();
        let mut has_cycle = || {
            restore.draw_by::<Linear<pulp::Scalar>, _>(&mut scratch, &mut rng, &choose);
            let parents: Vec<Concept> = scratch.parents[1..].iter().copied().map(Concept::new).collect();
            Tree::from_parents(&parents).is_err()
        };
        (0..10_000).filter(|_| has_cycle()).count()
    }

    #[test]
    fn choosing_a_cut_off_parent_would_make_cycles() {
        let plain = Restore::choose_parent::<Linear<pulp::Scalar>, _>;
        assert_eq!(cycles(plain), 0);
        // At the last concept only: with a cycle in the tree, restoring the next concept would never end.
        let first_rerouted =
            |restore: &Restore, k: usize, scratch: &mut Scratch, rng: &mut ChaCha8Rng| match scratch.first[k]
            {
                child if child != 0 && k == 6 => scratch.parents[child],
                _ => plain(restore, k, scratch, rng),
            };
        assert!(cycles(first_rerouted) > 0);
    }

    #[test]
    fn logarithms_draw_the_same_trees() {
        let weights =
            EdgeWeights::from_fn(9, |parent, child| ((parent.index() * 7 + child.index() * 3) % 5) as f64);
        let (weights, mut parents) = (weights.unwrap(), vec![Concept::ROOT; 10]);
        let marginals = weights.marginals().unwrap();
        let plain = Restore::new(&weights, &marginals);
        let (logarithmic, _) = build(Logarithmic, &weights, &plain.order);
        let logarithmic = Restore { logarithmic: true, ..logarithmic };
        let mut draws = |restore: &Restore| {
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            let mut scratch = Scratch::default();
            let mut draw = || {
                restore.draw(&mut parents, &mut scratch, &mut rng);
                parents.clone()
            };
            (0..1000).map(|_| draw()).collect::<Vec<_>>()
        };
        assert_eq!(draws(&plain), draws(&logarithmic));
    }
}
