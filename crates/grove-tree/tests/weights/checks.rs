//! What must hold for any list of parents. Shared by the tests and by the fuzz target `trees` in `fuzz/`.

use grove_tree::{Concept, Tree};

/// The concepts above one, by following parents; `None` if they run in a circle or leave the list.
fn above(parents: &[usize], concept: usize) -> Option<Vec<usize>> {
    let (mut at, mut path) = (concept, Vec::new());
    while at != 0 {
        at = *parents.get(at - 1)?;
        if path.len() > parents.len() || at > parents.len() {
            return None;
        }
        path.push(at);
    }
    Some(path)
}

/// A tree from any list of parents, beside a slow and plain reference. Returns its depth; none if it is no tree.
pub(crate) fn tree(bytes: &[u8]) -> Option<usize> {
    let parents: Vec<usize> = bytes.iter().take(60).map(|&byte| usize::from(byte)).collect();
    let plain: Option<Vec<Vec<usize>>> =
        (1..=parents.len()).map(|concept| above(&parents, concept)).collect();
    let named: Vec<Concept> = parents.iter().map(|&parent| Concept::new(parent)).collect();
    let (plain, tree) = match (plain, Tree::from_parents(&named)) {
        (Some(plain), Ok(tree)) => (plain, tree),
        (None, Err(_)) => return None,
        (plain, tree) => {
            panic!("{parents:?}: {} but {tree:?}", if plain.is_some() { "a tree" } else { "no tree" })
        }
    };
    let outline = tree.outline();
    for (lower, path) in (1..).zip(&plain) {
        let concept = Concept::new(lower);
        // The path ends with the root, which is no concept.
        assert!(
            tree.ancestors(concept).map(|above| above.index()).eq(path[..path.len() - 1].iter().copied())
        );
        assert_eq!((tree.depth(concept), outline.depth(concept)), (path.len(), path.len()));
        for upper in 0..=parents.len() {
            let other = Concept::new(upper);
            let expected = path.contains(&upper);
            assert_eq!(
                (tree.is_above(other, concept), outline.is_above(other, concept)),
                (expected, expected)
            );
        }
    }
    plain.iter().map(Vec::len).max()
}
