use grove_tree::{Outline, Tree};
use rand::{Rng, RngExt};

use super::gain::gain;
use super::{Choice, largest};
use crate::{Belief, Candidate, Question, Rates, Worker};

/// How many patterns of answers to the questions chosen so far are followed: all of them for five questions, a sample for more.
const PATTERNS: usize = 32;

/// How many of the best single questions compete for the batch.
const SHORTLIST: usize = 256;

/// The number of trees drawn to see how answers depend on each other.
const TREES: usize = 1_000;

/// Chooses a question for each of several workers who answer at the same time, by joint gain: questions that are each
/// the best on their own are often redundant, so each next one is chosen for what it adds to the possible answers to
/// the earlier ones.
///
/// Greedy; the joint gain is the mean over possible patterns of answers, each of which reweights a sample of trees. Workers for whom
/// nothing is left to ask are skipped; no question is chosen twice. O(candidates * trees * patterns) a worker; draws the trees, and
/// past the fifth question an answer for each pattern.
pub fn choose_batch(
    belief: &dyn Belief,
    workers: &[Worker],
    excluded: &dyn Fn(Question) -> bool,
    rng: &mut dyn Rng,
) -> Vec<(Worker, Choice)> {
    let outlines: Vec<Outline> = belief.sample(TREES, rng).iter().map(Tree::outline).collect();
    let mut patterns = vec![Pattern::of_no_answers(outlines.len())];
    let candidates = belief.candidates();
    let mut chosen: Vec<(Worker, Choice)> = Vec::new();
    for &worker in workers {
        let rates = belief.rates(worker);
        let allowed = |candidate: &&Candidate| {
            let question = candidate.question;
            !belief.evidence().has_answered(worker, question)
                && !excluded(question)
                && !chosen.iter().any(|(_, choice)| choice.question == question)
        };
        let shortlist = shortlist(candidates.iter().filter(allowed).copied().collect(), &rates);
        let value = |candidate: &Candidate| joint_gain(candidate, &rates, &outlines, &patterns);
        let Some(best) = largest(&shortlist, value) else { continue };
        chosen.push((worker, Choice { question: best.question, gain: value(&best), above: best.above }));
        patterns = imagine_answers(&best, &rates, &outlines, patterns, rng);
    }
    chosen
}

/// Possible answers to the questions chosen so far.
struct Pattern {
    chance: f64,
    /// The probabilities of the trees of the sample after these answers.
    trees: Vec<f64>,
}

impl Pattern {
    fn of_no_answers(trees: usize) -> Self {
        Self { chance: 1.0, trees: vec![1.0 / trees as f64; trees] }
    }

    /// The chance of a yes, by the chance of it in every tree.
    fn yes(&self, yes_in: &[f64]) -> f64 {
        self.trees.iter().zip(yes_in).map(|(belief, yes)| belief * yes).sum()
    }

    /// The pattern with one more answer, of the likelihood `said_in` in every tree.
    fn with_answer(&self, chance: f64, said_in: impl Iterator<Item = f64>) -> Self {
        let products: Vec<f64> = self.trees.iter().zip(said_in).map(|(belief, said)| belief * said).collect();
        let total: f64 = products.iter().sum();
        Self { chance, trees: products.into_iter().map(|product| product / total).collect() }
    }
}

fn shortlist(mut candidates: Vec<Candidate>, rates: &Rates) -> Vec<Candidate> {
    candidates.sort_by(|a, b| b.gain(rates).total_cmp(&a.gain(rates)));
    candidates.truncate(SHORTLIST);
    candidates
}

/// The mean gain of a question over the patterns: its gain alone, which is known precisely, less what the patterns
/// take away, estimated from the sample of trees.
fn joint_gain(candidate: &Candidate, rates: &Rates, outlines: &[Outline], patterns: &[Pattern]) -> f64 {
    let chances = rates.by_relation();
    let relation: Vec<usize> = outlines.iter().map(|outline| relation(outline, candidate.question)).collect();
    let gain_in = |pattern: &Pattern| {
        let mut beliefs = [0.0; 3];
        relation.iter().zip(&pattern.trees).for_each(|(&relation, belief)| beliefs[relation] += belief);
        gain(beliefs, chances)
    };
    let left: f64 = patterns.iter().map(|pattern| pattern.chance * gain_in(pattern)).sum();
    candidate.gain(rates) - (gain_in(&Pattern::of_no_answers(outlines.len())) - left)
}

/// Extends every pattern by both answers, or, once there are too many patterns, by one drawn from what it predicts.
fn imagine_answers(
    candidate: &Candidate,
    rates: &Rates,
    outlines: &[Outline],
    patterns: Vec<Pattern>,
    rng: &mut dyn Rng,
) -> Vec<Pattern> {
    let chances = rates.by_relation();
    let yes_in: Vec<f64> =
        outlines.iter().map(|outline| chances[relation(outline, candidate.question)]).collect();
    let no_in = || yes_in.iter().map(|yes| 1.0 - yes);
    let both = 2 * patterns.len() <= PATTERNS;
    let mut extended = Vec::with_capacity(PATTERNS);
    for pattern in patterns {
        let (yes, chance) = (pattern.yes(&yes_in), pattern.chance);
        if both {
            extended.push(pattern.with_answer(chance * yes, yes_in.iter().copied()));
            extended.push(pattern.with_answer(chance * (1.0 - yes), no_in()));
        } else if rng.random::<f64>() < yes {
            extended.push(pattern.with_answer(chance, yes_in.iter().copied()));
        } else {
            extended.push(pattern.with_answer(chance, no_in()));
        }
    }
    extended
}

/// The index of the relation in a tree: above, reversed, neither.
fn relation(outline: &Outline, question: Question) -> usize {
    let (upper, lower) = (question.upper, question.lower);
    match (outline.is_above(upper, lower), outline.is_above(lower, upper)) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    }
}
