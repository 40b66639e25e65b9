//! log Z, the number of trees counted with their weights.

use pulp::{Arch, Simd, WithSimd};

use super::EdgeWeights;
use super::arithmetic::{Arithmetic, Linear, Logarithmic, TILE};
use super::network::Network;
use super::tile;
use crate::Result;

/// With every row's largest weight at 1, a term lost to underflow is below 1e-307; as long as every divisor
/// stays above this, such a term does not matter. Otherwise the elimination is done again with logarithms.
pub(super) const SMALLEST_PIVOT: f64 = 1e-140;

impl EdgeWeights {
    /// log Z(W), where Z is the sum over all trees of the product of their weights.
    ///
    /// # Formula
    /// By the matrix-tree theorem (Tutte 1948) Z is the determinant of the Laplacian. It is found as the product of pivots
    /// of an elimination in which each pivot is the sum of the remaining weights in its row (Grassmann, Taksar and Heyman 1985):
    /// nothing is ever subtracted, so log Z is good to about 1e-14 relative at any spread of the weights.
    /// N^3/3 multiply-adds.
    ///
    /// # Errors
    /// [`Error::Unreachable`](crate::Error::Unreachable) if no tree is possible.
    pub fn log_partition(&self) -> Result<f64> {
        match Arch::new().dispatch(FastLogPartition(self)) {
            Some(log_partition) => Ok(log_partition),
            None => {
                self.check_reachable()?;
                let (log_partition, _) = log_partition(Logarithmic, self);
                Ok(log_partition)
            }
        }
    }
}

/// log Z in plain numbers, unless these get too small.
struct FastLogPartition<'a>(&'a EdgeWeights);

impl WithSimd for FastLogPartition<'_> {
    type Output = Option<f64>;

    fn with_simd<S: Simd>(self, simd: S) -> Option<f64> {
        let (log_partition, pivots) = log_partition(Linear(simd), self.0);
        pivots.iter().all(|&pivot| pivot >= SMALLEST_PIVOT).then_some(log_partition)
    }
}

/// Halves the network until one tile is left. Also returns the pivots.
fn log_partition<A: Arithmetic>(arithmetic: A, weights: &EdgeWeights) -> (f64, Vec<f64>) {
    let (mut network, shift) = Network::of(arithmetic, weights);
    let mut pivots = vec![A::ONE; network.size];
    while network.size > TILE {
        let [kept, eliminated] = network.halves();
        let pivots = &mut pivots[eliminated.clone()];
        network = network.reduce(arithmetic, kept, eliminated, pivots).network;
    }
    let weights = tile::load(&network.cells, network.stride, 0);
    let exits = *network.exits.first_chunk().expect("a tile of exits");
    let (_, last) = arithmetic.vectorize(
        #[inline(always)]
        || tile::visits::<A>(weights, exits),
    );
    pivots[..TILE].copy_from_slice(&last);
    (shift + log_product::<A>(&pivots), pivots)
}

/// The logarithm of the product of pivots.
pub(super) fn log_product<A: Arithmetic>(pivots: &[f64]) -> f64 {
    pivots.iter().map(|&pivot| A::ln(pivot)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_trees() {
        for count in 0..60 {
            let counted = EdgeWeights::uniform(count).log_partition().unwrap();
            let cayley = if count == 0 { 0.0 } else { (count - 1) as f64 * ((count + 1) as f64).ln() };
            assert!((counted - cayley).abs() <= 1e-10, "{count} concepts: {counted} instead of {cayley}");
        }
    }
}
