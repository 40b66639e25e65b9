//! `grove simulate`: how many questions it takes to find a known hierarchy.

mod output;
mod plan;
mod pool;
mod run;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use grove_belief::Form;
use grove_sim::Dataset;

use crate::context::Context;
use crate::engine_options::{
    AssumedNoise, CrowdNoise, Engine, MOST_CONCEPTS, PriorShape, StrategyName, certainty, price, probability,
};
use crate::files;
use output::Summary;
use plan::Plan;

/// Ask a simulated crowd that knows the truth, and count the questions it takes.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove simulate --truth random:15 --noise 0.05 --runs 30
  grove simulate --truth balanced:40:3 --noise 0.2,0.17 --strategy random --questions 500
  grove simulate --truth food.tsv --crowd crowd.txt --until 0.75
  grove simulate --truth builtin:food --prior taxonomy --forms yesno,pick,tick
  grove simulate --truth builtin:food --alone --runs 5
  grove simulate --truth builtin:food --answers pool.csv --strategy worst-case --json | jq .median_settled

crowd.txt has lines such as `people = 40`, `rates = 0.83 0.2`, `always_yes = 0.05`.
pool.csv has the columns worker, upper, lower, answer; each vote is drawn at most once in a run.")]
pub(crate) struct Simulate {
    /// The hierarchy that the crowd knows: a file, random:N (another one in every run), balanced:N:BRANCHING, or
    /// builtin:NAME, such as builtin:food, builtin:body_parts or builtin:mammals.
    #[arg(long, value_name = "TRUTH")]
    truth: Truth,
    /// How the crowd errs: FALSE_YES, or FALSE_YES,FALSE_NO [default: 0.05].
    #[arg(long, allow_negative_numbers = true, value_name = "RATES", conflicts_with_all = ["crowd", "answers"])]
    noise: Option<CrowdNoise>,
    /// The noise that the engine assumes, as for `grove infer --noise` [default: the true rates; learn with --crowd].
    #[arg(long, allow_negative_numbers = true, value_name = "NOISE")]
    assume_noise: Option<AssumedNoise>,
    /// A file that describes a crowd of mixed quality.
    #[arg(long, value_name = "FILE")]
    crowd: Option<PathBuf>,
    /// A file of recorded votes to draw every vote from, instead of a simulated crowd.
    #[arg(long, value_name = "POOL", conflicts_with = "crowd")]
    answers: Option<PathBuf>,
    /// How many people are in the crowd [default: 1000, or 20 if the engine learns their error rates].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = ["crowd", "answers"])]
    people: Option<u32>,
    /// The engine.
    #[arg(long, value_enum, default_value_t = Engine::Ensemble)]
    engine: Engine,
    /// What is believed before the first vote. The floor is that of uniform trees.
    #[arg(long, value_enum, default_value_t = PriorShape::Uniform)]
    prior: PriorShape,
    /// How questions are chosen.
    #[arg(long, value_enum, default_value_t = StrategyName::Gain)]
    strategy: StrategyName,
    /// The forms in which people are asked, of yesno, pick, tick and place: what gains most per second of their time is asked [default: the strategy's
    /// yes/no questions; all forms with --alone].
    #[arg(long, value_name = "FORMS", value_delimiter = ',', value_parser = form, conflicts_with = "answers")]
    forms: Vec<Form>,
    /// Ask one careful person, with the settings of `grove ask`, until nothing worth asking is left. The person makes no errors unless --noise is given.
    #[arg(long, conflicts_with_all = ["answers", "crowd", "people", "assume_noise", "strategy", "until", "prior", "engine"])]
    alone: bool,
    /// With --alone, do not take names as evidence (a leather jacket is probably a jacket).
    #[arg(long, requires = "alone")]
    ignore_names: bool,
    /// With --alone, stop when the best screen gains fewer bits per second than this [default: as `grove ask`].
    #[arg(long, requires = "alone", allow_negative_numbers = true, value_name = "BITS", value_parser = rate)]
    least_rate: Option<f64>,
    /// How often people answer "can't say".
    #[arg(long, allow_negative_numbers = true, value_name = "CHANCE", default_value_t = 0.0, value_parser = probability, conflicts_with_all = ["crowd", "answers"])]
    cant_say: f64,
    /// How many questions to ask [default: twice the floor; with --until, at most ten times the floor].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    questions: Option<u64>,
    /// Stop as soon as every parent is this certain.
    #[arg(long, allow_negative_numbers = true, value_name = "CERTAINTY", value_parser = certainty)]
    until: Option<f64>,
    /// How many runs to do, each with its own seed.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    runs: u64,
    /// The seed of the first run; the others have consecutive seeds.
    #[arg(long, allow_negative_numbers = true, default_value_t = 1)]
    seed: u64,
    /// The cost of a vote, in cents.
    #[arg(long, allow_negative_numbers = true, value_name = "CENTS", default_value_t = 0.8, value_parser = price)]
    price: f64,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl Simulate {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let plan = Plan::new(self)?;
        let bar = context.bar(self.runs * plan.questions, "votes at most");
        let outcomes = run::in_parallel(self.runs, |run| run::run(&plan, self.seed.wrapping_add(run), &bar))?;
        drop(bar);
        let summary = Summary::new(&plan, &outcomes);
        if self.json { files::print_json(&summary) } else { files::print(&summary.text(&plan)) }
    }
}

/// Where the true hierarchy comes from.
#[derive(Clone, PartialEq, Debug)]
enum Truth {
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

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| "give a positive number of bits per second, such as 0.02".to_owned())
}

fn form(word: &str) -> Result<Form, String> {
    Form::parse(word).ok_or_else(|| format!("choose from {}", Form::ALL.map(Form::as_str).join(", ")))
}

fn concepts(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MOST_CONCEPTS).contains(count));
    count.ok_or_else(|| format!("give a number of concepts from 1 to {MOST_CONCEPTS}, as in random:15"))
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
