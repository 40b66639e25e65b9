use grove_tree::{Concept, Tree};

/// The place of a concept that is not in the tree.
const ABSENT: u32 = u32::MAX;

/// A tree for moving concepts around: it keeps its depth-first order, so that a subtree is a contiguous block, "is above" is two
/// comparisons, and sums over ancestors and subtrees read memory sequentially.
///
/// Taking a concept out leaves its children to its parent, and the order of the rest is still depth-first.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Depth-first order of the concepts present, the root first.
    order: Vec<u32>,
    /// Each concept's position in `order`.
    place: Vec<u32>,
    /// The size of each concept's subtree, itself included.
    size: Vec<u32>,
    parent: Vec<u32>,
    /// How many concepts other than the root have children.
    parents: usize,
    /// A buffer for blocks that move, kept to avoid allocations.
    spare: Vec<u32>,
}

impl Shape {
    /// A tree with only the root; all concepts are absent.
    pub(crate) fn empty(count: usize) -> Self {
        let mut shape = Self {
            order: Vec::with_capacity(count + 1),
            place: vec![ABSENT; count + 1],
            size: vec![0; count + 1],
            parent: vec![0; count + 1],
            parents: 0,
            spare: Vec::new(),
        };
        shape.order.push(0);
        (shape.place[0], shape.size[0]) = (0, 1);
        shape
    }

    pub(crate) fn from_tree(tree: &Tree) -> Self {
        let outline = tree.outline();
        let index = |concept: &Concept| concept.index() as u32;
        let order: Vec<u32> = outline.order().iter().map(index).collect();
        let mut place = vec![0; order.len()];
        for (at, &concept) in order.iter().enumerate() {
            place[concept as usize] = at as u32;
        }
        let nodes = std::iter::once(Concept::ROOT).chain(tree.concepts());
        let size: Vec<u32> = nodes.clone().map(|concept| outline.subtree(concept).len() as u32).collect();
        Self {
            place,
            parents: size[1..].iter().filter(|&&size| size > 1).count(),
            size,
            parent: nodes.map(|concept| index(&tree.parent(concept))).collect(),
            order,
            spare: Vec::new(),
        }
    }

    /// A tree with the given depth-first order; `None` if that is not an order of this tree.
    pub(crate) fn from_order(tree: &Tree, order: Vec<u32>) -> Option<Self> {
        let mut shape = Self::from_tree(tree);
        if order.len() != shape.order.len() || order.first() != Some(&0) {
            return None;
        }
        shape.place.fill(ABSENT);
        for (at, &concept) in order.iter().enumerate() {
            let place = shape.place.get_mut(concept as usize).filter(|place| **place == ABSENT)?;
            *place = at as u32;
        }
        shape.order = order;
        // Depth-first: every subtree is within the block of its parent.
        let within = |&concept: &Concept| {
            let (block, own) = (shape.block(shape.parent(concept)), shape.block(concept));
            block.start < own.start && own.end <= block.end
        };
        Concept::all(shape.count()).all(|concept| within(&concept)).then_some(shape)
    }

    pub(crate) fn to_tree(&self) -> Tree {
        let parents: Vec<Concept> =
            self.parent[1..].iter().map(|&parent| Concept::new(parent as usize)).collect();
        Tree::from_parents(&parents).expect("every concept comes after its parent in depth-first order")
    }

    /// How many concepts other than the root have children.
    pub(crate) fn parents(&self) -> usize {
        self.parents
    }

    /// Whether a concept other than the root has children.
    pub(crate) fn is_parent(&self, concept: Concept) -> bool {
        !concept.is_root() && self.size(concept) > 1
    }

    /// The number of concepts in the tree, including the root.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// The number of concepts, present or absent.
    pub(crate) fn count(&self) -> usize {
        self.parent.len() - 1
    }

    /// The concept at a place in depth-first order.
    pub(crate) fn at(&self, place: usize) -> Concept {
        Concept::new(self.order[place] as usize)
    }

    /// A concept's place in depth-first order; `None` if it is absent.
    pub(crate) fn place(&self, concept: Concept) -> Option<usize> {
        let place = self.place[concept.index()];
        (place != ABSENT).then_some(place as usize)
    }

    pub(crate) fn parent(&self, concept: Concept) -> Concept {
        Concept::new(self.parent[concept.index()] as usize)
    }

    /// The place of the parent of the concept at a place.
    pub(crate) fn parent_place(&self, place: usize) -> usize {
        self.place[self.parent[self.order[place] as usize] as usize] as usize
    }

    /// The size of a concept's subtree, itself included.
    pub(crate) fn size(&self, concept: Concept) -> usize {
        self.size[concept.index()] as usize
    }

    /// The size of the subtree of the concept at a place.
    pub(crate) fn size_at(&self, place: usize) -> usize {
        self.size[self.order[place] as usize] as usize
    }

    /// The places of a concept and everything below it.
    pub(crate) fn block(&self, concept: Concept) -> std::ops::Range<usize> {
        let at = self.place[concept.index()] as usize;
        at..at + self.size(concept)
    }

    /// Whether `upper` is a proper ancestor of `lower`, both being present.
    pub(crate) fn is_above(&self, upper: Concept, lower: Concept) -> bool {
        let block = self.block(upper);
        let at = self.place[lower.index()] as usize;
        block.start < at && at < block.end
    }

    /// The children of a concept, in depth-first order.
    pub(crate) fn children(&self, concept: Concept) -> impl Iterator<Item = Concept> {
        let block = self.block(concept);
        let first = (block.start + 1 < block.end).then_some(block.start + 1);
        let next = move |&at: &usize| Some(at + self.size_at(at)).filter(|&after| after < block.end);
        std::iter::successors(first, next).map(|at| self.at(at))
    }

    /// The concepts above one, from its parent upwards, ending before the root.
    pub(crate) fn ancestors(&self, concept: Concept) -> impl Iterator<Item = Concept> {
        std::iter::successors(Some(self.parent(concept)), |&above| Some(self.parent(above)))
            .take_while(|above| !above.is_root())
    }

    /// Takes a concept out; its children move up to its parent. O(N).
    pub(crate) fn lift(&mut self, concept: Concept) {
        let at = self.place[concept.index()] as usize;
        let parent = self.parent[concept.index()];
        let end = at + self.size(concept);
        self.parents -=
            usize::from(end > at + 1) + usize::from(parent != 0 && self.size[parent as usize] == 2);
        let mut child = at + 1;
        while child < end {
            self.parent[self.order[child] as usize] = parent;
            child += self.size_at(child);
        }
        self.resize_from(parent, -1);
        self.order.remove(at);
        self.renumber(at..self.order.len());
        self.place[concept.index()] = ABSENT;
    }

    /// Puts an absent concept under `parent`, adopting those children of the parent for which `adopts` returns true. O(N).
    pub(crate) fn insert(
        &mut self,
        concept: Concept,
        parent: Concept,
        mut adopts: impl FnMut(usize) -> bool,
    ) {
        let block = self.block(parent);
        let mut adopted = std::mem::take(&mut self.spare);
        let (mut child, mut kept) = (block.start + 1, block.start + 1);
        while child < block.end {
            let subtree = child..child + self.size_at(child);
            child = subtree.end;
            if adopts(subtree.start) {
                self.parent[self.order[subtree.start] as usize] = concept.index() as u32;
                adopted.extend_from_slice(&self.order[subtree]);
            } else {
                let size = subtree.len();
                self.order.copy_within(subtree, kept);
                kept += size;
            }
        }
        self.order.insert(kept, concept.index() as u32);
        self.order[kept + 1..=block.end].copy_from_slice(&adopted);
        self.parents += usize::from(!adopted.is_empty()) + usize::from(!parent.is_root() && block.len() == 1);
        self.size[concept.index()] = adopted.len() as u32 + 1;
        self.parent[concept.index()] = parent.index() as u32;
        self.renumber(block.start + 1..self.order.len());
        self.resize_from(parent.index() as u32, 1);
        adopted.clear();
        self.spare = adopted;
    }

    /// Moves a concept with everything below it under another parent, which must not be below it. O(N).
    pub(crate) fn regraft(&mut self, concept: Concept, parent: Concept) {
        let block = self.block(concept);
        let (size, before) = (block.len(), self.parent(concept));
        self.resize_from(before.index() as u32, -(size as i32));
        self.parents -= usize::from(!before.is_root() && self.size(before) == 1);
        self.parent[concept.index()] = parent.index() as u32;
        let at = self.place[parent.index()] as usize;
        let touched = if at < block.start {
            self.order[at + 1..block.end].rotate_right(size);
            at + 1..block.end
        } else {
            self.order[block.start..=at].rotate_left(size);
            block.start..at + 1
        };
        self.renumber(touched);
        self.parents += usize::from(!parent.is_root() && self.size(parent) == 1);
        self.resize_from(parent.index() as u32, size as i32);
    }

    /// Makes room for one more concept, absent for now.
    pub(crate) fn grow(&mut self) {
        self.place.push(ABSENT);
        self.size.push(0);
        self.parent.push(0);
    }

    /// Forgets an absent concept; those with higher numbers move down by one.
    pub(crate) fn forget(&mut self, gone: Concept) {
        let closed = |index: u32| index - u32::from(index as usize > gone.index());
        for list in [&mut self.place, &mut self.size, &mut self.parent] {
            list.remove(gone.index());
        }
        self.order.iter_mut().chain(&mut self.parent).for_each(|index| *index = closed(*index));
    }

    fn resize_from(&mut self, mut concept: u32, by: i32) {
        loop {
            let size = &mut self.size[concept as usize];
            *size = size.wrapping_add_signed(by);
            if concept == 0 {
                return;
            }
            concept = self.parent[concept as usize];
        }
    }

    fn renumber(&mut self, places: std::ops::Range<usize>) {
        for at in places {
            self.place[self.order[at] as usize] = at as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    fn check(shape: &Shape) {
        let tree = shape.to_tree();
        let outline = tree.outline();
        assert_eq!(shape.parents(), tree.concepts().filter(|&upper| shape.is_parent(upper)).count());
        for upper in tree.concepts() {
            assert_eq!(shape.size(upper), outline.subtree(upper).len());
            let mut children: Vec<Concept> = shape.children(upper).collect();
            children.sort_unstable();
            assert_eq!(children, outline.children(upper));
            for lower in tree.concepts().filter(|&lower| lower != upper) {
                assert_eq!(shape.is_above(upper, lower), outline.is_above(upper, lower));
            }
        }
    }

    #[test]
    fn stays_a_tree_through_random_moves() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let mut shape = Shape::from_tree(&Tree::flat(9));
        for _ in 0..2_000 {
            let concept = Concept::new(rng.random_range(1..=9));
            if rng.random() {
                shape.lift(concept);
                let parent = shape.at(rng.random_range(0..shape.len()));
                shape.insert(concept, parent, |_| rng.random());
            } else {
                let parent = shape.at(rng.random_range(0..shape.len()));
                if parent != concept && !shape.is_above(concept, parent) {
                    shape.regraft(concept, parent);
                    assert_eq!(shape.parent(concept), parent);
                }
            }
            check(&shape);
        }
    }

    #[test]
    fn lifting_leaves_the_children_to_the_parent() {
        let [one, two, three] = [1, 2, 3].map(Concept::new);
        let mut shape = Shape::from_tree(&Tree::from_parents(&[Concept::ROOT, one, two]).unwrap());
        shape.lift(two);
        assert_eq!(shape.parent(three), one);
        assert_eq!(shape.place(two), None);
        shape.forget(two);
        assert_eq!(shape.to_tree().parents(), [Concept::ROOT, one]);
    }
}
