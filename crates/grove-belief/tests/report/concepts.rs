//! The two trees, certainties and entropies against enumeration of all trees.

use grove_belief::{
    Answer, Belief, Correction, Ensemble, EnsembleSettings, Exact, Report, ReportOptions, Verdict, Vote,
    Weights, WeightsSettings, Worker,
};
use grove_tree::{Concept, Tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cases::{close, concept, evidence, exact, one_rate, posterior, question, report};

fn random_belief(seed: u64) -> Exact {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut votes = Vec::new();
    while votes.len() < 6 {
        let (upper, lower) = (rng.random_range(1..=4), rng.random_range(1..=4));
        if upper != lower {
            votes.push((upper, lower, if rng.random() { [1, 0] } else { [0, 1] }));
        }
    }
    exact(4, &votes)
}

/// The expected number of parents that a tree has right, over all trees.
fn expected_right(tree: &Tree, posterior: &[(Tree, f64)]) -> f64 {
    let shared = |other: &Tree| tree.edges().zip(other.edges()).filter(|(a, b)| a == b).count() as f64;
    posterior.iter().map(|(other, probability)| probability * shared(other)).sum()
}

/// By how much the chosen trees miss the best expected agreement, at worst.
fn largest_shortfall(choose: impl Fn(&Report) -> &Tree) -> f64 {
    let shortfall = |seed| {
        let belief = random_belief(seed);
        let posterior = posterior(belief.evidence());
        let best = posterior.iter().map(|(tree, _)| expected_right(tree, &posterior)).fold(0.0, f64::max);
        best - expected_right(choose(&report(&belief)), &posterior)
    };
    (0..60).map(shortfall).fold(0.0, f64::max)
}

#[test]
fn agreement_has_the_most_right_parents() {
    assert!(largest_shortfall(|report| &report.hierarchy) < 1e-9);
}

/// A planted fault: the most probable tree is not the one of best agreement.
#[test]
fn the_most_probable_tree_has_fewer() {
    assert!(largest_shortfall(|report| &report.most_probable) > 0.05);
}

#[test]
fn figures_agree_with_enumeration() {
    for seed in 0..20 {
        let belief = random_belief(seed);
        let posterior = posterior(belief.evidence());
        let report = report(&belief);
        close(report.expected_right, expected_right(&report.hierarchy, &posterior));
        let entropy: f64 = posterior.iter().map(|(_, p)| -p * p.log2()).sum();
        close(report.tree_entropy.unwrap(), entropy);
        assert!(report.parent_entropies >= entropy);
        for of in &report.concepts {
            let chance = |parent: Concept| -> f64 {
                let here = posterior.iter().filter(|(tree, _)| tree.parent(of.concept) == parent);
                here.map(|(_, probability)| probability).sum()
            };
            assert_eq!(of.parent, report.hierarchy.parent(of.concept));
            close(of.certainty, chance(of.parent));
            let chances: Vec<f64> =
                (0..=4).map(|parent| chance(concept(parent))).filter(|p| *p > 0.0).collect();
            close(of.parent_entropy, chances.iter().map(|p| -p * p.log2()).sum());
            of.alternatives.iter().for_each(|&(parent, probability)| close(probability, chance(parent)));
            let listed: f64 = of.alternatives.iter().map(|alternative| alternative.1).sum();
            assert!(listed + of.certainty > 1.0 - 4.0 * 0.01, "nothing above 1 % is left out");
            assert!(of.alternatives.iter().all(|listed| listed.0 != of.parent && listed.1 > 0.01));
            assert!(of.alternatives.is_sorted_by(|a, b| a.1 >= b.1));
        }
    }
}

#[test]
fn two_concepts_by_hand() {
    // Three equally probable trees: each concept is under the root in two of them.
    let report = report(&exact(2, &[]));
    close(report.tree_entropy.unwrap(), 3_f64.log2());
    close(report.parent_entropies, 2.0 * (3_f64.log2() - 2.0 / 3.0));
    assert_eq!(report.hierarchy, Tree::flat(2));
    close(report.expected_right, 4.0 / 3.0);
    assert_eq!((report.engine, report.is_approximate), ("exact", false));
    assert_eq!(report.health.verdict, Verdict::Converged);
}

#[test]
fn doubtful_concepts_come_least_certain_first() {
    // 1 above 2 is well supported, where 3 belongs is open.
    let belief = exact(3, &[(1, 2, [6, 0]), (2, 1, [0, 6]), (3, 1, [0, 4]), (3, 2, [0, 4])]);
    let report = report(&belief);
    assert_eq!(report.doubtful, [concept(3)]);
    let strict = ReportOptions::default().doubtful_below(1.0).unwrap();
    let all = Report::of(&belief, &strict).doubtful;
    let certainty = |at: &Concept| report.concepts[at.index() - 1].certainty;
    assert_eq!(all.len(), 3);
    assert!(all.is_sorted_by(|a, b| certainty(a) <= certainty(b)) && all[0] == concept(3));
    let lax = ReportOptions::default().doubtful_below(0.0).unwrap();
    assert!(Report::of(&belief, &lax).doubtful.is_empty());
}

#[test]
fn corrections_and_counts_are_reported() {
    let mut belief = exact(3, &[(1, 2, [2, 1])]);
    let unsure = Vote { question: question(3, 1), worker: Worker::new(9), answer: Answer::CantSay };
    belief.record(unsure).unwrap();
    let last = belief.evidence().votes().next().unwrap().0;
    belief.withdraw(last).unwrap();
    belief.correct(Correction::DirectlyUnder { lower: concept(3), upper: concept(2) }).unwrap();
    let report = report(&belief);
    assert_eq!((report.votes.yes, report.votes.no, report.votes.cant_say), (1, 1, 1));
    assert_eq!((report.withdrawn, report.questions), (1, 1));
    assert_eq!((report.concepts[2].parent, report.concepts[2].alternatives.len()), (concept(2), 0));
    close(report.concepts[2].certainty, 1.0);
}

#[test]
fn an_ensemble_agrees_within_its_error() {
    let votes = [(1, 2, [4, 0]), (2, 3, [2, 1]), (1, 3, [1, 1]), (4, 3, [0, 3]), (1, 4, [3, 0])];
    let settings = EnsembleSettings { trees: 500, moves: 8, seed: 5 };
    let ensemble = Ensemble::new(evidence(4, one_rate(), &votes), settings).unwrap();
    let (sampled, truth) = (report(&ensemble.refined()), report(&exact(4, &votes)));
    assert_eq!(sampled.hierarchy, truth.hierarchy);
    assert_eq!((sampled.tree_entropy, sampled.engine), (None, "ensemble"));
    // Some 2,000 trees: a probability's standard error is at most 0.012, so 0.05 is over four of them.
    for (sampled, truth) in sampled.concepts.iter().zip(&truth.concepts) {
        assert!((sampled.certainty - truth.certainty).abs() < 0.05, "{sampled:?} {truth:?}");
    }
    assert!((sampled.parent_entropies - truth.parent_entropies).abs() < 0.3);
}

#[test]
fn approximate_engines_are_marked() {
    let votes = [(1, 2, [4, 0]), (1, 3, [0, 4])];
    let mut weights = Weights::new(evidence(3, one_rate(), &[]), WeightsSettings::default()).unwrap();
    for (_, vote) in evidence(3, one_rate(), &votes).votes() {
        weights.record(*vote).unwrap();
    }
    let (fitted, truth) = (report(&weights), report(&exact(3, &votes)));
    assert!(fitted.is_approximate && !truth.is_approximate);
    assert_eq!(fitted.health.verdict, Verdict::Approximate);
    assert_eq!((fitted.votes, fitted.questions), (truth.votes, truth.questions));
    assert_eq!(fitted.hierarchy.parent(concept(2)), concept(1));
    assert!(fitted.tree_entropy.is_some_and(|bits| bits <= fitted.parent_entropies));
}

#[test]
fn thresholds_are_probabilities() {
    for wrong in [-0.1, 1.1, f64::NAN] {
        let options = ReportOptions::default();
        assert!(options.doubtful_below(wrong).is_err());
        assert!(options.alternatives_above(wrong).is_err() && options.divided_above(wrong).is_err());
    }
}
