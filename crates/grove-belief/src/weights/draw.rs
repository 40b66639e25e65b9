//! Trees from the weights as evidence changes them: importance sampling, by better proposals where few trees would count.

use grove_tree::{EdgeWeights, Sampler, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::change::Change;
use super::fit::{fit_proposal, mixed};
use super::sample::Sample;
use crate::corrections::Corrections;

/// The sample is good when it is worth this share of its trees; otherwise a better proposal is sought.
const ENOUGH: f64 = 0.1;
/// So many proposals are tried at most.
const ROUNDS: usize = 12;
/// With fewer fulfilling trees than this, a proposal cannot be learnt from them.
const FEW: usize = 50;
/// The share of the plain weights in every proposal, so that whatever they allow can be drawn.
const DEFENCE: f64 = 0.1;
/// Trees drawn to see whether a proposal fulfils the corrections.
const TRIAL: usize = 200;
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
                let trees = sampler.draw_many(size, &mut rng, &|| false).expect("nobody cancels these draws");
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
    /// The paper draws from P(T|W) and weighs by the likelihood. So do we first; but where a surprising answer, a strong prior or
    /// corrections leave few trees that count, we fit edge weights to those few, as in the cross-entropy method
    /// (Rubinstein 1999), draw from these instead, and weigh by what the target has over them. The target stays the same.
    pub(super) fn sample(&self, size: usize, streams: Streams) -> Sample {
        let mut proposal = self.weights.clone();
        let mut best: Option<(f64, Batch)> = None;
        for round in 0..ROUNDS {
            let batch = self.weigh(&proposal, size, streams, round);
            let effective = batch.effective(1.0);
            let enough = effective >= ENOUGH * size as f64;
            if !enough && round + 1 < ROUNDS {
                proposal = match batch.fulfilling().count() < FEW {
                    true => self.towards_corrections(streams),
                    false => self.closer(&proposal, &batch),
                };
            }
            if best.as_ref().is_none_or(|(most, _)| effective > *most) {
                best = Some((effective, batch));
            }
            if enough {
                break;
            }
        }
        let (_, batch) = best.expect("there is at least one round");
        Sample::new(batch.trees)
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

    /// A proposal for which most trees fulfil the corrections: every edge of the simplest such tree is made heavier, for the concepts that
    /// corrections speak of.
    fn towards_corrections(&self, streams: Streams) -> EdgeWeights {
        let simplest = self.corrections.simplest_tree();
        let named: Vec<_> =
            self.corrections.iter().flat_map(|(_, correction)| correction.concepts()).collect();
        let mut pull = 1.0;
        loop {
            let tilted = EdgeWeights::from_fn(self.weights.len(), |parent, child| {
                let pulled = simplest.parent(child) == parent && named.contains(&child);
                self.weights.log_weight(parent, child) + if pulled { pull } else { 0.0 }
            })
            .expect("some multiples of a nat change no log-weight's validity");
            let trial = streams.draw(&sampler_of(&tilted), TRIAL, ROUNDS);
            let fulfil = trial.iter().filter(|(tree, _)| self.corrections.hold_in(tree)).count();
            if 2 * fulfil >= TRIAL {
                return tilted;
            }
            pull *= 2.0;
        }
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
