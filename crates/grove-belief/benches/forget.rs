//! How far the paper's update is from the exact posterior: edge weights cannot say all that path answers tell, and shrinkage forgets.
//!
//! `cargo bench -p grove-belief --bench forget`
//!
//! Five concepts, truths drawn uniformly, 12 answers to random path questions, 10 % of them wrong, which the engines know.

use grove_belief::{
    Answer, Belief, Ensemble, EnsembleSettings, Evidence, Exact, Question, Settings, Vote, Weights,
    WeightsSettings, Worker,
};
use grove_tree::{Concept, Tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

const COUNT: usize = 5;
const ANSWERS: u32 = 12;
const NOISE: f64 = 0.1;
const RUNS: u64 = 200;

fn main() {
    println!("| engine | mean error of P(above) | largest of a run |");
    println!("|---|---|---|");
    print_row("exact", &|evidence, _| Box::new(Exact::new(evidence).expect("few concepts, given rates")));
    print_row("ensemble", &|evidence, seed| {
        let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(COUNT) };
        Box::new(Ensemble::new(evidence, settings).expect("valid settings"))
    });
    for beta in [0.0, 1e-4, 1e-3, 1e-2, 1e-1] {
        print_row(&format!("weights, beta = {beta}"), &|evidence, seed| {
            let settings = WeightsSettings { beta, seed, ..WeightsSettings::default() };
            Box::new(Weights::new(evidence, settings).expect("valid settings"))
        });
    }
}

fn print_row(engine: &str, make: &(dyn Fn(Evidence, u64) -> Box<dyn Belief> + Sync)) {
    let errors: Vec<f64> =
        (0..RUNS).into_par_iter().map(|seed| error(make(answers(seed), seed).as_ref())).collect();
    let mean = errors.iter().sum::<f64>() / RUNS as f64;
    let largest = errors.iter().copied().fold(0.0, f64::max);
    println!("| {engine} | {mean:.4} | {largest:.4} |");
}

/// The mean over ordered pairs of the distance to the exact probability.
fn error(belief: &dyn Belief) -> f64 {
    let exact = Exact::new(belief.evidence().clone()).expect("few concepts, given rates");
    let questions = exact.candidates();
    let distances = questions.iter().map(|candidate| {
        let question = candidate.question;
        (belief.path(question.upper, question.lower) - candidate.above).abs()
    });
    distances.sum::<f64>() / questions.len() as f64
}

fn answers(seed: u64) -> Evidence {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(COUNT, &mut rng);
    let settings = Settings::one_rate(NOISE).expect("a rate");
    let mut evidence = Evidence::new(COUNT, settings).expect("some concepts");
    for worker in 0..ANSWERS {
        let upper = rng.random_range(1..=COUNT);
        let lower = (upper + rng.random_range(1..COUNT) - 1) % COUNT + 1;
        let question =
            Question::path(Concept::new(upper), Concept::new(lower)).expect("two different concepts");
        let right = truth.is_above(question.upper, question.lower);
        let yes = right != (rng.random::<f64>() < NOISE);
        let answer = if yes { Answer::Yes } else { Answer::No };
        evidence.record(Vote { question, worker: Worker::new(worker), answer }).expect("the concepts exist");
    }
    evidence
}
