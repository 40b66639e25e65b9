//! Chooses questions, gets answers from somebody who knows the hierarchy but errs one time in ten, and prints what is believed.
//!
//! `cargo run --release -p grove-belief --example interview`

use grove_belief::{
    Answer, Belief, Ensemble, EnsembleSettings, Error, Evidence, Report, ReportOptions, Settings, Strategy,
    Vote, Worker, choose,
};
use grove_tree::{Concept, Tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const NAMES: [&str; 7] = ["food", "fruit", "apple", "orange", "vegetable", "carrot", "leek"];
const NOISE: f64 = 0.1;

fn main() -> Result<(), Error> {
    let truth = Tree::from_parents(&[0, 1, 1, 0, 4, 4].map(Concept::new))?;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let evidence = Evidence::new(truth.len(), Settings::one_rate(NOISE)?)?;
    let mut belief = Ensemble::new(evidence, EnsembleSettings::for_concepts(truth.len()))?;
    for number in 0..40 {
        // A new worker each time, so that a question may be asked again.
        let worker = Worker::new(number);
        let Some(choice) = choose(&belief, Strategy::Gain, worker, &|_| false, &mut rng) else { break };
        let is_so = truth.is_above(choice.question.upper, choice.question.lower);
        let says_yes = is_so != (rng.random::<f64>() < NOISE);
        let answer = if says_yes { Answer::Yes } else { Answer::No };
        belief.record(Vote { question: choice.question, worker, answer })?;
    }
    let report = Report::of(&belief, &ReportOptions::default());
    for concept in &report.concepts {
        let [child, parent] = [concept.concept, concept.parent].map(|concept| NAMES[concept.index()]);
        println!("{child} under {parent}: {:.2}", concept.certainty);
    }
    Ok(())
}
