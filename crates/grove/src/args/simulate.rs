use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use grove_belief::Strategy;
use grove_sim::Dataset;

use super::{AssumedNoise, CrowdNoise, Engine, PriorShape};

/// Asks a simulated crowd that knows the truth, and tells how many questions it took.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove simulate --truth random:15 --noise 0.05 --runs 30
  grove simulate --truth balanced:40:3 --noise 0.2,0.17 --strategy random --questions 500
  grove simulate --truth food.tsv --crowd crowd.txt --until 0.75
  grove simulate --truth builtin:food --answers pool.csv --strategy worst-case --json | jq .median_settled

crowd.txt has lines such as `people = 40`, `rates = 0.83 0.2`, `always_yes = 0.05`.
pool.csv has the columns worker, upper, lower, answer; each vote is drawn at most once in a run.")]
pub(crate) struct Simulate {
    /// The hierarchy that the crowd has in mind: a file, random:N (another one every run), balanced:N:BRANCHING, or builtin:food,
    /// builtin:body_parts, builtin:kitchen_utensils.
    #[arg(long, value_name = "TRUTH")]
    pub(crate) truth: Truth,
    /// How the crowd errs: FALSE_YES, or FALSE_YES,FALSE_NO [default: 0.05].
    #[arg(long, allow_negative_numbers = true, value_name = "RATES", conflicts_with_all = ["crowd", "answers"])]
    pub(crate) noise: Option<CrowdNoise>,
    /// What the engine is told of that: as for `grove infer --noise` [default: the true rates; learn with --crowd].
    #[arg(long, allow_negative_numbers = true, value_name = "NOISE")]
    pub(crate) assume_noise: Option<AssumedNoise>,
    /// A file that describes a crowd of mixed quality.
    #[arg(long, value_name = "FILE")]
    pub(crate) crowd: Option<PathBuf>,
    /// A file of recorded votes to draw every vote from, instead of a simulated crowd.
    #[arg(long, value_name = "POOL", conflicts_with = "crowd")]
    pub(crate) answers: Option<PathBuf>,
    /// How many people there are [default: 1000, or 20 where the engine has to learn them].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = ["crowd", "answers"])]
    pub(crate) people: Option<u32>,
    /// The engine.
    #[arg(long, value_enum, default_value_t = Engine::Ensemble)]
    pub(crate) engine: Engine,
    /// What is believed before the first vote. The floor is that of uniform trees.
    #[arg(long, value_enum, default_value_t = PriorShape::Uniform)]
    pub(crate) prior: PriorShape,
    /// How questions are chosen.
    #[arg(long, value_enum, default_value_t = StrategyName::Gain)]
    pub(crate) strategy: StrategyName,
    /// How many questions are asked [default: twice the floor; with --until, at most ten times the floor].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) questions: Option<u64>,
    /// Stops as soon as every parent is this certain.
    #[arg(long, allow_negative_numbers = true, value_name = "CERTAINTY", value_parser = certainty)]
    pub(crate) until: Option<f64>,
    /// How many times all of it is done, each with a seed of its own.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) runs: u64,
    /// The seed of the first run; the next has the next number.
    #[arg(long, allow_negative_numbers = true, default_value_t = 1)]
    pub(crate) seed: u64,
    /// What a vote costs, in cents.
    #[arg(long, allow_negative_numbers = true, value_name = "CENTS", default_value_t = 0.8, value_parser = price)]
    pub(crate) price: f64,
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A rule by which questions are chosen.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StrategyName {
    /// The greatest expected information gain.
    Gain,
    /// The paper's: the question whose worse answer leaves the least doubt.
    WorstCase,
    /// Any question.
    Random,
}

impl StrategyName {
    /// The name by which a user asks for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gain => "gain",
            Self::WorstCase => "worst-case",
            Self::Random => "random",
        }
    }

    /// The rule.
    pub(crate) fn strategy(self) -> Strategy {
        match self {
            Self::Gain => Strategy::Gain,
            Self::WorstCase => Strategy::WorstCase,
            Self::Random => Strategy::Random,
        }
    }
}

/// Where the true hierarchy comes from.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Truth {
    File(PathBuf),
    Builtin(Dataset),
    Random(usize),
    Balanced { count: usize, branching: usize },
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Builtin(set) => write!(f, "builtin:{}", set.name()),
            Self::Random(count) => write!(f, "random:{count}"),
            Self::Balanced { count, branching } => write!(f, "balanced:{count}:{branching}"),
        }
    }
}

impl FromStr for Truth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        match parts[..] {
            ["random", count] => Ok(Self::Random(concepts(count)?)),
            ["balanced", count, branching] => {
                let branching = branching.parse().ok().filter(|&branching| branching > 0);
                let branching = branching.ok_or("give a branching of at least 1, as in balanced:40:3")?;
                Ok(Self::Balanced { count: concepts(count)?, branching })
            }
            ["random" | "balanced", ..] => {
                Err("write random:N or balanced:N:BRANCHING, as in balanced:40:3".into())
            }
            ["builtin", name] => Dataset::find(name).map(Self::Builtin).ok_or_else(|| {
                let known = Dataset::ALL.map(|set| format!("builtin:{}", set.name())).join(", ");
                format!("choose one of {known}")
            }),
            _ => Ok(Self::File(text.into())),
        }
    }
}

/// The most concepts of a simulation: as many as the ensemble is made for.
const MOST_CONCEPTS: usize = 10_000;

fn concepts(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MOST_CONCEPTS).contains(count));
    count.ok_or_else(|| format!("give a number of concepts from 1 to {MOST_CONCEPTS}, as in random:15"))
}

/// A number from 0 to 1.
pub(super) fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "give a number from 0 to 1".to_owned())
}

/// A number above 0 and up to 1.
pub(super) fn certainty(text: &str) -> Result<f64, String> {
    let number = probability(text).ok().filter(|&number| number > 0.0);
    number.ok_or_else(|| "give a number above 0 and up to 1, such as 0.75".to_owned())
}

pub(super) fn price(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1e6).contains(number));
    number.ok_or_else(|| "give a number of cents, such as 0.8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truths() {
        assert_eq!("random:15".parse(), Ok(Truth::Random(15)));
        assert_eq!("balanced:40:3".parse(), Ok(Truth::Balanced { count: 40, branching: 3 }));
        assert_eq!("builtin:food".parse(), Ok(Truth::Builtin(Dataset::Food)));
        assert_eq!("my:file.tsv".parse(), Ok(Truth::File("my:file.tsv".into())));
        for wrong in
            ["random:0", "random:x", "random:10001", "random", "balanced:5", "balanced:5:0", "builtin:cars"]
        {
            assert!(wrong.parse::<Truth>().is_err(), "{wrong}");
        }
    }
}
