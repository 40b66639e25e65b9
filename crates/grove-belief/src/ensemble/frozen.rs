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

/// The version of the format; of the one with rates in forms other than yes/no; and of the one without rates, which are drawn anew.
const VERSION: u32 = 2;
const WITH_FORMS: u32 = 3;
const WITHOUT_RATES: u32 = 4;

/// How many times rates are drawn where they depend on what is drawn given the rates before: who holds which place, and which errors were
/// possible in picks. Without these, once is an exact draw.
const ROUNDS: usize = 2;

impl Ensemble {
    /// The chains as bytes: all that [`Ensemble::thaw`] needs beside evidence and settings. About eight bytes per tree and concept, twelve per tree
    /// and divided concept, and where rates are learnt 24 per tree and worker, or 96
    /// if anybody answered in another form than yes/no.
    ///
    /// [`Ensemble::freeze_and_redraw`] needs much less where there are many workers.
    #[must_use]
    pub fn freeze(&self) -> Vec<u8> {
        let forms = self.chains[0].workers.as_ref().is_some_and(|workers| !workers.forms().is_empty());
        self.to_bytes(if forms { WITH_FORMS } else { VERSION })
    }

    /// Draws the rates of all workers anew, as [`Ensemble::redraw_rates`], and returns what the ensemble that this leads to can be thawed from: bytes
    /// whose number does not depend on how many workers there are. Where rates are given, nothing is drawn.
    #[must_use]
    pub fn freeze_and_redraw(&mut self) -> Vec<u8> {
        if !self.learns_rates() {
            return self.freeze();
        }
        let bytes = self.to_bytes(WITHOUT_RATES);
        self.redraw_rates();
        bytes
    }

    /// Draws the rates of all workers anew given the trees, whatever they were: a step of the chains after which the rates follow from all else. Where
    /// nobody differs and all answers are yes or no, it is an exact draw; otherwise one that has forgotten where it started.
    pub fn redraw_rates(&mut self) {
        if !self.learns_rates() {
            return;
        }
        let forms = self.evidence.has_forms();
        self.move_chains(|_, mover| {
            if let (Some(workers), Some(prior)) = (&mut mover.chain.workers, mover.model.worker_prior()) {
                let population = *workers.population();
                *workers = Workers::new(prior);
                workers.set_population(population);
            }
            let rounds = if forms || !mover.chain.divided.is_empty() { ROUNDS } else { 1 };
            for _ in 0..rounds {
                mover.redraw_holders();
                mover.redraw_rates();
            }
        });
    }

    fn learns_rates(&self) -> bool {
        self.evidence.settings().noise.learnt().is_some()
    }

    fn to_bytes(&self, version: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut number = |number: u32| bytes.extend(number.to_le_bytes());
        let with_rates = version != WITHOUT_RATES;
        number(version);
        number(self.chains.len() as u32);
        number(self.evidence.count() as u32);
        let workers = self.chains[0].workers.as_ref().filter(|_| with_rates);
        number(workers.map_or(0, |workers| workers.rates().len() as u32));
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
            let workers = chain.workers.as_ref().filter(|_| with_rates);
            for rates in workers.iter().flat_map(|workers| workers.rates()) {
                rates.by_relation().iter().for_each(|rate| bytes.extend(rate.to_bits().to_le_bytes()));
            }
            for rates in workers.iter().flat_map(|workers| workers.forms()) {
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
        let (known, forms) = ((VERSION..=WITHOUT_RATES).contains(&version), version == WITH_FORMS);
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
        if version == WITHOUT_RATES {
            ensemble.redraw_rates();
            return Ok(ensemble);
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
    use crate::{Answer, Belief, Draw, Question, Reply, Response, Screen, Settings, Vote, Worker};

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

    /// A crowd that differs about one concept and answers in all forms.
    fn any_response(rng: &mut ChaCha8Rng) -> Response {
        let vote = any_vote(rng);
        let (upper, lower) = (vote.question.upper, vote.question.lower);
        let third = Concept::all(7).find(|&third| third != upper && third != lower).unwrap();
        let (screen, reply) = match rng.random_range(0..4) {
            0 => (Screen::Pick { lower, options: vec![upper, third] }, Reply::Picked(upper)),
            1 => (Screen::Tick { upper, options: vec![lower, third] }, Reply::Ticked(vec![lower])),
            2 => (Screen::Place { lower }, Reply::Under(upper)),
            _ => return Response::from(vote),
        };
        Response { worker: vote.worker, screen, reply }
    }

    #[test]
    fn an_ensemble_without_rates_continues_to_the_same_bits() {
        for (forms, settings) in [
            (false, Settings::default()),
            (true, Settings::default()),
            (false, Settings::one_rate(0.1).unwrap()),
        ] {
            let mut rng = ChaCha8Rng::seed_from_u64(6);
            let mut belief = Ensemble::new(Evidence::new(7, settings).unwrap(), SETTINGS).unwrap();
            let mut respond = |belief: &mut Ensemble| {
                let vote = any_vote(&mut rng);
                let response = if forms { any_response(&mut rng) } else { Response::from(vote) };
                belief.respond(response).unwrap();
            };
            (0..30).for_each(|_| respond(&mut belief));
            let (before, mut again) = (everything(&belief), belief.clone());
            let bytes = belief.freeze_and_redraw();
            again.redraw_rates();
            assert_eq!(everything(&again), everything(&belief), "a replay draws the same rates");
            let mut thawed = Ensemble::thaw(belief.evidence.clone(), SETTINGS, &bytes).unwrap();
            assert_eq!(everything(&thawed), everything(&belief));
            let learnt = belief.learns_rates();
            assert_eq!(everything(&belief) == before, !learnt, "rates that are given stay");
            if learnt {
                let trees = |(draws, ..): (Vec<Draw>, _, _)| {
                    draws.into_iter().map(|draw| draw.tree).collect::<Vec<_>>()
                };
                assert_eq!(trees(everything(&belief)), trees(before));
                assert!(
                    belief.chains.iter().any(|chain| !chain.divided.is_empty()),
                    "some chains draw holders"
                );
            }
            for _ in 0..25 {
                let vote = any_vote(&mut rng);
                belief.record(vote).unwrap();
                thawed.record(vote).unwrap();
                assert_eq!(everything(&thawed), everything(&belief));
            }
        }
    }

    /// The control: with the rates in it, the size grows with every worker.
    #[test]
    fn workers_do_not_take_room() {
        let sizes = [10, 2_000].map(|workers| {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let settings = EnsembleSettings { trees: 4, ..SETTINGS };
            let mut belief = Ensemble::new(Evidence::new(7, Settings::default()).unwrap(), settings).unwrap();
            let votes: Vec<Vote> = (0..workers)
                .map(|worker| Vote { worker: Worker::new(worker), ..any_vote(&mut rng) })
                .collect();
            belief.record_all(&votes, 1).unwrap();
            let all = belief.freeze().len();
            let divided: usize = belief.chains.iter().map(|chain| chain.divided.len()).sum();
            [all, belief.freeze_and_redraw().len() - 12 * divided]
        });
        assert_eq!(sizes[0][1], sizes[1][1]);
        assert!(sizes[1][0] > sizes[0][0] + 4 * 24 * 1_900, "{sizes:?}");
    }

    /// Drawing all rates anew is a step of the chains: what they say about rates, and about how many hold which place, stays the same. Compared are chains
    /// that have only swept, in standard errors of the difference.
    #[test]
    fn redrawing_keeps_the_distribution() {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        let mut evidence = Evidence::new(7, Settings::default()).unwrap();
        // Most put 3 under 1, some under 2.
        for worker in 0..12 {
            for (upper, yes) in [(1, worker % 3 != 0), (2, worker % 3 == 0)] {
                let screen = Screen::Pick {
                    lower: Concept::new(3),
                    options: vec![Concept::new(upper), Concept::new(4)],
                };
                let reply = if yes { Reply::Picked(Concept::new(upper)) } else { Reply::None };
                evidence.respond(Response { worker: Worker::new(worker), screen, reply }).unwrap();
            }
        }
        for _ in 0..30 {
            evidence.respond(any_response(&mut rng)).unwrap();
        }
        let settings = EnsembleSettings { trees: 2_000, ..SETTINGS };
        let mut belief = Ensemble::new(evidence, settings).unwrap();
        belief.sweep(20);
        let quantities = |belief: &Ensemble| -> Vec<[f64; 2]> {
            let of = |chain: &Chain| {
                let workers = chain.workers.as_ref().unwrap();
                let mut values = vec![chain.divided.iter().map(|division| division.held).sum::<f64>()];
                for worker in [0, 1, 3] {
                    values.extend(workers.rates()[worker].by_relation());
                    values.extend(workers.forms()[worker].all());
                }
                values
            };
            let all: Vec<Vec<f64>> = belief.chains.iter().map(of).collect();
            let count = all.len() as f64;
            (0..all[0].len())
                .map(|at| {
                    let mean = all.iter().map(|values| values[at]).sum::<f64>() / count;
                    let square = all.iter().map(|values| (values[at] - mean).powi(2)).sum::<f64>();
                    [mean, square / (count - 1.0) / count]
                })
                .collect()
        };
        let largest = |one: &[[f64; 2]], other: &[[f64; 2]]| {
            let pairs = one.iter().zip(other);
            let z = |([mean, variance], [other, its]): (&[f64; 2], &[f64; 2])| {
                (mean - other).abs() / (variance + its).sqrt()
            };
            pairs.map(z).fold(0.0, f64::max)
        };
        let swept = quantities(&belief);
        let mut redrawn = belief.clone();
        redrawn.redraw_rates();
        let z = largest(&quantities(&redrawn), &swept);
        assert!(z < 4.5, "{z}");
        // The control: rates of before any vote.
        let mut forgetful = belief.clone();
        forgetful.move_chains(|_, mover| {
            let prior = mover.model.worker_prior().unwrap();
            let workers = mover.chain.workers.as_mut().unwrap();
            *workers = Workers::new(prior);
            workers.meet(mover.model, prior, mover.rng);
        });
        let z = largest(&quantities(&forgetful), &swept);
        assert!(z > 20.0, "{z}");
    }
}
