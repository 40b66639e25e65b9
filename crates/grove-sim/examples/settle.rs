//! Questions until a hierarchy is settled: uniform random trees, questions by gain, up to twice the information floor.
//!
//! `cargo run --release -p grove-sim --example settle -- [told|learnt] [quick]`: with the true rate of noise told (and every question
//! having one honest answer), or with rates to be learnt and questions that may divide people.

use std::time::Instant;

use grove_belief::{Ensemble, EnsembleSettings, Evidence, LEAST_RATE, Prior, Settings, Strategy};
use grove_sim::{Crowd, CrowdSpec, Interview, Settling, Shares, floor_questions};
use grove_tree::Tree;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Concepts, noise, trees.
const STUDIES: [(usize, f64, u64); 5] =
    [(15, 0.0, 30), (15, 0.05, 30), (15, 0.1, 30), (50, 0.05, 10), (100, 0.05, 5)];

/// So many that hardly anybody is asked the same question twice, where everybody is alike anyway.
const PEOPLE_TOLD: usize = 1_000;

/// So few that each gives votes enough to be known by.
const PEOPLE_LEARNT: usize = 20;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let learnt = args.iter().any(|arg| arg == "learnt");
    let studies = if args.iter().any(|arg| arg == "quick") { &STUDIES[..2] } else { &STUDIES };
    println!("| N | noise | trees | floor | median | maximum | ratio | unsettled | ms a vote and question |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for &(count, noise, trees) in studies {
        let start = Instant::now();
        let floor = floor_questions(count, noise).expect("a rate below one half");
        let questions = (2.0 * floor).ceil() as usize;
        let run = |seed| run(count, noise, learnt, questions, seed);
        let mut settled: Vec<Option<usize>> = (0..trees).into_par_iter().map(run).collect();
        settled.sort_by_key(|since| since.unwrap_or(usize::MAX));
        let unsettled = settled.iter().filter(|since| since.is_none()).count();
        let median = median(&settled);
        // As many runs at once as there are threads.
        let votes = trees as f64 * questions as f64 / rayon::current_num_threads() as f64;
        println!(
            "| {count} | {noise} | {trees} | {floor:.0} | {median:.1} | {} | {:.2} | {unsettled} | {:.1} |",
            settled.last().copied().flatten().map_or("-".to_owned(), |most| most.to_string()),
            median / floor,
            1e3 * start.elapsed().as_secs_f64() / votes,
        );
    }
}

fn run(count: usize, noise: f64, learnt: bool, questions: usize, seed: u64) -> Option<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(count, &mut rng);
    let spec = CrowdSpec::one_rate(if learnt { PEOPLE_LEARNT } else { PEOPLE_TOLD }, noise).expect("a rate");
    let mut crowd = Crowd::gather(&spec, &Shares::none(&truth), &mut rng).expect("a crowd");
    // The trees are uniform draws, so the prior is told; rates and divisions are not.
    let nothing_told = Settings { prior: Prior::uniform(), ..Settings::default() };
    let settings =
        if learnt { nothing_told } else { Settings::one_rate(noise.max(LEAST_RATE)).expect("a rate") };
    let evidence = Evidence::new(count, settings).expect("some concepts");
    let engine = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(count) };
    let mut belief = Ensemble::new(evidence, engine).expect("valid settings");
    let mut settling = Settling::default();
    for _ in 0..questions {
        let mut interview = Interview { belief: &mut belief, crowd: &mut crowd, strategy: Strategy::Gain };
        interview.ask(&mut rng).expect("a valid vote");
        settling.look(&belief, &truth).expect("valid probabilities");
    }
    settling.since()
}

/// An unsettled run counts as later than any other.
fn median(sorted: &[Option<usize>]) -> f64 {
    let at = |index: usize| sorted[index].map_or(f64::INFINITY, |since| since as f64);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { at(half) } else { (at(half - 1) + at(half)) / 2.0 }
}
