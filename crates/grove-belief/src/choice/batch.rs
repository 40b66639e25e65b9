use grove_tree::{Outline, Tree};
use rand::{Rng, RngExt};

use super::gain::{Predictor, gain};
use super::{Choice, largest};
use crate::{Belief, Candidate, Question, Worker};

/// How many answer patterns to the questions chosen so far are imagined.
const PATTERNS: usize = 32;

/// How many of the best single questions compete for the batch.
const SHORTLIST: usize = 256;

/// How many trees tell how answers hang together.
const TREES: usize = 256;

/// Chooses a question for each of several workers who answer at the same time, by joint gain: the best questions one by one
/// repeat each other, so each next one is chosen for what it adds to the answers that the earlier ones may get.
///
/// Greedy; the joint gain is estimated over imagined answers, each pattern of which reweights a sample of trees. Workers for whom
/// nothing is left to ask are passed over; no question is given out twice.
pub fn choose_batch(
    belief: &dyn Belief,
    workers: &[Worker],
    excluded: &dyn Fn(Question) -> bool,
    rng: &mut dyn Rng,
) -> Vec<(Worker, Choice)> {
    let outlines: Vec<Outline> = belief.sample(TREES, rng).iter().map(Tree::outline).collect();
    let mut patterns = vec![vec![1.0 / outlines.len() as f64; outlines.len()]; PATTERNS];
    let candidates = belief.candidates();
    let mut chosen: Vec<(Worker, Choice)> = Vec::new();
    for &worker in workers {
        let predictor = Predictor::new(belief, worker);
        let allowed = |candidate: &&Candidate| {
            let question = candidate.question;
            !belief.evidence().has_answered(worker, question)
                && !excluded(question)
                && !chosen.iter().any(|(_, choice)| choice.question == question)
        };
        let shortlist = shortlist(candidates.iter().filter(allowed).copied().collect(), &predictor);
        let value = |candidate: &Candidate| joint_gain(candidate, &predictor, &outlines, &patterns);
        let Some(best) = largest(&shortlist, value) else { continue };
        chosen.push((worker, Choice { question: best.question, gain: value(&best), above: best.above }));
        imagine_answers(&best, &predictor, &outlines, &mut patterns, rng);
    }
    chosen
}

fn shortlist(mut candidates: Vec<Candidate>, predictor: &Predictor<'_>) -> Vec<Candidate> {
    candidates.sort_by(|a, b| predictor.gain(b).total_cmp(&predictor.gain(a)));
    candidates.truncate(SHORTLIST);
    candidates
}

/// The mean gain of a question over the patterns.
fn joint_gain(
    candidate: &Candidate,
    predictor: &Predictor<'_>,
    outlines: &[Outline],
    patterns: &[Vec<f64>],
) -> f64 {
    let chances = predictor.chances(candidate.question);
    let relation: Vec<usize> = outlines.iter().map(|outline| relation(outline, candidate.question)).collect();
    let gain_in = |weights: &Vec<f64>| {
        let mut beliefs = [0.0; 3];
        relation.iter().zip(weights).for_each(|(&relation, weight)| beliefs[relation] += weight);
        gain(beliefs, chances)
    };
    patterns.iter().map(gain_in).sum::<f64>() / patterns.len() as f64
}

/// Extends every pattern by an answer drawn from what it predicts, and reweights its trees by it.
fn imagine_answers(
    candidate: &Candidate,
    predictor: &Predictor<'_>,
    outlines: &[Outline],
    patterns: &mut [Vec<f64>],
    rng: &mut dyn Rng,
) {
    let chances = predictor.chances(candidate.question);
    let yes_in: Vec<f64> =
        outlines.iter().map(|outline| chances[relation(outline, candidate.question)]).collect();
    for weights in patterns {
        let yes: f64 = weights.iter().zip(&yes_in).map(|(weight, yes)| weight * yes).sum();
        let says_yes = rng.random::<f64>() < yes;
        let total = if says_yes { yes } else { 1.0 - yes };
        for (weight, yes) in weights.iter_mut().zip(&yes_in) {
            *weight *= if says_yes { *yes } else { 1.0 - yes } / total;
        }
    }
}

/// As an index: above, reversed, neither.
fn relation(outline: &Outline, question: Question) -> usize {
    let (upper, lower) = (question.upper(), question.lower());
    match (outline.is_above(upper, lower), outline.is_above(lower, upper)) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    }
}
