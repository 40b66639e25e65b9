//! Draws trees from the weights as changed by evidence: importance sampling, with better proposals where few trees would count.

use grove_tree::{Concept, EdgeWeights, Sampler, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::change::Change;
use super::fit::{fit_proposal, mixed};
use super::sample::Sample;
use crate::corrections::Corrections;

/// A sample is good enough if its effective size is this share of its trees; otherwise a better proposal is tried.
const ENOUGH: f64 = 0.1;
/// The most proposals tried.
const ROUNDS: usize = 12;
/// Fewer trees of the wanted kind than this are not enough to fit a proposal to.
const FEW: usize = 50;
/// The share of the plain weights in every proposal, so that every allowed tree can be drawn.
const DEFENCE: f64 = 0.1;
/// Trees drawn to test whether a proposal is broad enough, and the share of them that must be of the wanted kind.
const TRIAL: usize = 2_000;
const BROAD: f64 = 0.05;
/// Powers of the weights that are tried in turn for a broader proposal; at zero all trees are alike.
const POWERS: [f64; 4] = [0.5, 0.25, 0.125, 0.0];
/// Trees that share a random stream.
const CHUNK: usize = 500;
/// 32-bit words that a stream may use within one update.
const WORDS_PER_UPDATE: u128 = 1 << 32;

/// Random streams of one update. Results do not depend on the number of threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Streams {
    pub(super) seed: u64,
    pub(super) update: u64,
}

impl Streams {
    pub(super) fn stream(self, number: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        rng.set_word_pos(u128::from(self.update) * WORDS_PER_UPDATE);
        rng
    }

    /// Draws trees, each chunk of them under a stream of its own; `round` keeps the streams of several draws apart.
    pub(super) fn draw(self, sampler: &Sampler, count: usize, round: usize) -> Vec<(Tree, f64)> {
        let chunks: Vec<Vec<(Tree, f64)>> = (0..count.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut rng = self.stream(((round as u64) << 32) + chunk as u64);
                let size = CHUNK.min(count - chunk * CHUNK);
                let trees =
                    sampler.draw_many(size, &mut rng, &|| false).expect("these draws are never cancelled");
                trees.into_iter().map(|drawn| (drawn.tree, drawn.log_probability)).collect()
            })
            .collect();
        chunks.into_iter().flatten().collect()
    }
}

/// The distribution in proportion to P(T|W) e^change over the trees that fulfil the corrections.
pub(super) struct Target<'a> {
    pub(super) weights: &'a EdgeWeights,
    pub(super) change: &'a Change,
    pub(super) corrections: &'a Corrections,
}

impl Target<'_> {
    /// A weighted sample of the target.
    ///
    /// The paper draws from P(T|W) and weighs by the likelihood, and so does the first round. But a surprising answer, a strong prior or corrections
    /// may leave few trees that count, or none of those that matter. Then trees are drawn from other weights, and weighed by the ratio of the target
    /// to these, so that the target stays the same: first from flatter weights, until such trees are seen at all, and then from weights
    /// fitted to the last sample, as in the cross-entropy method (Rubinstein 1999), until enough trees count.
    ///
    /// `size` trees a round, one round where no answer surprises and 12 at most; up to a dozen trials of 2,000 trees for flatter weights.
    pub(super) fn sample(&self, size: usize, streams: Streams) -> Sample {
        let wanted = self.wanted();
        let mut batch = self.weigh(self.weights, size, streams, 0);
        let mut proposal = match batch.number_of(&wanted) < FEW {
            true => self.broader(&wanted, streams),
            false if batch.is_enough() => return Sample::new(batch.trees),
            false => self.closer(self.weights, &batch),
        };
        batch = self.weigh(&proposal, size, streams, 1);
        for round in 2..ROUNDS {
            if batch.is_enough() {
                break;
            }
            proposal = self.closer(&proposal, &batch);
            let next = self.weigh(&proposal, size, streams, round);
            if next.effective(1.0) > batch.effective(1.0) {
                batch = next;
            }
        }
        Sample::new(batch.trees)
    }

    /// The kind of tree that a useful sample must contain: one that fulfils the corrections and agrees with a surprising answer.
    fn wanted(&self) -> Corrections {
        let mut wanted = self.corrections.clone();
        for correction in self.change.surprise() {
            // An answer that contradicts the corrections changes nothing.
            wanted.add(correction).ok();
        }
        wanted
    }

    fn weigh(&self, proposal: &EdgeWeights, size: usize, streams: Streams, round: usize) -> Batch {
        let plain = round == 0;
        let weigh = |(tree, log_proposal): (Tree, f64)| {
            if !self.corrections.hold_in(&tree) {
                return (tree, f64::NEG_INFINITY);
            }
            let change = self.change.in_tree(&tree);
            if plain {
                return (tree, change);
            }
            let log_score = self.weights.log_score(&tree).expect("the tree has as many concepts");
            (tree, log_score + change - log_proposal)
        };
        let drawn = streams.draw(&sampler_of(proposal), size, round);
        Batch { trees: drawn.into_iter().map(weigh).collect() }
    }

    /// A proposal that draws some trees of the wanted kind: the weights flattened as little as possible, and pulled
    /// towards the simplest such tree where even a uniform draw would not find any.
    fn broader(&self, wanted: &Corrections, streams: Streams) -> EdgeWeights {
        let is_broad = |weights: &EdgeWeights| {
            let trial = streams.draw(&sampler_of(weights), TRIAL, ROUNDS);
            trial.iter().filter(|(tree, _)| wanted.hold_in(tree)).count() as f64 >= BROAD * TRIAL as f64
        };
        let flat = POWERS.iter().map(|power| self.tilted(*power, |_, _| 0.0));
        let simplest = wanted.simplest_tree();
        let pulled = (0..).map(|doubling| {
            let pull = f64::from(1_u32 << doubling);
            self.tilted(0.0, |parent, child| if simplest.parent(child) == parent { pull } else { 0.0 })
        });
        flat.chain(pulled).find(is_broad).expect("the harder the pull, the more trees are the simplest one")
    }

    /// The weights to some power, times a factor for every edge. Forbidden edges stay forbidden.
    fn tilted(&self, power: f64, log_factor: impl Fn(Concept, Concept) -> f64) -> EdgeWeights {
        EdgeWeights::from_fn(self.weights.len(), |parent, child| {
            let log_weight = self.weights.log_weight(parent, child);
            let forbidden = log_weight == f64::NEG_INFINITY;
            if forbidden { log_weight } else { power * log_weight + log_factor(parent, child) }
        })
        .expect("log-weights stay finite when flattened and pulled by some nats")
    }

    /// A proposal between the last one and the target: fitted to the last trees, whose weights are flattened until enough of them count.
    fn closer(&self, proposal: &EdgeWeights, batch: &Batch) -> EdgeWeights {
        let wanted = (ENOUGH * batch.trees.len() as f64).min(batch.fulfilling().count() as f64 / 2.0);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..20 {
            let middle = (low + high) / 2.0;
            match batch.effective(middle) >= wanted {
                true => low = middle,
                false => high = middle,
            }
        }
        let flattened =
            Sample::new(batch.fulfilling().map(|(tree, log)| (tree.clone(), low * log)).collect());
        let plain = self.weights.marginals().expect("the weights leave some tree possible");
        fit_proposal(proposal, &mixed(&flattened.edges(), &plain, DEFENCE))
    }
}

fn sampler_of(weights: &EdgeWeights) -> Sampler {
    weights.sampler().expect("the weights leave some tree possible")
}

/// Trees with the logarithms of their weights; negative infinity for those that break a correction.
struct Batch {
    trees: Vec<(Tree, f64)>,
}

impl Batch {
    fn number_of(&self, wanted: &Corrections) -> usize {
        self.trees.iter().filter(|(tree, _)| wanted.hold_in(tree)).count()
    }

    fn is_enough(&self) -> bool {
        self.effective(1.0) >= ENOUGH * self.trees.len() as f64
    }

    fn fulfilling(&self) -> impl Iterator<Item = &(Tree, f64)> {
        self.trees.iter().filter(|(_, log)| *log > f64::NEG_INFINITY)
    }

    /// How many trees of equal weight the sample is worth when log-weights are multiplied by a power.
    fn effective(&self, power: f64) -> f64 {
        let most = self.fulfilling().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut squares) = (0.0, 0.0);
        for (_, log) in self.fulfilling() {
            let weight = (power * (log - most)).exp();
            sum += weight;
            squares += weight * weight;
        }
        if squares > 0.0 { sum * sum / squares } else { 0.0 }
    }
}
