//! Simulated people, the exact belief and the measures together: a belief that knows how its people err states certainties
//! that come true as often as they say.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use grove_belief::{
    Belief, Calibration, Certainties, Evidence, Exact, Measures, Question, Settings, Vote, path_auc,
};
use grove_sim::{Crowd, CrowdSpec, Shares};
use grove_tree::{Concept, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const CONCEPTS: usize = 4;

/// A truth drawn from the prior, and the belief after every question was put to each of so many people.
fn run(people: usize, noise: f64, assumed: f64, rng: &mut ChaCha8Rng) -> (Tree, Exact) {
    let truth = Tree::random(CONCEPTS, rng);
    let spec = CrowdSpec::one_rate(people, noise).unwrap();
    let mut crowd = Crowd::gather(&spec, &Shares::none(&truth), rng).unwrap();
    let mut evidence = Evidence::new(CONCEPTS, Settings::one_rate(assumed).unwrap()).unwrap();
    for worker in crowd.workers() {
        for upper in Concept::all(CONCEPTS) {
            for lower in Concept::all(CONCEPTS).filter(|&lower| lower != upper) {
                let question = Question::path(upper, lower).unwrap();
                let answer = crowd.answer(worker, question, rng);
                evidence.record(Vote { question, worker, answer }).unwrap();
            }
        }
    }
    (truth, Exact::new(evidence).unwrap())
}

#[test]
fn perfect_people_leave_no_doubt() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..20 {
        let (truth, belief) = run(2, 0.0, 0.0, &mut rng);
        let measures = Measures::of(&belief, &truth).unwrap();
        assert_eq!((measures.edge_auc, measures.parents_right, measures.ancestor_f1), (Some(1.0), 1.0, 1.0));
        assert!(measures.brier < 1e-3 && measures.log_loss.unwrap() < 1e-2);
        let paths = path_auc(|upper, lower| belief.path(upper, lower), &truth);
        assert!(paths == Some(1.0) || truth == Tree::flat(CONCEPTS));
    }
}

/// The calibration error over 1,500 truths, asked of people who err with a rate of 0.25.
fn calibration_error(assumed: f64) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut calibration = Calibration::new();
    for _ in 0..1_500 {
        let (truth, belief) = run(1, 0.25, assumed, &mut rng);
        calibration.add_run(&Certainties::of(&belief).unwrap(), &truth);
    }
    calibration.error().unwrap()
}

#[test]
fn certainties_come_true_as_often_as_they_say() {
    // Of 6,000 statements, four to a tree: some 0.015 is chance, and 0.03 twice that. Planted fault: people are thought
    // better than they are.
    let (honest, boasting) = (calibration_error(0.25), calibration_error(0.12));
    assert!(honest < 0.03, "{honest}");
    assert!(boasting > 0.05, "{boasting}");
}
