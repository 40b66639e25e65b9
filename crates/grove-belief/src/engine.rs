//! One type for all engines, where a setting decides which one is used.

use std::ops::{Deref, DerefMut};

use crate::{
    Belief, Ensemble, EnsembleSettings, Error, Evidence, Exact, Relation, Reply, Response, Unwatched, Vote,
    VoteId, Watch, Weights, WeightsSettings, Worker,
};
use grove_tree::Concept;

/// The revision of the engines: raised by one whenever the same log, settings and seed give other bits than before.
///
/// Store this number with every stored belief or record of its progress. Beliefs of another revision cannot be
/// continued or compared bit by bit, and must be computed again from the evidence. A test with stored digests fails if bits
/// change and this number does not.
pub const ENGINE_REVISION: u32 = 6;

/// Which engine to use, and how.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum EngineSettings {
    /// [`Ensemble`], the default of every caller.
    Ensemble(EnsembleSettings),
    /// [`Exact`], which has no settings.
    Exact,
    /// [`Weights`], the paper's engine.
    Weights(WeightsSettings),
}

/// Any of the engines. Dereferences to [`Belief`], as a `Box<dyn Belief>` would, and adds what callers need of some engines only.
///
/// ```
/// use grove_belief::{Engine, EngineSettings, EnsembleSettings, Evidence, Settings, Target};
///
/// let evidence = Evidence::new(12, Settings::default())?;
/// let engine = Engine::new(evidence, EngineSettings::Ensemble(EnsembleSettings::for_concepts(12)))?;
/// assert_eq!(engine.engine(), "ensemble");
/// assert!(!Target::default().is_reached(&*engine));
/// # Ok::<(), grove_belief::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Engine {
    /// Independent Markov chains.
    Ensemble(Box<Ensemble>),
    /// Subset dynamic programming.
    Exact(Box<Exact>),
    /// One weight per edge.
    Weights(Box<Weights>),
}

impl Engine {
    /// The belief that follows from the evidence.
    ///
    /// # Errors
    /// As [`Ensemble::new`], [`Exact::new`] and [`Weights::new`].
    pub fn new(evidence: Evidence, settings: EngineSettings) -> Result<Self, Error> {
        Self::watched(evidence, settings, &Unwatched)
    }

    /// The same with a [`Watch`] that follows the computation and may stop it, as
    /// [`Ensemble::watched`]; the other engines are quick and cannot be stopped.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn watched(evidence: Evidence, settings: EngineSettings, watch: &dyn Watch) -> Result<Self, Error> {
        Ok(match settings {
            EngineSettings::Ensemble(settings) => {
                Self::Ensemble(Box::new(Ensemble::watched(evidence, settings, watch)?))
            }
            EngineSettings::Exact => Self::Exact(Box::new(Exact::new(evidence)?)),
            EngineSettings::Weights(settings) => Self::Weights(Box::new(Weights::new(evidence, settings)?)),
        })
    }

    /// Records many votes. The ensemble takes them in together and does not move; the other engines take one after the other.
    ///
    /// # Errors
    /// As [`Evidence::record`]; the votes before the one that is refused stay recorded.
    pub fn record_all(&mut self, votes: &[Vote]) -> Result<(), Error> {
        match self {
            Self::Ensemble(ensemble) => ensemble.record_all(votes, 0).map(drop),
            other => votes.iter().try_for_each(|vote| other.record(*vote).map(drop)),
        }
    }

    /// The same for responses of any form.
    ///
    /// # Errors
    /// As [`Evidence::respond`]; the responses before the one that is refused stay recorded.
    pub fn respond_all(&mut self, responses: &[Response]) -> Result<(), Error> {
        match self {
            Self::Ensemble(ensemble) => ensemble.respond_all(responses, 0).map(drop),
            other => responses.iter().try_for_each(|response| other.respond(response.clone()).map(drop)),
        }
    }

    /// Moves every tree of an ensemble, as [`Ensemble::sweep`]; the other engines have nothing to move.
    pub fn sweep(&mut self, sweeps: usize) {
        self.sweep_watched(sweeps, &Unwatched);
    }

    /// The same, as [`Ensemble::sweep_watched`].
    pub fn sweep_watched(&mut self, sweeps: usize, watch: &dyn Watch) {
        if let Self::Ensemble(ensemble) = self {
            ensemble.sweep_watched(sweeps, watch);
        }
    }

    /// The same belief for a report: an ensemble [with more trees, and checked](Ensemble::refined), any other engine as it is.
    #[must_use]
    pub fn refined(&self) -> Self {
        self.refined_watched(&Unwatched)
    }

    /// The same, as [`Ensemble::refined_watched`].
    #[must_use]
    pub fn refined_watched(&self, watch: &dyn Watch) -> Self {
        match self {
            Self::Ensemble(ensemble) => Self::Ensemble(Box::new(ensemble.refined_watched(watch))),
            other => other.clone(),
        }
    }

    /// A hash of all that the next step of the belief depends on: two beliefs of one [`ENGINE_REVISION`] with the same settings that
    /// have the same digest continue in the same way.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut digest = Fnv::default();
        let evidence = self.evidence();
        for (id, vote) in evidence.votes() {
            digest.number(id.index() as u64);
            digest.number(vote.worker.index() as u64 * 4 + vote.answer as u64);
            digest.number((vote.question.upper.index() as u64) << 32 | vote.question.lower.index() as u64);
        }
        for (id, response) in evidence.responses() {
            if response.vote().is_none() {
                digest_response(id, &response, &mut digest);
            }
        }
        for hint in evidence.hints() {
            digest_response(VoteId(u32::MAX), hint, &mut digest);
        }
        match self {
            Self::Ensemble(ensemble) => {
                for draw in ensemble.draws() {
                    for rates in &draw.forms {
                        rates.all().iter().for_each(|rate| digest.number(rate.to_bits()));
                    }
                    draw.tree.parents().iter().for_each(|parent| digest.number(parent.index() as u64));
                    for divided in draw.divided {
                        digest.number(divided.concept.index() as u64);
                        digest.number(divided.second.index() as u64);
                        digest.number(divided.share.to_bits());
                    }
                }
                for worker in Worker::all(evidence.workers()) {
                    for rates in ensemble.rate_draws(worker) {
                        digest.number(rates.yes(Relation::Above).to_bits());
                        digest.number(rates.yes(Relation::Neither).to_bits());
                    }
                }
            }
            Self::Weights(weights) => {
                for child in Concept::all(evidence.count()) {
                    for (parent, marginal) in weights.parent_marginals(child) {
                        digest.number(parent.index() as u64);
                        digest.number(marginal.to_bits());
                    }
                }
            }
            // It depends on the evidence alone.
            Self::Exact(_) => {}
        }
        digest.0
    }

    /// An ensemble as bytes for [`Engine::thaw`]; `None` for the other engines, which are recomputed just as quickly.
    #[must_use]
    pub fn freeze(&self) -> Option<Vec<u8>> {
        let Self::Ensemble(ensemble) = self else { return None };
        self.with_head(ensemble.freeze())
    }

    /// Draws the rates of all workers anew, as [`Ensemble::redraw_rates`], and returns the engine after that as bytes for [`Engine::thaw`]. There are many
    /// fewer of them than from [`Engine::freeze`] where there are many workers. `None` for the other engines, which stay as they are.
    #[must_use]
    pub fn freeze_and_redraw(&mut self) -> Option<Vec<u8>> {
        let Self::Ensemble(ensemble) = self else { return None };
        let bytes = ensemble.freeze_and_redraw();
        self.with_head(bytes)
    }

    /// Draws the rates of all workers anew, as [`Ensemble::redraw_rates`]; the other engines have nothing to draw.
    pub fn redraw_rates(&mut self) {
        if let Self::Ensemble(ensemble) = self {
            ensemble.redraw_rates();
        }
    }

    /// The bytes of an ensemble, after what it takes to check and to read them.
    fn with_head(&self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let Self::Ensemble(ensemble) = self else { return None };
        let EnsembleSettings { trees, moves, .. } = ensemble.settings();
        let head = [self.digest(), trees as u64, moves as u64].map(u64::to_le_bytes);
        Some([head.as_flattened(), &bytes].concat())
    }

    /// The engine that was frozen, given the same evidence and seed. It continues exactly as the frozen one would have.
    ///
    /// The bytes do not contain the [`ENGINE_REVISION`]: the caller stores it, and computes the belief again if it has changed.
    ///
    /// # Errors
    /// [`Error::NotFrozen`] for bytes that are not an engine's, or not of this evidence.
    pub fn thaw(evidence: Evidence, seed: u64, mut bytes: &[u8]) -> Result<Self, Error> {
        let mut number = || -> Result<u64, Error> {
            let (number, rest) = bytes.split_first_chunk().ok_or(Error::NotFrozen)?;
            bytes = rest;
            Ok(u64::from_le_bytes(*number))
        };
        let (digest, trees, moves) = (number()?, number()?, number()?);
        let settings = EnsembleSettings { trees: trees as usize, moves: moves as usize, seed };
        let engine = Self::Ensemble(Box::new(Ensemble::thaw(evidence, settings, bytes)?));
        if engine.digest() == digest { Ok(engine) } else { Err(Error::NotFrozen) }
    }
}

fn digest_response(id: VoteId, response: &Response, digest: &mut Fnv) {
    let Response { worker, screen, reply } = response;
    digest.number(id.index() as u64);
    digest.number(worker.index() as u64 * 4 + screen.form() as u64);
    let reply_kind = match reply {
        Reply::CantSay => 0,
        Reply::None => 1,
        Reply::Top => 2,
        _ => 3,
    };
    digest.number(screen.options().len() as u64 * 4 + reply_kind);
    for concept in screen.concepts().chain(reply.concepts()) {
        digest.number(concept.index() as u64);
    }
}

impl Deref for Engine {
    type Target = dyn Belief;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Ensemble(ensemble) => ensemble.as_ref(),
            Self::Exact(exact) => exact.as_ref(),
            Self::Weights(weights) => weights.as_ref(),
        }
    }
}

impl DerefMut for Engine {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Ensemble(ensemble) => ensemble.as_mut(),
            Self::Exact(exact) => exact.as_mut(),
            Self::Weights(weights) => weights.as_mut(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Question, Settings};

    const COUNT: usize = 5;

    fn votes() -> Vec<Vote> {
        let pairs = [(1, 2), (1, 3), (2, 4), (4, 5), (5, 2), (3, 1)];
        let vote = |(worker, (upper, lower)): (u32, (usize, usize))| {
            let question = Question::path(Concept::new(upper), Concept::new(lower)).unwrap();
            let answer = if upper < lower { Answer::Yes } else { Answer::No };
            Vote { question, worker: Worker::new(worker % 3), answer }
        };
        (0..).zip(pairs).map(vote).collect()
    }

    /// One engine of every kind.
    fn engines() -> [Engine; 3] {
        let settings = [
            EngineSettings::Ensemble(EnsembleSettings { trees: 30, moves: 5, seed: 4 }),
            EngineSettings::Exact,
            EngineSettings::Weights(WeightsSettings {
                samples: 1_000,
                seed: 4,
                ..WeightsSettings::default()
            }),
        ];
        settings.map(|settings| {
            let evidence = Evidence::new(COUNT, Settings::one_rate(0.1).unwrap()).unwrap();
            Engine::new(evidence, settings).unwrap()
        })
    }

    #[test]
    fn every_engine_records_many_votes() {
        for (mut engine, name) in engines().into_iter().zip(["ensemble", "exact", "weights"]) {
            assert_eq!(engine.engine(), name);
            let before = engine.digest();
            engine.record_all(&votes()).unwrap();
            engine.sweep(3);
            assert_ne!(engine.digest(), before);
            assert_eq!(engine.evidence().votes().count(), votes().len());
            assert!(engine.path(Concept::new(1), Concept::new(2)) > 0.5);
            assert_eq!(engine.refined().evidence().count(), COUNT);
        }
    }

    #[test]
    fn the_limits_of_engines_apply() {
        let evidence = Evidence::new(17, Settings::one_rate(0.1).unwrap()).unwrap();
        let refused = Engine::new(evidence, EngineSettings::Exact).err();
        assert_eq!(refused, Some(Error::TooManyConcepts { engine: "exact", most: 16, count: 17 }));
        let refused =
            Engine::new(Evidence::new(3, Settings::default()).unwrap(), EngineSettings::Exact).err();
        assert_eq!(refused, Some(Error::NeedsGivenRates("exact")));
    }

    #[test]
    fn a_thawed_engine_continues_like_the_frozen_one() {
        let [mut ensemble, exact, weights] = engines();
        assert_eq!((exact.freeze(), weights.freeze()), (None, None));
        ensemble.record_all(&votes()).unwrap();
        ensemble.sweep(1);
        let bytes = ensemble.freeze().unwrap();
        let mut thawed = Engine::thaw(ensemble.evidence().clone(), 4, &bytes).unwrap();
        assert_eq!(thawed.digest(), ensemble.digest());
        ensemble.record(votes()[0]).unwrap();
        thawed.record(votes()[0]).unwrap();
        assert_eq!(thawed.digest(), ensemble.digest());

        let refused = |bytes: &[u8]| {
            let evidence = Evidence::new(COUNT, Settings::one_rate(0.1).unwrap()).unwrap();
            assert_eq!(Engine::thaw(evidence, 4, bytes).err(), Some(Error::NotFrozen));
        };
        refused(&bytes[..20]);
        // The digest shows that these trees do not belong to evidence without votes.
        refused(&bytes);
    }
}
