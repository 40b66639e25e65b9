//! Options about the engine that several commands take: which one, its prior, its noise, and how questions are chosen.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use grove_belief::{
    Dissent, EngineSettings, EnsembleSettings, Evidence, Noise, Prior, Rates, Settings, Strategy, Unwatched,
    Watch, WeightsSettings, WorkerPrior,
};
use grove_sim::AnswerRates;
use serde::{Serialize, Serializer};

use crate::error::bad_input;

/// The most concepts that the ensemble is designed for.
pub(crate) const MOST_CONCEPTS: usize = 10_000;
/// The most concepts of the exact engine, and of the paper's.
const MOST_EXACT: usize = 16;
const MOST_WEIGHTS: usize = 500;

/// The engine that turns votes into a belief.
#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Several hundred trees sampled from the posterior of all votes: 1 to 10,000 concepts.
    Ensemble,
    /// Every tree counted: up to 16 concepts, rates given.
    Exact,
    /// The paper's edge weights: up to 500 concepts, rates given, approximate.
    Weights,
}

impl Engine {
    /// Refuses what the engine cannot handle, before it is started.
    pub(crate) fn check(self, concepts: usize, noise: &Noise) -> anyhow::Result<()> {
        let (name, most) = match self {
            Self::Ensemble => ("ensemble", MOST_CONCEPTS),
            Self::Exact => ("exact", MOST_EXACT),
            Self::Weights => ("weights", MOST_WEIGHTS),
        };
        if concepts > most {
            let remedy = if self == Self::Ensemble { "split the list" } else { "choose the ensemble engine" };
            return Err(bad_input(format!(
                "there are {concepts} concepts, but the {name} engine takes at most {most}; {remedy}"
            )));
        }
        if self != Self::Ensemble && matches!(noise, Noise::Learnt(_)) {
            return Err(bad_input(format!(
                "the {name} engine cannot learn error rates; state them, as in --noise 0.1 (--assume-noise in a simulation), or \
                 choose the ensemble engine"
            )));
        }
        Ok(())
    }

    /// Starts the engine on evidence about no more concepts than it takes.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn start(self, evidence: Evidence, seed: u64) -> anyhow::Result<grove_belief::Engine> {
        self.start_watched(evidence, seed, &Unwatched)
    }

    /// The same with a watcher that follows the computation and may stop it.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn start_watched(
        self,
        evidence: Evidence,
        seed: u64,
        watch: &dyn Watch,
    ) -> anyhow::Result<grove_belief::Engine> {
        let settings = match self {
            Self::Ensemble => EngineSettings::Ensemble(EnsembleSettings {
                seed,
                ..EnsembleSettings::for_concepts(evidence.count())
            }),
            Self::Exact => EngineSettings::Exact,
            Self::Weights => EngineSettings::Weights(WeightsSettings { seed, ..WeightsSettings::default() }),
        };
        Ok(grove_belief::Engine::watched(evidence, settings, watch)?)
    }
}

/// What is believed before the first vote.
#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum PriorShape {
    /// All trees are equally likely.
    Uniform,
    /// Most concepts have nothing below them, as in hierarchies that people make.
    Taxonomy,
}

/// How questions are chosen.
#[derive(ValueEnum, Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StrategyName {
    /// The question with the greatest expected information gain.
    Gain,
    /// The paper's rule: the question whose worse answer leaves the least entropy.
    WorstCase,
    /// A random question.
    Random,
}

impl StrategyName {
    pub(crate) fn strategy(self) -> Strategy {
        match self {
            Self::Gain => Strategy::Gain,
            Self::WorstCase => Strategy::WorstCase,
            Self::Random => Strategy::Random,
        }
    }
}

/// The name by which a value is given on the command line.
pub(crate) fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// How often a simulated crowd errs: `FALSE_YES`, or `FALSE_YES,FALSE_NO`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct CrowdNoise {
    pub(crate) false_yes: f64,
    pub(crate) false_no: f64,
}

impl CrowdNoise {
    /// The rates of simulated people.
    pub(crate) fn answer_rates(self) -> anyhow::Result<AnswerRates> {
        Ok(AnswerRates::two(1.0 - self.false_no, self.false_yes)?)
    }

    /// The same rates, assumed by an engine that knows them.
    pub(crate) fn assumed(self) -> AssumedNoise {
        AssumedNoise::Two(self.false_yes, self.false_no)
    }
}

impl FromStr for CrowdNoise {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match rates(text).as_deref() {
            Some(&[noise]) => Ok(Self { false_yes: noise, false_no: noise }),
            Some(&[false_yes, false_no]) => Ok(Self { false_yes, false_no }),
            _ => Err("give one rate from 0 to 1 such as 0.05, or FALSE_YES,FALSE_NO such as 0.2,0.17".into()),
        }
    }
}

/// One rate where both are the same, otherwise `[false yes, false no]`.
impl Serialize for CrowdNoise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.false_yes == self.false_no {
            true => self.false_yes.serialize(serializer),
            false => [self.false_yes, self.false_no].serialize(serializer),
        }
    }
}

/// The error rates that an engine assumes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum AssumedNoise {
    /// Every answer is wrong at this rate.
    One(f64),
    /// The rates of a false yes and of a false no.
    Two(f64, f64),
    /// The chances of a yes when the upper is above, below, or neither.
    Three(f64, f64, f64),
    /// The paper's majority of votes.
    Majority,
    /// Every worker's rates are learnt.
    Learn,
}

impl AssumedNoise {
    /// The belief's settings. Where rates are learnt, questions may divide people; given rates assume that every question has
    /// one honest answer, as the paper does.
    pub(crate) fn settings(self, prior: PriorShape) -> anyhow::Result<Settings> {
        let noise = match self {
            Self::One(noise) => Noise::Given(Rates::one(noise)?),
            Self::Two(false_yes, false_no) => Noise::Given(Rates::two(false_yes, false_no)?),
            Self::Three(above, reversed, neither) => Noise::Given(Rates::three(above, reversed, neither)?),
            Self::Majority => Noise::Majority,
            Self::Learn => Noise::Learnt(WorkerPrior::default()),
        };
        let prior = match prior {
            PriorShape::Uniform => Prior::uniform(),
            PriorShape::Taxonomy => Prior::taxonomy(),
        };
        Ok(Settings { noise, dissent: (self == Self::Learn).then(Dissent::default), prior })
    }
}

impl FromStr for AssumedNoise {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, rates(text).as_deref()) {
            ("majority", _) => Ok(Self::Majority),
            ("learn", _) => Ok(Self::Learn),
            (_, Some(&[noise])) => Ok(Self::One(noise)),
            (_, Some(&[false_yes, false_no])) => Ok(Self::Two(false_yes, false_no)),
            (_, Some(&[above, reversed, neither])) => Ok(Self::Three(above, reversed, neither)),
            _ => Err("give learn, majority, one rate from 0 to 1 such as 0.1, FALSE_YES,FALSE_NO such as 0.2,0.17, or the \
                      probabilities of yes ABOVE,REVERSED,NEITHER such as 0.83,0.3,0.1"
                .into()),
        }
    }
}

impl fmt::Display for AssumedNoise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(noise) => write!(f, "{noise}"),
            Self::Two(one, other) if one == other => write!(f, "{one}"),
            Self::Two(false_yes, false_no) => write!(f, "{false_yes},{false_no}"),
            Self::Three(above, reversed, neither) => write!(f, "{above},{reversed},{neither}"),
            Self::Majority => f.write_str("majority"),
            Self::Learn => f.write_str("learn"),
        }
    }
}

impl Serialize for AssumedNoise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Parses numbers from 0 to 1, separated by commas.
fn rates(text: &str) -> Option<Vec<f64>> {
    text.split(',').map(|part| probability(part.trim()).ok()).collect()
}

/// Parses a number from 0 to 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "give a number from 0 to 1".to_owned())
}

/// Parses a number above 0 and up to 1.
pub(crate) fn certainty(text: &str) -> Result<f64, String> {
    let number = probability(text).ok().filter(|&number| number > 0.0);
    number.ok_or_else(|| "give a number above 0 and up to 1, such as 0.75".to_owned())
}

/// Parses a price in cents.
pub(crate) fn price(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1e6).contains(number));
    number.ok_or_else(|| "give a number of cents, such as 0.8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_read_as_it_is_written() {
        for text in ["0.1", "0.2,0.17", "0.83,0.3,0.1", "majority", "learn"] {
            assert_eq!(text.parse::<AssumedNoise>().unwrap().to_string(), text);
        }
        for text in ["", "1.1", "-0.1", "nan", "0.1,", "0.1,0.2,0.3,0.4", "teach", "0.1;0.2"] {
            assert!(text.parse::<AssumedNoise>().is_err(), "{text}");
            assert!(text.parse::<CrowdNoise>().is_err(), "{text}");
        }
        assert_eq!("0.2, 0.1".parse(), Ok(CrowdNoise { false_yes: 0.2, false_no: 0.1 }));
        assert!("0.1,0.2,0.3".parse::<CrowdNoise>().is_err());
    }
}
