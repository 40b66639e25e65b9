use crate::{Concept, Tree};

/// An index of a [`Tree`] for looking downwards: children, depth-first order, depths, subtrees.
///
/// In depth-first order a subtree is a contiguous range, which makes [`Outline::is_above`] two comparisons.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    /// The children of `p` are `children[first_child[p]..first_child[p + 1]]`, by increasing number.
    children: Vec<Concept>,
    first_child: Vec<usize>,
    /// Root first, every parent before its children.
    order: Vec<Concept>,
    /// Each concept's position in `order`, and the end of its subtree there.
    enter: Vec<usize>,
    leave: Vec<usize>,
    depth: Vec<usize>,
}

impl Outline {
    pub(crate) fn new(tree: &Tree) -> Self {
        let (children, first_child) = group_by_parent(tree);
        let size = tree.len() + 1;
        let mut outline = Self {
            children,
            first_child,
            order: Vec::with_capacity(size),
            enter: vec![0; size],
            leave: vec![0; size],
            depth: vec![0; size],
        };
        outline.walk(tree);
        outline
    }

    /// Fills the depth-first order with an explicit stack: recursion over a chain of 10,000 concepts could overflow the call stack.
    fn walk(&mut self, tree: &Tree) {
        let mut pending = vec![Concept::ROOT];
        while let Some(concept) = pending.pop() {
            let at = concept.index();
            self.enter[at] = self.order.len();
            self.order.push(concept);
            if !concept.is_root() {
                self.depth[at] = self.depth[tree.parent(concept).index()] + 1;
            }
            pending.extend(self.children(concept).iter().rev());
        }
        let mut size = vec![1; self.order.len()];
        for &concept in self.order.iter().rev() {
            let at = concept.index();
            self.leave[at] = self.enter[at] + size[at];
            if !concept.is_root() {
                size[tree.parent(concept).index()] += size[at];
            }
        }
    }

    /// The children of a concept or of the root, by increasing number.
    #[must_use]
    pub fn children(&self, concept: Concept) -> &[Concept] {
        let at = concept.index();
        &self.children[self.first_child[at]..self.first_child[at + 1]]
    }

    /// Depth-first order, the root first: every parent comes before its children.
    #[must_use]
    pub fn order(&self) -> &[Concept] {
        &self.order
    }

    /// A concept and everything below it, in depth-first order.
    #[must_use]
    pub fn subtree(&self, concept: Concept) -> &[Concept] {
        &self.order[self.enter[concept.index()]..self.leave[concept.index()]]
    }

    /// The number of edges between a concept and the root.
    #[must_use]
    pub fn depth(&self, concept: Concept) -> usize {
        self.depth[concept.index()]
    }

    /// Whether `upper` is a proper ancestor of `lower`; the root is above every concept. O(1).
    #[must_use]
    pub fn is_above(&self, upper: Concept, lower: Concept) -> bool {
        let (from, to) = (self.enter[upper.index()], self.leave[upper.index()]);
        let at = self.enter[lower.index()];
        from < at && at < to
    }
}

/// Counting sort of the concepts by parent.
fn group_by_parent(tree: &Tree) -> (Vec<Concept>, Vec<usize>) {
    let mut first_child = vec![0; tree.len() + 2];
    for parent in tree.parents() {
        first_child[parent.index() + 1] += 1;
    }
    for at in 1..first_child.len() {
        first_child[at] += first_child[at - 1];
    }
    let mut next = first_child.clone();
    let mut children = vec![Concept::ROOT; tree.len()];
    for (parent, child) in tree.edges() {
        children[next[parent.index()]] = child;
        next[parent.index()] += 1;
    }
    (children, first_child)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Trees in which every parent has a smaller number than its children, renamed by a rotation.
    fn trees() -> impl Strategy<Value = Tree> {
        (1_usize..40, 0_usize..40).prop_flat_map(|(count, turn)| {
            let parents: Vec<_> = (0..count).map(|child| 0..=child).collect();
            parents.prop_map(move |parents| {
                let renamed = |index: usize| if index == 0 { 0 } else { (index - 1 + turn) % count + 1 };
                let mut turned = vec![Concept::ROOT; count];
                for (at, &parent) in parents.iter().enumerate() {
                    turned[renamed(at + 1) - 1] = Concept::new(renamed(parent));
                }
                Tree::from_parents(&turned).unwrap()
            })
        })
    }

    proptest! {
        #[test]
        fn agrees_with_the_tree(tree in trees()) {
            let outline = tree.outline();
            let nodes = || std::iter::once(Concept::ROOT).chain(tree.concepts());
            for upper in nodes() {
                prop_assert_eq!(outline.depth(upper), tree.depth(upper));
                prop_assert!(outline.children(upper).iter().all(|&child| tree.parent(child) == upper));
                for lower in nodes() {
                    prop_assert_eq!(outline.is_above(upper, lower), tree.is_above(upper, lower));
                    let inside = outline.subtree(upper).contains(&lower);
                    prop_assert_eq!(inside, upper == lower || tree.is_above(upper, lower));
                }
            }
            let children: usize = nodes().map(|parent| outline.children(parent).len()).sum();
            prop_assert_eq!(children, tree.len());
        }
    }
}
