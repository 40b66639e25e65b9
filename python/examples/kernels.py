"""A distribution over all trees, by one weight per edge."""

import numpy as np
import numpy.typing as npt

from taxogrove import EdgeWeights, best_tree


def main() -> None:
    """Computes what there is to compute."""
    log_weights: npt.NDArray[np.float64] = np.random.default_rng(0).standard_normal((20, 21))
    weights = EdgeWeights(log_weights)
    marginals = weights.marginals()
    trees = weights.sample(1000, seed=1)
    print(f"log Z {weights.log_z():.4f}, entropy {weights.entropy():.4f} nats")
    print(f"P(root above 1) {marginals[0, 0]:.3f}, in the sample {float((trees[:, 0] == 0).mean()):.3f}")
    print(f"the best tree is the same both ways: {bool((best_tree(log_weights) == weights.best_tree()).all())}")
    fit = EdgeWeights.fit(marginals, shrinkage=1e-6)
    print(f"fitted again: {fit.outcome}, divergence {fit.weights.kl_divergence(weights):.1e} nats")


if __name__ == "__main__":
    main()
