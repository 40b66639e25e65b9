//! Shared by the tests of distributions: random weights, and the enumeration of all trees.

use grove_tree::{Concept, EdgeWeights, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

/// All (N+1)^(N-1) trees: every list of parents that is one.
pub(crate) fn all_trees(count: usize) -> Vec<Tree> {
    let lists = (count + 1).pow(count as u32);
    let digits = |list: usize| {
        (0..count).scan(list, |rest, _| {
            let digit = *rest % (count + 1);
            *rest /= count + 1;
            Some(Concept::new(digit))
        })
    };
    (0..lists).filter_map(|list| Tree::from_parents(&digits(list).collect::<Vec<_>>()).ok()).collect()
}

/// Independent normal log-weights; those of the root's edges moved by `root_shift`.
pub(crate) fn random_weights(count: usize, sigma: f64, root_shift: f64, seed: u64) -> EdgeWeights {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let normal = Normal::new(0.0, sigma).expect("a finite spread");
    EdgeWeights::from_fn(count, |parent, _| {
        normal.sample(&mut rng) + if parent.is_root() { root_shift } else { 0.0 }
    })
    .expect("normal numbers are finite")
}

/// A distribution as a list of all trees, which shares no code with the kernels: the reference.
pub(crate) struct Enumerated {
    pub(crate) trees: Vec<Tree>,
    pub(crate) probabilities: Vec<f64>,
    pub(crate) log_probabilities: Vec<f64>,
    pub(crate) log_partition: f64,
}

impl Enumerated {
    pub(crate) fn new(weights: &EdgeWeights) -> Self {
        let trees = all_trees(weights.len());
        let scores: Vec<f64> = trees
            .iter()
            .map(|tree| tree.edges().map(|(parent, child)| weights.log_weight(parent, child)).sum())
            .collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
        let log_partition = largest + sum.ln();
        let log_probabilities: Vec<f64> = scores.iter().map(|score| score - log_partition).collect();
        let probabilities = log_probabilities.iter().map(|log| log.exp()).collect();
        Self { trees, probabilities, log_probabilities, log_partition }
    }

    /// The probability of an event.
    pub(crate) fn probability(&self, event: impl Fn(&Tree) -> bool) -> f64 {
        self.trees.iter().zip(&self.probabilities).filter(|(tree, _)| event(tree)).map(|(_, p)| p).sum()
    }

    pub(crate) fn edge(&self, parent: Concept, child: Concept) -> f64 {
        self.probability(|tree| tree.parent(child) == parent)
    }

    /// The mean of log P under P, with the sign turned.
    pub(crate) fn entropy(&self) -> f64 {
        -self.mean(&self.log_probabilities)
    }

    /// The mean of log P - log Q under P.
    pub(crate) fn kl_divergence(&self, other: &Self) -> f64 {
        let ratios = self.log_probabilities.iter().zip(&other.log_probabilities).map(|(p, q)| p - q);
        self.mean(&ratios.collect::<Vec<_>>())
    }

    fn mean(&self, values: &[f64]) -> f64 {
        let positive = self.probabilities.iter().zip(values).filter(|(p, _)| **p > 0.0);
        positive.map(|(p, value)| p * value).sum()
    }
}

/// All edges over some concepts.
pub(crate) fn edges(count: usize) -> impl Iterator<Item = (Concept, Concept)> {
    Concept::all(count).flat_map(move |child| {
        (0..=count)
            .map(Concept::new)
            .filter(move |&parent| parent != child)
            .map(move |parent| (parent, child))
    })
}
