//! The paper's two theorems, checked with numbers.

use grove_tree::{EdgeWeights, FitLimits};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::truth::{draw, problem};
use crate::Error;
use crate::statistics::median;
use crate::study::{Cell, Size, Study};
use crate::table::pack;

/// Theorem 1: Algorithm 1 comes to the minimum. N = 10, 10,000 trees.
pub(super) fn first(size: Size, seed: u64) -> Study {
    let mut cells = Vec::new();
    for shrinkage in [0.01, 0.001] {
        for seed in seed..seed + size.pick(1, 10) {
            let rounds = size.pick(300, 30_000);
            cells
                .push(Cell::new(vec![shrinkage.to_string()], seed, move || descent(shrinkage, rounds, seed)));
        }
    }
    let measures = &["rose", "curve"];
    Study { name: FIRST, settings: &["beta"], measures, cells, alone: false }
}

pub(super) const FIRST: &str = "weights-theorem1";
pub(super) const SECOND: &str = "weights-theorem2";

/// How far the objective is above its minimum after so many rounds, as a power of ten; and how many times it rose on the way.
fn descent(shrinkage: f64, rounds: usize, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let problem = problem(&draw(10, &mut rng)?, 10_000, shrinkage, &mut rng)?;
    let start = EdgeWeights::uniform(10);
    let optimum = problem.fit(&start, FitLimits { kkt_residual: 1e-10, eliminations: 10_000 })?.objective;
    let (mut weights, mut last, mut done) = (start, f64::INFINITY, 0);
    let (mut rose, mut curve) = (0, Vec::new());
    let mut mark = 1;
    while mark <= rounds {
        // It has no memory, so it can be run in pieces; each evaluates its start once more.
        let fit = problem.fit_by_scaling(&weights, 0.0, mark - done + 1)?;
        rose += usize::from(fit.objective > last + 1e-12);
        (weights, last, done) = (fit.weights, fit.objective, mark);
        curve.push((mark, (last - optimum).max(1e-12).log10()));
        mark = (mark * 3).div_ceil(2);
    }
    Ok(vec![rose.to_string(), pack(curve)])
}

/// Theorem 2: with beta = sqrt(log(N / delta) / m), the loss under the truth is at most that of any weights plus 2 beta times their norm, but for a chance of
/// delta.
pub(super) fn second(size: Size, seed: u64) -> Study {
    let mut cells = Vec::new();
    for delta in [0.5, 0.1] {
        for samples in size.pick(vec![100], vec![100, 1_000, 10_000]) {
            for seed in seed..seed + size.pick(2, 100) {
                let settings = vec![delta.to_string(), samples.to_string()];
                cells.push(Cell::new(settings, seed, move || bound(delta, samples, seed)));
            }
        }
    }
    Study {
        name: SECOND,
        settings: &["delta", "samples"],
        measures: &["excess", "bound"],
        cells,
        alone: false,
    }
}

/// The loss above the best possible, and what the theorem allows. The best weights are the truth itself; a constant added to all log-weights into a child changes no
/// probability, so the bound is taken where their norm is least: around each child's median.
fn bound(delta: f64, samples: usize, seed: u64) -> Result<Vec<String>, Error> {
    const COUNT: usize = 20;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = draw(COUNT, &mut rng)?;
    let shrinkage = ((COUNT as f64 / delta).ln() / samples as f64).sqrt();
    let fit = problem(&truth, samples, shrinkage, &mut rng)?
        .fit(&EdgeWeights::uniform(COUNT), FitLimits::default())?;
    let excess = truth.kl_divergence(&fit.weights)?;
    let norm: f64 = truth.concepts().map(|child| norm_at_median(truth.incoming(child))).sum();
    Ok(vec![format!("{excess:.6}"), format!("{:.6}", 2.0 * norm * shrinkage)])
}

fn norm_at_median(incoming: &[f64]) -> f64 {
    let finite: Vec<f64> = incoming.iter().copied().filter(|weight| weight.is_finite()).collect();
    let middle = median(&finite).unwrap_or_default();
    finite.iter().map(|weight| (weight - middle).abs()).sum()
}
