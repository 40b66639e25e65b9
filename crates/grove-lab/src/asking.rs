//! What most experiments share: an engine, a crowd, and a look at the truth after every vote.

use grove_belief::{
    Answer, Belief, Certainties, Ensemble, EnsembleSettings, Evidence, Exact, Settings, Strategy, Weights,
    WeightsSettings,
};
use grove_sim::{Crowd, Interview};
use grove_tree::Tree;
use rand_chacha::ChaCha8Rng;

use crate::Error;

/// Which engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Engine {
    Exact,
    Ensemble,
    Weights,
}

impl Engine {
    pub(crate) const ALL: [Self; 3] = [Self::Exact, Self::Ensemble, Self::Weights];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Ensemble => "ensemble",
            Self::Weights => "weights",
        }
    }

    /// The engine with its default settings and nothing told but how votes are to be read.
    pub(crate) fn start(self, count: usize, settings: Settings, seed: u64) -> Result<Box<dyn Belief>, Error> {
        let evidence = Evidence::new(count, settings)?;
        Ok(match self {
            Self::Exact => Box::new(Exact::new(evidence)?),
            Self::Ensemble => Box::new(ensemble(evidence, seed)?),
            Self::Weights => {
                Box::new(Weights::new(evidence, WeightsSettings { seed, ..WeightsSettings::default() })?)
            }
        })
    }
}

/// The ensemble with the settings for its number of concepts.
pub(crate) fn ensemble(evidence: Evidence, seed: u64) -> Result<Ensemble, Error> {
    let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(evidence.count()) };
    Ok(Ensemble::new(evidence, settings)?)
}

/// What came of asking.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Course {
    /// (votes, edge AUC), the start included.
    pub(crate) curve: Vec<(usize, f64)>,
    /// The vote since which all parents have been found right at every look, until the end.
    pub(crate) settled: Option<usize>,
    /// How many of the first [`FIRST`] answers were yes.
    pub(crate) yes: usize,
}

/// The paper counts the yes answers among so many.
pub(crate) const FIRST: usize = 200;

/// The edge AUC of a belief; one concept alone is always right.
pub(crate) fn auc(belief: &dyn Belief, truth: &Tree) -> Result<f64, Error> {
    Ok(Certainties::of(belief)?.edge_auc(truth).unwrap_or(1.0))
}

/// Asks people drawn at random, one question after the other, and looks at the truth every so many votes.
pub(crate) fn follow(
    mut interview: Interview<'_>,
    truth: &Tree,
    votes: usize,
    every: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Course, Error> {
    let mut course = Course { curve: vec![(0, auc(interview.belief, truth)?)], settled: None, yes: 0 };
    for vote in 1..=votes {
        let Some(asked) = interview.ask(rng)? else { break };
        if vote <= FIRST && asked.answer == Answer::Yes {
            course.yes += 1;
        }
        if vote.is_multiple_of(every) || vote == votes {
            let certainties = Certainties::of(interview.belief)?;
            course.curve.push((vote, certainties.edge_auc(truth).unwrap_or(1.0)));
            match certainties.parents_right(truth) < 1.0 {
                true => course.settled = None,
                false => _ = course.settled.get_or_insert(vote),
            }
        }
    }
    Ok(course)
}

/// An interview of a crowd by a belief.
pub(crate) fn interview<'a>(
    belief: &'a mut dyn Belief,
    crowd: &'a mut Crowd,
    strategy: Strategy,
) -> Interview<'a> {
    Interview { belief, crowd, strategy }
}
