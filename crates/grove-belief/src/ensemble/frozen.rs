//! The chains as bytes, so that a long campaign can continue without a replay.

use grove_tree::{Concept, Tree};

use super::chain::{Chain, Mover};
use super::dissent::Division;
use super::moves::Workspace;
use super::shape::Shape;
use super::workers::Workers;
use super::{Ensemble, EnsembleSettings};
use crate::form_rates::RATES;
use crate::noise::{BetaPrior, Rates, WorkerPrior};
use crate::population::Population;
use crate::{Error, Evidence, FormRates, SHARES};

/// The version of the format; and of the one with rates in forms other than yes/no.
const VERSION: u32 = 2;
const WITH_FORMS: u32 = 3;

impl Ensemble {
    /// The chains as bytes: all that [`Ensemble::thaw`] needs beside evidence and settings. About eight bytes per tree and concept, twelve per tree
    /// and divided concept, and where rates are learnt 24 per tree and worker, or 96
    /// if anybody answered in another form than yes/no.
    #[must_use]
    pub fn freeze(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut number = |number: u32| bytes.extend(number.to_le_bytes());
        let forms = self.chains[0].workers.as_ref().is_some_and(|workers| !workers.forms().is_empty());
        number(if forms { WITH_FORMS } else { VERSION });
        number(self.chains.len() as u32);
        number(self.evidence.count() as u32);
        number(self.chains[0].workers.as_ref().map_or(0, |workers| workers.rates().len() as u32));
        bytes.extend(self.record.to_le_bytes());
        for chain in &self.chains {
            let places = 0..chain.shape.len();
            let order = places.map(|place| chain.shape.at(place));
            let parents = Concept::all(chain.shape.count()).map(|concept| chain.shape.parent(concept));
            order.chain(parents).for_each(|concept| bytes.extend((concept.index() as u32).to_le_bytes()));
            bytes.extend((chain.divided.len() as u32).to_le_bytes());
            for division in &chain.divided {
                let numbers = [division.concept.index(), division.second.index(), division.share];
                numbers.iter().for_each(|&number| bytes.extend((number as u32).to_le_bytes()));
            }
            for beta in chain.workers.iter().flat_map(|workers| workers.population().rates()) {
                [beta.yes, beta.no].iter().for_each(|count| bytes.extend(count.to_bits().to_le_bytes()));
            }
            for rates in chain.workers.iter().flat_map(Workers::rates) {
                rates.by_relation().iter().for_each(|rate| bytes.extend(rate.to_bits().to_le_bytes()));
            }
            for rates in chain.workers.iter().flat_map(Workers::forms) {
                rates.all().iter().for_each(|rate| bytes.extend(rate.to_bits().to_le_bytes()));
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
        let version = bytes.number()?;
        let (known, forms) = (version == VERSION || version == WITH_FORMS, version == WITH_FORMS);
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
            let divided = bytes.divided(count as usize)?;
            let workers = prior.map(|prior| bytes.workers(workers as usize, forms, &prior)).transpose()?;
            ensemble.chains.push(Chain { shape, divided, workers });
        }
        if !bytes.0.is_empty() {
            return Err(Error::NotFrozen);
        }
        // Scores are not among the bytes: they follow from the rates and the votes; and so does what is expected of people who differ.
        let mut chains = std::mem::take(&mut ensemble.chains);
        // Nothing is drawn.
        let mut rng = super::stream_of(0, 0, 0);
        let (model, mut space) = (ensemble.model(), Workspace::default());
        for chain in &mut chains {
            if let Some(workers) = &mut chain.workers {
                workers.rescore_all(model);
            }
            Mover { chain, model, space: &mut space, rng: &mut rng }.expect_holders();
        }
        ensemble.chains = chains;
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

    fn divided(&mut self, count: usize) -> Result<Vec<Division>, Error> {
        let number = self.number()? as usize;
        if number > count {
            return Err(Error::NotFrozen);
        }
        let one = |_| {
            let [concept, second, share] =
                [self.number()?, self.number()?, self.number()?].map(|number| number as usize);
            if concept == 0 || concept > count || second > count || share >= SHARES.len() {
                return Err(Error::NotFrozen);
            }
            Ok(Division::new(Concept::new(concept), Concept::new(second), share))
        };
        (0..number).map(one).collect()
    }

    fn workers(&mut self, count: usize, forms: bool, prior: &WorkerPrior) -> Result<Workers, Error> {
        let mut workers = Workers::new(prior);
        let mut rates = [BetaPrior { yes: 1.0, no: 1.0 }; 3];
        for beta in &mut rates {
            let [yes, no] = [self.long()?, self.long()?].map(f64::from_bits);
            if !(yes > 0.0 && no > 0.0 && yes.is_finite() && no.is_finite()) {
                return Err(Error::NotFrozen);
            }
            *beta = BetaPrior { yes, no };
        }
        workers.set_population(Population::from_rates(rates));
        for _ in 0..count {
            let rates = [self.long()?, self.long()?, self.long()?].map(f64::from_bits);
            let [above, reversed, neither] = rates;
            let checked = Rates::three(above, reversed, neither).map_err(|_| Error::NotFrozen)?;
            if checked.by_relation() != rates {
                return Err(Error::NotFrozen);
            }
            workers.push(checked);
        }
        for _ in 0..if forms { count } else { 0 } {
            let mut rates = [0.0; RATES];
            for rate in &mut rates {
                *rate = f64::from_bits(self.long()?);
            }
            let rates = FormRates::from_all(rates);
            rates.checked().map_err(|_| Error::NotFrozen)?;
            workers.push_forms(rates);
        }
        Ok(workers)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Answer, Belief, Draw, Question, Settings, Vote, Worker};

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

    fn everything(belief: &Ensemble) -> (Vec<Draw>, [Vec<Concept>; 2], u64) {
        (belief.draws().collect(), belief.unsettled.clone(), belief.record)
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
