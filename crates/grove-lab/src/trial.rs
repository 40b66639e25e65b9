//! One run of an engine with a simulated crowd, as most experiments need it.

use grove_belief::{
    Belief, Certainties, Ensemble, EnsembleSettings, Evidence, Exact, Prior, Settings, Strategy, Vote,
    Weights, WeightsSettings, Worker, choose, choose_batch,
};
use grove_sim::{Course, Crowd, CrowdSpec, Dataset, Interview, Schedule, Shares, settle};
use grove_tree::Tree;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::Error;
use crate::table::Curve;

/// An engine, with its default settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
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

    /// The belief before the first vote.
    pub(crate) fn start(self, count: usize, settings: Settings, seed: u64) -> Result<Box<dyn Belief>, Error> {
        self.resume(Evidence::new(count, settings)?, seed)
    }

    /// The belief after some votes.
    pub(crate) fn resume(self, evidence: Evidence, seed: u64) -> Result<Box<dyn Belief>, Error> {
        let ensemble = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(evidence.count()) };
        let weights = WeightsSettings { seed, ..WeightsSettings::default() };
        Ok(match self {
            Self::Exact => Box::new(Exact::new(evidence)?),
            Self::Ensemble => Box::new(Ensemble::new(evidence, ensemble)?),
            Self::Weights => Box::new(Weights::new(evidence, weights)?),
        })
    }
}

/// The edge AUC of a belief; 1 for a single concept.
pub(crate) fn auc(belief: &dyn Belief, truth: &Tree) -> Result<f64, Error> {
    Ok(Certainties::expected(belief)?.edge_auc(truth).unwrap_or(1.0))
}

/// The crowd of this name; open workers unless told otherwise.
pub(crate) fn crowd_named(name: &str, people: usize) -> Result<CrowdSpec, Error> {
    Ok(match name {
        "qualified" => CrowdSpec::qualified(people),
        "perfect" => CrowdSpec::one_rate(people, 0.0)?,
        _ => CrowdSpec::open(people),
    })
}

/// What simulated people have in mind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Truth {
    /// A uniform random tree of so many concepts.
    Random(usize),
    /// A reference hierarchy on which everybody agrees.
    Agreed(Dataset),
    /// A reference hierarchy about which people disagree as planted.
    Divided(Dataset),
}

impl Truth {
    /// The name in the tables.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Random(_) => "random".to_owned(),
            Self::Agreed(set) | Self::Divided(set) => set.name().replace('_', " "),
        }
    }

    pub(crate) fn count(self) -> usize {
        match self {
            Self::Random(count) => count,
            Self::Agreed(set) | Self::Divided(set) => set.tree().names().len(),
        }
    }

    /// The prior that one would choose without knowing the truth: people's hierarchies are not uniform random trees.
    pub(crate) fn prior(self) -> Prior {
        if matches!(self, Self::Random(_)) { Prior::uniform() } else { Prior::taxonomy() }
    }

    /// Only a random truth uses the generator.
    pub(crate) fn shares(self, rng: &mut ChaCha8Rng) -> Shares {
        match self {
            Self::Random(count) => Shares::none(&Tree::random(count, rng)),
            Self::Agreed(set) => Shares::none(set.tree().tree()),
            Self::Divided(set) => set.shares(),
        }
    }
}

/// How people are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asking {
    /// One after the other, each on the best question for them.
    OneByOne,
    /// So many at once, by joint gain; nobody knows the others' answers.
    AtOnce(usize),
    /// So many different people about every question.
    Each(usize),
}

/// The conditions of a run.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) truth: Truth,
    pub(crate) crowd: CrowdSpec,
    pub(crate) engine: Engine,
    pub(crate) settings: Settings,
    pub(crate) strategy: Strategy,
    pub(crate) asking: Asking,
    pub(crate) votes: usize,
    /// Votes between two comparisons with the truth.
    pub(crate) every: usize,
}

/// The outcome of a run.
pub(crate) struct Outcome {
    pub(crate) course: Course,
    /// The AUC before the first vote.
    pub(crate) start: f64,
    pub(crate) belief: Box<dyn Belief>,
}

impl Outcome {
    /// (votes, AUC) after the start.
    pub(crate) fn curve(&self) -> Curve {
        Curve::new(self.course.curve.iter().map(|&(votes, auc)| (votes as f64, auc)))
    }

    /// (votes, AUC) with the start.
    pub(crate) fn whole_curve(&self) -> Curve {
        let mut curve = self.curve();
        curve.0.insert(0, (0.0, self.start));
        curve
    }
}

impl Trial {
    /// The ensemble, asking one by one for the greatest gain.
    pub(crate) fn new(
        truth: Truth,
        crowd: CrowdSpec,
        settings: Settings,
        votes: usize,
        every: usize,
    ) -> Self {
        let (engine, strategy, asking) = (Engine::Ensemble, Strategy::Gain, Asking::OneByOne);
        Self { truth, crowd, engine, settings, strategy, asking, votes, every }
    }

    pub(crate) fn run(&self, seed: u64) -> Result<Outcome, Error> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let shares = self.truth.shares(&mut rng);
        let truth = shares.reference();
        let mut crowd = Crowd::gather(&self.crowd, &shares, &mut rng)?;
        let mut belief = self.engine.start(truth.len(), self.settings.clone(), seed)?;
        let start = auc(&*belief, truth)?;
        let schedule = Schedule::every(self.every, self.votes);
        let course = settle(&mut *belief, truth, schedule, |belief| self.ask(belief, &mut crowd, &mut rng))?;
        Ok(Outcome { course, start, belief })
    }

    /// Returns the number of votes.
    fn ask(&self, belief: &mut dyn Belief, crowd: &mut Crowd, rng: &mut ChaCha8Rng) -> Result<usize, Error> {
        let (Asking::AtOnce(count) | Asking::Each(count)) = self.asking else {
            let asked = Interview { belief, crowd, strategy: self.strategy }.ask(rng)?;
            return Ok(usize::from(asked.is_some()));
        };
        let mut workers: Vec<Worker> = crowd.workers().collect();
        workers.shuffle(rng);
        workers.truncate(count);
        let asked: Vec<_> = if matches!(self.asking, Asking::AtOnce(_)) {
            choose_batch(belief, &workers, &|_| false, rng)
        } else {
            let choice = choose(belief, self.strategy, workers[0], &|_| false, rng);
            workers.into_iter().filter_map(|worker| Some((worker, choice?))).collect()
        };
        for &(worker, choice) in &asked {
            let answer = crowd.answer(worker, choice.question, rng);
            belief.record(Vote { question: choice.question, worker, answer })?;
        }
        Ok(asked.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_asking_gets_its_votes() {
        let crowd = CrowdSpec::one_rate(50, 0.0).unwrap();
        for (asking, each) in [(Asking::OneByOne, 1), (Asking::AtOnce(8), 8), (Asking::Each(3), 3)] {
            let settings = Settings::one_rate(0.01).unwrap();
            let trial = Trial::new(Truth::Random(6), crowd.clone(), settings, 48, 1);
            let curve = Trial { engine: Engine::Exact, asking, ..trial }.run(1).unwrap().course.curve;
            assert_eq!((curve.len(), curve[0].0), (48 / each, each));
            assert!(curve.last().unwrap().1 > 0.99, "{asking:?}: {curve:?}");
        }
    }
}
