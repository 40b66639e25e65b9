use std::net::SocketAddr;

/// Shows the whole loop at work: 26 foods, and a simulated crowd of mixed quality answering.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove demo                        prints two links: to watch the hierarchy grow, and to answer too
  grove demo --headless             no server: prints what was found, and what it cost
  grove demo --headless --votes 600 --seed 7     a smaller budget, and other people

With a server, everything is kept in a temporary file that goes when the demo ends; --database FILE
keeps it.")]
pub(crate) struct Demo {
    /// How many votes the crowd gives.
    #[arg(long, default_value_t = 1_500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) votes: u32,
    /// How many people there are in the crowd.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) people: u32,
    /// Same seed, same crowd; without a server, the same answers and the same hierarchy too.
    #[arg(long, allow_negative_numbers = true, default_value_t = 4)]
    pub(crate) seed: u64,
    /// Runs to the end without a server, as fast as it goes.
    #[arg(long, conflicts_with_all = ["listen", "speed"])]
    pub(crate) headless: bool,
    /// Where to listen [default: 127.0.0.1:8077, or any free port].
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// How much faster than real people the crowd answers, who take 3 to 9 seconds.
    #[arg(long, allow_negative_numbers = true, value_name = "TIMES", default_value_t = 1.0, value_parser = speed)]
    pub(crate) speed: f64,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.01..=1_000.0).contains(&speed) => Ok(speed),
        _ => Err("give a number from 0.01 to 1000".to_owned()),
    }
}
