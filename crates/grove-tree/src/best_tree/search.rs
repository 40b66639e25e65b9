use std::ops::Range;

use crate::{Concept, Result, Tree};

/// The edges into a node from the concepts outside of it, and how to find the best of them. The default is none, as into the root.
pub(super) trait Entering: Default {
    /// The best edge into a node from outside, or `None` if there is none. Called once per node.
    fn best(search: &mut Search<Self>, node: usize) -> Result<Option<Edge>>;

    /// The edges into a contracted cycle, each scored by its gain over the cycle's own edge into the same member.
    fn joined(search: &mut Search<Self>, whole: usize) -> Self;
}

/// An edge between concepts with its score, as seen by the node that it enters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) score: f64,
    pub(super) parent: usize,
    pub(super) child: usize,
}

/// A concept, or a contracted cycle of nodes.
pub(super) struct Node<E> {
    pub(super) entering: E,
    /// The best edge into it, once found.
    pub(super) chosen: Edge,
    /// The cycle that this node was contracted into; 0, the root, if there is none.
    whole: usize,
    /// Leads to the outermost node around this one, which is its own; paths are shortened on the way.
    around: usize,
    /// Where the nodes of a contracted cycle stand in the list of members; empty for a concept.
    cycle: Range<usize>,
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq)]
enum Progress {
    Untouched,
    OnPath,
    /// Its best parents lead to the root.
    Settled,
    /// The edge into a cycle around it has replaced its own.
    Replaced,
}

impl<E> Node<E> {
    fn new(number: usize, entering: E) -> Self {
        let chosen = Edge { score: f64::NEG_INFINITY, parent: 0, child: 0 };
        Self { entering, chosen, whole: 0, around: number, cycle: 0..0, progress: Progress::Untouched }
    }
}

/// The maximum arborescence by Chu and Liu (1965) and Edmonds (1967): follow best parents; where that runs into a cycle, contract it
/// to one node.
pub(super) struct Search<E> {
    /// Node `j` is concept `j`, node 0 the root; contracted cycles follow.
    pub(super) nodes: Vec<Node<E>>,
    /// The members of all contracted cycles, one cycle after the other: a list of its own for each would take longer to make than to fill.
    members: Vec<usize>,
    pub(super) count: usize,
}

impl<E: Entering> Search<E> {
    /// A search over the edges into each concept in turn.
    pub(super) fn new(count: usize, concepts: impl IntoIterator<Item = E>) -> Self {
        // Every cycle has two members or more, so there are fewer cycles than concepts.
        let mut nodes = Vec::with_capacity(2 * count + 1);
        nodes.push(Node { progress: Progress::Settled, ..Node::new(0, E::default()) });
        nodes.extend(concepts.into_iter().zip(1..).map(|(entering, number)| Node::new(number, entering)));
        Self { nodes, members: Vec::new(), count }
    }

    /// The best tree; `None` if no tree is possible.
    pub(super) fn solve(mut self) -> Result<Option<Tree>> {
        let mut path = Vec::with_capacity(self.count);
        for start in 1..=self.count {
            if !self.grow(start, &mut path)? {
                return Ok(None);
            }
        }
        self.open_cycles();
        let parents = self.nodes[1..=self.count].iter().map(|node| Concept::new(node.chosen.parent));
        Ok(Some(Tree::from_parents_unchecked(parents)))
    }

    /// The nodes on a contracted cycle.
    pub(super) fn members(&self, whole: usize) -> &[usize] {
        &self.members[self.nodes[whole].cycle.clone()]
    }

    /// The outermost node around one.
    pub(super) fn outermost(&mut self, mut node: usize) -> usize {
        while self.nodes[node].around != node {
            let around = self.nodes[self.nodes[node].around].around;
            self.nodes[node].around = around;
            node = around;
        }
        node
    }

    /// Follows best parents from a concept, contracting cycles, until the path leads to the root. Returns false if it leads nowhere.
    /// `path` is memory that is empty before, and after a success.
    fn grow(&mut self, start: usize, path: &mut Vec<usize>) -> Result<bool> {
        let mut node = self.outermost(start);
        while self.nodes[node].progress != Progress::Settled {
            if self.nodes[node].progress == Progress::OnPath {
                let begin = path.iter().rposition(|&on| on == node).expect("the node is on the path");
                node = self.contract(path.drain(begin..));
            }
            path.push(node);
            self.nodes[node].progress = Progress::OnPath;
            let Some(chosen) = E::best(self, node)? else { return Ok(false) };
            self.nodes[node].chosen = chosen;
            node = self.outermost(chosen.parent);
        }
        for node in path.drain(..) {
            self.nodes[node].progress = Progress::Settled;
        }
        Ok(true)
    }

    fn contract(&mut self, cycle: impl Iterator<Item = usize>) -> usize {
        let (whole, begin) = (self.nodes.len(), self.members.len());
        self.members.extend(cycle);
        for &member in &self.members[begin..] {
            let member = &mut self.nodes[member];
            (member.whole, member.around) = (whole, whole);
        }
        self.nodes.push(Node { cycle: begin..self.members.len(), ..Node::new(whole, E::default()) });
        self.nodes[whole].entering = E::joined(self, whole);
        whole
    }

    /// The edge into a cycle replaces the cycle's own edge into the same member, and so on inwards to its child.
    fn open_cycles(&mut self) {
        // A node comes after its members, so the reverse order meets the outermost first.
        for whole in (self.count + 1..self.nodes.len()).rev() {
            let chosen = self.nodes[whole].chosen;
            let is_replaced = self.nodes[whole].progress == Progress::Replaced;
            let mut at = if is_replaced { whole } else { chosen.child };
            while at != whole {
                let node = &mut self.nodes[at];
                (node.chosen, node.progress) = (chosen, Progress::Replaced);
                at = node.whole;
                debug_assert_ne!(at, 0, "the child lies within the cycle");
            }
        }
    }
}
