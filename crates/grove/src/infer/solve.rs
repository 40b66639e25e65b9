use grove_belief::{Belief, Ensemble, Evidence, Exact, Verdict, Weights, WeightsSettings};

use super::input::Input;
use crate::args::{Engine, Infer};
use crate::engine;
use crate::progress;

/// Sweeps that trees are given when they do not agree yet.
const SWEEPS: u64 = 20;

/// How often they are given that and looked at again.
const MOST_ROUNDS: u64 = 3;

/// Past this many concepts a look at the trees takes minutes, so the trees are given a few sweeps first and are looked at once.
const LOOK_AGAIN_UP_TO: usize = 300;

/// Those few sweeps.
const SWEEPS_OF_MANY: u64 = 5;

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
    let many = evidence.count() > LOOK_AGAIN_UP_TO;
    let spinner = progress::spinner(quiet, "placing the concepts");
    let mut belief = engine::ensemble(evidence, seed)?;
    spinner.finish_and_clear();
    if many {
        sweep(&mut belief, SWEEPS_OF_MANY, quiet);
        return Ok(look(&belief, quiet));
    }
    let mut refined = look(&belief, quiet);
    for _ in 0..MOST_ROUNDS {
        if refined.health().verdict != Verdict::NotConverged {
            break;
        }
        sweep(&mut belief, SWEEPS, quiet);
        refined = look(&belief, quiet);
    }
    Ok(refined)
}

fn sweep(belief: &mut Ensemble, sweeps: u64, quiet: bool) {
    let bar = progress::bar(quiet, sweeps, "sweeps over all trees");
    for _ in 0..sweeps {
        belief.sweep(1);
        bar.inc(1);
    }
    bar.finish_and_clear();
}

fn look(belief: &Ensemble, quiet: bool) -> Ensemble {
    let spinner = progress::spinner(quiet, "drawing more trees and comparing them");
    let refined = belief.refined();
    spinner.finish_and_clear();
    refined
}
