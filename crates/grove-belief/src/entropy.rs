/// The entropy of a distribution in bits: the sum of -p log2 p over the possible outcomes.
pub fn entropy_bits(chances: impl IntoIterator<Item = f64>) -> f64 {
    chances.into_iter().map(|p| if p > 0.0 { -p * p.log2() } else { 0.0 }).sum()
}

/// H2: the entropy of a coin in bits.
#[must_use]
pub fn coin_entropy(p: f64) -> f64 {
    entropy_bits([p, 1.0 - p])
}
