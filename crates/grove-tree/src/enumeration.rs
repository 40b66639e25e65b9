//! The plainest oracle there is: every tree, one after another. For tests.

use crate::{Concept, Tree};

/// Every tree of `count` concepts: of all lists of parents those that are trees.
pub(crate) fn all_trees(count: usize) -> Vec<Tree> {
    let lists = (count + 1).pow(count as u32);
    let parents = |list: usize| {
        let digits = std::iter::successors(Some(list), |rest| Some(rest / (count + 1)));
        digits.take(count).map(|rest| Concept::new(rest % (count + 1))).collect::<Vec<_>>()
    };
    (0..lists).filter_map(|list| Tree::from_parents(&parents(list)).ok()).collect()
}
