//! `grove demo`: the whole loop on 26 foods, with a simulated crowd.

mod headless;
mod people;
mod served;

use std::net::SocketAddr;

use grove_sim::{Crowd, CrowdSpec, Dataset};
use rand::Rng;

use crate::context::Context;

/// Watch the whole loop at work: 26 foods, and a simulated crowd of mixed quality that answers.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove demo                        prints two links: watch the hierarchy grow, and answer too
  grove demo --headless             no server: prints the hierarchy and what it cost
  grove demo --headless --votes 600 --seed 7     a smaller budget, and other people

With a server, everything is kept in a temporary file that is removed when the demo ends; --database FILE
keeps it.")]
pub(crate) struct Demo {
    /// How many votes the crowd gives.
    #[arg(long, default_value_t = 1_500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    votes: u32,
    /// How many people are in the crowd.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    people: u32,
    /// The random seed: the same seed gives the same crowd and, without a server, the same answers and hierarchy.
    #[arg(long, allow_negative_numbers = true, default_value_t = 4)]
    seed: u64,
    /// Run to the end without a server, as fast as possible.
    #[arg(long, conflicts_with_all = ["listen", "speed"])]
    headless: bool,
    /// The address to listen on [default: 127.0.0.1:8077, or any free port].
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// How much faster the crowd answers than real people, who take 3 to 9 seconds.
    #[arg(long, allow_negative_numbers = true, value_name = "TIMES", default_value_t = 1.0, value_parser = speed)]
    speed: f64,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.01..=1_000.0).contains(&speed) => Ok(speed),
        _ => Err("give a number from 0.01 to 1000".to_owned()),
    }
}

/// What the paper paid: 4 cents for five answers.
const CENTS_PER_VOTE: f64 = 0.8;

/// The share of people who give the same answer to every question, half of them yes and half of them no.
const STRAIGHTLINERS: f64 = 0.15;

impl Demo {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        if self.headless { headless::run(self, context) } else { served::run(self, context).await }
    }

    /// People of mixed quality, some of whom disagree about tomatoes.
    fn crowd(&self, rng: &mut impl Rng) -> anyhow::Result<Crowd> {
        let spec = CrowdSpec {
            always_yes: STRAIGHTLINERS / 2.0,
            always_no: STRAIGHTLINERS / 2.0,
            ..CrowdSpec::open(self.people as usize)
        };
        Ok(Crowd::gather(&spec, &Dataset::Food.shares(), rng)?)
    }
}
