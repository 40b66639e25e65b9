//! `grove demo`: the whole loop on 26 foods, with a simulated crowd.

mod headless;
mod people;
mod served;

use grove_sim::{Crowd, CrowdSpec, Dataset};
use rand::Rng;

use crate::args::Demo;

/// What the paper paid: 4 cents for five answers.
const CENTS_PER_VOTE: f64 = 0.8;

/// The share of the demo's people who say the same whatever they are asked, half of them yes and half of them no.
const STRAIGHTLINERS: f64 = 0.15;

/// Shows the loop in a browser, or runs it to its end.
pub(crate) fn run(options: &Demo, database: Option<&str>, quiet: bool) -> anyhow::Result<()> {
    if options.headless { headless::run(options, quiet) } else { served::run(options, database, quiet) }
}

/// People of mixed quality, some of them divided over tomatoes.
fn crowd(options: &Demo, rng: &mut impl Rng) -> anyhow::Result<Crowd> {
    let spec = CrowdSpec {
        always_yes: STRAIGHTLINERS / 2.0,
        always_no: STRAIGHTLINERS / 2.0,
        ..CrowdSpec::open(options.people as usize)
    };
    Ok(Crowd::gather(&spec, &Dataset::Food.shares(), rng)?)
}
