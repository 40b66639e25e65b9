//! The ensemble at default settings beside the exact posterior: the error of a path probability.
//!
//! `cargo bench -p grove-belief --bench accuracy`

use grove_belief::{
    Answer, Belief, Ensemble, EnsembleSettings, Evidence, Exact, Question, Settings, Vote, Worker,
};
use grove_tree::{Concept, Tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CONCEPTS: usize = 12;
const VOTES: u32 = 80;
const NOISE: f64 = 0.15;
const SEEDS: u64 = 20;

fn main() {
    println!("{CONCEPTS} concepts, {VOTES} random votes with {NOISE} noise, {SEEDS} seeds\n");
    println!("| seed | mean error | largest | refined mean | refined largest | R-hat | effective trees |");
    println!("|---|---|---|---|---|---|---|");
    let mut whole = [Errors::default(), Errors::default()];
    for seed in 0..SEEDS {
        let (exact, ensemble) = after_votes(seed);
        let refined = ensemble.refined();
        let errors = [Errors::between(&ensemble, &exact), Errors::between(&refined, &exact)];
        let health = refined.health();
        println!(
            "| {seed} | {:.4} | {:.3} | {:.4} | {:.3} | {:.3} | {:.0} |",
            errors[0].mean(),
            errors[0].largest,
            errors[1].mean(),
            errors[1].largest,
            health.r_hat,
            health.effective_trees
        );
        whole.iter_mut().zip(errors).for_each(|(whole, errors)| whole.join(errors));
    }
    println!(
        "\nall: mean {:.4}, largest {:.3}; refined: mean {:.4}, largest {:.3}",
        whole[0].mean(),
        whole[0].largest,
        whole[1].mean(),
        whole[1].largest
    );
}

fn after_votes(seed: u64) -> (Exact, Ensemble) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(CONCEPTS, &mut rng);
    let evidence =
        Evidence::new(CONCEPTS, Settings::one_rate(NOISE).expect("a rate")).expect("some concepts");
    let mut exact = Exact::new(evidence.clone()).expect("few concepts");
    let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(CONCEPTS) };
    let mut ensemble = Ensemble::new(evidence, settings).expect("valid settings");
    for voter in 0..VOTES {
        let vote = random_vote(&truth, Worker::new(voter), &mut rng);
        exact.record(vote).expect("a known concept");
        ensemble.record(vote).expect("a known concept");
    }
    (exact, ensemble)
}

fn random_vote(truth: &Tree, worker: Worker, rng: &mut ChaCha8Rng) -> Vote {
    let question = loop {
        let mut any = || Concept::new(rng.random_range(1..=truth.len()));
        if let Ok(question) = Question::path(any(), any()) {
            break question;
        }
    };
    let honest = truth.is_above(question.upper, question.lower);
    let yes = honest != (rng.random::<f64>() < NOISE);
    Vote { question, worker, answer: if yes { Answer::Yes } else { Answer::No } }
}

#[derive(Default)]
struct Errors {
    sum: f64,
    count: f64,
    largest: f64,
}

impl Errors {
    fn between(belief: &dyn Belief, exact: &Exact) -> Self {
        let mut errors = Self::default();
        for upper in Concept::all(CONCEPTS) {
            for lower in Concept::all(CONCEPTS).filter(|&lower| lower != upper) {
                let error = (belief.path(upper, lower) - exact.path(upper, lower)).abs();
                errors.join(Self { sum: error, count: 1.0, largest: error });
            }
        }
        errors
    }

    fn join(&mut self, other: Self) {
        self.sum += other.sum;
        self.count += other.count;
        self.largest = self.largest.max(other.largest);
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }
}
