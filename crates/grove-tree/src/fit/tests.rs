use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::enumeration::all_trees;

const TIGHT: FitLimits = FitLimits { kkt_residual: 1e-8, eliminations: 2000 };

fn at(parent: Concept, child: Concept, count: usize) -> usize {
    (child.index() - 1) * (count + 1) + parent.index()
}

/// Log Z and all edge probabilities, child-major, by enumerating all trees.
fn enumerated(weights: &EdgeWeights) -> (f64, Vec<f64>) {
    let count = weights.len();
    let mut total = 0.0;
    let mut marginals = vec![0.0; count * (count + 1)];
    for tree in all_trees(count) {
        let weight = weights.log_score(&tree).unwrap().exp();
        total += weight;
        for (parent, child) in tree.edges() {
            marginals[at(parent, child, count)] += weight;
        }
    }
    (total.ln(), marginals.iter().map(|marginal| marginal / total).collect())
}

fn random_weights(count: usize, width: f64, rng: &mut ChaCha8Rng) -> EdgeWeights {
    EdgeWeights::from_fn(count, |_, _| width * (rng.random::<f64>() - 0.5)).unwrap()
}

/// A problem whose targets are the edge probabilities of a few random trees, so that many are zero.
fn random_problem(count: usize, trees: usize, shrinkage: f64, rng: &mut ChaCha8Rng) -> MaxEntropy {
    let all = all_trees(count);
    let mut target = vec![0.0; count * (count + 1)];
    for _ in 0..trees {
        for (parent, child) in all[rng.random_range(0..all.len())].edges() {
            target[at(parent, child, count)] += 1.0 / trees as f64;
        }
    }
    MaxEntropy::new(count, |parent, child| target[at(parent, child, count)].min(1.0), |_, _| shrinkage)
        .unwrap()
}

/// The optimality conditions and the objective, from enumerated probabilities alone.
fn judge(problem: &MaxEntropy, weights: &EdgeWeights) -> (f64, f64) {
    let (log_partition, marginals) = enumerated(weights);
    let (mut residual, mut objective) = (0.0_f64, log_partition);
    for child in weights.concepts() {
        for (parent, &lambda) in weights.incoming(child).iter().enumerate() {
            let here = at(Concept::new(parent), child, weights.len());
            let (gap, beta) = (marginals[here] - problem.target[here], problem.shrinkage[here]);
            if lambda == f64::NEG_INFINITY {
                continue;
            }
            objective += beta * lambda.abs() - problem.target[here] * lambda;
            residual = residual.max(match lambda {
                _ if lambda > 0.0 => (gap + beta).abs(),
                _ if lambda < 0.0 => (gap - beta).abs(),
                _ => gap.abs() - beta,
            });
        }
    }
    (residual, objective)
}

#[test]
fn is_optimal_by_enumeration() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for count in 1..=5 {
        for shrinkage in [1e-4, 1e-2, 0.1] {
            for start in [EdgeWeights::uniform(count), random_weights(count, 20.0, &mut rng)] {
                let problem = random_problem(count, 12, shrinkage, &mut rng);
                let fit = problem.fit(&start, TIGHT).unwrap();
                assert_eq!(fit.outcome, FitOutcome::Converged, "N = {count}, beta = {shrinkage}");
                let (residual, objective) = judge(&problem, &fit.weights);
                assert!(residual <= 1e-8 + 1e-12, "{residual}");
                assert!((objective - fit.objective).abs() <= 1e-11, "{objective} {}", fit.objective);
            }
        }
    }
}

/// Weights of standard deviation 3 leave a few trees most of the probability. A diagonal guess of the Hessian takes
/// hundreds of eliminations and more here.
#[test]
fn confident_targets_are_no_harder() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    for shrinkage in [1e-5, 1e-4, 1e-3] {
        for _ in 0..5 {
            let (_, target) = enumerated(&random_weights(5, 10.0, &mut rng));
            let target = |parent, child| target[at(parent, child, 5)];
            let problem = MaxEntropy::new(5, target, |_, _| shrinkage).unwrap();
            let fit = problem.fit(&random_weights(5, 10.0, &mut rng), FitLimits::default()).unwrap();
            let (residual, _) = judge(&problem, &fit.weights);
            assert!(residual <= 1.001e-6, "{residual}");
            assert!(fit.eliminations <= 80, "{} for beta {shrinkage}", fit.eliminations);
        }
    }
}

#[test]
fn shrinkage_may_differ_between_edges() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut problem = random_problem(4, 9, 0.0, &mut rng);
    problem.shrinkage = problem.shrinkage.iter().map(|_| 0.1 * rng.random::<f64>()).collect();
    let fit = problem.fit(&EdgeWeights::uniform(4), TIGHT).unwrap();
    let (residual, _) = judge(&problem, &fit.weights);
    assert!(residual <= 1e-8 + 1e-12, "{residual}");
}

#[test]
fn finds_the_weights_behind_exact_probabilities() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let truth = random_weights(5, 4.0, &mut rng);
    let (_, target) = enumerated(&truth);
    let problem = MaxEntropy::new(5, |parent, child| target[at(parent, child, 5)], |_, _| 0.0).unwrap();
    let fit = problem.fit(&EdgeWeights::uniform(5), TIGHT).unwrap();
    let (_, found) = enumerated(&fit.weights);
    assert!(target.iter().zip(&found).all(|(target, found)| (target - found).abs() < 1e-7));
}

#[test]
fn scaling_never_goes_up() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for shrinkage in [1e-3, 0.05] {
        let problem = random_problem(5, 12, shrinkage, &mut rng);
        let mut weights = random_weights(5, 6.0, &mut rng);
        let mut last = f64::INFINITY;
        for _ in 0..300 {
            let fit = problem.fit_by_scaling(&weights, 0.0, 2).unwrap();
            assert!(fit.objective <= last + 1e-12, "{} after {last}", fit.objective);
            (last, weights) = (fit.objective, fit.weights);
        }
    }
}

#[test]
fn agrees_with_scaling() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for shrinkage in [0.01, 0.1] {
        let problem = random_problem(5, 20, shrinkage, &mut rng);
        let start = EdgeWeights::uniform(5);
        let (fast, slow) =
            (problem.fit(&start, TIGHT).unwrap(), problem.fit_by_scaling(&start, 1e-9, 100_000).unwrap());
        assert_eq!(slow.outcome, FitOutcome::Converged);
        assert!((fast.objective - slow.objective).abs() < 1e-9, "{} {}", fast.objective, slow.objective);
        assert!(judge(&problem, &slow.weights).0 < 1e-6);
        assert!(fast.eliminations * 5 < slow.eliminations);
    }
}

/// Algorithm 1 over enumerated probabilities, with a choice of numerators.
fn scaled_with(numerator: impl Fn(f64, f64) -> f64, problem: &MaxEntropy) -> EdgeWeights {
    let mut weights = EdgeWeights::uniform(problem.count);
    for _ in 0..2000 {
        let (_, marginals) = enumerated(&weights);
        weights = EdgeWeights::from_fn(problem.count, |parent, child| {
            let here = problem.position(parent, child);
            let (marginal, beta) = (marginals[here], problem.shrinkage[here]);
            let top = numerator(problem.target[here], marginal);
            let lambda = weights.log_weight(parent, child);
            let raised = lambda + ((top - beta) / marginal).ln() / problem.count as f64;
            let lowered = lambda + ((top + beta) / marginal).ln() / problem.count as f64;
            if raised > 0.0 { raised } else { lowered.min(0.0) }
        })
        .unwrap();
    }
    weights
}

/// A planted fault: the paper's text once drops the tilde, which makes Pt a P.
#[test]
fn the_optimality_check_catches_a_lost_tilde() {
    let problem = random_problem(3, 12, 0.01, &mut ChaCha8Rng::seed_from_u64(6));
    let (right, _) = judge(&problem, &scaled_with(|target, _| target, &problem));
    let (wrong, _) = judge(&problem, &scaled_with(|_, marginal| marginal, &problem));
    assert!(right < 1e-6, "{right}");
    assert!(wrong > 0.05, "{wrong}");
}

#[test]
fn a_warm_start_is_cheap() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let problem = random_problem(5, 12, 1e-3, &mut rng);
    let cold = problem.fit(&EdgeWeights::uniform(5), FitLimits::default()).unwrap();
    let again = problem.fit(&cold.weights, FitLimits::default()).unwrap();
    assert_eq!((again.eliminations, again.outcome), (1, FitOutcome::Converged));
    assert!(cold.eliminations > 5);
}

#[test]
fn says_when_the_budget_is_spent() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let problem = random_problem(5, 12, 1e-3, &mut rng);
    let start = EdgeWeights::uniform(5);
    let limits = FitLimits { eliminations: 4, ..TIGHT };
    for fit in [problem.fit(&start, limits).unwrap(), problem.fit_by_scaling(&start, 1e-9, 4).unwrap()] {
        assert_eq!((fit.outcome, fit.eliminations), (FitOutcome::BudgetSpent, 4));
        assert!(fit.kkt_residual > limits.kkt_residual);
        assert!((judge(&problem, &fit.weights).0 - fit.kkt_residual).abs() < 1e-12);
    }
}

#[test]
fn forbidden_edges_stay_forbidden() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let problem = random_problem(4, 3, 0.0, &mut rng);
    let uniform = EdgeWeights::uniform(4);
    assert!(matches!(problem.fit(&uniform, TIGHT), Err(Error::OptimumAtInfinity { .. })));

    let start = problem.forbid_unseen(&uniform).unwrap();
    let fit = problem.fit(&start, FitLimits { kkt_residual: 1e-4, ..TIGHT }).unwrap();
    assert_eq!(fit.outcome, FitOutcome::Converged);
    for child in start.concepts() {
        let forbidden = |weights: &EdgeWeights| -> Vec<bool> {
            weights.incoming(child).iter().map(|&lambda| lambda == f64::NEG_INFINITY).collect()
        };
        assert_eq!(forbidden(&fit.weights), forbidden(&start));
    }

    let mut closed = uniform;
    let (parent, child) = (0..=4)
        .map(|parent| (Concept::new(parent), Concept::new(1)))
        .find(|&(parent, child)| problem.target[problem.position(parent, child)] > 0.0)
        .unwrap();
    closed.set_log_weight(parent, child, f64::NEG_INFINITY).unwrap();
    assert_eq!(problem.fit(&closed, TIGHT), Err(Error::TargetForbidden { parent, child }));
}

#[test]
fn refuses_invalid_problems() {
    let new = |target: f64, shrinkage: f64| MaxEntropy::new(2, |_, _| target, |_, _| shrinkage);
    assert!(new(0.5, 0.0).is_ok());
    assert!(matches!(new(f64::NAN, 0.0), Err(Error::NotAProbability { .. })));
    assert!(matches!(new(-0.5, 0.0), Err(Error::NotAProbability { .. })));
    assert!(matches!(new(0.4, 0.0), Err(Error::TargetsDoNotSumToOne { .. })));
    for shrinkage in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(new(0.5, shrinkage), Err(Error::NotAShrinkage { .. })));
    }
    let other = new(0.5, 0.1).unwrap().fit(&EdgeWeights::uniform(3), TIGHT);
    assert_eq!(other, Err(Error::CountMismatch { expected: 2, found: 3 }));
}
