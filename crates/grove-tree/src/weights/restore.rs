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
/// levels have to be kept. O(N^2) memory, N^3/3 to build; a tree takes O(N) for each edge that ever appears. These are N
/// and the re-routed ones, of which there are about N too, because concepts with few children are eliminated first.
/// Two random numbers a concept and one a re-routed edge.
#[derive(Clone, Debug)]
pub(super) struct Restore {
    /// The concepts in the order of restoring, after the root at 0. Below, concepts go by their place in it.
    order: Vec<Concept>,
    stride: usize,
    /// `direct[c][p]`: the weight from c to p before any elimination.
    direct: Vec<f64>,
    /// `factors[c][k]`, k > c: the weight from c to k just before k was eliminated; and
    /// `factors[k][p]`, p < k: the probability of going from k to p at that moment.
    factors: Vec<f64>,
    /// `onward[p][k]` = `factors[k][p]`, so that the terms of an edge's weight stand in two rows.
    onward: Vec<f64>,
    /// Whether all these are logarithms.
    logarithmic: bool,
}

/// Memory that one draw leaves for the next.
#[derive(Default)]
pub(super) struct Scratch {
    /// The present tree.
    parents: Vec<usize>,
    /// The concepts to re-route when k is restored: a chain from `first[k]` along `next`, ended by 0.
    first: Vec<usize>,
    next: Vec<usize>,
    sides: Vec<Side>,
}

/// Where a concept stands when another is about to be restored.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Unknown,
    /// Below a child that is re-routed, or that child.
    CutOff,
    /// Still below the root.
    Free,
}

impl Restore {
    /// Every concept must be able to reach the root.
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
            self.draw_by::<Logarithmic, _>(scratch, rng, Self::choose_parent::<Logarithmic>);
        } else {
            Arch::new().dispatch(Draw { restore: self, scratch, rng });
        }
        for (child, &parent) in scratch.parents.iter().enumerate().skip(1) {
            parents[self.order[child].index()] = self.order[parent];
        }
    }

    /// `choose` gives the parent of a restored concept, from a random number in [0, 1).
    #[inline(always)]
    fn draw_by<A: Arithmetic, R: Rng>(
        &self,
        scratch: &mut Scratch,
        rng: &mut R,
        choose: impl Fn(&Self, usize, &mut Scratch, f64) -> usize,
    ) {
        let count = self.order.len() - 1;
        scratch.parents.clear();
        scratch.parents.push(0);
        scratch.next.resize(count + 1, 0);
        scratch.first.clear();
        scratch.first.resize(count + 1, 0);
        for k in 1..=count {
            let parent = choose(self, k, scratch, rng.random());
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

    /// Which of the concepts that are still to be restored takes over the edge from `child` to `parent`, if any: draws
    /// among the terms that the edge's weight is now the sum of.
    #[inline(always)]
    fn draw_fate<A: Arithmetic>(&self, child: usize, parent: usize, scratch: &mut Scratch, uniform: f64) {
        let from = child.max(parent) + 1;
        let direct = self.direct[child * self.stride + parent];
        let through = &self.factors[child * self.stride + from..(child + 1) * self.stride];
        let onward = &self.onward[parent * self.stride + from..(parent + 1) * self.stride];
        let threshold = A::multiply(A::of(uniform), A::add(direct, dot::<A>(through, onward)));
        let mut sum = direct;
        if threshold < sum {
            return;
        }
        // Should rounding leave the threshold above all sums, the last possible term is taken.
        let mut taken_over_by = 0;
        for (k, (&through, &onward)) in (from..).zip(through.iter().zip(onward)) {
            let term = A::multiply(through, onward);
            if term > A::ZERO {
                taken_over_by = k;
                sum = A::add(sum, term);
                if threshold < sum {
                    break;
                }
            }
        }
        if taken_over_by != 0 {
            scratch.next[child] = scratch.first[taken_over_by];
            scratch.first[taken_over_by] = child;
        }
    }

    /// Draws a parent for `k` among the concepts that are not below a re-routed child.
    #[inline(always)]
    fn choose_parent<A: Arithmetic>(&self, k: usize, scratch: &mut Scratch, uniform: f64) -> usize {
        scratch.find_sides(k);
        let row = &self.factors[k * self.stride..k * self.stride + k];
        let allowed =
            || row.iter().zip(&scratch.sides).enumerate().filter(|(_, (_, side))| **side == Side::Free);
        let total = allowed().fold(A::ZERO, |sum, (_, (&weight, _))| A::add(sum, weight));
        let threshold = A::multiply(A::of(uniform), total);
        let (mut sum, mut chosen) = (A::ZERO, 0);
        for (parent, (&weight, _)) in allowed().filter(|(_, (weight, _))| **weight > A::ZERO) {
            (sum, chosen) = (A::add(sum, weight), parent);
            if threshold < sum {
                break;
            }
        }
        chosen
    }
}

impl Scratch {
    /// Before `k` is restored: which concepts are below the children that will be re-routed to it. O(k).
    fn find_sides(&mut self, k: usize) {
        self.sides.clear();
        if self.first[k] == 0 {
            return self.sides.resize(k, Side::Free);
        }
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

/// The elimination with plain numbers, unless these fall too low.
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

/// Eliminates the concepts one by one, the last of the order first. Also gives the smallest pivot.
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
        let choose = Restore::choose_parent::<Linear<S>>;
        self.restore.draw_by::<Linear<S>, R>(self.scratch, self.rng, choose);
    }
}
