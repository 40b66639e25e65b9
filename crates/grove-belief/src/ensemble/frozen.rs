//! The chains as bytes, so that a long campaign can continue without a replay.

use grove_tree::{Concept, Tree};

use super::chain::Chain;
use super::model::Model;
use super::shape::Shape;
use super::workers::Workers;
use super::{Ensemble, EnsembleSettings};
use crate::noise::{Rates, WorkerPrior};
use crate::{Error, Evidence};

/// The version of the format.
const VERSION: u32 = 1;

impl Ensemble {
    /// The chains as bytes: all that [`Ensemble::thaw`] needs beside evidence and settings. About eight bytes per tree and concept, and where
    /// rates are learnt 24 per tree and worker.
    #[must_use]
    pub fn freeze(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut number = |number: u32| bytes.extend(number.to_le_bytes());
        number(VERSION);
        number(self.chains.len() as u32);
        number(self.evidence.count() as u32);
        number(self.chains[0].workers.as_ref().map_or(0, |workers| workers.rates().len() as u32));
        bytes.extend(self.record.to_le_bytes());
        for chain in &self.chains {
            let places = 0..chain.shape.len();
            let order = places.map(|place| chain.shape.at(place));
            let parents = Concept::all(chain.shape.count()).map(|concept| chain.shape.parent(concept));
            order.chain(parents).for_each(|concept| bytes.extend((concept.index() as u32).to_le_bytes()));
            for rates in chain.workers.iter().flat_map(Workers::rates) {
                rates.by_relation().iter().for_each(|rate| bytes.extend(rate.to_bits().to_le_bytes()));
            }
        }
        bytes
    }

    /// The ensemble that was frozen. Given the same evidence, reached by the same steps, and the same settings, it continues to the same bits as
    /// the original.
    ///
    /// # Errors
    /// [`Error::NotFrozen`] for bytes that are not an ensemble, or not one of this evidence.
    pub fn thaw(evidence: Evidence, settings: EnsembleSettings, bytes: &[u8]) -> Result<Self, Error> {
        let mut bytes = Bytes(bytes);
        let known = bytes.number()? == VERSION;
        let (trees, count, workers) = (bytes.number()?, bytes.number()?, bytes.number()?);
        let record = bytes.long()?;
        let prior = evidence.settings().noise.learnt().copied();
        let fits = count as usize == evidence.count()
            && workers as usize <= evidence.workers()
            && (prior.is_some() || workers == 0);
        if !known || !fits || trees < 2 || trees as usize != settings.trees {
            return Err(Error::NotFrozen);
        }
        let mut ensemble = Self::without_moves(evidence, settings, record);
        for _ in 0..trees {
            let shape = bytes.shape(count as usize)?;
            let workers = prior.map(|prior| bytes.workers(workers as usize, &prior)).transpose()?;
            ensemble.chains.push(Chain { shape, workers });
        }
        if !bytes.0.is_empty() {
            return Err(Error::NotFrozen);
        }
        // Scores are not among the bytes: they follow from the rates and the votes.
        let Self { evidence, chains, .. } = &mut ensemble;
        for workers in chains.iter_mut().filter_map(|chain| chain.workers.as_mut()) {
            workers.rescore_all(Model { evidence, scores: &[] });
        }
        ensemble.find_unsettled();
        Ok(ensemble)
    }
}

/// The bytes still to read.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(Error::NotFrozen)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn number(&mut self) -> Result<u32, Error> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64, Error> {
        self.take().map(u64::from_le_bytes)
    }

    fn shape(&mut self, count: usize) -> Result<Shape, Error> {
        let order = (0..=count).map(|_| self.number()).collect::<Result<Vec<u32>, _>>()?;
        let parents = (0..count).map(|_| self.number()).collect::<Result<Vec<u32>, _>>()?;
        if parents.iter().any(|&parent| parent as usize > count) {
            return Err(Error::NotFrozen);
        }
        let parents: Vec<Concept> = parents.into_iter().map(|parent| Concept::new(parent as usize)).collect();
        let tree = Tree::from_parents(&parents).map_err(|_| Error::NotFrozen)?;
        Shape::from_order(&tree, order).ok_or(Error::NotFrozen)
    }

    fn workers(&mut self, count: usize, prior: &WorkerPrior) -> Result<Workers, Error> {
        let mut workers = Workers::new(prior);
        for _ in 0..count {
            let rates = [self.long()?, self.long()?, self.long()?].map(f64::from_bits);
            let [above, reversed, neither] = rates;
            let checked = Rates::three(above, reversed, neither).map_err(|_| Error::NotFrozen)?;
            if checked.by_relation() != rates {
                return Err(Error::NotFrozen);
            }
            workers.push(checked);
        }
        Ok(workers)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Answer, Belief, Question, Settings, Vote, Worker};

    fn any_vote(rng: &mut ChaCha8Rng) -> Vote {
        loop {
            let (upper, lower) = (rng.random_range(1..=7), rng.random_range(1..=7));
            if let Ok(question) = Question::path(Concept::new(upper), Concept::new(lower)) {
                let answer = if rng.random() { Answer::Yes } else { Answer::No };
                return Vote { question, worker: Worker::new(rng.random_range(0..4)), answer };
            }
        }
    }

    const SETTINGS: EnsembleSettings = EnsembleSettings { trees: 40, moves: 6, seed: 9 };

    fn everything(belief: &Ensemble) -> (Vec<Tree>, Vec<Vec<Rates>>, Vec<Concept>, u64) {
        let rates = (0..4).map(|worker| belief.rate_draws(Worker::new(worker))).collect();
        (belief.trees().collect(), rates, belief.unsettled.clone(), belief.record)
    }

    #[test]
    fn a_thawed_ensemble_continues_to_the_same_bits() {
        for settings in [Settings::default(), Settings::one_rate(0.1).unwrap()] {
            let mut rng = ChaCha8Rng::seed_from_u64(4);
            let mut belief = Ensemble::new(Evidence::new(7, settings).unwrap(), SETTINGS).unwrap();
            for _ in 0..25 {
                belief.record(any_vote(&mut rng)).unwrap();
            }
            let mut thawed = Ensemble::thaw(belief.evidence.clone(), SETTINGS, &belief.freeze()).unwrap();
            assert_eq!(thawed.freeze(), belief.freeze());
            for _ in 0..25 {
                let vote = any_vote(&mut rng);
                belief.record(vote).unwrap();
                thawed.record(vote).unwrap();
                assert_eq!(everything(&thawed), everything(&belief));
            }
            // The control: had the order of siblings been lost, the next moves would be others.
            let mut forgetful = thawed.clone();
            for chain in &mut forgetful.chains {
                chain.shape = Shape::from_tree(&chain.shape.to_tree());
            }
            forgetful.sweep(1);
            thawed.sweep(1);
            assert_ne!(everything(&forgetful), everything(&thawed));
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let evidence = Evidence::new(7, Settings::default()).unwrap();
        let belief = Ensemble::new(evidence.clone(), SETTINGS).unwrap();
        let good = belief.freeze();
        assert!(Ensemble::thaw(evidence.clone(), SETTINGS, &good).is_ok());
        let refused = |evidence: &Evidence, bytes: &[u8]| {
            assert_eq!(Ensemble::thaw(evidence.clone(), SETTINGS, bytes).err(), Some(Error::NotFrozen));
        };
        refused(&Evidence::new(6, Settings::default()).unwrap(), &good);
        refused(&evidence, &good[..good.len() - 1]);
        refused(&evidence, &[&good[..], &[0]].concat());
        // After the head of 24 bytes, the first tree's order begins with the root, and its parents follow after eight numbers.
        for at in [0, 24, 28, 24 + 8 * 4] {
            let mut bad = good.clone();
            bad[at] = 200;
            refused(&evidence, &bad);
        }
    }
}
