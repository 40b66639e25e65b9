//! One run of Grove under some condition.

use grove_belief::{Belief, Settings, Strategy, Vote, Worker, choose, choose_batch};
use grove_sim::{Crowd, CrowdSpec};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Error;
use crate::asking::{Engine, auc};
use crate::truth::Truth;

/// How people are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asking {
    /// One after the other, each on the best question for them.
    OneByOne,
    /// So many at once, by joint gain; nobody knows what the others say.
    AtOnce(usize),
    /// So many different people about every question.
    Each(usize),
}

/// A condition, and how long it is tried.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) truth: Truth,
    pub(crate) crowd: CrowdSpec,
    pub(crate) engine: Engine,
    pub(crate) settings: Settings,
    pub(crate) asking: Asking,
    pub(crate) votes: usize,
    /// Votes between two looks.
    pub(crate) every: usize,
}

impl Trial {
    /// (votes, AUC) along the way.
    pub(crate) fn run(&self, seed: u64) -> Result<Vec<(usize, f64)>, Error> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let shares = self.truth.shares(&mut rng);
        let truth = shares.reference().clone();
        let mut crowd = Crowd::gather(&self.crowd, &shares, &mut rng)?;
        let mut belief = self.engine.start(truth.len(), self.settings.clone(), seed)?;
        let (mut curve, mut votes, mut next) = (Vec::new(), 0, self.every);
        while votes < self.votes {
            let asked = self.ask(&mut *belief, &mut crowd, &mut rng)?;
            if asked == 0 {
                break;
            }
            votes += asked;
            if votes >= next {
                curve.push((votes, auc(&*belief, &truth)?));
                next = (votes / self.every + 1) * self.every;
            }
        }
        Ok(curve)
    }

    /// How many votes came.
    fn ask(&self, belief: &mut dyn Belief, crowd: &mut Crowd, rng: &mut ChaCha8Rng) -> Result<usize, Error> {
        let people = crowd.people().len();
        let anybody = |count: usize, rng: &mut ChaCha8Rng| -> Vec<Worker> {
            let mut workers: Vec<Worker> = (0..people as u32).map(Worker::new).collect();
            workers.shuffle(rng);
            workers.truncate(count);
            workers
        };
        let pairs = match self.asking {
            Asking::OneByOne => {
                let worker = Worker::new(rng.random_range(0..people as u32));
                let choice = choose(belief, Strategy::Gain, worker, &|_| false, rng);
                choice.map(|choice| (worker, choice.question)).into_iter().collect()
            }
            Asking::AtOnce(count) => {
                let workers = anybody(count, rng);
                let chosen = choose_batch(belief, &workers, &|_| false, rng);
                chosen.into_iter().map(|(worker, choice)| (worker, choice.question)).collect()
            }
            Asking::Each(count) => {
                let workers = anybody(count, rng);
                let choice = choose(belief, Strategy::Gain, workers[0], &|_| false, rng);
                let question = choice.map(|choice| choice.question);
                let pairs =
                    question.map(|question| workers.into_iter().map(move |worker| (worker, question)));
                pairs.into_iter().flatten().collect::<Vec<_>>()
            }
        };
        for &(worker, question) in &pairs {
            let answer = crowd.answer(worker, question, rng);
            belief.record(Vote { question, worker, answer })?;
        }
        Ok(pairs.len())
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
            let (truth, engine, votes) = (Truth::Random(6), Engine::Exact, 48);
            let trial = Trial { truth, crowd: crowd.clone(), engine, settings, asking, votes, every: 1 };
            let curve = trial.run(1).unwrap();
            assert_eq!((curve.len(), curve[0].0), (48 / each, each));
            assert!(curve.last().unwrap().1 > 0.99, "{asking:?}: {curve:?}");
        }
    }
}
