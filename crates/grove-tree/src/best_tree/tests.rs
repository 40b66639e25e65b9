use super::*;
use crate::enumeration::all_trees;
use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

type Solver = fn(&EdgeWeights) -> Result<Tree>;

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
    let exit =
        |child: usize| *cycle.iter().reduce(|a, b| if better(child, *a, *b) == *b { b } else { a }).unwrap();
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
        let best = |child: Concept| {
            let row = weights.incoming(child).iter().enumerate();
            Concept::new(row.max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0)
        };
        let mut parents: Vec<Concept> = weights.concepts().map(best).collect();
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
fn poorer(solver: fn(&Lists) -> Result<Tree>) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut poorer = 0;
    for round in 0..600 {
        let count = [3, 6, 12, 40][round % 4];
        let lists = random_lists(count, [0.2, 0.5, 1.0][round % 3], [0.1, 1.0][round % 2], &mut rng);
        let rows = dense(&lists);
        if let Ok(best) = best_tree(count, |child| &rows[child.index() - 1]) {
            poorer +=
                usize::from((score(&rows, &best) - score(&rows, &solver(&lists).unwrap())).abs() > 1e-9);
        }
    }
    poorer
}

#[test]
fn the_sparse_solver_agrees_with_the_dense_one() {
    assert_eq!(poorer(|lists| best_sparse_tree(lists)), 0);
}

/// The planted fault: the first concept of a cycle goes to the root.
#[test]
fn the_dense_solver_catches_a_greedy_one() {
    let greedy = |lists: &Lists| {
        let mut parents: Vec<Concept> =
            lists.iter().map(|list| list.first().map_or(Concept::ROOT, |first| first.0)).collect();
        while let Err(Error::Cycle(cycle)) = Tree::from_parents(&parents) {
            parents[cycle[0].index() - 1] = Concept::ROOT;
        }
        Tree::from_parents(&parents)
    };
    assert!(poorer(greedy) > 100);
}

/// Every concept likes the one before it, the first likes all later ones: cycles nest as deep as there are concepts.
#[test]
fn the_sparse_solver_contracts_nested_cycles_at_ten_thousand() {
    let count = 10_000;
    let list = |child: usize| match child {
        1 => (2..=count).map(|parent| (Concept::new(parent), 0.9 / parent as f64)).collect(),
        _ => vec![(Concept::new(child - 1), 0.9), (Concept::ROOT, 0.1 / child as f64)],
    };
    let lists: Lists = (1..=count).map(list).collect();
    let tree = best_sparse_tree(&lists).unwrap();
    // If concept j leaves for the root, 1 can only go under j or later, at best j itself: j wins 0.1 / j and 1 wins 0.9 / j.
    assert_eq!([1, 2, 3, count].map(|at| tree.parent(Concept::new(at)).index()), [2, 0, 2, count - 1]);
}

#[test]
fn the_sparse_solver_refuses_what_the_dense_one_refuses() {
    let [one, two] = [1, 2].map(Concept::new);
    let unreachable =
        best_sparse_tree(&[vec![(two, 1.0)], vec![(one, 0.9), (Concept::ROOT, f64::NEG_INFINITY)]]);
    assert_eq!(unreachable, Err(Error::Unreachable(vec![one, two])));
    let refused = best_sparse_tree(&[vec![(Concept::ROOT, f64::NAN)]]);
    assert!(matches!(refused, Err(Error::NotALogWeight { .. })));
    // A concept under itself is ignored.
    let tree = best_sparse_tree(&[vec![(one, 9.0), (Concept::ROOT, 0.1)]]);
    assert_eq!(tree, Ok(Tree::flat(1)));
}
