//! The paper's claim: without noise, active questions always recover the hierarchy with fewer than N^2 of them, and random ones need
//! about twice as many.
//!
//! `cargo bench -p grove-belief --bench paper [-- --quick]`
//!
//! Truths are drawn uniformly, answers are right, rates are floored at 1e-3, 10,000 trees a vote as in the paper, or more. Settled is a run from the first vote
//! after which every concept's likeliest parent is the true one, alone, until the run's end: N^2 questions if they are chosen, by
//! the paper's rule (worst case) or by expected gain, and 3 N^2 if they are random.

use std::time::Instant;

use grove_belief::{
    Answer, Belief, Certainties, Evidence, Question, Settings, Strategy, Vote, Weights, WeightsSettings,
    Worker, choose,
};
use grove_tree::{Concept, Tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let (counts, runs): (&[usize], u64) = if quick { (&[5, 10], 4) } else { (&[5, 10, 15], 10) };
    println!(
        "| trees | beta | questions | N | settled | median | maximum | N^2 | mean final AUC | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for beta in [1e-2, 1e-3, 1e-4, 1e-5] {
        for strategy in [Strategy::WorstCase, Strategy::Gain, Strategy::Random] {
            for &count in counts {
                print_row(Setup { samples: 10_000, beta, strategy, count }, runs);
            }
        }
    }
    if !quick {
        for &count in counts {
            print_row(Setup { samples: 80_000, beta: 1e-5, strategy: Strategy::Gain, count }, runs);
        }
    }
}

/// What a row of the table is about.
#[derive(Clone, Copy)]
struct Setup {
    samples: usize,
    beta: f64,
    strategy: Strategy,
    count: usize,
}

fn print_row(setup: Setup, runs: u64) {
    let start = Instant::now();
    let outcomes: Vec<Outcome> = (0..runs).into_par_iter().map(|seed| run(setup, seed)).collect();
    let seconds = start.elapsed().as_secs_f64();
    // A run that never settled counts as longer than any that did.
    let mut settled: Vec<usize> = outcomes.iter().map(|run| run.settled.unwrap_or(usize::MAX)).collect();
    settled.sort_unstable();
    let number = |votes: usize| if votes == usize::MAX { "-".to_owned() } else { votes.to_string() };
    let auc = outcomes.iter().map(|run| run.auc).sum::<f64>() / runs as f64;
    println!(
        "| {} | {} | {} | {} | {} of {runs} | {} | {} | {} | {auc:.4} | {seconds:.1} |",
        setup.samples,
        setup.beta,
        match setup.strategy {
            Strategy::WorstCase => "worst case",
            Strategy::Gain => "gain",
            Strategy::Random => "random",
        },
        setup.count,
        settled.iter().filter(|votes| **votes != usize::MAX).count(),
        number(settled[settled.len() / 2]),
        number(settled[settled.len() - 1]),
        setup.count * setup.count,
    );
}

struct Outcome {
    settled: Option<usize>,
    auc: f64,
}

fn run(setup: Setup, seed: u64) -> Outcome {
    let Setup { samples, beta, strategy, count } = setup;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(count, &mut rng);
    let evidence = Evidence::new(count, Settings::one_rate(0.0).expect("a rate")).expect("some concepts");
    let settings = WeightsSettings { samples, beta, seed, ..WeightsSettings::default() };
    let mut belief = Weights::new(evidence, settings).expect("valid settings");
    let mut settled = None;
    let questions = if strategy == Strategy::Random { 3 * count * count } else { count * count };
    for asked in 1..=questions {
        // Everybody is asked once, so that a question may come again.
        let worker = Worker::new(asked as u32);
        let question = next_question(&belief, strategy, worker, &mut rng);
        let yes = truth.is_above(question.upper, question.lower);
        let answer = if yes { Answer::Yes } else { Answer::No };
        belief.record(Vote { question, worker, answer }).expect("the concepts exist");
        let right = certainties(&belief).parents_right(&truth) == 1.0;
        settled = if right { settled.or(Some(asked)) } else { None };
    }
    Outcome { settled, auc: certainties(&belief).edge_auc(&truth).expect("more than one concept") }
}

fn next_question(belief: &Weights, strategy: Strategy, worker: Worker, rng: &mut ChaCha8Rng) -> Question {
    if strategy != Strategy::Random {
        return choose(belief, strategy, worker, &|_| false, rng).expect("questions never run out").question;
    }
    // Any pair, as [`Strategy::Random`] would choose; but that looks at what is believed of each, which takes time.
    let count = belief.evidence().count();
    let upper = rng.random_range(1..=count);
    let lower = (upper + rng.random_range(1..count) - 1) % count + 1;
    Question::path(Concept::new(upper), Concept::new(lower)).expect("two different concepts")
}

fn certainties(belief: &Weights) -> Certainties {
    Certainties::of(belief).expect("probabilities")
}
