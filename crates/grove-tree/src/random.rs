use rand::{Rng, RngExt};

use crate::{Concept, Tree};

impl Tree {
    /// Draws one of the (N+1)^(N-1) trees over `count` concepts, all equally probable.
    ///
    /// # Method
    /// A Prüfer (1918) sequence: a list of N-1 of the N+1 nodes, with repetition, encodes one labelled tree. Decoding removes the
    /// smallest leaf again and again. The largest node is never removed, so it serves as the root, and each leaf's neighbour at its removal is
    /// its parent. O(N), N-1 random draws.
    #[must_use]
    pub fn random(count: usize, rng: &mut (impl Rng + ?Sized)) -> Self {
        let sequence: Vec<usize> = (1..count).map(|_| rng.random_range(0..=count)).collect();
        Self::from_parents_unchecked(decode(count, &sequence))
    }
}

/// The parents of the concepts. Concept `j` is node `j - 1` here, and the root is node `count`.
fn decode(count: usize, sequence: &[usize]) -> Vec<Concept> {
    let concept = |node: usize| if node == count { Concept::ROOT } else { Concept::new(node + 1) };
    let mut children_left = vec![0_usize; count + 1];
    for &node in sequence {
        children_left[node] += 1;
    }
    let mut parents = vec![Concept::ROOT; count];
    let mut scan = 0;
    let mut freed = None;
    for &parent in sequence {
        // A node freed behind the scan is smaller than any leaf ahead of it.
        let leaf = freed.take().unwrap_or_else(|| next_leaf(&children_left, &mut scan));
        parents[leaf] = concept(parent);
        children_left[parent] -= 1;
        if children_left[parent] == 0 && parent < scan {
            freed = Some(parent);
        }
    }
    // One edge is left, between the last leaf and the root: its parent was set to the root at the start.
    parents
}

/// The next leaf in order; the scan moves past it.
fn next_leaf(children_left: &[usize], scan: &mut usize) -> usize {
    while children_left[*scan] > 0 {
        *scan += 1;
    }
    *scan += 1;
    *scan - 1
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// Each concept under the root or an earlier concept: a tree, but early concepts are always high up.
    fn recursive_tree(count: usize, rng: &mut ChaCha8Rng) -> Tree {
        let parents: Vec<_> = (0..count).map(|before| Concept::new(rng.random_range(0..=before))).collect();
        Tree::from_parents(&parents).unwrap()
    }

    /// Chi-square of 160,000 draws over the 16 trees of three concepts against evenness.
    fn unevenness(draw: impl Fn(usize, &mut ChaCha8Rng) -> Tree) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut seen: HashMap<Tree, u32> = HashMap::new();
        for _ in 0..160_000 {
            *seen.entry(draw(3, &mut rng)).or_default() += 1;
        }
        let off = |count: u32| (f64::from(count) - 1e4).powi(2) / 1e4;
        seen.values().map(|&count| off(count)).sum::<f64>() + (16 - seen.len()) as f64 * 1e4
    }

    #[test]
    fn every_tree_is_as_likely_as_any_other() {
        // The 1 - 1e-4 quantile of chi-square with 15 degrees of freedom.
        const CRITICAL: f64 = 44.26;
        let found = unevenness(Tree::random);
        assert!(found < CRITICAL, "{found}");
        assert!(unevenness(recursive_tree) > CRITICAL);
    }

    /// By how many standard errors the root of 4,000 trees of 39 concepts has other than 1.95 children in the mean: as
    /// many as a Prüfer sequence names it, Binomial(38, 1/40), and one more.
    fn root_excess(draw: impl Fn(usize, &mut ChaCha8Rng) -> Tree) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        let trees = 4_000;
        let mut children = 0;
        for _ in 0..trees {
            children += draw(39, &mut rng).parents().iter().filter(|parent| parent.is_root()).count();
        }
        let mean = children as f64 / f64::from(trees);
        (mean - 1.95) / (38.0 / 40.0 * 39.0 / 40.0 / f64::from(trees)).sqrt()
    }

    #[test]
    fn large_trees_have_the_right_root() {
        // Two-sided, alpha 1e-4.
        let found = root_excess(Tree::random);
        assert!(found.abs() < 3.9, "{found}");
        assert!(root_excess(recursive_tree).abs() > 3.9);
    }

    #[test]
    fn all_sequences_give_different_trees() {
        for count in 1..=5_usize {
            let sequences = (count + 1).pow(count as u32 - 1);
            let digits =
                |list: usize| (1..count).map(move |at| list / (count + 1).pow(at as u32 - 1) % (count + 1));
            let trees: std::collections::HashSet<Tree> = (0..sequences)
                .map(|list| Tree::from_parents(&decode(count, &digits(list).collect::<Vec<_>>())).unwrap())
                .collect();
            assert_eq!(trees.len(), sequences);
        }
    }

    #[test]
    fn small_and_large() {
        let mut rng = ChaCha8Rng::seed_from_u64(13);
        assert!(Tree::random(0, &mut rng).is_empty());
        assert_eq!(Tree::random(1, &mut rng), Tree::flat(1));
        assert_eq!(Tree::random(10_000, &mut rng).len(), 10_000);
    }
}
