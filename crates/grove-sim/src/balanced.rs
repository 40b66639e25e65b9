use grove_tree::{Concept, Tree};

use crate::Error;

/// A tree filled level by level: the root and every concept take `branching` children before the next one does.
///
/// # Errors
/// [`Error::NoBranching`] for a branching of 0.
pub fn balanced_tree(count: usize, branching: usize) -> Result<Tree, Error> {
    if branching == 0 {
        return Err(Error::NoBranching);
    }
    let parents: Vec<Concept> = (0..count).map(|before| Concept::new(before / branching)).collect();
    Ok(Tree::from_parents(&parents)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_trees_fill_level_by_level() {
        let parents = |tree: Tree| tree.parents().iter().map(|parent| parent.index()).collect::<Vec<_>>();
        assert_eq!(parents(balanced_tree(7, 2).unwrap()), [0, 0, 1, 1, 2, 2, 3]);
        assert_eq!(parents(balanced_tree(3, 1).unwrap()), [0, 1, 2]);
        assert_eq!(balanced_tree(4, 9).unwrap(), Tree::flat(4));
        assert_eq!(balanced_tree(3, 0), Err(Error::NoBranching));
    }
}
