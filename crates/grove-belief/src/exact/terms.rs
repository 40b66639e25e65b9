use grove_tree::Concept;

use super::scaled::Scaled;
use crate::Evidence;
use crate::corrections::Constraints;
use crate::evidence::GivenRates;
use crate::factors::Factor;
use crate::pairs::side;
use crate::table::PairTable;

/// A set of concepts as bits; concept `c` is bit `c - 1`.
pub(super) type Set = usize;

pub(super) fn bit(concept: Concept) -> Set {
    1 << (concept.index() - 1)
}

/// The concepts of a set, from the smallest number.
pub(super) fn members(mut set: Set) -> impl Iterator<Item = Concept> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            Concept::new(lowest + 1)
        })
    })
}

/// All subsets of a set, the empty one first, in the order of their bits.
pub(super) fn subsets(set: Set) -> impl Iterator<Item = Set> {
    std::iter::successors(Some(0), move |&subset: &Set| {
        (subset != set).then(|| subset.wrapping_sub(set) & set)
    })
}

/// The logarithms of all factors of the posterior: S of every ordered pair, and S' of every edge.
pub(super) struct LogTerms {
    count: usize,
    pub(super) path: PairTable<f64>,
    pub(super) edge: PairTable<f64>,
    /// Added for every concept that has others below it.
    pub(super) per_parent: f64,
}

impl LogTerms {
    /// Sorted by concept, so that the order of first votes does not matter.
    pub(super) fn new(evidence: &Evidence, rates: &GivenRates) -> Self {
        let count = evidence.count();
        let mut path = PairTable::new(count, evidence.settings().prior.per_ancestor());
        let mut edge = PairTable::new(count, 0.0);
        let scores = evidence.scores(rates.judge());
        for ((pair, _), score) in evidence.pairs().iter().zip(scores) {
            for (upper, lower) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                path[(upper, lower)] += score.path[side(upper, lower)];
                edge[(upper, lower)] += score.edge[side(upper, lower)];
            }
        }
        let mut factors: Vec<&Factor> = evidence.factors().iter().collect();
        factors.sort();
        for factor in factors {
            for (upper, score) in factor.pair_scores(rates.judge().forms(factor.worker)) {
                path[(upper, factor.lower)] += score;
            }
        }
        Self { count, path, edge, per_parent: evidence.settings().prior.per_parent() }
    }

    pub(super) fn has_edges(&self) -> bool {
        self.edge.values().iter().any(|&log| log != 0.0)
    }
}

/// The factors of the posterior over sets of concepts, zero where corrections forbid.
pub(super) struct Terms {
    count: usize,
    /// For every concept, by the set of concepts below it: the product of its path factors.
    over: Vec<Vec<Scaled>>,
    /// By parent and child; `None` if no vote or correction is about edges, so that the parent of a forest does not matter.
    edge: Option<PairTable<Scaled>>,
}

impl Terms {
    /// O(N 2^N).
    pub(super) fn new(logs: &LogTerms, constraints: &Constraints) -> Self {
        let count = logs.count;
        let over = Concept::all(count).map(|upper| factors_over(upper, logs, constraints)).collect();
        let pinned = Concept::all(count).any(|child| constraints.of(child).parent.is_some());
        let edge = (pinned || logs.has_edges()).then(|| edge_factors(logs, constraints));
        Self { count, over, edge }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The set of all concepts.
    pub(super) fn all(&self) -> Set {
        (1 << self.count) - 1
    }

    /// The number of kinds of parents that matter to a forest: one, or the root and every concept.
    pub(super) fn contexts(&self) -> usize {
        if self.edge.is_some() { self.count + 1 } else { 1 }
    }

    /// The kind of parent that a concept is.
    pub(super) fn context(&self, parent: Concept) -> usize {
        if self.edge.is_some() { parent.index() } else { 0 }
    }

    /// The concepts that can be under a parent of this kind: where kinds matter, no concept is under itself.
    pub(super) fn under(&self, context: usize) -> Set {
        self.all() & !((1 << context) >> 1)
    }

    /// The kinds of parents that a set can be under.
    pub(super) fn contexts_over(&self, set: Set) -> impl Iterator<Item = usize> {
        (0..self.contexts()).filter(move |&context| set & self.under(context) == set)
    }

    /// The product of e^S over the concepts below one, with the prior of parents; zero if corrections rule out exactly this set.
    pub(super) fn over(&self, upper: Concept, below: Set) -> Scaled {
        self.over[upper.index() - 1][below]
    }

    /// e^S' of an edge; zero if the child is pinned elsewhere.
    pub(super) fn edge(&self, context: usize, child: Concept) -> Scaled {
        self.edge.as_ref().map_or(Scaled::ONE, |edge| edge[(Concept::new(context), child)])
    }
}

/// The factors of one concept with every set below it. The set decides all corrections about which concepts are below it,
/// so they are a test on the set.
fn factors_over(upper: Concept, logs: &LogTerms, constraints: &Constraints) -> Vec<Scaled> {
    let as_set = |concepts: &[Concept]| concepts.iter().fold(0, |set, &concept| set | bit(concept));
    let of = constraints.of(upper);
    let (required, forbidden) = (as_set(&of.below), as_set(&of.not_below) | bit(upper));
    let factors: Vec<Scaled> =
        Concept::all(logs.count).map(|lower| Scaled::exp(logs.path[(upper, lower)])).collect();

    let mut products = vec![Scaled::ONE; 1 << logs.count];
    for set in 1..products.len() {
        let lowest = set.trailing_zeros() as usize;
        products[set] = products[set & (set - 1)] * factors[lowest];
    }
    let parent = Scaled::exp(logs.per_parent);
    for (set, product) in products.iter_mut().enumerate() {
        if set != 0 {
            *product = *product * parent;
        }
        if set & required != required || set & forbidden != 0 {
            *product = Scaled::ZERO;
        }
    }
    products
}

fn edge_factors(logs: &LogTerms, constraints: &Constraints) -> PairTable<Scaled> {
    let mut factors = PairTable::new(logs.count, Scaled::ZERO);
    for parent in (0..=logs.count).map(Concept::new) {
        for child in Concept::all(logs.count) {
            if parent != child && constraints.of(child).parent.is_none_or(|pin| pin == parent) {
                factors[(parent, child)] = Scaled::exp(logs.edge[(parent, child)]);
            }
        }
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_subsets_and_members() {
        assert_eq!(subsets(0b1010).collect::<Vec<_>>(), [0, 0b10, 0b1000, 0b1010]);
        assert_eq!(subsets(0).collect::<Vec<_>>(), [0]);
        assert_eq!(members(0b101).collect::<Vec<_>>(), [Concept::new(1), Concept::new(3)]);
    }
}
