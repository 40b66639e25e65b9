use std::borrow::Cow;

use crate::{
    Concept, EdgeWeights, Error, Tree,
    weights::{checked, is_log_weight},
};

impl EdgeWeights {
    /// The most probable tree; see [`best_tree`]. Its score is [`EdgeWeights::log_score`].
    ///
    /// # Errors
    /// [`Error::Unreachable`] if no tree is possible.
    pub fn best_tree(&self) -> Result<Tree, Error> {
        best_tree(self.len(), |child| self.incoming(child))
    }
}

/// The tree whose edges have the greatest sum of scores. `incoming` gives a child's row of scores by its parent's
/// number `0..=N`; its own entry is ignored, and negative infinity forbids an edge.
///
/// The root may have any number of children. Of equal scores the lowest parent is taken, so that the result is a
/// function of the scores alone. Contracted scores are differences: the sum returned lies within rounding, some
/// N times 2^-53 times the largest finite score, of the true maximum.
///
/// # Method
/// Chu and Liu (1965), Edmonds (1967), in Tarjan's (1977) form for dense graphs: follow best parents; where that runs
/// into a cycle, contract it to one node whose score from a parent p is the maximum over its members c of
/// score(p, c) - score(c's parent on the cycle, c). O(N^2) time, no random draws. The rows given are only read; each
/// contraction adds one row, and where best parents already make a tree there is none.
///
/// # Errors
/// [`Error::Unreachable`] if no tree is possible, [`Error::NotALogWeight`] for NaN, positive infinity and finite scores
/// beyond 1e100.
///
/// # Panics
/// If a row does not hold N+1 scores.
pub fn best_tree<'a>(count: usize, incoming: impl Fn(Concept) -> &'a [f64]) -> Result<Tree, Error> {
    let mut search = Search::new(count, &incoming);
    for start in 1..=count {
        if !search.grow(start)? {
            return Err(Error::Unreachable(unreachable_concepts(count, &incoming)));
        }
    }
    Ok(search.expand())
}

/// A concept, or a contracted cycle of nodes.
struct Node<'a> {
    /// The scores from every concept, as far as it is outside this node.
    row: Cow<'a, [f64]>,
    /// The best parent found, a concept or the root, and its score in `row`.
    parent: usize,
    score: f64,
    /// The nodes on the cycle; empty for a concept.
    members: Vec<usize>,
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq)]
enum Progress {
    Untouched,
    OnPath,
    /// Its best parents lead to the root.
    Settled,
}

impl<'a> Node<'a> {
    fn new(row: Cow<'a, [f64]>, members: Vec<usize>) -> Self {
        Self { row, parent: 0, score: f64::NEG_INFINITY, members, progress: Progress::Untouched }
    }
}

struct Search<'a> {
    /// Node `j` is concept `j`, node 0 stands for the root; contracted cycles follow.
    nodes: Vec<Node<'a>>,
    /// The outermost node around each concept.
    around: Vec<usize>,
    count: usize,
}

impl<'a> Search<'a> {
    fn new(count: usize, incoming: &impl Fn(Concept) -> &'a [f64]) -> Self {
        let mut nodes = Vec::with_capacity(count + count / 2 + 1);
        nodes.push(Node::new(Cow::Borrowed(&[]), Vec::new()));
        nodes[0].progress = Progress::Settled;
        for child in Concept::all(count) {
            let row = incoming(child);
            assert_eq!(row.len(), count + 1, "a row of scores has one entry for the root and each concept");
            nodes.push(Node::new(Cow::Borrowed(row), Vec::new()));
        }
        Self { nodes, around: (0..=count).collect(), count }
    }

    /// Follows best parents from a concept, contracting cycles, until the path leads to the root.
    /// False if there is a node with no way out.
    fn grow(&mut self, start: usize) -> Result<bool, Error> {
        let mut path = Vec::new();
        let mut node = self.around[start];
        while self.nodes[node].progress != Progress::Settled {
            if self.nodes[node].progress == Progress::OnPath {
                let begin = path.iter().rposition(|&on| on == node).expect("the node is on the path");
                node = self.contract(path.split_off(begin));
            }
            path.push(node);
            self.nodes[node].progress = Progress::OnPath;
            self.choose_parent(node)?;
            if self.nodes[node].score == f64::NEG_INFINITY {
                return Ok(false);
            }
            node = self.around[self.nodes[node].parent];
        }
        for node in path {
            self.nodes[node].progress = Progress::Settled;
        }
        Ok(true)
    }

    fn choose_parent(&mut self, at: usize) -> Result<(), Error> {
        let node = &mut self.nodes[at];
        (node.parent, node.score) = if at > self.count {
            largest(&node.row)
        } else {
            check_row(at, &node.row)?;
            // A concept's own entry is not ours to read: marginals hold 0 there.
            let (before, after) = (largest(&node.row[..at]), largest(&node.row[at + 1..]));
            if after.1 > before.1 { (at + 1 + after.0, after.1) } else { before }
        };
        Ok(())
    }

    /// Makes one node of a cycle; its row is the element-wise maximum of what each member gains by leaving the cycle.
    fn contract(&mut self, members: Vec<usize>) -> usize {
        let mut row = vec![f64::NEG_INFINITY; self.count + 1];
        for &member in &members {
            let member = &self.nodes[member];
            raise(&mut row, &member.row, member.score);
        }
        let whole = self.nodes.len();
        for (around, entry) in self.around.iter_mut().zip(&mut row) {
            if members.contains(around) {
                *around = whole;
                *entry = f64::NEG_INFINITY;
            }
        }
        self.nodes.push(Node::new(Cow::Owned(row), members));
        whole
    }

    /// Opens the contracted nodes again: the edge into a cycle replaces the cycle's own edge into the same member.
    fn expand(mut self) -> Tree {
        // A node is younger than its members, so going back in time meets the outermost first.
        for whole in (self.count + 1..self.nodes.len()).rev() {
            let Node { row, parent, members, .. } = &self.nodes[whole];
            let enters = |&&member: &&usize| gain(&self.nodes[member], *parent) == row[*parent];
            let entered = *members.iter().find(enters).expect("some member gave the row its maximum");
            self.nodes[entered].parent = self.nodes[whole].parent;
        }
        Tree::from_parents_unchecked(self.nodes[1..=self.count].iter().map(|node| Concept::new(node.parent)))
    }
}

/// What a node's score rises by when this parent replaces its best one.
fn gain(node: &Node<'_>, parent: usize) -> f64 {
    node.row[parent] - node.score
}

/// Raises every entry to `scores - base` where that is greater.
fn raise(row: &mut [f64], scores: &[f64], base: f64) {
    for (entry, score) in row.iter_mut().zip(scores) {
        let score = score - base;
        *entry = if score > *entry { score } else { *entry };
    }
}

/// The first largest entry, as (position, value); (0, negative infinity) if there is none.
fn largest(row: &[f64]) -> (usize, f64) {
    // Eight maxima side by side, then a search for the value: both loops vectorise, one with an index does not.
    let (blocks, rest) = row.as_chunks::<8>();
    let mut lanes = [f64::NEG_INFINITY; 8];
    for block in blocks {
        raise(&mut lanes, block, 0.0);
    }
    let greatest = lanes.iter().chain(rest).fold(f64::NEG_INFINITY, |most, &entry| most.max(entry));
    (row.iter().position(|&entry| entry == greatest).unwrap_or(0), greatest)
}

fn check_row(child: usize, row: &[f64]) -> Result<(), Error> {
    // One pass without a branch for the rule that all is well.
    if row.iter().fold(true, |valid, &score| valid & is_log_weight(score)) {
        return Ok(());
    }
    for (parent, &score) in row.iter().enumerate().filter(|&(parent, _)| parent != child) {
        checked(Concept::new(parent), Concept::new(child), score)?;
    }
    Ok(())
}

/// The concepts from which every way to the root is forbidden. O(N^2).
fn unreachable_concepts<'a>(count: usize, incoming: &impl Fn(Concept) -> &'a [f64]) -> Vec<Concept> {
    let mut left: Vec<Concept> = Concept::all(count).collect();
    let mut pending = vec![Concept::ROOT];
    while let Some(parent) = pending.pop() {
        left.retain(|&child| {
            let allowed = incoming(child)[parent.index()] > f64::NEG_INFINITY;
            if allowed {
                pending.push(child);
            }
            !allowed
        });
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enumeration::all_trees;
    use rand::RngExt;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    type Solver = fn(&EdgeWeights) -> Result<Tree, Error>;

    /// Uniform log-weights of a standard deviation, the root's shifted; a share of the edges between concepts forbidden.
    fn random_weights(
        count: usize,
        sigma: f64,
        root_shift: f64,
        forbidden: f64,
        rng: &mut ChaCha8Rng,
    ) -> EdgeWeights {
        let width = sigma * 12_f64.sqrt();
        EdgeWeights::from_fn(count, |parent, _| {
            let value = width * (rng.random::<f64>() - 0.5);
            match parent.is_root() {
                true => value + root_shift,
                false if rng.random::<f64>() < forbidden => f64::NEG_INFINITY,
                false => value,
            }
        })
        .unwrap()
    }

    /// Chu-Liu/Edmonds as textbooks print it, one whole contracted graph per cycle: O(N^3), recursive.
    /// `score[child][parent]`, node 0 being the root; gives every node's parent.
    fn textbook(score: &[Vec<f64>]) -> Vec<usize> {
        let size = score.len();
        let better = |child: usize, a: usize, b: usize| if score[child][b] > score[child][a] { b } else { a };
        let best =
            |child: usize| (0..size).filter(|&p| p != child).reduce(|a, b| better(child, a, b)).unwrap_or(0);
        let parent: Vec<usize> = (0..size).map(best).collect();
        let Some(cycle) = (1..size).find_map(|start| cycle_through(start, &parent)) else { return parent };

        let outside: Vec<usize> = (0..size).filter(|node| !cycle.contains(node)).collect();
        let merged = outside.len();
        let gain = |p: usize, member: usize| score[member][p] - score[member][parent[member]];
        let entry = |p: usize| *cycle.iter().max_by(|&&a, &&b| gain(p, a).total_cmp(&gain(p, b))).unwrap();
        let exit = |child: usize| {
            *cycle.iter().reduce(|a, b| if better(child, *a, *b) == *b { b } else { a }).unwrap()
        };
        let mut smaller = vec![vec![f64::NEG_INFINITY; merged + 1]; merged + 1];
        for (at, &child) in outside.iter().enumerate() {
            for (from, &p) in outside.iter().enumerate() {
                smaller[at][from] = score[child][p];
            }
            smaller[at][merged] = score[child][exit(child)];
            smaller[merged][at] = gain(child, entry(child));
        }
        let solved = textbook(&smaller);
        let mut opened = parent.clone();
        for (at, &child) in outside.iter().enumerate().skip(1) {
            opened[child] = if solved[at] == merged { exit(child) } else { outside[solved[at]] };
        }
        let from = outside[solved[merged]];
        opened[entry(from)] = from;
        opened
    }

    fn cycle_through(start: usize, parent: &[usize]) -> Option<Vec<usize>> {
        let mut cycle = vec![start];
        let mut at = parent[start];
        while at != 0 && at != start && cycle.len() < parent.len() {
            cycle.push(at);
            at = parent[at];
        }
        (at == start).then_some(cycle)
    }

    fn textbook_tree(weights: &EdgeWeights) -> Tree {
        let root = vec![f64::NEG_INFINITY; weights.len() + 1];
        let rows = weights.concepts().map(|child| weights.incoming(child).to_vec());
        let score: Vec<Vec<f64>> = std::iter::once(root).chain(rows).collect();
        let parents: Vec<Concept> = textbook(&score)[1..].iter().copied().map(Concept::new).collect();
        Tree::from_parents(&parents).unwrap()
    }

    /// How many of the random cases a solver gets wrong, against enumeration.
    fn wrong_against_enumeration(solver: Solver) -> usize {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut wrong = 0;
        for count in 1..=6 {
            let trees = all_trees(count);
            assert_eq!(trees.len(), (count + 1).pow(count as u32 - 1));
            for sigma in [1.0, 5.0, 20.0, 40.0] {
                for shift in [0.0, -10.0, -40.0, -80.0] {
                    for forbidden in [0.0, 0.5] {
                        let weights = random_weights(count, sigma, shift, forbidden, &mut rng);
                        let score = |tree: &&Tree| weights.log_score(tree).unwrap();
                        let best = trees.iter().max_by(|a, b| score(a).total_cmp(&score(b))).unwrap();
                        wrong += usize::from(solver(&weights).as_ref() != Ok(best));
                    }
                }
            }
        }
        wrong
    }

    #[test]
    fn agrees_with_enumeration() {
        assert_eq!(wrong_against_enumeration(EdgeWeights::best_tree), 0);
    }

    /// The planted fault: break every cycle where the root enters it best, without contraction.
    #[test]
    fn enumeration_catches_a_greedy_solver() {
        let greedy: Solver = |weights| {
            let mut parents: Vec<Concept> =
                weights.concepts().map(|child| Concept::new(largest(weights.incoming(child)).0)).collect();
            while let Err(Error::Cycle(cycle)) = Tree::from_parents(&parents) {
                let loss = |&child: &Concept| {
                    weights.log_weight(parents[child.index() - 1], child)
                        - weights.log_weight(Concept::ROOT, child)
                };
                let cheapest = cycle.iter().min_by(|a, b| loss(a).total_cmp(&loss(b))).unwrap();
                parents[cheapest.index() - 1] = Concept::ROOT;
            }
            Tree::from_parents(&parents)
        };
        assert!(wrong_against_enumeration(greedy) > 20);
    }

    #[test]
    fn agrees_with_the_textbook() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for round in 0..400 {
            let [sigma, shift] = [[1.0, 0.0], [1.0, -80.0], [40.0, 0.0], [40.0, -80.0]][round % 4];
            let weights = random_weights(30, sigma, shift, [0.0, 0.8][round / 4 % 2], &mut rng);
            assert_eq!(weights.best_tree().unwrap(), textbook_tree(&weights));
        }
    }

    /// Every concept likes the one before it, the first likes the later ones, the root is far: cycles nest N deep.
    #[test]
    fn contracts_nested_cycles() {
        let count = 60;
        let weights = EdgeWeights::from_fn(count, |parent, child| match (parent.index(), child.index()) {
            (0, child) => -1000.0 - child as f64,
            (parent, 1) => -(parent as f64),
            (parent, child) if parent + 1 == child => 0.5,
            _ => -5000.0,
        })
        .unwrap();
        let chain: Vec<Concept> = (0..count).map(Concept::new).collect();
        assert_eq!(weights.best_tree().unwrap(), Tree::from_parents(&chain).unwrap());
        assert_eq!(weights.best_tree().unwrap(), textbook_tree(&weights));
    }

    #[test]
    fn takes_the_lowest_parent_of_equals() {
        assert_eq!(EdgeWeights::uniform(5).best_tree().unwrap(), Tree::flat(5));
        assert_eq!(EdgeWeights::uniform(0).best_tree().unwrap(), Tree::flat(0));
    }

    #[test]
    fn ignores_a_concept_under_itself() {
        // Rows of 2 concepts with a tempting own entry.
        let rows = [[0.1, 9.0, 0.2], [0.3, 0.4, 9.0]];
        let tree = best_tree(2, |child| &rows[child.index() - 1]).unwrap();
        assert_eq!(tree.parents(), [Concept::ROOT, Concept::new(1)]);
    }

    #[test]
    fn names_the_concepts_without_a_way_to_the_root() {
        // 1 is under the root; 2 and 3 only under each other; 4 only under 3.
        let weights = EdgeWeights::from_fn(4, |parent, child| match (parent.index(), child.index()) {
            (0, 1) | (2, 3) | (3, 2) | (3, 4) | (4, 1) => 0.0,
            _ => f64::NEG_INFINITY,
        })
        .unwrap();
        assert_eq!(weights.best_tree(), Err(Error::Unreachable([2, 3, 4].map(Concept::new).to_vec())));
    }

    #[test]
    fn refuses_what_is_no_score() {
        for bad in [f64::NAN, f64::INFINITY, 1e101] {
            let rows = [[0.0, 0.0, bad], [0.0, 0.0, 0.0]];
            let refused = best_tree(2, |child| &rows[child.index() - 1]);
            assert!(matches!(refused, Err(Error::NotALogWeight { .. })));
        }
    }
}
