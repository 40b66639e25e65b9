use grove_vocabulary::Correction;

use crate::{Concept, Error, Outline, Result};

/// A hierarchy: every concept has exactly one parent, and following parents leads to the root.
///
/// There are (N+1)^(N-1) trees over N concepts (Cayley). The value holds only the list of parents, so that
/// millions of sampled trees stay small; [`Tree::outline`] adds children, depths and constant-time "is above".
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tree {
    /// The parent of concept `j` at `j`; the root's own entry at 0 is the root.
    parents: Box<[Concept]>,
}

impl Tree {
    /// The tree in which concept `j` has the parent `parents[j - 1]`. O(N).
    ///
    /// # Errors
    /// [`Error::UnknownParent`] for a parent beyond the last concept, [`Error::Cycle`] with the concepts on the cycle.
    pub fn from_parents(parents: &[Concept]) -> Result<Self> {
        let count = parents.len();
        if let Some(at) = parents.iter().position(|parent| parent.index() > count) {
            return Err(Error::UnknownParent { child: Concept::new(at + 1), parent: parents[at], count });
        }
        let tree = Self::from_parents_unchecked(parents.iter().copied());
        match tree.find_cycle() {
            None => Ok(tree),
            Some(cycle) => Err(Error::Cycle(cycle)),
        }
    }

    /// Does not look for cycles, for callers whose construction rules them out.
    pub(crate) fn from_parents_unchecked(parents: impl IntoIterator<Item = Concept>) -> Self {
        Self { parents: std::iter::once(Concept::ROOT).chain(parents).collect() }
    }

    /// The flat tree: every concept directly under the root.
    #[must_use]
    pub fn flat(count: usize) -> Self {
        Self::from_parents_unchecked(std::iter::repeat_n(Concept::ROOT, count))
    }

    /// The number of concepts, N.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len() - 1
    }

    /// Whether there are no concepts besides the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All concepts, without the root.
    pub fn concepts(&self) -> impl DoubleEndedIterator<Item = Concept> + ExactSizeIterator + Clone {
        Concept::all(self.len())
    }

    /// The parent of a concept. The root's parent is the root.
    #[must_use]
    pub fn parent(&self, concept: Concept) -> Concept {
        self.parents[concept.index()]
    }

    /// The parents of the concepts `1..=N`, in order: the inverse of [`Tree::from_parents`].
    #[must_use]
    pub fn parents(&self) -> &[Concept] {
        &self.parents[1..]
    }

    /// The edges, each as (parent, child), in the order of the children.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = (Concept, Concept)> {
        self.concepts().map(|child| (self.parent(child), child))
    }

    /// The concepts above one, from its parent upwards, ending before the root.
    pub fn ancestors(&self, concept: Concept) -> impl Iterator<Item = Concept> {
        std::iter::successors(Some(self.parent(concept)), |&above| Some(self.parent(above)))
            .take_while(|above| !above.is_root())
    }

    /// Whether `upper` is a proper ancestor of `lower`; the root is above every concept. O(depth).
    #[must_use]
    pub fn is_above(&self, upper: Concept, lower: Concept) -> bool {
        match (upper.is_root(), lower.is_root()) {
            (_, true) => false,
            (true, false) => true,
            (false, false) => self.ancestors(lower).any(|above| above == upper),
        }
    }

    /// Whether the tree agrees with a correction. O(depth).
    #[must_use]
    pub fn satisfies(&self, correction: Correction<Concept>) -> bool {
        match correction {
            Correction::DirectlyUnder { lower, upper } => self.parent(lower) == upper,
            Correction::SomewhereUnder { lower, upper } => self.is_above(upper, lower),
            Correction::NotUnder { lower, upper } => !self.is_above(upper, lower),
            Correction::TopLevel { concept } => self.parent(concept).is_root(),
        }
    }

    /// The number of edges between a concept and the root: 1 for a top-level concept, 0 for the root.
    #[must_use]
    pub fn depth(&self, concept: Concept) -> usize {
        usize::from(!concept.is_root()) + self.ancestors(concept).count()
    }

    /// Children, order, depths and subtrees in one structure. O(N).
    #[must_use]
    pub fn outline(&self) -> Outline {
        Outline::new(self)
    }

    /// A cycle in the parents, if there is one, each concept followed by its parent. O(N).
    fn find_cycle(&self) -> Option<Vec<Concept>> {
        // 0 = not seen; otherwise the number of the walk that saw it first.
        let mut seen_by = vec![0; self.parents.len()];
        for start in self.concepts() {
            let walk = start.index();
            let mut at = start;
            while !at.is_root() && seen_by[at.index()] == 0 {
                seen_by[at.index()] = walk;
                at = self.parent(at);
            }
            if !at.is_root() && seen_by[at.index()] == walk {
                let around = std::iter::successors(Some(self.parent(at)), |&on| Some(self.parent(on)));
                return Some(std::iter::once(at).chain(around.take_while(|&on| on != at)).collect());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concepts(indices: &[usize]) -> Vec<Concept> {
        indices.iter().copied().map(Concept::new).collect()
    }

    #[test]
    fn walks_up() {
        // 0 - 1 - 2 - 4, 0 - 3
        let tree = Tree::from_parents(&concepts(&[0, 1, 0, 2])).unwrap();
        let [one, two, three, four] = [1, 2, 3, 4].map(Concept::new);
        assert_eq!(tree.ancestors(four).collect::<Vec<_>>(), [two, one]);
        assert!(tree.is_above(one, four) && tree.is_above(Concept::ROOT, three));
        assert!(
            !tree.is_above(four, one) && !tree.is_above(four, four) && !tree.is_above(one, Concept::ROOT)
        );
        assert_eq!([Concept::ROOT, one, four].map(|c| tree.depth(c)), [0, 1, 3]);
    }

    #[test]
    fn names_the_cycle() {
        let cyclic = Tree::from_parents(&concepts(&[2, 3, 2, 1, 0]));
        assert_eq!(cyclic, Err(Error::Cycle(concepts(&[2, 3]))));
        assert_eq!(Tree::from_parents(&concepts(&[1])), Err(Error::Cycle(concepts(&[1]))));
    }

    #[test]
    fn names_the_unknown_parent() {
        assert_eq!(
            Tree::from_parents(&concepts(&[0, 9])),
            Err(Error::UnknownParent { child: Concept::new(2), parent: Concept::new(9), count: 2 })
        );
    }
}
