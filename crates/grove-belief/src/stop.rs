//! When to stop asking.

use std::fmt;

use grove_tree::Concept;

use crate::belief::settled;
use crate::{Belief, DOUBTFUL_BELOW, Error, Money, ScreenChoice};

/// How certain a hierarchy has to be. A concept is as certain as what is most probably true of where people place it: one parent, or two between which they
/// differ.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    certainty: f64,
    /// Whether the mean has to reach it, instead of every concept.
    mean: bool,
}

impl Target {
    /// Every concept's certainty is at least this.
    ///
    /// # Errors
    /// [`Error::BadThreshold`] unless 0 < certainty <= 1.
    pub fn every(certainty: f64) -> Result<Self, Error> {
        Self::checked(certainty, false)
    }

    /// The mean of the concepts' certainties is at least this: the expected share of right parents.
    ///
    /// # Errors
    /// [`Error::BadThreshold`] unless 0 < certainty <= 1.
    pub fn mean(certainty: f64) -> Result<Self, Error> {
        Self::checked(certainty, true)
    }

    fn checked(certainty: f64, mean: bool) -> Result<Self, Error> {
        if certainty > 0.0 && certainty <= 1.0 {
            Ok(Self { certainty, mean })
        } else {
            let what = "a target certainty must lie above 0 and not above 1";
            Err(Error::BadThreshold { what, value: certainty })
        }
    }

    /// The certainty asked for.
    #[must_use]
    pub fn certainty(self) -> f64 {
        self.certainty
    }

    /// Whether the mean has to reach it, and not every concept.
    #[must_use]
    pub fn is_mean(self) -> bool {
        self.mean
    }

    /// Whether the belief is that certain. Asks for the places of at most every concept.
    #[must_use]
    pub fn is_reached(self, belief: &dyn Belief) -> bool {
        let count = belief.evidence().count();
        let mut certainties = Concept::all(count).map(|child| settled(belief, child));
        if self.mean {
            certainties.sum::<f64>() >= self.certainty * count as f64
        } else {
            certainties.all(|certainty| certainty >= self.certainty)
        }
    }
}

impl Default for Target {
    /// No parent is doubtful: every one is at least as certain as [`DOUBTFUL_BELOW`].
    fn default() -> Self {
        Self { certainty: DOUBTFUL_BELOW, mean: false }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded, since 100 times 0.55 is not quite 55.
        let percent = (1e5 * self.certainty).round() / 1e3;
        if self.mean {
            write!(f, "parents are at least {percent} % certain on average")
        } else {
            write!(f, "every parent is at least {percent} % certain")
        }
    }
}

/// What has been spent on answers so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Spent {
    /// Questions asked; one that two workers were asked counts twice.
    pub questions: u64,
    /// Money paid or owed for the answers.
    pub money: Money,
}

/// When to stop asking. Every rule is optional, and the first that applies ends the campaign; without any, it never ends.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct StopRules {
    questions: Option<u64>,
    /// The budget, and the price of a vote.
    money: Option<(Money, Money)>,
    target: Option<Target>,
    least_gain: Option<f64>,
    least_rate: Option<f64>,
}

/// The least gain per second, in bits, that is worth a person's time unless another is asked for. A yes/no question about one of several hundred possible parents,
/// which is how asking begins where no other form is allowed, tells about as much; so does a question with one answer whose chance is above 99.7 %.
pub const LEAST_GAIN_PER_SECOND: f64 = 0.005;

impl StopRules {
    /// No rule at all.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Stop when this many questions were asked.
    #[must_use]
    pub fn questions(self, budget: u64) -> Self {
        Self { questions: Some(budget), ..self }
    }

    /// Stop when one more vote at this price would exceed the budget.
    #[must_use]
    pub fn money(self, budget: Money, price_per_vote: Money) -> Self {
        Self { money: Some((budget, price_per_vote)), ..self }
    }

    /// Stop when the hierarchy is certain enough.
    #[must_use]
    pub fn target(self, target: Target) -> Self {
        Self { target: Some(target), ..self }
    }

    /// Stop when the expected gain of the best question is below this many bits.
    ///
    /// # Errors
    /// [`Error::BadThreshold`] unless that is a positive number.
    pub fn least_gain(self, bits: f64) -> Result<Self, Error> {
        if bits > 0.0 && bits.is_finite() {
            Ok(Self { least_gain: Some(bits), ..self })
        } else {
            Err(Error::BadThreshold { what: "the least gain must be a positive number of bits", value: bits })
        }
    }

    /// Stop when the expected gain of the best screen is below this many bits per second.
    ///
    /// # Errors
    /// [`Error::BadThreshold`] unless that is a positive number.
    pub fn least_rate(self, bits_per_second: f64) -> Result<Self, Error> {
        if bits_per_second > 0.0 && bits_per_second.is_finite() {
            Ok(Self { least_rate: Some(bits_per_second), ..self })
        } else {
            let what = "the least gain per second must be a positive number of bits";
            Err(Error::BadThreshold { what, value: bits_per_second })
        }
    }

    /// Whether the best screen of all forms is not worth showing; and so, without any, whether nothing is left to show.
    #[must_use]
    pub fn is_worthless(&self, best: Option<&ScreenChoice>) -> Option<StopReason> {
        let Some(best) = best else { return Some(StopReason::NothingLeft) };
        let least = self.least_rate?;
        (best.rate() < least).then_some(StopReason::RateTooSmall { rate: best.rate(), least })
    }

    /// Whether to stop now, and why. `best_gain` is the expected gain of the best question in bits; without it, that rule is skipped.
    ///
    /// Of several reasons the first of these is given: the target, then the gain, then the budgets.
    #[must_use]
    pub fn should_stop(
        &self,
        belief: &dyn Belief,
        spent: Spent,
        best_gain: Option<f64>,
    ) -> Option<StopReason> {
        let target = || self.target.filter(|target| target.is_reached(belief)).map(StopReason::TargetReached);
        let gain = || {
            let (gain, least) = (best_gain?, self.least_gain?);
            (gain < least).then_some(StopReason::GainTooSmall { gain, least })
        };
        let questions = || {
            let budget = self.questions.filter(|budget| spent.questions >= *budget)?;
            Some(StopReason::QuestionsUsedUp { budget })
        };
        let money = || {
            let (budget, price) = self.money?;
            let affordable = spent.money.plus(price).is_some_and(|after| after <= budget);
            (!affordable).then_some(StopReason::MoneyUsedUp { budget, spent: spent.money, price })
        };
        target().or_else(gain).or_else(questions).or_else(money)
    }
}

/// Why a campaign should stop asking.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum StopReason {
    /// The hierarchy is certain enough.
    TargetReached(Target),
    /// No question is worth asking.
    GainTooSmall {
        /// The expected gain of the best question, in bits.
        gain: f64,
        /// The least gain asked for.
        least: f64,
    },
    /// No screen is worth the time.
    RateTooSmall {
        /// The expected gain of the best screen, in bits per second.
        rate: f64,
        /// The least asked for.
        least: f64,
    },
    /// Every place is known well enough, or all screens about it were shown.
    NothingLeft,
    /// The question budget is used up.
    QuestionsUsedUp {
        /// The budget.
        budget: u64,
    },
    /// The next vote would exceed the money budget.
    MoneyUsedUp {
        /// The budget.
        budget: Money,
        /// What was spent of it.
        spent: Money,
        /// What the next vote would cost.
        price: Money,
    },
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TargetReached(target) => write!(f, "The target is reached: {target}."),
            Self::GainTooSmall { gain, least } => {
                write!(
                    f,
                    "The best question would tell only {gain:.4} bits, less than the {least} asked for."
                )
            }
            Self::RateTooSmall { rate, least } => {
                write!(
                    f,
                    "Nothing left to learn that is worth the time: the best screen tells {rate:.4} bits per second, less than {least}."
                )
            }
            Self::NothingLeft => f.write_str("Nothing left to learn."),
            Self::QuestionsUsedUp { budget } => write!(f, "The budget of {budget} questions is used up."),
            Self::MoneyUsedUp { budget, spent, price } => {
                write!(f, "{spent} of {budget} is spent, and one more vote at {price} would pass the budget.")
            }
        }
    }
}
