use grove_tree::{Concept, Outline, Tree};
use rand::{Rng, RngExt};

use crate::table::PairTable;

/// Trees with weights that sum to one.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    trees: Vec<(Tree, f64)>,
}

impl Sample {
    /// From trees with the logarithms of their weights, of which some must be finite. Trees without weight are left out.
    pub(super) fn new(trees: Vec<(Tree, f64)>) -> Self {
        let most = trees.iter().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
        let mut weighed: Vec<(Tree, f64)> = trees
            .into_iter()
            .filter(|(_, log)| *log > f64::NEG_INFINITY)
            .map(|(tree, log)| (tree, (log - most).exp()))
            .collect();
        let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
        weighed.iter_mut().for_each(|(_, weight)| *weight /= total);
        Self { trees: weighed }
    }

    pub(super) fn trees(&self) -> &[(Tree, f64)] {
        &self.trees
    }

    /// How many trees of equal weight the sample is worth (Kish 1965): 1 / sum of squared weights.
    pub(super) fn effective(&self) -> f64 {
        1.0 / self.trees.iter().map(|(_, weight)| weight * weight).sum::<f64>()
    }

    /// The share of every edge, child by child, each with its parents `0..=N`. O(N) a tree.
    pub(super) fn edges(&self) -> Vec<f64> {
        let count = self.count();
        let mut shares = vec![0.0; count * (count + 1)];
        for (tree, weight) in &self.trees {
            for (row, parent) in shares.chunks_mut(count + 1).zip(tree.parents()) {
                row[parent.index()] += weight;
            }
        }
        shares
    }

    /// The share of trees in which each concept is above each other. O(N depth) a tree.
    pub(super) fn paths(&self) -> PairTable<f64> {
        let mut shares = PairTable::new(self.count(), 0.0);
        for (tree, weight) in &self.trees {
            for lower in tree.concepts() {
                tree.ancestors(lower).for_each(|upper| shares[(upper, lower)] += weight);
            }
        }
        shares
    }

    fn count(&self) -> usize {
        self.trees[0].0.len()
    }

    /// Draws trees by weight, independent of each other. One draw and O(log trees) per tree.
    pub(super) fn pick(&self, count: usize, rng: &mut impl Rng) -> Vec<Tree> {
        let sums: Vec<f64> = self
            .trees
            .iter()
            .scan(0.0, |sum, (_, weight)| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        // The weights may sum to a rounding error less than one.
        let total = sums[sums.len() - 1];
        let mut one = || {
            let drawn = total * rng.random::<f64>();
            self.trees[sums.partition_point(|sum| *sum <= drawn)].0.clone()
        };
        (0..count).map(|_| one()).collect()
    }

    /// The sample with a new concept, the last in number, placed anywhere in every tree, all places equally probable. `log_weight`
    /// returns the change of the weight from the old to the new tree.
    pub(super) fn with_new_concept(
        &self,
        log_weight: impl Fn(&Tree, &Tree) -> f64,
        rng: &mut impl Rng,
    ) -> Self {
        let grown = self.trees.iter().map(|(tree, weight)| {
            let new = insert_anywhere(tree, rng);
            let log = weight.ln() + log_weight(tree, &new);
            (new, log)
        });
        Self::new(grown.collect())
    }
}

/// Puts a new concept anywhere in a tree: under any parent q, in place of any of q's children, whom it adopts. There are
/// sum over q of 2^deg(q) such places; each is as likely as any other. One draw for q, and one for each of its children. O(N).
pub(super) fn insert_anywhere(tree: &Tree, rng: &mut impl Rng) -> Tree {
    let outline = tree.outline();
    let new = Concept::new(tree.len() + 1);
    let parent = pick_parent(&outline, rng);
    let mut parents: Vec<Concept> = tree.parents().to_vec();
    for child in outline.children(parent) {
        if rng.random() {
            parents[child.index() - 1] = new;
        }
    }
    parents.push(parent);
    Tree::from_parents(&parents).expect("the new concept is between a parent and some of its children")
}

/// A concept or the root, with chances in proportion to 2^deg.
fn pick_parent(outline: &Outline, rng: &mut impl Rng) -> Concept {
    let degree = |concept: &Concept| outline.children(*concept).len();
    let most = outline.order().iter().map(degree).max().unwrap_or(0);
    // Relative to the widest, since 2^deg overflows.
    let weight = |concept: &Concept| (degree(concept) as f64 - most as f64).exp2();
    let total: f64 = outline.order().iter().map(weight).sum();
    let mut left = total * rng.random::<f64>();
    let found = outline.order().iter().find(|concept| {
        left -= weight(concept);
        left < 0.0
    });
    *found.unwrap_or(&Concept::ROOT)
}
