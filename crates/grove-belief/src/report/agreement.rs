use grove_tree::{Concept, Tree, best_sparse_tree};

/// The tree with the greatest expected number of right parents: of greatest summed probability of its edges.
///
/// Where every concept's likeliest parent makes a tree, that is it; otherwise the maximum arborescence over the listed parents.
pub(super) fn best_agreement(parents: &[Vec<(Concept, f64)>]) -> Tree {
    let mut parents = parents.to_vec();
    // Scored so low that it is used only if the listed parents allow no tree, which rounding could cause.
    let last_resort = (Concept::ROOT, -(parents.len() as f64) - 1.0);
    for list in &mut parents {
        if list.iter().all(|listed| !listed.0.is_root()) {
            list.push(last_resort);
        }
    }
    best_sparse_tree(&parents).expect("every concept may be under the root")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impossible_list_still_gives_a_tree() {
        let [one, two] = [1, 2].map(Concept::new);
        let tree = best_agreement(&[vec![(two, 1.0)], vec![(one, 0.9)]]);
        assert_eq!(tree.parents(), [two, Concept::ROOT]);
    }
}
