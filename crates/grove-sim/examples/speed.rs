//! Milliseconds for a vote and the next question, one thread, in one run.
//!
//! `cargo run --release -p grove-sim --example speed -- [quick]`

use std::time::Instant;

use grove_belief::{
    Belief, Ensemble, EnsembleSettings, Evidence, Prior, Settings, Solver, Strategy, Weights, WeightsSettings,
};
use grove_sim::{Crowd, CrowdSpec, Interview, Shares};
use grove_tree::Tree;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const NOISE: f64 = 0.05;

/// Concepts, votes before the clock starts, votes timed.
const SIZES: [(usize, usize, usize); 5] =
    [(15, 60, 60), (50, 200, 100), (100, 500, 100), (1_000, 1_000, 50), (10_000, 50, 20)];

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    let quick = std::env::args().any(|arg| arg == "quick");
    println!("| N | trees | told, ms | learnt, ms | peak memory, MB |");
    println!("|---|---|---|---|---|");
    let mut told_at = Vec::new();
    for &(count, before, timed) in if quick { &SIZES[..3] } else { &SIZES } {
        let told = ensemble(count, Settings::one_rate(NOISE).expect("a rate"), before, timed);
        let learnt = Settings { prior: Prior::uniform(), ..Settings::default() };
        let learnt = ensemble(count, learnt, before, timed);
        let trees = EnsembleSettings::for_concepts(count).trees;
        println!("| {count} | {trees} | {told:.2} | {learnt:.2} | {} |", peak_memory());
        told_at.push((count, told));
    }
    let at = |count| told_at.iter().find(|(of, _)| *of == count).map(|(_, ms)| *ms);
    if let (Some(hundred), Some(thousand)) = (at(100), at(1_000)) {
        println!("\nN = 1,000 over N = 100: {:.1}", thousand / hundred);
    }
    let paper = paper(50, if quick { 1 } else { 3 });
    println!("the paper's engine as printed, N = 50, 10,000 samples: {paper:.0} ms a vote and question");
    if let Some(fifty) = at(50) {
        println!("the ensemble is {:.0} times as fast", paper / fifty);
    }
}

/// Mean milliseconds for a vote and the next question.
fn ensemble(count: usize, settings: Settings, before: usize, timed: usize) -> f64 {
    let evidence = Evidence::new(count, settings).expect("some concepts");
    let mut belief = Ensemble::new(evidence, EnsembleSettings::for_concepts(count)).expect("valid settings");
    time(&mut belief, Strategy::Gain, before, timed)
}

/// The same for Algorithm 1 as printed.
fn paper(count: usize, timed: usize) -> f64 {
    let evidence = Evidence::new(count, Settings::one_rate(NOISE).expect("a rate")).expect("some concepts");
    let settings = WeightsSettings { solver: Solver::Reference, ..WeightsSettings::default() };
    let mut belief = Weights::new(evidence, settings).expect("valid settings");
    time(&mut belief, Strategy::WorstCase, 1, timed)
}

fn time(belief: &mut dyn Belief, strategy: Strategy, before: usize, timed: usize) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let truth = Tree::random(belief.evidence().count(), &mut rng);
    let spec = CrowdSpec::one_rate(30, NOISE).expect("a rate");
    let mut crowd = Crowd::gather(&spec, &Shares::none(&truth), &mut rng).expect("a crowd");
    let mut interview = Interview { belief, crowd: &mut crowd, strategy };
    let mut ask = |votes: usize| {
        for _ in 0..votes {
            interview.ask(&mut rng).expect("a valid vote");
        }
    };
    ask(before);
    let start = Instant::now();
    ask(timed);
    1e3 * start.elapsed().as_secs_f64() / timed as f64
}

/// The most that this process ever held, as Linux tells it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or("-".to_owned(), |kilobytes| (kilobytes / 1_000).to_string())
}
