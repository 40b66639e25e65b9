//! Concepts in the order in which they join.

use grove_tree::{Concept, Tree};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::Error;

/// Concepts of a reference, numbered anew by when they join: a belief numbers new concepts last.
pub(super) struct Order {
    /// The reference's concept that joins first, second, ...
    originals: Vec<Concept>,
    reference: Tree,
}

impl Order {
    /// A random order. N draws.
    pub(super) fn random(reference: &Tree, rng: &mut ChaCha8Rng) -> Self {
        let mut originals: Vec<Concept> = reference.concepts().collect();
        originals.shuffle(rng);
        Self { originals, reference: reference.clone() }
    }

    pub(super) fn len(&self) -> usize {
        self.originals.len()
    }

    /// What a number by joining is in the reference.
    pub(super) fn original(&self, concept: Concept) -> Concept {
        if concept.is_root() { Concept::ROOT } else { self.originals[concept.index() - 1] }
    }

    /// The true hierarchy of the first `present` concepts: each under the nearest concept above it that has joined.
    pub(super) fn truth(&self, present: usize) -> Result<Tree, Error> {
        let mut joined = vec![None; self.reference.len() + 1];
        for (at, original) in self.originals[..present].iter().enumerate() {
            joined[original.index()] = Some(Concept::new(at + 1));
        }
        let parent = |original: &Concept| {
            let mut above = self.reference.ancestors(*original);
            above.find_map(|above| joined[above.index()]).unwrap_or(Concept::ROOT)
        };
        let parents: Vec<Concept> = self.originals[..present].iter().map(parent).collect();
        Ok(Tree::from_parents(&parents)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn paths_among_those_present_are_the_references() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let reference = Tree::random(12, &mut rng);
        let order = Order::random(&reference, &mut rng);
        for present in 1..=12 {
            let truth = order.truth(present).unwrap();
            for upper in truth.concepts() {
                for lower in truth.concepts() {
                    let there = reference.is_above(order.original(upper), order.original(lower));
                    assert_eq!(truth.is_above(upper, lower), there);
                }
            }
        }
    }
}
