//! The least number of questions that could find a hierarchy, whoever asks.

use grove_belief::coin_entropy;

use crate::Error;
use crate::error::chance;

/// The information in a uniform random tree of `count` concepts: log2 of (N+1)^(N-1) bits.
#[must_use]
pub fn tree_bits(count: usize) -> f64 {
    count.saturating_sub(1) as f64 * ((count + 1) as f64).log2()
}

/// The information floor: (N-1) log2(N+1) bits over the 1 - H2(noise) bits that an answer can carry (Shannon 1948). Infinite where answers
/// carry nothing.
///
/// # Errors
/// [`Error::NotAChance`] unless the noise is within 0 and 1.
pub fn floor_questions(count: usize, noise: f64) -> Result<f64, Error> {
    let (bits, carried) = (tree_bits(count), capacity(1.0 - chance("noise", noise)?, noise)?);
    // A single concept needs no questions, whatever the noise.
    Ok(if bits == 0.0 { 0.0 } else { bits / carried })
}

/// The most bits that one answer can carry, given the chances of yes for true and for false statements.
///
/// # Formula
/// Write q1 and q0 for the two chances. The mutual information is greatest when the probability of a yes is
/// y = 1 / (1 + 2^s), s = (H2(q1) - H2(q0)) / (q1 - q0), found by setting its derivative in the share of true statements to 0. There it is
/// H2(y) - H2(q0) - (y - q0) s. For q1 = 1 - q0 it is 1 - H2(q0).
///
/// # Errors
/// [`Error::NotAChance`] unless both are within 0 and 1.
pub fn capacity(yes_if_true: f64, yes_if_false: f64) -> Result<f64, Error> {
    let (q1, q0) = (chance("yes if true", yes_if_true)?, chance("yes if false", yes_if_false)?);
    if q1 == q0 {
        return Ok(0.0);
    }
    let slope = (coin_entropy(q1) - coin_entropy(q0)) / (q1 - q0);
    let heard = 1.0 / (1.0 + slope.exp2());
    // Rounding may bring nearly equal rates just below 0.
    Ok((coin_entropy(heard) - coin_entropy(q0) - (heard - q0) * slope).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn known_channels() {
        close(capacity(1.0, 0.0).unwrap(), 1.0);
        close(capacity(0.0, 1.0).unwrap(), 1.0);
        close(capacity(0.5, 0.5).unwrap(), 0.0);
        // The symmetric channel at 0.11 carries half a bit, to four digits.
        assert!((capacity(0.89, 0.11).unwrap() - 0.5).abs() < 1e-3);
        // The Z channel at 1/2 carries log2(5/4) bits.
        close(capacity(0.5, 0.0).unwrap(), 1.25_f64.log2());
        close(capacity(1.0, 0.5).unwrap(), 1.25_f64.log2());
        assert!(matches!(capacity(f64::NAN, 0.1), Err(Error::NotAChance { .. })));
    }

    #[test]
    fn floors_of_small_and_large() {
        close(floor_questions(15, 0.0).unwrap(), 56.0);
        assert_eq!(floor_questions(15, 0.05).unwrap().ceil(), 79.0);
        assert_eq!(floor_questions(500, 0.05).unwrap().round(), 6_272.0);
        assert_eq!(floor_questions(15, 0.5).unwrap(), f64::INFINITY);
        assert_eq!([0, 1].map(|count| floor_questions(count, 0.5).unwrap()), [0.0, 0.0]);
        // The number of trees over three concepts is 16.
        close(tree_bits(3), 4.0);
    }

    proptest! {
        /// The largest mutual information over a fine grid of how often statements are true.
        #[test]
        fn is_the_most_that_any_mix_of_questions_carries(q1 in 0.0..1.0_f64, q0 in 0.0..1.0_f64) {
            let carried = |share: f64| {
               coin_entropy(share * q1 + (1.0 - share) * q0) - share * coin_entropy(q1) - (1.0 - share) * coin_entropy(q0)
            };
            let best = (0..=4_000).map(|at| carried(f64::from(at) / 4e3)).fold(0.0, f64::max);
            let found = capacity(q1, q0).unwrap();
            prop_assert!(found >= best - 1e-9 && found <= best + 1e-6, "{} against {}", found, best);
        }
    }
}
