//! Evidence at the edges of what can happen.

use grove_belief::{Answer, Belief, Evidence, Exact, Kind, Prior, Question, Settings, Vote, Worker};
use grove_tree::{Concept, Tree};

use crate::cases::{evidence, rng, votes};
use crate::exact::worst_error;
use crate::oracle::Oracle;

fn assert_sound(exact: &Exact) {
    let count = exact.evidence().count();
    assert!(exact.log_partition().is_finite() && exact.entropy().unwrap().is_finite());
    for child in Concept::all(count) {
        let sum: f64 = exact.parents(child).iter().map(|(_, chance)| chance).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        for upper in Concept::all(count) {
            assert!((-1e-12..=1.0 + 1e-9).contains(&exact.path(upper, child)));
        }
    }
    assert_eq!(exact.best_tree().len(), count);
    assert_eq!(exact.sample(3, &mut rng(1)).len(), 3);
}

/// A crowd that says everything and its opposite, a thousand times over: cycles, both directions, yes and no alike.
fn shouting_crowd(count: usize, kinds: &[Kind]) -> Evidence {
    let mut rng = rng(count as u64);
    let opinions = votes(count, 40, kinds, &mut rng);
    let votes: Vec<Vote> =
        (0..10_000).map(|at| Vote { worker: Worker::new(at), ..opinions[at as usize % 40] }).collect();
    // The smallest rate there is, so that every vote weighs as much as a vote can.
    evidence(count, Settings::one_rate(0.0).unwrap(), &votes)
}

#[test]
fn ten_thousand_contradictory_votes() {
    for kinds in [&[Kind::Path][..], &[Kind::Path, Kind::Edge]] {
        for count in [5, 12] {
            assert_sound(&Exact::new(shouting_crowd(count, kinds)).unwrap());
        }
        let evidence = shouting_crowd(5, kinds);
        let error = worst_error(&Exact::new(evidence.clone()).unwrap(), &Oracle::new(&evidence));
        // Sums of ten thousand logarithms agree to fewer digits.
        assert!(error < 1e-6, "{error}");
    }
}

#[test]
fn a_prior_as_strong_as_can_be() {
    let [one, two, three] = [1, 2, 3].map(Concept::new);
    let prior =
        Prior::shallow(1e6).unwrap().with_odds(one, two, 1e6).unwrap().with_odds(two, three, 1e6).unwrap();
    let settings = Settings { prior, ..Settings::one_rate(0.1).unwrap() };
    let exact = Exact::new(Evidence::new(3, settings).unwrap()).unwrap();
    assert_sound(&exact);
    // Every pair that is favoured pays for itself exactly, the chain's third does not.
    assert_eq!(exact.path(one, three), 0.0);
    assert!((exact.entropy().unwrap() - 3.0_f64.ln()).abs() < 1e-9);
}

#[test]
fn sixteen_concepts() {
    assert_sound(&Exact::new(shouting_crowd(16, &[Kind::Path])).unwrap());
}

#[test]
fn one_concept_has_one_place() {
    let exact = Exact::new(Evidence::new(1, Settings::one_rate(0.1).unwrap()).unwrap()).unwrap();
    let only = Concept::new(1);
    assert_eq!(exact.parents(only), [(Concept::ROOT, 1.0)]);
    assert_eq!((exact.path(Concept::ROOT, only), exact.path(only, only)), (1.0, 0.0));
    assert_eq!((exact.log_partition(), exact.entropy()), (0.0, Some(0.0)));
    assert_eq!(exact.best_tree(), Tree::flat(1));
    assert_eq!(exact.sample(2, &mut rng(0)), [Tree::flat(1), Tree::flat(1)]);
    assert_eq!(exact.candidates(), []);
}

#[test]
fn two_concepts_by_hand() {
    // Three trees, and one yes at noise 0.1: weights 9, 1, 1.
    let (one, two) = (Concept::new(1), Concept::new(2));
    let yes =
        Vote { question: Question::path(one, two).unwrap(), worker: Worker::new(0), answer: Answer::Yes };
    let exact = Exact::new(evidence(2, Settings::one_rate(0.1).unwrap(), &[yes])).unwrap();
    assert!((exact.path(one, two) - 9.0 / 11.0).abs() < 1e-14);
    assert!((exact.path(two, one) - 1.0 / 11.0).abs() < 1e-14);
    assert_eq!(exact.best_tree(), Tree::from_parents(&[Concept::ROOT, one]).unwrap());
    assert_eq!(exact.candidates().len(), 2);
}

#[test]
fn nobody_can_say() {
    let unsure: Vec<Vote> = votes(6, 300, &[Kind::Path, Kind::Edge], &mut rng(3))
        .into_iter()
        .map(|vote| Vote { answer: Answer::CantSay, ..vote })
        .collect();
    let exact = Exact::new(evidence(6, Settings::one_rate(0.1).unwrap(), &unsure)).unwrap();
    assert_sound(&exact);
    assert!((exact.log_partition() - 5.0 * 7.0_f64.ln()).abs() < 1e-12);
}
