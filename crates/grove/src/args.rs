use clap::{Parser, Subcommand};

/// Builds hierarchies of concepts by asking people short yes/no questions.
///
/// Grove asks "Is an orange a kind of fruit?", keeps a probability distribution over all possible hierarchies, picks the question that
/// tells most, and gives back the hierarchy with its certainty on every edge.
#[derive(Parser, Debug)]
#[command(name = "grove", version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Shows the whole loop at work: 26 foods, and a simulated crowd of mixed quality answering.
    #[command(after_help = "Example: grove demo --votes 900 --seed 7")]
    Demo(Demo),
}

#[derive(clap::Args, Debug)]
pub(crate) struct Demo {
    /// How many votes the crowd gives.
    #[arg(long, default_value_t = 1_500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) votes: u32,
    /// How many people there are in the crowd.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) people: u32,
    /// Same seed, same crowd, same answers, same hierarchy.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Prints no progress.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
