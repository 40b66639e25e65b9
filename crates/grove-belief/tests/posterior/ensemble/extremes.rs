//! Extreme crowds and sets of concepts.

use std::sync::atomic::{AtomicUsize, Ordering};

use grove_belief::{
    Answer, Belief, Dissent, Ensemble, EnsembleSettings, Evidence, Exact, Kind, Noise, Prior, Question,
    Settings, Verdict, Vote, Watch, Worker, WorkerPrior,
};
use grove_tree::{Concept, Tree};

use super::{ALLOWED, ensemble, standard_errors, standard_errors_of_trees};
use crate::cases::{evidence, rng, votes};

fn assert_sound(belief: &Ensemble) {
    let count = belief.evidence().count();
    for child in Concept::all(count) {
        let sum: f64 = belief.parents(child).iter().map(|(_, chance)| chance).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        assert!(Concept::all(count).all(|upper| (0.0..=1.0).contains(&belief.path(upper, child))));
    }
    assert!(
        belief.trees().chain([belief.best_tree()]).all(|tree| Tree::from_parents(tree.parents()) == Ok(tree))
    );
    let health = belief.health();
    assert!(health.r_hat >= 1.0 && health.effective_trees > 0.0);
    for candidate in belief.candidates() {
        assert!(candidate.above >= 0.0 && candidate.reversed >= 0.0);
        assert!(candidate.above + candidate.reversed < 1.0 + 1e-9);
    }
}

/// Every way to read votes.
fn readings() -> Vec<Settings> {
    let learnt = Noise::Learnt(WorkerPrior::default());
    let mut all = Vec::new();
    for noise in [Settings::one_rate(0.0).unwrap().noise, Noise::Majority, learnt] {
        for dissent in [None, Some(Dissent::default())] {
            all.push(Settings { noise: noise.clone(), dissent, prior: Prior::uniform() });
        }
    }
    all
}

#[test]
fn ten_thousand_contradictory_votes() {
    // Everything and its opposite, yes and no alike, by forty people.
    let opinions = votes(6, 60, &[Kind::Path, Kind::Edge], &mut rng(1));
    let shouted: Vec<Vote> =
        (0..10_000).map(|at| Vote { worker: Worker::new(at % 37), ..opinions[at as usize % 60] }).collect();
    for settings in readings() {
        let mut belief = ensemble(evidence(6, settings, &shouted[100..]), 64);
        for &vote in &shouted[..100] {
            belief.record(vote).unwrap();
        }
        assert_sound(&belief);
    }
}

#[test]
fn one_concept_has_one_place() {
    let only = Concept::new(1);
    for settings in readings() {
        let mut belief = ensemble(Evidence::new(1, settings).unwrap(), 64);
        belief.sweep(3);
        assert_sound(&belief);
        assert_eq!(belief.parents(only), [(Concept::ROOT, 1.0)]);
        assert_eq!((belief.path(Concept::ROOT, only), belief.path(only, only)), (1.0, 0.0));
        assert_eq!((belief.best_tree(), belief.candidates()), (Tree::flat(1), Vec::new()));
    }
}

#[test]
fn two_concepts_by_hand() {
    let (one, two) = (Concept::new(1), Concept::new(2));
    let yes =
        Vote { question: Question::path(one, two).unwrap(), worker: Worker::new(0), answer: Answer::Yes };
    let mut belief = ensemble(Evidence::new(2, Settings::one_rate(0.1).unwrap()).unwrap(), 4_000);
    belief.record(yes).unwrap();
    // Three trees, and one yes at noise 0.1: weights 9, 1, 1.
    assert!((belief.path(one, two) - 9.0 / 11.0).abs() < ALLOWED * (18.0 / 121.0 / 4_000.0_f64).sqrt());
    assert!(standard_errors(&belief, &Exact::new(belief.evidence().clone()).unwrap()) < ALLOWED);
    for settings in readings() {
        let mut belief = ensemble(Evidence::new(2, settings).unwrap(), 64);
        for _ in 0..20 {
            belief.record(yes).unwrap();
        }
        assert_sound(&belief);
        assert!(belief.path(one, two) > 0.5);
    }
}

#[test]
fn nobody_can_say() {
    let unsure: Vec<Vote> = votes(6, 300, &[Kind::Path, Kind::Edge], &mut rng(3))
        .into_iter()
        .map(|vote| Vote { answer: Answer::CantSay, ..vote })
        .collect();
    for settings in readings() {
        let mut belief = ensemble(Evidence::new(6, settings.clone()).unwrap(), 500);
        let before: Vec<Tree> = belief.trees().collect();
        for &vote in &unsure {
            belief.record(vote).unwrap();
        }
        assert!(belief.trees().eq(before));
        assert_sound(&belief);
        let nothing_said = Evidence::new(6, Settings::one_rate(0.1).unwrap()).unwrap();
        let prior = Exact::new(nothing_said).unwrap();
        for belief in [belief, ensemble(evidence(6, settings.clone(), &unsure), 500)] {
            // Where people may differ, some hold second places, which are as unknown as everything else; trees are what they were.
            assert!(standard_errors_of_trees(&belief, &prior) < ALLOWED);
            if settings.dissent.is_none() {
                assert!(standard_errors(&belief, &prior) < ALLOWED);
            }
        }
    }
}

/// Counts steps, and stops after some.
#[derive(Default)]
struct StopAfter {
    most: usize,
    expected: AtomicUsize,
    made: AtomicUsize,
}

impl Watch for StopAfter {
    fn expect(&self, steps: usize) {
        self.expected.fetch_add(steps, Ordering::Relaxed);
    }

    fn step(&self) {
        self.made.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.made.load(Ordering::Relaxed) >= self.most
    }
}

#[test]
fn a_stopped_ensemble_has_some_trees_and_does_not_count_as_converged() {
    const TREES: usize = 40;
    let evidence = || {
        let mut evidence = Evidence::new(12, Settings::one_rate(0.1).unwrap()).unwrap();
        for lower in 2..=12 {
            let question = Question::path(Concept::new(1), Concept::new(lower)).unwrap();
            evidence.record(Vote { question, worker: Worker::new(0), answer: Answer::Yes }).unwrap();
        }
        evidence
    };
    let settings = EnsembleSettings { trees: TREES, moves: 8, seed: 1 };
    let to_the_end = StopAfter { most: usize::MAX, ..StopAfter::default() };
    let whole = Ensemble::watched(evidence(), settings, &to_the_end).unwrap();
    let refined = whole.refined_watched(&to_the_end);
    assert_eq!(to_the_end.expected.into_inner(), to_the_end.made.into_inner());
    assert_eq!(
        whole.trees().collect::<Vec<_>>(),
        Ensemble::new(evidence(), settings).unwrap().trees().collect::<Vec<_>>()
    );
    assert_ne!(refined.health().r_hat, 0.0);

    let at_once = StopAfter { most: 50, ..StopAfter::default() };
    let mut some = Ensemble::watched(evidence(), settings, &at_once).unwrap();
    assert!((2..TREES).contains(&some.trees().len()), "{}", some.trees().len());
    let before: Vec<Tree> = some.trees().collect();
    some.sweep_watched(3, &at_once);
    assert_eq!(some.trees().collect::<Vec<_>>(), before);
    let refined = some.refined_watched(&at_once);
    assert_eq!((refined.trees().len(), refined.health().verdict), (before.len(), Verdict::NotConverged));
}
