//! Log-probabilities, entropy and divergence, all in closed form.

use super::{EdgeMarginals, EdgeWeights};
use crate::{Concept, Error, Result, Tree};

impl EdgeWeights {
    /// The logarithm of a tree's probability; negative infinity if it has a forbidden edge. One elimination; for many trees
    /// subtract [`EdgeWeights::log_partition`] from each [`EdgeWeights::log_score`].
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if the tree has another number of concepts, [`Error::Unreachable`] if no tree is possible.
    pub fn log_probability(&self, tree: &Tree) -> Result<f64> {
        Ok(self.log_score(tree)? - self.log_partition()?)
    }

    /// The entropy of the tree in nats: H = log Z - sum of P_ij lambda_ij.
    ///
    /// # Errors
    /// [`Error::Unreachable`] if no tree is possible.
    pub fn entropy(&self) -> Result<f64> {
        self.marginals()?.entropy(self)
    }

    /// The Kullback-Leibler divergence of `other` from this distribution, in nats: the mean of log P(T|self) -
    /// log P(T|other) over trees drawn from this one. D = sum of P_ij (lambda_ij - mu_ij) - log Z(lambda) + log Z(mu).
    ///
    /// # Errors
    /// [`Error::InfiniteDivergence`] with an edge that is possible here and forbidden there,
    /// [`Error::CountMismatch`] for different numbers of concepts, [`Error::Unreachable`] if either allows no tree.
    pub fn kl_divergence(&self, other: &Self) -> Result<f64> {
        self.check_count(other.len())?;
        let marginals = self.marginals()?;
        let mut mean = other.log_partition()? - marginals.log_partition();
        for child in self.concepts() {
            let rows = marginals.incoming(child).iter().zip(self.incoming(child)).zip(other.incoming(child));
            for (parent, ((&probability, &here), &there)) in rows.enumerate() {
                // An allowed edge may have a probability too small for a number; it is still possible.
                if here > f64::NEG_INFINITY && there == f64::NEG_INFINITY {
                    return Err(Error::InfiniteDivergence { parent: Concept::new(parent), child });
                }
                if probability > 0.0 {
                    mean += probability * (here - there);
                }
            }
        }
        Ok(mean)
    }
}

impl EdgeMarginals {
    /// The entropy in nats of the weights that these marginals were computed from, without another elimination.
    ///
    /// # Errors
    /// [`Error::CountMismatch`] if the weights have another number of concepts.
    pub fn entropy(&self, weights: &EdgeWeights) -> Result<f64> {
        weights.check_count(self.len())?;
        let mut entropy = self.log_partition();
        for child in weights.concepts() {
            for (&probability, &log_weight) in self.incoming(child).iter().zip(weights.incoming(child)) {
                // Forbidden edges are skipped: 0 times infinity would be NaN.
                if probability > 0.0 {
                    entropy -= probability * log_weight;
                }
            }
        }
        Ok(entropy)
    }
}
