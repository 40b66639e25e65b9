//! Whether any tree is possible.

use super::EdgeWeights;
use crate::{Concept, Error, Result};

impl EdgeWeights {
    /// Checks that a tree exists, which is so if every concept has a path to the root along edges that are not forbidden. O(N^2).
    ///
    /// # Errors
    /// [`Error::Unreachable`] with the concepts that have none, by increasing number.
    pub fn check_reachable(&self) -> Result<()> {
        let cut_off = unreachable_concepts(self.len(), |parent, child| {
            self.log_weight(parent, child) > f64::NEG_INFINITY
        });
        if cut_off.is_empty() { Ok(()) } else { Err(Error::Unreachable(cut_off)) }
    }
}

/// The concepts from which every path to the root is forbidden, by increasing number. O(N^2).
pub(crate) fn unreachable_concepts(
    count: usize,
    is_allowed: impl Fn(Concept, Concept) -> bool,
) -> Vec<Concept> {
    let mut left: Vec<Concept> = Concept::all(count).collect();
    let mut pending = vec![Concept::ROOT];
    while let Some(parent) = pending.pop() {
        pending.extend(left.extract_if(.., |&mut child| is_allowed(parent, child)));
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_concepts_that_are_cut_off() {
        // 0 - 1 is allowed; 2 and 3 can only be under each other, and 4 under 2.
        let allowed = [(0, 1), (3, 2), (2, 3), (2, 4), (4, 1)];
        let weights = EdgeWeights::from_fn(4, |parent, child| {
            if allowed.contains(&(parent.index(), child.index())) { 0.0 } else { f64::NEG_INFINITY }
        });
        let cut_off = [2, 3, 4].map(Concept::new).to_vec();
        assert_eq!(weights.unwrap().check_reachable(), Err(Error::Unreachable(cut_off)));
        assert_eq!(EdgeWeights::uniform(4).check_reachable(), Ok(()));
    }
}
