//! Edge weights whose trees have given shares of edges.

use grove_tree::{Concept, EdgeMarginals, EdgeWeights, FitLimits, MaxEntropy};

use super::sample::Sample;
use super::{Solver, WeightsSettings};

/// An edge that no tree of the sample has keeps this part of one tree's share: it may still be
/// possible, and a weight of zero could never grow again.
const UNSEEN: f64 = 0.1;
/// How close a fit comes to its optimum; far below any sampling error.
const FAST: FitLimits = FitLimits { kkt_residual: 1e-6, eliminations: 300 };
/// The printed algorithm stops when no step is larger than this, a value that the paper does not give; or after the given number of rounds.
const THRESHOLD: f64 = 1e-6;
const REFERENCE_ELIMINATIONS: usize = 20_000;
/// The shrinkage for fitting a proposal.
const PROPOSAL_SHRINKAGE: f64 = 1e-5;

const FEASIBLE: &str =
    "the target comes from trees that the weights allow, and every edge has a target or shrinkage";

/// The weights of greatest entropy whose edges have the shares of the sample, up to the shrinkage beta. Forbidden edges stay forbidden.
pub(super) fn refit(present: &EdgeWeights, sample: &Sample, settings: &WeightsSettings) -> EdgeWeights {
    let target = sample.edges();
    let problem = problem(present.len(), &target, settings.beta, UNSEEN / sample.effective());
    let fit = match settings.solver {
        Solver::Fast => problem.fit(present, FAST),
        Solver::Reference => problem.fit_by_scaling(&ones(present), THRESHOLD, REFERENCE_ELIMINATIONS),
    };
    fit.expect(FEASIBLE).weights
}

/// Weights near the target, to draw from.
pub(super) fn fit_proposal(present: &EdgeWeights, target: &[f64]) -> EdgeWeights {
    problem(present.len(), target, PROPOSAL_SHRINKAGE, 0.0).fit(present, FAST).expect(FEASIBLE).weights
}

/// A mixture of the shares of edges with other probabilities.
pub(super) fn mixed(shares: &[f64], others: &EdgeMarginals, part: f64) -> Vec<f64> {
    let others = Concept::all(others.len()).flat_map(|child| others.incoming(child));
    shares.iter().zip(others).map(|(share, other)| (1.0 - part) * share + part * other).collect()
}

fn problem(count: usize, target: &[f64], shrinkage: f64, unseen: f64) -> MaxEntropy {
    // Sums of weights may exceed one by rounding.
    let target =
        |parent: Concept, child: Concept| target[(child.index() - 1) * (count + 1) + parent.index()].min(1.0);
    let shrinkage =
        |parent, child| if target(parent, child) > 0.0 { shrinkage } else { shrinkage.max(unseen) };
    MaxEntropy::new(count, target, shrinkage).expect("shares of edges are probabilities that sum to one")
}

/// The paper's starting point, Lambda = 0, without the forbidden edges.
fn ones(present: &EdgeWeights) -> EdgeWeights {
    EdgeWeights::from_fn(present.len(), |parent, child| {
        let forbidden = present.log_weight(parent, child) == f64::NEG_INFINITY;
        if forbidden { f64::NEG_INFINITY } else { 0.0 }
    })
    .expect("zero is a log-weight")
}
