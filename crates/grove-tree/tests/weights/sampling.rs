//! Both samplers against the exact distribution: all trees where these can be listed, otherwise edges.

use std::collections::HashMap;

use grove_tree::{Concept, EdgeWeights, Error, SamplingMethod, Tree};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::{Enumerated, edges, random_weights};

const METHODS: [SamplingMethod; 2] = [SamplingMethod::Walk, SamplingMethod::Restore];
const DRAWS: usize = 1_000_000;
/// The normal deviate that is exceeded with probability 1e-4.
const WORST_DEVIATE: f64 = 3.719;

/// Five distributions of different kinds: flat, mild, steep, with a weak root, with forbidden edges.
fn distributions(count: usize) -> Vec<EdgeWeights> {
    let mut forbidding = random_weights(count, 1.0, 0.0, 4);
    for (parent, child) in [(0, 2), (1, 3)] {
        forbidding.forbid(Concept::new(parent), Concept::new(child)).expect("other ways are left");
    }
    vec![
        EdgeWeights::uniform(count),
        random_weights(count, 1.0, 0.0, 1),
        random_weights(count, 2.0, 0.0, 2),
        random_weights(count, 1.0, -3.0, 3),
        forbidding,
    ]
}

/// Pearson's statistic of drawn trees against their probabilities, as a normal deviate (Wilson and Hilferty 1931).
/// Cells that expect less than 5 are pooled, and a tree of probability zero is an infinite deviate.
fn deviate_of_trees(truth: &Enumerated, mut draw: impl FnMut() -> Tree) -> f64 {
    let mut counts: HashMap<Tree, usize> = HashMap::new();
    for _ in 0..DRAWS {
        *counts.entry(draw()).or_default() += 1;
    }
    let mut cells: Vec<(f64, f64)> = Vec::new();
    let (mut pooled_expected, mut pooled_count) = (0.0, 0.0);
    for (tree, probability) in truth.trees.iter().zip(&truth.probabilities) {
        let (expected, count) = (probability * DRAWS as f64, counts.remove(tree).unwrap_or(0) as f64);
        if expected == 0.0 && count > 0.0 {
            return f64::INFINITY;
        }
        if expected < 5.0 {
            (pooled_expected, pooled_count) = (pooled_expected + expected, pooled_count + count);
        } else {
            cells.push((expected, count));
        }
    }
    if pooled_expected < 5.0 {
        // Joins the smallest cell.
        let smallest = cells.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0)).expect("some tree is common");
        *smallest = (smallest.0 + pooled_expected, smallest.1 + pooled_count);
    } else {
        cells.push((pooled_expected, pooled_count));
    }
    let statistic: f64 = cells.iter().map(|(expected, count)| (count - expected).powi(2) / expected).sum();
    let freedom = (cells.len() - 1) as f64;
    let variance = 2.0 / (9.0 * freedom);
    ((statistic / freedom).cbrt() - (1.0 - variance)) / variance.sqrt()
}

/// The largest deviate of an edge's frequency from its probability.
fn deviate_of_edges(weights: &EdgeWeights, draws: usize, mut draw: impl FnMut() -> Tree) -> f64 {
    let width = weights.len() + 1;
    let mut counts = vec![0_usize; width * width];
    for _ in 0..draws {
        for (parent, child) in draw().edges() {
            counts[child.index() * width + parent.index()] += 1;
        }
    }
    let marginals = weights.marginals().expect("some tree is possible");
    let deviate = |(parent, child): (Concept, Concept)| {
        let probability = marginals.probability(parent, child);
        let expected = probability * draws as f64;
        let error = counts[child.index() * width + parent.index()] as f64 - expected;
        // The normal approximation needs some expected draws on either side; an edge that expects fewer may deviate by them.
        let variance = (expected * (1.0 - probability)).max(1.0);
        error.abs() / variance.sqrt()
    };
    edges(weights.len()).map(deviate).fold(0.0, f64::max)
}

#[test]
fn trees_have_the_right_frequencies() {
    for count in [4, 5] {
        for (number, weights) in distributions(count).iter().enumerate() {
            let truth = Enumerated::new(weights);
            for method in METHODS {
                let sampler = weights.sampler_by(method).unwrap();
                let mut rng = ChaCha8Rng::seed_from_u64(number as u64);
                let deviate = deviate_of_trees(&truth, || sampler.draw(&mut rng).tree);
                assert!(deviate < WORST_DEVIATE, "{method:?}, distribution {number} of {count}: {deviate}");
            }
        }
    }
}

/// One step of the walk from a concept, by plain summation.
fn step(weights: &EdgeWeights, from: Concept, rng: &mut impl Rng) -> Concept {
    let row: Vec<f64> = weights.incoming(from).iter().map(|log_weight| log_weight.exp()).collect();
    let mut rest = rng.random::<f64>() * row.iter().sum::<f64>();
    let found = row.iter().position(|weight| {
        rest -= weight;
        rest < 0.0
    });
    Concept::new(found.unwrap_or(0))
}

/// Wilson's algorithm with another treatment of loops: `on_loop` says where a path that meets itself continues.
fn faulty_walk(weights: &EdgeWeights, rng: &mut impl Rng, on_loop: impl Fn(&mut Vec<Concept>)) -> Tree {
    let mut parents = vec![None; weights.len() + 1];
    parents[0] = Some(Concept::ROOT);
    for start in weights.concepts() {
        let mut path = vec![start];
        while let Some(&at) = path.last().filter(|at| parents[at.index()].is_none()) {
            let next = step(weights, at, rng);
            match path.contains(&next) {
                true => on_loop(&mut path),
                false => path.push(next),
            }
        }
        for edge in path.windows(2) {
            parents[edge[0].index()] = Some(edge[1]);
        }
    }
    let parents: Vec<Concept> = parents[1..].iter().copied().map(|parent| parent.expect("walked")).collect();
    Tree::from_parents(&parents).expect("paths without loops make a tree")
}

#[test]
fn a_walk_that_avoids_itself_or_starts_again_is_caught() {
    let weights = random_weights(4, 1.0, 0.0, 1);
    let truth = Enumerated::new(&weights);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let avoiding = deviate_of_trees(&truth, || faulty_walk(&weights, &mut rng, |_| ()));
    assert!(avoiding > WORST_DEVIATE, "{avoiding}");
    let restarting = deviate_of_trees(&truth, || faulty_walk(&weights, &mut rng, |path| path.truncate(1)));
    assert!(restarting > WORST_DEVIATE, "{restarting}");
}

#[test]
fn edges_have_the_right_frequencies() {
    let weights = random_weights(5, 1.0, 0.0, 11);
    let mut heavier = weights.clone();
    let (parent, child) = (Concept::new(2), Concept::new(4));
    heavier.set_log_weight(parent, child, weights.log_weight(parent, child) + 1.01_f64.ln()).unwrap();
    for method in METHODS {
        let deviate = |drawn_from: &EdgeWeights| {
            let sampler = drawn_from.sampler_by(method).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(5);
            deviate_of_edges(&weights, 4_000_000, || sampler.draw(&mut rng).tree)
        };
        let (right, one_percent_off) = (deviate(&weights), deviate(&heavier));
        assert!(right < 4.5, "{method:?}: {right}");
        assert!(one_percent_off > 4.5, "{method:?}: {one_percent_off}");
    }
}

#[test]
fn edges_of_fifty_concepts_have_the_right_frequencies() {
    for (method, root_shift) in [(SamplingMethod::Walk, 0.0), (SamplingMethod::Restore, -40.0)] {
        let weights = random_weights(50, 1.0, root_shift, 50);
        assert_eq!(weights.sampler().unwrap().method(), method);
        let sampler = weights.sampler().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let deviate = deviate_of_edges(&weights, DRAWS, || sampler.draw(&mut rng).tree);
        assert!(deviate < 5.0, "{method:?}: {deviate}");
    }
}

#[test]
fn weights_beyond_plain_numbers_are_sampled_too() {
    // Steps of 400 nats: only logarithms can hold the products of two.
    let weights = random_weights(5, 400.0, -1000.0, 8);
    let truth = Enumerated::new(&weights);
    let sampler = weights.sampler().unwrap();
    assert_eq!(sampler.method(), SamplingMethod::Restore);
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..1000 {
        let drawn = sampler.draw(&mut rng);
        let at = truth.trees.iter().position(|tree| *tree == drawn.tree).unwrap();
        assert!((drawn.log_probability - truth.log_probabilities[at]).abs() < 1e-9);
        assert!(truth.log_probabilities[at] > -20.0);
    }
}

#[test]
fn path_marginals_are_frequencies() {
    let weights = random_weights(4, 1.0, 0.0, 12);
    let truth = Enumerated::new(&weights);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let paths = weights.path_marginals(1_000_000, &mut rng).unwrap();
    assert_eq!(paths.samples(), 1_000_000);
    for (upper, lower) in edges(4).filter(|(upper, _)| !upper.is_root()) {
        let probability = truth.probability(|tree| tree.is_above(upper, lower));
        let error = (probability * (1.0 - probability) / 1e6).sqrt();
        assert!((paths.probability(upper, lower) - probability).abs() <= 4.5 * error);
    }
    assert_eq!(paths.probability(Concept::ROOT, Concept::new(1)), 1.0);
    assert_eq!(weights.path_marginals(0, &mut rng), Err(Error::NoSamples));
}

#[test]
fn many_draws_can_be_cancelled() {
    let sampler = EdgeWeights::uniform(4).sampler().unwrap();
    let asked = std::cell::Cell::new(0);
    let cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() > 10
    };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    assert_eq!(sampler.draw_many(1000, &mut rng, &cancelled), Err(Error::Cancelled));
    assert_eq!(asked.get(), 11);
    assert_eq!(sampler.draw_many(10, &mut rng, &|| false).unwrap().len(), 10);
}
