//! The time of a vote with the paper's engine as printed, and with the ensemble, at 50 concepts on one thread. `grove lab scale`
//! measures the engines as they are used.
//!
//! `cargo run --release -p grove-lab --example speed`

use std::time::Instant;

use grove_belief::{
    Belief, Ensemble, EnsembleSettings, Evidence, Settings, Solver, Strategy, Weights, WeightsSettings,
};
use grove_sim::{Crowd, CrowdSpec, Error, Interview, Shares};
use grove_tree::Tree;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const CONCEPTS: usize = 50;
const NOISE: f64 = 0.05;

fn main() -> Result<(), Error> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    let evidence = Evidence::new(CONCEPTS, Settings::one_rate(NOISE)?)?;
    let mut ensemble = Ensemble::new(evidence.clone(), EnsembleSettings::for_concepts(CONCEPTS))?;
    let ensemble = milliseconds(&mut ensemble, Strategy::Gain, 200, 100)?;
    let printed = WeightsSettings { solver: Solver::Reference, ..WeightsSettings::default() };
    let paper = milliseconds(&mut Weights::new(evidence, printed)?, Strategy::WorstCase, 1, 3)?;
    println!("the ensemble: {ensemble:.1} ms for a vote and the next question");
    println!(
        "the paper's engine as printed, 10,000 samples: {paper:.0} ms, {:.0} times as long",
        paper / ensemble
    );
    Ok(())
}

/// Mean milliseconds for a vote and the next question, after some votes.
fn milliseconds(
    belief: &mut dyn Belief,
    strategy: Strategy,
    before: usize,
    timed: u32,
) -> Result<f64, Error> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let truth = Tree::random(CONCEPTS, rng);
    let mut crowd = Crowd::gather(&CrowdSpec::one_rate(30, NOISE)?, &Shares::none(&truth), rng)?;
    let mut interview = Interview { belief, crowd: &mut crowd, strategy };
    for _ in 0..before {
        interview.ask(rng)?;
    }
    let start = Instant::now();
    for _ in 0..timed {
        interview.ask(rng)?;
    }
    Ok(1e3 * start.elapsed().as_secs_f64() / f64::from(timed))
}
