//! All trees by brute force, as the reference for tests.

use crate::{Concept, Tree};

/// All trees over `count` concepts: those lists of parents that form a tree.
pub(crate) fn all_trees(count: usize) -> Vec<Tree> {
    let lists = (count + 1).pow(count as u32);
    let parents = |list: usize| {
        let digits = std::iter::successors(Some(list), |rest| Some(rest / (count + 1)));
        digits.take(count).map(|rest| Concept::new(rest % (count + 1))).collect::<Vec<_>>()
    };
    (0..lists).filter_map(|list| Tree::from_parents(&parents(list)).ok()).collect()
}
