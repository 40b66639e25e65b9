//! Ground-truth weights, and what samples of trees say of them.

use grove_tree::{EdgeWeights, MaxEntropy};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};

use crate::Error;

/// The concentration of the Dirichlet distribution of the weights into a child. With it, a million trees hold about 900,000 different ones in the
/// median of draws, as the paper reports of its weights.
pub(super) const CONCENTRATION: f64 = 0.06;

/// Smaller weights than this are as good as none, and their logarithms would be infinite.
const LEAST_WEIGHT: f64 = 1e-300;

/// Weights of which those into each child are a draw from a symmetric Dirichlet distribution, up to a factor that changes nothing. N^2 draws.
pub(super) fn draw(count: usize, rng: &mut ChaCha8Rng) -> Result<EdgeWeights, Error> {
    // Gamma variables in proportion are Dirichlet distributed; the proportion is all that weights say.
    let gamma = Gamma::new(CONCENTRATION, 1.0).expect("a positive shape");
    let weights = EdgeWeights::from_fn(count, |_, _| gamma.sample(rng).max(LEAST_WEIGHT).ln())?;
    Ok(weights)
}

/// The problem of fitting weights to the shares of edges in some sampled trees.
pub(super) fn problem(
    weights: &EdgeWeights,
    samples: usize,
    shrinkage: f64,
    rng: &mut ChaCha8Rng,
) -> Result<MaxEntropy, Error> {
    let shares = shares(weights, samples, rng)?;
    of_shares(weights.len(), &shares, shrinkage)
}

/// The share of sampled trees that have each edge, at child * (N + 1) + parent.
pub(super) fn shares(weights: &EdgeWeights, samples: usize, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, Error> {
    let width = weights.len() + 1;
    let sampler = weights.sampler()?;
    let mut counts = vec![0_u32; width * width];
    for _ in 0..samples {
        for (parent, child) in sampler.draw(rng).tree.edges() {
            counts[child.index() * width + parent.index()] += 1;
        }
    }
    Ok(counts.into_iter().map(|count| f64::from(count) / samples as f64).collect())
}

pub(super) fn of_shares(count: usize, shares: &[f64], shrinkage: f64) -> Result<MaxEntropy, Error> {
    let share = |parent: grove_tree::Concept, child: grove_tree::Concept| {
        shares[child.index() * (count + 1) + parent.index()]
    };
    Ok(MaxEntropy::new(count, share, |_, _| shrinkage)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_tree::Concept;
    use rand::SeedableRng;

    #[test]
    fn shares_come_near_the_probabilities() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let weights = draw(6, &mut rng).unwrap();
        let (shares, marginals) = (shares(&weights, 40_000, &mut rng).unwrap(), weights.marginals().unwrap());
        for child in Concept::all(6) {
            for parent in (0..=6).map(Concept::new).filter(|&parent| parent != child) {
                // A share strays by at most 0.0025; five times that.
                let error = shares[child.index() * 7 + parent.index()] - marginals.probability(parent, child);
                assert!(error.abs() < 0.0125, "{error}");
            }
        }
    }
}
