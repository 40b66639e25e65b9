use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use grove_belief::{Division, Noise, Prior, Rates, Settings, WorkerPrior};
use grove_sim::AnswerRates;

/// The engine that turns votes into a belief.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Engine {
    /// Some hundred trees that follow the whole vote log: 1 to 10,000 concepts.
    Ensemble,
    /// Every tree counted: up to 16 concepts, rates given.
    Exact,
    /// The paper's edge weights: up to 500 concepts, rates given, approximate.
    Weights,
}

impl Engine {
    /// The name by which a user asks for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ensemble => "ensemble",
            Self::Exact => "exact",
            Self::Weights => "weights",
        }
    }
}

/// What is believed before the first vote.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PriorShape {
    /// Every tree alike.
    Uniform,
    /// Most concepts have nothing below them, as in hierarchies that people make.
    Taxonomy,
}

impl PriorShape {
    /// The name by which a user asks for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Taxonomy => "taxonomy",
        }
    }

    fn prior(self) -> Prior {
        match self {
            Self::Uniform => Prior::uniform(),
            Self::Taxonomy => Prior::taxonomy(),
        }
    }
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

    /// What an engine is told that knows them.
    pub(crate) fn told(self) -> AssumedNoise {
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

/// How votes are assumed to err.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum AssumedNoise {
    One(f64),
    Two(f64, f64),
    Three(f64, f64, f64),
    Majority,
    Learn,
}

impl AssumedNoise {
    /// How votes are to be read. Where rates are learnt, questions may divide people; given rates take every question to have
    /// one honest answer, as the paper does.
    pub(crate) fn settings(self, prior: PriorShape) -> anyhow::Result<Settings> {
        let noise = match self {
            Self::One(noise) => Noise::Given(Rates::one(noise)?),
            Self::Two(false_yes, false_no) => Noise::Given(Rates::two(false_yes, false_no)?),
            Self::Three(above, reversed, neither) => Noise::Given(Rates::three(above, reversed, neither)?),
            Self::Majority => Noise::Majority,
            Self::Learn => Noise::Learnt(WorkerPrior::default()),
        };
        let division = (self == Self::Learn).then(Division::default);
        Ok(Settings { noise, division, prior: prior.prior() })
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
                      chances of yes ABOVE,REVERSED,NEITHER such as 0.83,0.3,0.1"
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

/// Numbers from 0 to 1, separated by commas.
fn rates(text: &str) -> Option<Vec<f64>> {
    let rate = |part: &str| part.trim().parse().ok().filter(|rate| (0.0..=1.0).contains(rate));
    text.split(',').map(rate).collect()
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
