use grove_belief::{Belief, Ensemble, Evidence, Exact, Relation, Vote, Weights, Worker};
use grove_tree::Concept;

use crate::settings::EngineSetting;
use crate::{Error, Settings};

/// The engine that a campaign's settings ask for.
#[derive(Clone, Debug)]
pub(crate) enum Engine {
    Ensemble(Box<Ensemble>),
    Exact(Box<Exact>),
    Weights(Box<Weights>),
}

impl Engine {
    /// Builds a belief from evidence. The ensemble replaces an engine that cannot hold so many concepts, so that a campaign can grow past
    /// it.
    pub(crate) fn build(evidence: &Evidence, settings: &Settings) -> Result<Self, Error> {
        let small = match settings.engine {
            EngineSetting::Exact => Exact::new(evidence.clone()).map(|exact| Self::Exact(Box::new(exact))),
            EngineSetting::Weights => Weights::new(evidence.clone(), settings.weights())
                .map(|weights| Self::Weights(Box::new(weights))),
            EngineSetting::Ensemble { .. } => return Self::ensemble(evidence, settings),
        };
        match small {
            Err(grove_belief::Error::TooManyConcepts { .. }) => Self::ensemble(evidence, settings),
            other => Ok(other?),
        }
    }

    fn ensemble(evidence: &Evidence, settings: &Settings) -> Result<Self, Error> {
        let ensemble = Ensemble::new(evidence.clone(), settings.ensemble(evidence.count()))?;
        Ok(Self::Ensemble(Box::new(ensemble)))
    }

    pub(crate) fn belief(&self) -> &dyn Belief {
        match self {
            Self::Ensemble(ensemble) => ensemble.as_ref(),
            Self::Exact(exact) => exact.as_ref(),
            Self::Weights(weights) => weights.as_ref(),
        }
    }

    pub(crate) fn belief_mut(&mut self) -> &mut dyn Belief {
        match self {
            Self::Ensemble(ensemble) => ensemble.as_mut(),
            Self::Exact(exact) => exact.as_mut(),
            Self::Weights(weights) => weights.as_mut(),
        }
    }

    /// Records votes without the moves that the ensemble makes after each.
    pub(crate) fn record_all(&mut self, votes: &[Vote]) -> Result<(), grove_belief::Error> {
        match self {
            Self::Ensemble(ensemble) => ensemble.record_all(votes, 0).map(drop),
            other => votes.iter().try_for_each(|vote| other.belief_mut().record(*vote).map(drop)),
        }
    }

    /// Makes moves without a vote, where the engine has any.
    pub(crate) fn sweep(&mut self, sweeps: usize) {
        if let Self::Ensemble(ensemble) = self {
            ensemble.sweep(sweeps);
        }
    }

    /// The same belief for a report: resting on more trees, and checked.
    pub(crate) fn refined(&self) -> Self {
        match self {
            Self::Ensemble(ensemble) => Self::Ensemble(Box::new(ensemble.refined())),
            other => other.clone(),
        }
    }

    /// A hash of all that the belief's next step depends on.
    pub(crate) fn digest(&self) -> u64 {
        let mut digest = Fnv::default();
        let evidence = self.belief().evidence();
        for (id, vote) in evidence.votes() {
            digest.number(id.index() as u64);
            digest.number(vote.worker.index() as u64 * 4 + vote.answer as u64);
            digest.number((vote.question.upper.index() as u64) << 32 | vote.question.lower.index() as u64);
        }
        match self {
            Self::Ensemble(ensemble) => {
                for tree in ensemble.trees() {
                    tree.parents().iter().for_each(|parent| digest.number(parent.index() as u64));
                }
                for worker in (0..evidence.workers() as u32).map(Worker::new) {
                    for rates in ensemble.rate_draws(worker) {
                        digest.number(rates.yes(Relation::Above).to_bits());
                        digest.number(rates.yes(Relation::Neither).to_bits());
                    }
                }
            }
            Self::Weights(weights) => {
                let concepts = Concept::all(evidence.count());
                for child in concepts {
                    for (parent, chance) in weights.parents(child) {
                        digest.number(parent.index() as u64);
                        digest.number(chance.to_bits());
                    }
                }
            }
            // The exact posterior depends on the evidence alone.
            Self::Exact(_) => {}
        }
        digest.0
    }
}

/// The hash of Fowler, Noll and Vo (FNV-1a), a number at a time.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn number(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
