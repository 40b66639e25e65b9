use grove_belief::{Belief, Ensemble, Evidence, Exact, Verdict, Weights, WeightsSettings};

use super::input::Input;
use crate::args::{Engine, Infer};
use crate::engine;
use crate::progress;

/// Rounds of further sweeps for trees that do not agree yet, each followed by another look at them.
const MOST_ROUNDS: u64 = 3;

/// Sweeps between two looks.
const SWEEPS: u64 = 20;

/// The belief that follows from the votes, ready to be reported.
pub(super) fn solve(options: &Infer, input: &Input, quiet: bool) -> anyhow::Result<Box<dyn Belief>> {
    let evidence = || input.recorded.evidence(input.count(), input.settings.clone());
    Ok(match options.engine {
        Engine::Exact => Box::new(Exact::new(evidence()?)?),
        Engine::Weights => Box::new(weights(options, input, quiet)?),
        Engine::Ensemble => Box::new(ensemble(evidence()?, options.seed, quiet)?),
    })
}

/// The paper's engine takes vote after vote.
fn weights(options: &Infer, input: &Input, quiet: bool) -> anyhow::Result<Weights> {
    let nothing = Evidence::new(input.count(), input.settings.clone())?;
    let settings = WeightsSettings { seed: options.seed, ..WeightsSettings::default() };
    let mut belief = Weights::new(nothing, settings)?;
    let bar = progress::bar(quiet, input.recorded.votes.len() as u64, "votes");
    for &vote in &input.recorded.votes {
        belief.record(vote)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(belief)
}

/// Trees built from all votes at once, and swept until they can be trusted or patience ends.
fn ensemble(evidence: Evidence, seed: u64, quiet: bool) -> anyhow::Result<Ensemble> {
    let spinner = progress::spinner(quiet, "placing the concepts");
    let mut belief = engine::ensemble(evidence, seed)?;
    spinner.set_message("comparing the trees");
    let mut refined = belief.refined();
    spinner.finish_and_clear();
    let bar = progress::bar(quiet, MOST_ROUNDS * SWEEPS, "sweeps at most");
    for _ in 0..MOST_ROUNDS {
        if refined.health().verdict != Verdict::NotConverged {
            break;
        }
        for _ in 0..SWEEPS {
            belief.sweep(1);
            bar.inc(1);
        }
        refined = belief.refined();
    }
    bar.finish_and_clear();
    Ok(refined)
}
