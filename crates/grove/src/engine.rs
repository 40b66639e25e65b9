//! The engine that was asked for, started on some evidence.

use grove_belief::{Belief, Ensemble, EnsembleSettings, Evidence, Exact, Noise, Weights, WeightsSettings};

use crate::args::Engine;
use crate::failure::bad_input;

/// The most concepts that the ensemble is made for.
const MOST_CONCEPTS: usize = 10_000;

/// Refuses what an engine cannot hold, before it is started.
pub(crate) fn check(engine: Engine, count: usize, noise: &Noise) -> anyhow::Result<()> {
    let (name, most) = match engine {
        Engine::Ensemble => ("ensemble", MOST_CONCEPTS),
        Engine::Exact => ("exact", 16),
        Engine::Weights => ("weights", 500),
    };
    if count > most {
        let remedy = if engine == Engine::Ensemble { "split the list" } else { "choose the ensemble engine" };
        return Err(bad_input(format!(
            "there are {count} concepts, but the {name} engine takes at most {most}; {remedy}"
        )));
    }
    if engine != Engine::Ensemble && matches!(noise, Noise::Learnt(_)) {
        return Err(bad_input(format!(
            "the {name} engine cannot learn how people err; tell it, as in --noise 0.1 (--assume-noise in a simulation), or choose \
             the ensemble engine"
        )));
    }
    Ok(())
}

/// Starts an engine; the evidence has passed the check.
pub(crate) fn start(engine: Engine, evidence: Evidence, seed: u64) -> anyhow::Result<Box<dyn Belief>> {
    Ok(match engine {
        Engine::Ensemble => Box::new(ensemble(evidence, seed)?),
        Engine::Exact => Box::new(Exact::new(evidence)?),
        Engine::Weights => {
            Box::new(Weights::new(evidence, WeightsSettings { seed, ..WeightsSettings::default() })?)
        }
    })
}

/// Starts the ensemble with the settings for its number of concepts.
pub(crate) fn ensemble(evidence: Evidence, seed: u64) -> anyhow::Result<Ensemble> {
    let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(evidence.count()) };
    Ok(Ensemble::new(evidence, settings)?)
}
