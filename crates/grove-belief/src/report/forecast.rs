use grove_tree::Concept;

use crate::{Belief, Money, Target, coin_entropy, entropy_bits};

/// A rough forecast of how many more questions it takes until a hierarchy is certain enough.
///
/// On simulated runs with 8 to 20 concepts, noise known and questions chosen by gain, it was right within a factor of two on average, and
/// best while much was left to ask. It does not account for future corrections and concepts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// The bits that have to be learnt about the concepts' parents: sum over concepts of (entropy of its place - H2(target certainty)), as far as
    /// positive; for a target of the mean, the sum of all differences. 0 if the target is reached.
    pub remaining_bits: f64,
    /// The expected gain of the best question now, in bits.
    pub bits_per_question: f64,
    /// The questions still to ask; `None` if no question has any gain.
    pub questions: Option<f64>,
}

impl Forecast {
    /// Remaining bits over the gain of the best question now, in bits; and at least one question for every concept that falls short of the target,
    /// or one in all where the target is a mean.
    #[must_use]
    pub fn of(belief: &dyn Belief, target: Target, best_gain: f64) -> Self {
        if target.is_reached(belief) {
            return Self { remaining_bits: 0.0, bits_per_question: best_gain, questions: Some(0.0) };
        }
        let (mut bits, mut short) = (0.0, 0);
        for child in Concept::all(belief.evidence().count()) {
            let outcomes = belief.outcomes(child);
            let likeliest = outcomes.iter().copied().fold(0.0, f64::max);
            let excess = entropy_bits(outcomes) - coin_entropy(target.certainty().max(0.5));
            bits += if target.is_mean() { excess } else { excess.max(0.0) };
            short += usize::from(likeliest < target.certainty());
        }
        let (remaining_bits, least) = (f64::max(bits, 0.0), if target.is_mean() { 1 } else { short });
        let questions = (best_gain > 0.0).then(|| (remaining_bits / best_gain).max(least as f64));
        Self { remaining_bits, bits_per_question: best_gain, questions }
    }

    /// What the questions will cost at a price per vote, rounded up to whole votes; `None` if no question has any gain, or if the
    /// amount overflows.
    #[must_use]
    pub fn cost(&self, price_per_vote: Money) -> Option<Money> {
        let questions = self.questions?.ceil();
        // Above 2^53 not every whole number is a float; no budget is that large.
        (questions < 2_f64.powi(53)).then_some(())?;
        price_per_vote.times(questions as u64)
    }
}
