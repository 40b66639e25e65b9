use super::*;
use crate::{Exact, Noise, Rates};

/// Sampling error, which adds up over updates: four standard errors of a share of one half among 10,000 trees are 0.02.
const SAMPLING: f64 = 0.03;

fn some_votes(count: usize, how_many: u32, kinds: &[Kind], seed: u64) -> Vec<Vote> {
    let mut rng = rng(seed);
    let pairs = ordered_pairs(count);
    let one = |worker| {
        let (upper, lower) = pairs[rng.random_range(0..pairs.len())];
        let answer = [Answer::Yes, Answer::No, Answer::CantSay][rng.random_range(0..3)];
        vote(kinds[rng.random_range(0..kinds.len())], upper.index(), lower.index(), answer, worker % 3)
    };
    (0..how_many).map(one).collect()
}

fn evidence(count: usize, settings: &Settings, votes: &[Vote]) -> Evidence {
    let mut evidence = Evidence::new(count, settings.clone()).unwrap();
    for &vote in votes {
        evidence.record(vote).unwrap();
    }
    evidence
}

/// Distance to the exact posterior.
fn error(evidence: Evidence, settings: WeightsSettings) -> f64 {
    let exact = Exact::new(evidence.clone()).unwrap();
    distance(&Weights::new(evidence, settings).unwrap(), &exact)
}

#[test]
fn two_concepts_are_exact_whatever_the_noise() {
    // Over two concepts there are three trees, and edge weights can say everything: what is left is sampling error.
    let known = vec![Rates::one(0.05).unwrap(), Rates::three(0.8, 0.4, 0.1).unwrap()];
    let noises = [
        Noise::Given(Rates::one(0.2).unwrap()),
        Noise::Given(Rates::three(0.85, 0.3, 0.1).unwrap()),
        Noise::Workers { known, others: Rates::two(0.2, 0.15).unwrap() },
        Noise::Majority,
    ];
    let kinds = [&[Kind::Path][..], &[Kind::Path, Kind::Edge]];
    for (seed, noise) in noises.into_iter().enumerate() {
        for kinds in kinds {
            let votes = some_votes(2, 8, kinds, seed as u64);
            let settings = Settings { noise: noise.clone(), dissent: None, prior: crate::Prior::uniform() };
            let off = error(evidence(2, &settings, &votes), WeightsSettings::default());
            assert!(off < SAMPLING, "{off} with {settings:?}");
        }
    }
}

#[test]
fn priors_count() {
    let prior = crate::Prior::shallow(0.7).unwrap();
    let prior = prior.with_odds(Concept::new(2), Concept::new(1), 1.5).unwrap();
    let settings = Settings { prior, ..Settings::one_rate(0.1).unwrap() };
    let off = error(evidence(4, &settings, &[]), WeightsSettings::default());
    assert!(off < SAMPLING, "{off}");
    // And the test would notice if they did not.
    let without = start(4, 0.1);
    assert!(distance(&without, &Exact::new(evidence(4, &settings, &[])).unwrap()) > 2.0 * SAMPLING);
}

#[test]
fn one_path_vote_is_exact_up_to_sampling() {
    let settings = Settings::one_rate(0.1).unwrap();
    for answer in [Answer::Yes, Answer::No] {
        let votes = [vote(Kind::Path, 3, 1, answer, 0)];
        let off = error(evidence(5, &settings, &votes), WeightsSettings::default());
        assert!(off < SAMPLING, "{off}");
    }
    // A rate of 0.2 for 0.1 would be noticed.
    let votes = [vote(Kind::Path, 3, 1, Answer::Yes, 0)];
    let wrong = evidence(5, &Settings::one_rate(0.2).unwrap(), &votes);
    let right = Exact::new(evidence(5, &settings, &votes)).unwrap();
    let off = distance(&Weights::new(wrong, WeightsSettings::default()).unwrap(), &right);
    assert!(off > 2.0 * SAMPLING, "{off}");
}

#[test]
fn edge_votes_are_exact() {
    let settings = Settings::one_rate(0.1).unwrap();
    let evidence = evidence(5, &settings, &some_votes(5, 12, &[Kind::Edge], 4));
    let weights = Weights::new(evidence.clone(), WeightsSettings::default()).unwrap();
    let exact = Exact::new(evidence).unwrap();
    for child in Concept::all(5) {
        for parent in (0..=5).map(Concept::new) {
            let off = parent_chance(&weights, parent, child) - parent_chance(&exact, parent, child);
            assert!(off.abs() < 1e-12, "{off}");
        }
    }
    assert!((weights.entropy().unwrap() - exact.entropy().unwrap()).abs() < 1e-9);
    // Several trees may be the best.
    let log_score = |tree: &Tree| weights.weights.log_score(tree).unwrap();
    assert!((log_score(&weights.best_tree()) - log_score(&exact.best_tree())).abs() < 1e-9);
}

#[test]
fn the_printed_algorithm_finds_the_same_weights() {
    // After one vote: the next sample would be another one, as different weights, however close, draw different trees.
    let settings = Settings::one_rate(0.1).unwrap();
    let evidence = evidence(5, &settings, &[vote(Kind::Path, 3, 1, Answer::Yes, 0)]);
    let fit = |solver, beta| {
        let settings = WeightsSettings { solver, beta, samples: 2_000, ..WeightsSettings::default() };
        Weights::new(evidence.clone(), settings).unwrap()
    };
    let off = distance(&fit(Solver::Fast, 1e-3), &fit(Solver::Reference, 1e-3));
    assert!(off < 1e-4, "{off}");
    // Another shrinkage would be noticed.
    assert!(distance(&fit(Solver::Fast, 1e-2), &fit(Solver::Reference, 1e-3)) > 1e-3);
}

#[test]
fn extremes_stay_finite() {
    let settings = Settings::one_rate(0.0).unwrap();
    let contradictory = |count| {
        let mut votes = some_votes(count, 40, &[Kind::Path, Kind::Edge], 6);
        let opposite = |vote: &Vote| match vote.answer {
            Answer::Yes => Vote { answer: Answer::No, ..*vote },
            _ => Vote { answer: Answer::Yes, ..*vote },
        };
        votes.extend(Vec::from_iter(votes.iter().map(opposite)));
        votes
    };
    let few = WeightsSettings { samples: 1_000, ..WeightsSettings::default() };
    for (count, votes) in [(1, vec![]), (2, contradictory(2)), (6, contradictory(6))] {
        for beta in [0.0, 1e-4, 0.1] {
            let belief =
                Weights::new(evidence(count, &settings, &votes), WeightsSettings { beta, ..few }).unwrap();
            for child in Concept::all(count) {
                let sum: f64 = belief.parents(child).iter().map(|(_, chance)| chance).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            }
            assert!(belief.entropy().unwrap().is_finite() && belief.health().effective_trees >= 1.0);
            assert_eq!(belief.best_tree().len(), count);
            assert_eq!(belief.sample(7, &mut rng(0)).len(), 7);
        }
    }
}

#[test]
fn cant_say_leaves_the_prior() {
    let settings = Settings::one_rate(0.1).unwrap();
    let silent = some_votes(4, 30, &[Kind::Path, Kind::Edge], 7);
    let silent = Vec::from_iter(silent.iter().map(|vote| Vote { answer: Answer::CantSay, ..*vote }));
    let belief = Weights::new(evidence(4, &settings, &silent), WeightsSettings::default()).unwrap();
    assert_eq!(belief.edge_weights(), &EdgeWeights::uniform(4));
    // Ten thousand trees of equal weight.
    assert!((belief.health().effective_trees - 10_000.0).abs() < 1e-6);
}
