//! Ranks of true values among draws, and whether they are uniform.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

pub(crate) const DRAWS: usize = 99;
pub(crate) const BINS: usize = 20;

/// The number of times that the truth had each rank among the draws.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Ranks([u32; BINS]);

impl Ranks {
    /// Of one true value. Among equal draws its place is drawn at random. One draw.
    pub(crate) fn of_one(truth: f64, draws: &[f64], rng: &mut ChaCha8Rng) -> Self {
        assert!(draws.len() == DRAWS && draws.iter().all(|draw| draw.is_finite()));
        let less = draws.iter().filter(|draw| **draw < truth).count();
        let equal = draws.iter().filter(|draw| **draw == truth).count();
        let rank = less + rng.random_range(0..=equal);
        let mut ranks = Self::default();
        ranks.0[rank * BINS / (DRAWS + 1)] += 1;
        ranks
    }

    /// Adds separate counts.
    pub(crate) fn join(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
        self
    }

    /// The chance of ranks at least as uneven if all are equally likely: Pearson's chi-square.
    pub(crate) fn p_value(&self) -> f64 {
        let expected = f64::from(self.0.iter().sum::<u32>()) / BINS as f64;
        let chi_square: f64 =
            self.0.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        chi_square_tail(chi_square)
    }
}

/// P(chi-square with 19 degrees of freedom > x) = 1 - P(a, x/2), by the series of the incomplete gamma function, a = 19/2:
/// P(a, y) = y^a e^-y / Gamma(a + 1) * sum over n of y^n / ((a+1) ... (a+n)).
fn chi_square_tail(x: f64) -> f64 {
    const A: f64 = (BINS as f64 - 1.0) / 2.0;
    let y = x / 2.0;
    // Gamma(a + 1) for a half-integer, from Gamma(1/2) = sqrt(pi).
    let gamma: f64 =
        (0..BINS / 2).map(|step| step as f64 + 0.5).product::<f64>() * std::f64::consts::PI.sqrt();
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..1_000 {
        term *= y / (A + f64::from(n));
        sum += term;
    }
    (1.0 - y.powf(A) * (-y).exp() / gamma * sum).max(0.0)
}

#[test]
fn agrees_with_tables_of_chi_square() {
    for (x, p) in [(18.338, 0.5), (30.144, 0.05), (36.191, 0.01), (43.820, 0.001)] {
        assert!((chi_square_tail(x) - p).abs() < 1e-4 * p.max(0.1), "{x}: {}", chi_square_tail(x));
    }
}

#[test]
fn distinguishes_uniform_ranks_from_others() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut p_value = |altered: fn(f64) -> f64, noted: fn(f64) -> f64| {
        let mut ranks = Ranks::default();
        for _ in 0..2_000 {
            let truth: f64 = StandardNormal.sample(&mut rng);
            let draws: Vec<f64> =
                (0..DRAWS).map(|_| noted(altered(StandardNormal.sample(&mut rng)))).collect();
            ranks = ranks.join(Ranks::of_one(noted(truth), &draws, &mut rng));
        }
        ranks.p_value()
    };
    assert!(p_value(|draw| draw, |value| value) > 1e-2);
    assert!(p_value(|draw| draw, f64::round) > 1e-2);
    assert!(p_value(|draw| 0.85 * draw, |value| value) < 1e-4);
    assert!(p_value(|draw| draw + 0.15, |value| value) < 1e-4);
}
