//! Path and edge marginals, from the largest set of concepts down.
//!
//! # Formula
//! With F, T of [`Inside`], D_r(X) is the chance that exactly the set X is below r, and H_r(B) the chance that
//! the set B is one subtree directly under r:
//!
//! D_root(all) = 1,
//! H_r(B) = sum over X that hold B of D_r(X) T_r(B) F_r(X \ B) / F_r(X),
//! D_c(B \ c) = sum over r of H_r(B) e^S'_rc prod over j in B \ c of e^S_cj F_c(B \ c) / T_r(B).
//!
//! D_c(X) summed over the X that hold j is the path from c to j. The term of r in the last line summed over B is the edge from r to c.
//! Everything is a sum of positive numbers, and every D and H a probability.

use grove_tree::Concept;

use super::inside::Inside;
use super::scaled::{Pool, Scaled, Total};
use super::terms::{Set, Terms, bit, members, subsets};
use crate::table::PairTable;

/// The probability of every path, and for every set that exactly this set is below a concept.
pub(super) struct Paths {
    /// D by r and set.
    below: Vec<Vec<Scaled>>,
    chances: PairTable<f64>,
}

impl Paths {
    /// O(3^N), or O(N 3^N) with edge factors: where parents need not be distinguished, D and H are summed over them.
    pub(super) fn new(terms: &Terms, inside: &Inside) -> Self {
        let sets = terms.all() + 1;
        let mut below = vec![vec![Scaled::ZERO; sets]; terms.count() + 1];
        below[Concept::ROOT.index()][terms.all()] = Scaled::ONE;
        let mut chances = PairTable::new(terms.count(), 0.0);
        // D / F by context and set.
        let mut around = vec![vec![Scaled::ZERO; sets]; terms.contexts()];
        for set in (1..sets).rev() {
            for (context, around) in around.iter_mut().enumerate() {
                let per_forest = inside.forests(context)[set].inverse();
                let parents =
                    below.iter().enumerate().filter(|(r, _)| terms.context(Concept::new(*r)) == context);
                around[set] = Total::pool(parents.map(|(_, chances)| (chances[set], per_forest)));
            }
            let hanging = Vec::from_iter(terms.contexts_over(set).map(|context| {
                let beside = terms.under(context) ^ set;
                (context, hanging(inside.forests(context), &around[context], set, beside))
            }));
            for top in members(set) {
                let by_parent = hanging.iter().map(|&(context, weight)| (terms.edge(context, top), weight));
                let weight = Total::pool(by_parent) * inside.topped(terms, top, set);
                below[top.index()][set ^ bit(top)] = weight;
                let chance = weight.value();
                members(set ^ bit(top)).for_each(|lower| chances[(top, lower)] += chance);
            }
        }
        Self { below, chances }
    }

    /// P(`upper` above `lower`), of two concepts.
    pub(super) fn chance(&self, upper: Concept, lower: Concept) -> f64 {
        self.chances[(upper, lower)]
    }

    /// P(nothing is below a concept).
    pub(super) fn leaf(&self, concept: Concept) -> f64 {
        self.below[concept.index()][0].value()
    }
}

/// The probability of every edge. O(N 3^N).
pub(super) fn edges(terms: &Terms, inside: &Inside, paths: &Paths) -> PairTable<f64> {
    let mut chances = PairTable::new(terms.count(), 0.0);
    for parent in (0..=terms.count()).map(Concept::new) {
        let context = terms.context(parent);
        let forests = inside.forests(context);
        let below = &paths.below[parent.index()];
        let around: Vec<_> =
            below.iter().zip(forests).map(|(&chance, weight)| chance * weight.inverse()).collect();
        let others = if parent.is_root() { terms.all() } else { terms.all() ^ bit(parent) };
        for set in subsets(others).skip(1) {
            let hanging = hanging(forests, &around, set, others ^ set);
            for top in members(set) {
                let weight = inside.topped(terms, top, set);
                chances[(parent, top)] += Scaled::share(terms.edge(context, top), hanging, weight);
            }
        }
    }
    chances
}

/// H / T of a set, from F and D / F: the sum over all sets that may be beside it.
fn hanging(forests: &[Scaled], around: &[Scaled], set: Set, free: Set) -> Scaled {
    Total::pool(subsets(free).map(|beside| (forests[beside], around[set | beside])))
}
