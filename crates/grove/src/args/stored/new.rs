use std::path::PathBuf;

use crate::args::simulate::{certainty, price};
use crate::args::{AssumedNoise, Engine, PriorShape, StrategyName};

/// Makes a campaign: concepts to be put into a hierarchy, and how to ask about them.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove new food --concepts concepts.txt
  grove new food --concepts food.csv --root food --language en --noise 0.05
  grove new body --concepts parts.txt --relation part-of --root body
  grove new shop --concepts wares.tsv --relation 'Would you look for {child} among the {parent}?'
  grove new food --concepts food.ttl --price 0.8 --most-votes 2000 --until 0.9

concepts.txt holds one concept per line. food.csv has the columns concept, definition, synonyms (a|b|c); .tsv, .json and SKOS
(.ttl, .rdf, .jsonld) are read too. A hierarchy in the file is not taken over: people are asked.
Then: grove ask food")]
pub(crate) struct New {
    /// What the campaign is called.
    #[arg(value_parser = campaign_name)]
    pub(crate) name: String,
    /// The concepts.
    #[arg(long, value_name = "FILE")]
    pub(crate) concepts: PathBuf,
    /// What is asked: is-a, part-of, look-under, or a question of your own with {child} and {parent} [default: that of the file, or is-a].
    #[arg(long)]
    pub(crate) relation: Option<String>,
    /// The language of the names, as a tag such as en, de or pt-BR [default: that of the file, or not known].
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Option<String>,
    /// The name of what is above everything [default: that of the file, or "everything"].
    #[arg(long, value_name = "NAME")]
    pub(crate) root: Option<String>,
    /// The title [default: the root's name].
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// How people err: learn, majority, RATE, or FALSE_YES,FALSE_NO.
    #[arg(long, allow_negative_numbers = true, default_value = "learn")]
    pub(crate) noise: AssumedNoise,
    /// What is believed before the first vote [default: taxonomy where noise is learnt, else uniform, as in the paper].
    #[arg(long, value_enum)]
    pub(crate) prior: Option<PriorShape>,
    /// The engine.
    #[arg(long, value_enum, default_value_t = Engine::Ensemble)]
    pub(crate) engine: Engine,
    /// How questions are chosen.
    #[arg(long, value_enum, default_value_t = StrategyName::Gain)]
    pub(crate) strategy: StrategyName,
    /// What a vote costs, in cents.
    #[arg(long, allow_negative_numbers = true, value_name = "CENTS", default_value_t = 0.0, value_parser = price)]
    pub(crate) price: f64,
    /// Asks no more than so many votes.
    #[arg(long, value_name = "VOTES", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub(crate) most_votes: Option<u64>,
    /// Stops as soon as every parent is this certain.
    #[arg(long, allow_negative_numbers = true, value_name = "CERTAINTY", value_parser = certainty)]
    pub(crate) until: Option<f64>,
    /// Same votes and seed, same hierarchy.
    #[arg(long, allow_negative_numbers = true, default_value_t = 0)]
    pub(crate) seed: u64,
}

/// The store would refuse it too, though only after it has made its file.
fn campaign_name(name: &str) -> Result<String, String> {
    let fits = !name.trim().is_empty() && name.len() <= 200 && !name.chars().any(char::is_control);
    if fits {
        Ok(name.to_owned())
    } else {
        Err("give a name of 1 to 200 bytes without control characters".to_owned())
    }
}
