//! Trees from any list of parents, beside a slow and plain reference.

#![no_main]

use grove_tree::{Concept, Tree};
use libfuzzer_sys::fuzz_target;

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

fuzz_target!(|bytes: &[u8]| {
    let parents: Vec<usize> = bytes.iter().take(60).map(|&byte| usize::from(byte)).collect();
    let plain: Option<Vec<Vec<usize>>> = (1..=parents.len()).map(|concept| above(&parents, concept)).collect();
    let named: Vec<Concept> = parents.iter().map(|&parent| Concept::new(parent as u32)).collect();
    let (plain, tree) = match (plain, Tree::from_parents(&named)) {
        (Some(plain), Ok(tree)) => (plain, tree),
        (None, Err(_)) => return,
        (plain, tree) => panic!("{parents:?}: {} but {tree:?}", if plain.is_some() { "a tree" } else { "no tree" }),
    };
    let outline = tree.outline();
    for (lower, path) in (1..).zip(&plain) {
        let concept = Concept::new(lower);
        assert!(tree.ancestors(concept).map(|above| above.index()).eq(path.iter().copied()));
        assert_eq!((tree.depth(concept), outline.depth(concept)), (path.len(), path.len()));
        for upper in 0..=parents.len() {
            let other = Concept::new(upper as u32);
            let expected = path.contains(&upper);
            assert_eq!((tree.is_above(other, concept), outline.is_above(other, concept)), (expected, expected));
        }
    }
});
