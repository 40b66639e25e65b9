/// Shows the whole loop at work: 26 foods, and a simulated crowd of mixed quality answering.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove demo                      runs to its end and prints what was found, and what it cost
  grove demo --votes 600 --seed 7     a smaller budget, and other people")]
pub(crate) struct Demo {
    /// How many votes the crowd gives.
    #[arg(long, default_value_t = 1_500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) votes: u32,
    /// How many people there are in the crowd.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) people: u32,
    /// Same seed, same crowd, same answers, same hierarchy.
    #[arg(long, default_value_t = 4)]
    pub(crate) seed: u64,
    /// Runs to the end without a server. There is none yet, so this is what happens anyway.
    #[arg(long)]
    pub(crate) headless: bool,
}
