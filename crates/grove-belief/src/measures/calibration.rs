use grove_tree::Tree;

use super::Certainties;

/// The number of bins of certainty.
const BINS: usize = 10;

/// Whether stated certainties come true as often as they say, gathered over many reported parents and many runs.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Calibration {
    bins: [CalibrationBin; BINS],
}

/// Statements of about the same certainty.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct CalibrationBin {
    count: u64,
    right: u64,
    certainty: f64,
}

impl CalibrationBin {
    /// How many statements there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean certainty; none without statements.
    #[must_use]
    pub fn mean_certainty(&self) -> Option<f64> {
        self.per_statement(self.certainty)
    }

    /// The share of them that was right; none without statements.
    #[must_use]
    pub fn share_right(&self) -> Option<f64> {
        self.per_statement(self.right as f64)
    }

    fn per_statement(&self, sum: f64) -> Option<f64> {
        (self.count > 0).then(|| sum / self.count as f64)
    }
}

impl Calibration {
    /// A calibration without statements.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one statement with its certainty.
    ///
    /// # Panics
    /// If the certainty is not within 0 and 1.
    pub fn add(&mut self, certainty: f64, right: bool) {
        assert!((0.0..=1.0).contains(&certainty), "a certainty lies within 0 and 1, not at {certainty}");
        let bin = &mut self.bins[((certainty * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.right += u64::from(right);
        bin.certainty += certainty;
    }

    /// Adds the reported parent, which is the likeliest, of every concept. Of equally likely parents the one with the lowest number
    /// is reported.
    ///
    /// # Panics
    /// If the truth is about another number of concepts.
    pub fn add_run(&mut self, certainties: &Certainties, truth: &Tree) {
        certainties.check(truth);
        for (parent, child) in truth.edges() {
            if let Some(&(reported, certainty)) = certainties.parents(child).first() {
                self.add(certainty, reported == parent);
            }
        }
    }

    /// Adds the statements of another.
    pub fn merge(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.count += more.count;
            bin.right += more.right;
            bin.certainty += more.certainty;
        }
    }

    /// The ten bins, from certainty 0-0.1 to 0.9-1.
    #[must_use]
    pub fn bins(&self) -> &[CalibrationBin] {
        &self.bins
    }

    /// The expected calibration error: the mean over statements of the distance between their bin's mean certainty and
    /// its share right (Naeini, Cooper and Hauskrecht 2015). None without statements.
    ///
    /// Never quite zero for a finite number of statements, however honest they are: about 1/sqrt(count) of it is chance.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        let count: u64 = self.bins.iter().map(|bin| bin.count).sum();
        let distance: f64 = self.bins.iter().map(|bin| (bin.certainty - bin.right as f64).abs()).sum();
        (count > 0).then(|| distance / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn adds_up_by_hand() {
        let mut calibration = Calibration::new();
        assert_eq!(calibration.error(), None);
        // Bin 0.6-0.7: mean 0.65, half right, 0.15 off. Bin 0.9-1: both right, mean 0.95, 0.05 off.
        for (certainty, right) in [(0.6, true), (0.69999, false), (0.9, true), (1.0, true)] {
            calibration.add(certainty, right);
        }
        assert!((calibration.error().unwrap() - 0.1).abs() < 1e-5);
        let bin = calibration.bins()[9];
        assert_eq!((bin.count(), bin.mean_certainty(), bin.share_right()), (2, Some(0.95), Some(1.0)));
        assert_eq!(calibration.bins()[0].share_right(), None);

        let mut twice = calibration.clone();
        twice.merge(&calibration);
        assert_eq!(twice.error(), calibration.error());
        assert_eq!(twice.bins()[9].count(), 4);
    }

    /// The error over 100,000 statements of uniform certainty p that come true with the chance `chance(p)`.
    fn simulated(chance: impl Fn(f64) -> f64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut calibration = Calibration::new();
        for _ in 0..100_000 {
            let certainty: f64 = rng.random();
            calibration.add(certainty, rng.random::<f64>() < chance(certainty));
        }
        calibration.error().unwrap()
    }

    #[test]
    fn tells_honest_certainties_from_boasts() {
        // A bin of 10,000 strays by 0.004 in the mean and 0.003 around that; ten of them average 0.01 with a chance below 1e-6.
        assert!(simulated(|certainty| certainty) < 0.01);
        // The integral of p - p^2 over 0..1 is 1/6.
        assert!((simulated(|certainty| certainty * certainty) - 1.0 / 6.0).abs() < 0.01);
    }
}
