use grove_tree::{Outline, Tree};

/// The distance between two names in one column, in rows: for siblings, and for names with different parents.
const SIBLINGS: f64 = 1.0;
const COUSINS: f64 = 1.3;

/// The rows of the root, at 0, and of all concepts: at least one row apart in each column, and every parent midway
/// between its first and its last child. O(N).
pub(crate) fn rows(tree: &Tree, outline: &Outline) -> Vec<f64> {
    let size = tree.len() + 1;
    let mut shapes: Vec<Option<Shape>> = vec![None; size];
    // The row relative to the parent.
    let mut beside_parent = vec![0.0; size];
    for &concept in outline.order().iter().rev() {
        let children = outline.children(concept);
        let mut joined: Option<Shape> = None;
        for child in children {
            let shape = shapes[child.index()].take().expect("children come before parents here");
            match &mut joined {
                None => joined = Some(shape),
                Some(joined) => beside_parent[child.index()] = joined.put_below(shape),
            }
        }
        let last = children.last().map_or(0.0, |child| beside_parent[child.index()]);
        for child in children {
            beside_parent[child.index()] -= last / 2.0;
        }
        shapes[concept.index()] = Some(joined.unwrap_or_default().under_a_parent(last / 2.0));
    }
    let mut rows = vec![0.0; size];
    for &concept in &outline.order()[1..] {
        rows[concept.index()] = rows[tree.parent(concept).index()] + beside_parent[concept.index()];
    }
    rows
}

/// The outline of subtrees side by side: per level the highest and the lowest row.
///
/// Levels are stored deepest first, so that a parent is pushed at the end, and `shift` is to be added to all rows, so
/// that moving a subtree costs nothing.
#[derive(Clone, Default)]
struct Shape {
    levels: Vec<[f64; 2]>,
    shift: f64,
}

impl Shape {
    /// Puts a subtree, whose root is at row 0, as high as possible under this shape, and returns the row of its root.
    /// The cost is the smaller of the two heights, which sums to O(N) over a tree.
    fn put_below(&mut self, mut below: Self) -> f64 {
        let (own, other) = (self.levels.len(), below.levels.len());
        let common = own.min(other);
        let mut row = f64::NEG_INFINITY;
        for up in 1..=common {
            let distance = if up == 1 { SIBLINGS } else { COUSINS };
            let (lowest, highest) =
                (self.levels[own - up][1] + self.shift, below.levels[other - up][0] + below.shift);
            row = row.max(lowest - highest + distance);
        }
        below.shift += row;
        if own >= other {
            for up in 1..=common {
                self.levels[own - up][1] = below.levels[other - up][1] + below.shift - self.shift;
            }
        } else {
            for up in 1..=common {
                below.levels[other - up][0] = self.levels[own - up][0] + self.shift - below.shift;
            }
            *self = below;
        }
        row
    }

    /// Adds a parent at this row, which becomes row 0.
    fn under_a_parent(mut self, row: f64) -> Self {
        self.shift -= row;
        self.levels.push([-self.shift; 2]);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_tree::Concept;

    fn rows_of(parents: &[usize]) -> Vec<f64> {
        let parents: Vec<Concept> = parents.iter().copied().map(Concept::new).collect();
        let tree = Tree::from_parents(&parents).unwrap();
        rows(&tree, &tree.outline())
    }

    #[test]
    fn a_shallow_branch_fills_the_space_beside_a_deep_one() {
        // 1 has four children 3..=6, and 2 is a leaf: it need not wait for them all.
        let rows = rows_of(&[0, 0, 1, 1, 1, 1]);
        assert_eq!(rows[2] - rows[1], 1.0);
        assert_eq!(rows[3..], [-2.0, -1.0, 0.0, 1.0]);
    }

    #[test]
    fn a_chain_is_straight() {
        let parents: Vec<usize> = (0..10_000).collect();
        assert!(rows_of(&parents).iter().all(|&row| row == 0.0));
    }
}
