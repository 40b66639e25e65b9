use grove_tree::{Concept, Tree};
use rand::{Rng, RngExt};

use super::scaled::{Pool, Scaled};
use super::terms::{Set, Terms, bit, members, subsets};

/// The total weight of all trees and of all forests over every set of concepts.
///
/// # Formula
/// With e^S and e^S' the factors of [`Terms`], the forests under r, and the trees under r with their top c, are
///
/// F_r(A) = sum over B with min A in B, B within A, of T_r(B) F_r(A \ B), F_r(empty) = 1,
/// T_r(B) = sum over c in B of e^S'_rc prod over j in B \ c of e^S_cj F_c(B \ c),
///
/// and F_root(all) sums the whole posterior. Splitting off the block of the smallest number counts every forest once. Without
/// edge factors it does not matter what r is, and one table serves all.
///
/// O(3^N), or O(N 3^N) with edge factors.
pub(super) struct Inside {
    /// By context, then by set.
    forests: Vec<Vec<Scaled>>,
    trees: Vec<Vec<Scaled>>,
}

impl Inside {
    /// Sums over trees, if alternatives are pooled by their total; if by the largest, finds the weight of the best.
    pub(super) fn new<P: Pool>(terms: &Terms) -> Self {
        let empty = vec![vec![Scaled::ZERO; terms.all() + 1]; terms.contexts()];
        let mut inside = Self { forests: empty.clone(), trees: empty };
        inside.forests.iter_mut().for_each(|forests| forests[0] = Scaled::ONE);
        for set in 1..=terms.all() {
            let topped: Vec<_> = members(set).map(|top| (top, inside.topped(terms, top, set))).collect();
            for context in terms.contexts_over(set) {
                let (trees, forests) = (&mut inside.trees[context], &mut inside.forests[context]);
                trees[set] = P::pool(topped.iter().map(|&(top, weight)| (terms.edge(context, top), weight)));
                forests[set] = P::pool(blocks(set).map(|block| (trees[block], forests[set ^ block])));
            }
        }
        inside
    }

    /// The weight of all forests under a parent of this kind.
    pub(super) fn forests(&self, context: usize) -> &[Scaled] {
        &self.forests[context]
    }

    /// The weight of all trees over a set with this top, without the edge above the top.
    pub(super) fn topped(&self, terms: &Terms, top: Concept, set: Set) -> Scaled {
        let below = set ^ bit(top);
        terms.over(top, below) * self.forests[terms.context(top)][below]
    }

    /// The weight of everything: Z.
    pub(super) fn total(&self, terms: &Terms) -> Scaled {
        self.forests[0][terms.all()]
    }

    /// Undoes the sums from the top: splits every forest into blocks and gives every block its top, as picked among the
    /// alternatives. 2N picks.
    pub(super) fn unfold(&self, terms: &Terms, picker: &mut impl Pick) -> Tree {
        let mut parents = vec![Concept::ROOT; terms.count()];
        let mut pending = vec![(Concept::ROOT, terms.all())];
        while let Some((parent, set)) = pending.pop() {
            if set == 0 {
                continue;
            }
            let context = terms.context(parent);
            let (trees, forests) = (&self.trees[context], &self.forests[context]);
            let per_forest = forests[set].inverse();
            let splits = blocks(set)
                .map(|block| (block, Scaled::share(trees[block], forests[set ^ block], per_forest)));
            let block = picker.pick(splits);
            let per_tree = trees[block].inverse();
            let tops = members(block).map(|top| {
                let weight = self.topped(terms, top, block);
                (top, Scaled::share(terms.edge(context, top), weight, per_tree))
            });
            let top = picker.pick(tops);
            parents[top.index() - 1] = parent;
            pending.push((parent, set ^ block));
            pending.push((top, block ^ bit(top)));
        }
        Tree::from_parents(&parents).expect("every concept is under one that was placed before it")
    }
}

/// The blocks that can hold a set's smallest number, itself alone first.
fn blocks(set: Set) -> impl Iterator<Item = Set> {
    let lowest = set & set.wrapping_neg();
    subsets(set ^ lowest).map(move |others| lowest | others)
}

/// A way to pick one of several alternatives, each with its share of their total.
pub(super) trait Pick {
    fn pick<T: Copy>(&mut self, options: impl Iterator<Item = (T, f64)>) -> T;
}

const SOME: &str =
    "corrections are only kept if some tree fulfils them, so there is an alternative of positive weight";

/// Picks by chance, in proportion to the shares. One draw.
pub(super) struct ByChance<'a>(pub(super) &'a mut dyn Rng);

impl Pick for ByChance<'_> {
    fn pick<T: Copy>(&mut self, options: impl Iterator<Item = (T, f64)>) -> T {
        let mut left: f64 = self.0.random();
        let mut last = None;
        for (option, share) in options {
            if share > 0.0 {
                left -= share;
                last = Some(option);
                if left < 0.0 {
                    break;
                }
            }
        }
        // The shares may sum to a rounding error less than one.
        last.expect(SOME)
    }
}

/// Picks the best: the one whose share is all, when totals are maxima. Of several, the first.
pub(super) struct TheBest;

/// Equal products multiplied in different orders differ by rounding; what is closer to the best than this is a tie.
const TIE: f64 = 1e-12;

impl Pick for TheBest {
    fn pick<T: Copy>(&mut self, mut options: impl Iterator<Item = (T, f64)>) -> T {
        options.find(|&(_, share)| share >= 1.0 - TIE).expect(SOME).0
    }
}
