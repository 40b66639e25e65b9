use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use grove_tree::{Concept, Tree};

/// The tree with the greatest expected number of right parents: of greatest summed probability of its edges.
///
/// Where every concept's likeliest parent makes a tree, that is it. Otherwise the maximum arborescence over the listed parents, by Chu and
/// Liu (1965) and Edmonds (1967): follow best parents, and contract every cycle to one node whose edges count what they win
/// over the cycle's own edge into the same member. The edges into a node are a heap with a common shift, and the
/// smaller heap is poured into the larger, so that K listed parents take O(K log^2 K) and no square array.
pub(super) fn best_agreement(parents: &[Vec<(Concept, f64)>]) -> Tree {
    let likeliest = |list: &Vec<(Concept, f64)>| list.first().map_or(Concept::ROOT, |first| first.0);
    let likeliest: Vec<Concept> = parents.iter().map(likeliest).collect();
    Tree::from_parents(&likeliest).unwrap_or_else(|_| Search::new(parents).solve())
}

/// An edge by its ends, with what it scores before its heap's shift.
#[derive(Clone, Copy, Debug)]
struct Edge {
    score: f64,
    parent: usize,
    child: usize,
}

impl Edge {
    /// Of equal scores the lowest parent comes first, so that the result is a function of the probabilities alone.
    fn key(&self) -> (Reverse<usize>, Reverse<usize>) {
        (Reverse(self.parent), Reverse(self.child))
    }
}

impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.key().cmp(&other.key()))
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Edge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Edge {}

/// A concept, or a contracted cycle of nodes.
struct Node {
    /// Edges into this node; those from within it are thrown away when met.
    entering: BinaryHeap<Edge>,
    /// Added to the score of every edge in the heap.
    shift: f64,
    /// The edge chosen: its score counts the shift.
    chosen: Edge,
    /// The cycle that this node was contracted into.
    whole: Option<usize>,
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq)]
enum Progress {
    Untouched,
    OnPath,
    Settled,
}

impl Node {
    fn new(entering: BinaryHeap<Edge>, shift: f64) -> Self {
        let chosen = Edge { score: 0.0, parent: 0, child: 0 };
        Self { entering, shift, chosen, whole: None, progress: Progress::Untouched }
    }
}

struct Search {
    /// Node `j` is concept `j`, node 0 the root; contracted cycles follow.
    nodes: Vec<Node>,
    /// Leads from a node to the outermost one around it, by ever shorter ways.
    around: Vec<usize>,
    count: usize,
}

impl Search {
    fn new(parents: &[Vec<(Concept, f64)>]) -> Self {
        let count = parents.len();
        let mut nodes = vec![Node::new(BinaryHeap::new(), 0.0)];
        nodes[0].progress = Progress::Settled;
        for (at, list) in parents.iter().enumerate() {
            let edge =
                |&(parent, score): &(Concept, f64)| Edge { score, parent: parent.index(), child: at + 1 };
            let mut entering: BinaryHeap<Edge> = list.iter().map(edge).collect();
            if list.iter().all(|listed| !listed.0.is_root()) {
                // So poor that it is taken only where the listed parents allow no tree, which rounding could bring about.
                entering.push(Edge { score: -(count as f64) - 1.0, parent: 0, child: at + 1 });
            }
            nodes.push(Node::new(entering, 0.0));
        }
        Self { nodes, around: (0..=count).collect(), count }
    }

    fn solve(mut self) -> Tree {
        for start in 1..=self.count {
            self.grow(start);
        }
        self.open_cycles();
        let parents: Vec<Concept> =
            self.nodes[1..=self.count].iter().map(|node| Concept::new(node.chosen.parent)).collect();
        Tree::from_parents(&parents).expect("contracting cycles leaves none")
    }

    /// Follows best parents until they lead to the root, contracting cycles on the way.
    fn grow(&mut self, start: usize) {
        let mut path = Vec::new();
        let mut node = self.outermost(start);
        while self.nodes[node].progress != Progress::Settled {
            if self.nodes[node].progress == Progress::OnPath {
                let begin = path.iter().rposition(|&on| on == node).expect("the node is on the path");
                node = self.contract(path.split_off(begin));
            }
            path.push(node);
            self.nodes[node].progress = Progress::OnPath;
            let chosen = self.best_entering(node);
            self.nodes[node].chosen = chosen;
            node = self.outermost(chosen.parent);
        }
        for node in path {
            self.nodes[node].progress = Progress::Settled;
        }
    }

    fn outermost(&mut self, mut node: usize) -> usize {
        while self.around[node] != node {
            self.around[node] = self.around[self.around[node]];
            node = self.around[node];
        }
        node
    }

    fn best_entering(&mut self, node: usize) -> Edge {
        loop {
            let edge = self.nodes[node].entering.pop().expect("the root enters every node");
            if self.outermost(edge.parent) != node {
                return Edge { score: edge.score + self.nodes[node].shift, ..edge };
            }
        }
    }

    fn contract(&mut self, members: Vec<usize>) -> usize {
        let whole = self.nodes.len();
        let (mut entering, mut shift) = (BinaryHeap::new(), 0.0);
        for member in members {
            let node = &mut self.nodes[member];
            node.whole = Some(whole);
            self.around[member] = whole;
            let (mut other, mut other_shift) =
                (std::mem::take(&mut node.entering), node.shift - node.chosen.score);
            if other.len() > entering.len() {
                std::mem::swap(&mut entering, &mut other);
                std::mem::swap(&mut shift, &mut other_shift);
            }
            let moved = other_shift - shift;
            entering.extend(other.into_iter().map(|edge| Edge { score: edge.score + moved, ..edge }));
        }
        self.nodes.push(Node::new(entering, shift));
        self.around.push(whole);
        whole
    }

    /// The edge into a cycle replaces the cycle's own edge into the same member, and so on inwards to its child.
    fn open_cycles(&mut self) {
        let mut replaced = vec![false; self.nodes.len()];
        // A node is younger than its members, so going back in time meets the outermost first.
        for whole in (self.count + 1..self.nodes.len()).rev() {
            let chosen = self.nodes[whole].chosen;
            let mut at = if replaced[whole] { whole } else { chosen.child };
            while at != whole {
                self.nodes[at].chosen = chosen;
                replaced[at] = true;
                at = self.nodes[at].whole.expect("the child lies within the cycle");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    type Lists = Vec<Vec<(Concept, f64)>>;

    /// Random lists of possible parents; each concept lists each other with chance `density`, the root with its own.
    fn random_lists(count: usize, density: f64, root: f64, rng: &mut ChaCha8Rng) -> Lists {
        let mut list = |child: usize| {
            let mut weights: Vec<(Concept, f64)> = Vec::new();
            for parent in (0..=count).filter(|&parent| parent != child) {
                if rng.random::<f64>() < if parent == 0 { root } else { density } {
                    weights.push((Concept::new(parent), -rng.random::<f64>().ln()));
                }
            }
            weights.sort_by(|a, b| b.1.total_cmp(&a.1));
            let sum: f64 = weights.iter().map(|weight| weight.1).sum();
            weights.iter().map(|&(parent, weight)| (parent, weight / sum)).collect()
        };
        (1..=count).map(&mut list).collect()
    }

    /// The same probabilities as square rows, negative infinity where nothing is listed.
    fn dense(lists: &Lists) -> Vec<Vec<f64>> {
        let row = |list: &Vec<(Concept, f64)>| {
            let mut row = vec![f64::NEG_INFINITY; lists.len() + 1];
            list.iter().for_each(|&(parent, probability)| row[parent.index()] = probability);
            row
        };
        lists.iter().map(row).collect()
    }

    fn score(rows: &[Vec<f64>], tree: &Tree) -> f64 {
        tree.edges().map(|(parent, child)| rows[child.index() - 1][parent.index()]).sum()
    }

    /// Cases in which a solver's tree is poorer than that of the dense solver, which has its own tests against enumeration.
    fn poorer(solver: fn(&Lists) -> Tree) -> usize {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut poorer = 0;
        for round in 0..600 {
            let count = [3, 6, 12, 40][round % 4];
            let lists = random_lists(count, [0.2, 0.5, 1.0][round % 3], [0.1, 1.0][round % 2], &mut rng);
            let rows = dense(&lists);
            if let Ok(best) = grove_tree::best_tree(count, |child| &rows[child.index() - 1]) {
                poorer += usize::from((score(&rows, &best) - score(&rows, &solver(&lists))).abs() > 1e-9);
            }
        }
        poorer
    }

    #[test]
    fn agrees_with_the_dense_solver() {
        assert_eq!(poorer(|lists| best_agreement(lists)), 0);
    }

    /// The planted fault: the first concept of a cycle goes to the root.
    #[test]
    fn the_dense_solver_catches_a_greedy_one() {
        let greedy = |lists: &Lists| {
            let mut parents: Vec<Concept> =
                lists.iter().map(|list| list.first().map_or(Concept::ROOT, |first| first.0)).collect();
            while let Err(grove_tree::Error::Cycle(cycle)) = Tree::from_parents(&parents) {
                parents[cycle[0].index() - 1] = Concept::ROOT;
            }
            Tree::from_parents(&parents).unwrap()
        };
        assert!(poorer(greedy) > 100);
    }

    /// Every concept likes the one before it, the first likes all later ones: cycles nest as deep as there are concepts.
    #[test]
    fn nested_cycles_at_ten_thousand() {
        let count = 10_000;
        let list = |child: usize| match child {
            1 => (2..=count).map(|parent| (Concept::new(parent), 0.9 / parent as f64)).collect(),
            _ => vec![(Concept::new(child - 1), 0.9), (Concept::ROOT, 0.1 / child as f64)],
        };
        let lists: Lists = (1..=count).map(list).collect();
        let tree = best_agreement(&lists);
        // If concept j leaves for the root, 1 can only go under j or later, at best j itself: j wins 0.1 / j and 1 wins 0.9 / j.
        assert_eq!([1, 2, 3, count].map(|at| tree.parent(Concept::new(at)).index()), [2, 0, 2, count - 1]);
    }

    #[test]
    fn an_impossible_list_still_gives_a_tree() {
        let [one, two] = [1, 2].map(Concept::new);
        let tree = best_agreement(&[vec![(two, 1.0)], vec![(one, 0.9)]]);
        assert_eq!(tree.parents(), [two, Concept::ROOT]);
    }
}
