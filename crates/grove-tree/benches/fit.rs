//! How many eliminations the fast fit takes, and how many the paper's Algorithm 1 takes to come as close:
//! `cargo bench -p grove-tree --bench fit`.
//!
//! Targets are the edge frequencies in 10,000 trees drawn from random weights, each child's from a flat Dirichlet
//! distribution; fits start at the uniform distribution.

use grove_tree::{EdgeWeights, Error, Fit, FitLimits, MaxEntropy};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const COUNT: usize = 20;
const TREES: usize = 10_000;
/// The reference is given up after so many eliminations.
const PATIENCE: usize = 200_000;

fn main() -> Result<(), Error> {
    println!("Command: cargo bench -p grove-tree --bench fit");
    println!("N = {COUNT}, targets from {TREES} trees, start: uniform\n");
    println!(
        "| seed | shrinkage | fast: eliminations | residual | objective | above the optimum | reference: \
         eliminations to come as close | times |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for seed in [1, 2, 3] {
        let frequencies = sampled_frequencies(&mut ChaCha8Rng::seed_from_u64(seed))?;
        for shrinkage in [0.0001, 0.001, 0.01, 0.1] {
            let problem = MaxEntropy::new(
                COUNT,
                |parent, child| frequencies[child.index()][parent.index()],
                |_, _| shrinkage,
            )?;
            print_row(seed, shrinkage, &problem)?;
        }
    }
    Ok(())
}

fn print_row(seed: u64, shrinkage: f64, problem: &MaxEntropy) -> Result<(), Error> {
    let start = EdgeWeights::uniform(COUNT);
    let fast = problem.fit(&start, FitLimits::default())?;
    let optimum = problem.fit(&fast.weights, FitLimits { kkt_residual: 1e-10, eliminations: 10_000 })?;
    let reference = reference_as_close(problem, fast.objective)?;
    let (needed, times) = match reference {
        Some(needed) => (needed.to_string(), format!("{:.0}", needed as f64 / fast.eliminations as f64)),
        None => (format!("over {PATIENCE}"), format!("over {}", PATIENCE / fast.eliminations)),
    };
    let Fit { eliminations, kkt_residual, objective, .. } = fast;
    let above = objective - optimum.objective;
    println!(
        "| {seed} | {shrinkage} | {eliminations} | {kkt_residual:.1e} | {objective:.9} | {above:.1e} | {needed} | {times} |"
    );
    Ok(())
}

/// After how many eliminations Algorithm 1 reaches an objective. It has no memory, so it can be run in pieces.
fn reference_as_close(problem: &MaxEntropy, objective: f64) -> Result<Option<usize>, Error> {
    const PIECE: usize = 10;
    let mut weights = EdgeWeights::uniform(COUNT);
    for pieces in 1..=PATIENCE / PIECE {
        // Each piece evaluates its start once more, which is not counted.
        let fit = problem.fit_by_scaling(&weights, 0.0, PIECE + 1)?;
        if fit.objective <= objective {
            return Ok(Some(pieces * PIECE));
        }
        weights = fit.weights;
    }
    Ok(None)
}

/// The share of sampled trees with each edge, by child and parent.
fn sampled_frequencies(rng: &mut impl Rng) -> Result<Vec<Vec<f64>>, Error> {
    // Exponential variables in proportion are Dirichlet distributed; the proportion is all that weights say.
    let weights = EdgeWeights::from_fn(COUNT, |_, _| (-(1.0 - rng.random::<f64>()).ln()).ln())?;
    let sampler = weights.sampler()?;
    let mut frequencies = vec![vec![0.0; COUNT + 1]; COUNT + 1];
    for _ in 0..TREES {
        for (parent, child) in sampler.draw(rng).tree.edges() {
            frequencies[child.index()][parent.index()] += 1.0 / TREES as f64;
        }
    }
    Ok(frequencies)
}
