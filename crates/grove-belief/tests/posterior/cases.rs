//! Evidence drawn at random.

use grove_belief::{
    Answer, Correction, Evidence, Kind, Noise, Prior, Question, Rates, Settings, Vote, Worker,
};
use grove_tree::Concept;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// One of every noise model whose rates are given.
pub(crate) fn noises() -> Vec<Noise> {
    let known = vec![Rates::one(0.05).unwrap(), Rates::three(0.8, 0.4, 0.1).unwrap()];
    vec![
        Noise::Given(Rates::one(0.1).unwrap()),
        Noise::Given(Rates::two(0.05, 0.3).unwrap()),
        Noise::Given(Rates::three(0.85, 0.3, 0.1).unwrap()),
        Noise::Workers { known, others: Rates::two(0.2, 0.15).unwrap() },
        Noise::Majority,
    ]
}

/// Shallow, with few parents, and with odds for two pairs where there are two concepts.
pub(crate) fn informed_prior(count: usize) -> Prior {
    let shallow = Prior::shallow(0.4).unwrap().few_parents(0.8).unwrap();
    if count < 2 {
        return shallow;
    }
    let (first, last) = (Concept::new(1), Concept::new(count));
    shallow.with_odds(last, first, 1.5).unwrap().with_odds(first, last, -0.5).unwrap()
}

fn two_concepts(count: usize, rng: &mut ChaCha8Rng) -> (Concept, Concept) {
    let one = rng.random_range(1..=count);
    let other = (one + rng.random_range(1..count) - 1) % count + 1;
    (Concept::new(one), Concept::new(other))
}

/// Votes of four workers on random questions, many of them several times; none about a single concept.
pub(crate) fn votes(count: usize, how_many: usize, kinds: &[Kind], rng: &mut ChaCha8Rng) -> Vec<Vote> {
    let how_many = if count < 2 { 0 } else { how_many };
    let vote = |_| {
        let (upper, lower) = two_concepts(count, rng);
        let kind = kinds[rng.random_range(0..kinds.len())];
        let answer =
            [Answer::Yes, Answer::Yes, Answer::No, Answer::No, Answer::CantSay][rng.random_range(0..5)];
        let question = Question::new(kind, upper, lower).unwrap();
        Vote { question, worker: Worker::new(rng.random_range(0..4)), answer }
    };
    (0..how_many).map(vote).collect()
}

/// One correction of any of the four kinds; about a single concept, that it stands at the top.
pub(crate) fn correction(count: usize, rng: &mut ChaCha8Rng) -> Correction {
    if count < 2 {
        return Correction::TopLevel { concept: Concept::new(1) };
    }
    let (upper, lower) = two_concepts(count, rng);
    match rng.random_range(0..4) {
        0 => Correction::DirectlyUnder { lower, upper },
        1 => Correction::SomewhereUnder { lower, upper },
        2 => Correction::NotUnder { lower, upper },
        _ => Correction::TopLevel { concept: lower },
    }
}

pub(crate) fn evidence(count: usize, settings: Settings, votes: &[Vote]) -> Evidence {
    let mut evidence = Evidence::new(count, settings).unwrap();
    for &vote in votes {
        evidence.record(vote).unwrap();
    }
    evidence
}
