//! Some hundred trees, each a Markov chain on the posterior of all votes: the default engine, from 1 to 10,000 concepts.
//!
//! After every vote each chain makes a few moves, on the concepts asked about and on others whose place is uncertain. Chains stay
//! independent of each other: reweighting and resampling them would make all trees descend from a few. Random streams are
//! keyed by (tree, record), so results do not depend on the number of threads, nor on how votes were batched in time.

mod belief;
mod best;
mod chain;
mod counts;
mod dissent;
mod frozen;
mod joint;
mod mixing;
mod model;
mod moves;
mod shape;
mod together;
mod workers;

use grove_tree::{Concept, Tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::ballot::Judge;
use crate::evidence::{GivenRates, placed};
use crate::factors::Factor;
use crate::pairs::PairId;
use crate::{
    Answer, Error, Evidence, FormRates, Kind, Rates, Relation, Reply, Response, SHARES, Screen, Unwatched,
    Vote, Watch,
};
use chain::{Chain, Mover};
use model::{Model, Scores};
use moves::Workspace;
use shape::Shape;
use workers::Workers;

/// The number of trees, and how much they move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EnsembleSettings {
    /// The number of trees.
    pub trees: usize,
    /// Moves of each tree after an expected vote; a vote with a surprise of b bits leads to 1 + b times as many. The first four
    /// move the two concepts asked about.
    pub moves: usize,
    /// The seed: same evidence in the same order, settings and seed give the same bits.
    pub seed: u64,
}

impl EnsembleSettings {
    /// Defaults for a number of concepts: many trees and many moves for few concepts, where they cost little.
    #[must_use]
    pub fn for_concepts(count: usize) -> Self {
        let count = count.max(1);
        let fewest = if count > MANY_CONCEPTS { 64 } else { 128 };
        Self { trees: (20_000 / count).clamp(fewest, 1_000), moves: (240 / count).clamp(8, 16), seed: 0 }
    }
}

/// The default engine: some hundred trees, each an independent Markov chain on the posterior of all votes, for 1 to 10,000 concepts.
#[derive(Clone, Debug)]
pub struct Ensemble {
    evidence: Evidence,
    settings: EnsembleSettings,
    given: Option<GivenRates>,
    /// The scores of all pairs, where rates are given and so the same for all chains.
    shared: Scores,
    chains: Vec<Chain>,
    /// How many times the chains were moved: the second half of the key of every random stream.
    record: u64,
    /// Concepts on whose place the trees of either half disagree. Each half of the chains moves those of the other:
    /// if a chain's own disagreement triggered its moves, it would return to the consensus sooner than it left, and
    /// doubt would be understated.
    unsettled: [Vec<Concept>; 2],
    /// The check of convergence, if these trees were refined for a report.
    health: Option<crate::Health>,
}

/// How a chain begins, where there are votes already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Start {
    /// Concepts are inserted in random order, each at a place drawn from what the votes say so far.
    RandomOrder,
    /// Concepts are inserted in the order of how often they were said to be above others, each at the best place.
    BySize,
}

/// The most concepts for which half of the chains begin with insertion in random order: with more of them, it begins too far from all that is probable. Then
/// all concepts are first moved to their best places, so many times.
const RANDOM_ORDER_UP_TO: usize = 300;
const FIRST_CLIMBS: usize = 3;
/// With fewer concepts, the start is annealed in so many rounds. With half as many, one chain in ten stays far below the others at 86 concepts and 8,600 votes.
const ANNEALING_ROUNDS: usize = 40;

/// With more concepts than this, fewer trees are better: each of them needs more time to become probable.
const MANY_CONCEPTS: usize = 500;

/// The fewest trees: two halves are compared.
const FEWEST_TREES: usize = 2;

/// What has changed, for chains to update before they move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Changed {
    /// What was said about one pair.
    Pair(PairId),
    /// What was said about several concepts at once.
    Answers,
    /// Nothing: no answer was added.
    Nothing,
}

/// One chain's state: a draw from the posterior.
#[derive(Clone, PartialEq, Debug)]
pub struct Draw {
    /// The hierarchy, with the first place of every divided concept.
    pub tree: Tree,
    /// The concepts that people place differently.
    pub divided: Vec<Divided>,
    /// The rates of every worker, where they are learnt.
    pub rates: Vec<Rates>,
    /// The same in forms other than yes/no; empty as long as nobody answered any.
    pub forms: Vec<FormRates>,
}

/// A concept that people place differently.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Divided {
    /// The concept.
    pub concept: Concept,
    /// Its parent for some people; for the others, it is the one in the tree.
    pub second: Concept,
    /// The share of people who hold the second place.
    pub share: f64,
}

/// The random stream for candidates, beyond those of the chains.
const CANDIDATE_STREAM: u64 = 1 << 40;

/// Bits of surprise beyond which a vote leads to no more moves.
const MOST_SURPRISE: f64 = 4.0;

/// 32-bit words that a stream may use within one record.
const WORDS_PER_RECORD: u128 = 1 << 32;

impl Ensemble {
    /// Starts from evidence, which may hold votes and corrections already.
    ///
    /// Without any, the trees are exact draws from the uniform prior. Otherwise each is built by placing concept
    /// after concept, annealed, or with many concepts moved to the best places, and then given some sweeps; with a
    /// large log, call [`Ensemble::sweep`] until the report says that the chains have converged.
    ///
    /// # Errors
    /// [`Error::TooSmall`] for fewer than two trees or four moves.
    pub fn new(evidence: Evidence, settings: EnsembleSettings) -> Result<Self, Error> {
        Self::watched(evidence, settings, &Unwatched)
    }

    /// The same, observed: it takes minutes with many concepts and votes. If it is stopped, chains that were not
    /// begun are left out, and the others are as far as they have come.
    ///
    /// # Errors
    /// As [`Ensemble::new`].
    pub fn watched(evidence: Evidence, settings: EnsembleSettings, watch: &dyn Watch) -> Result<Self, Error> {
        if settings.trees < FEWEST_TREES {
            return Err(Error::TooSmall("the number of trees", FEWEST_TREES));
        }
        if settings.moves < 4 {
            return Err(Error::TooSmall("the number of moves after a vote", 4));
        }
        let mut ensemble = Self::without_moves(evidence, settings, 0);
        ensemble.chains = ensemble.build_chains(watch);
        ensemble.find_unsettled();
        Ok(ensemble)
    }

    /// Moves every chain to a given tree, whatever the votes say about it, draws rates that suit it, and makes as
    /// many sweeps as for a fresh chain. Chains built from the votes should reach the log-posteriors at which chains
    /// that start at the truth stay ([`Ensemble::log_posteriors`]).
    ///
    /// # Panics
    /// If the tree has another number of concepts.
    pub fn start_at(&mut self, tree: &Tree) {
        assert_eq!(tree.len(), self.evidence.count(), "a tree of the same concepts");
        let sweeps = first_sweeps(tree.len());
        self.move_chains(|_, mover| {
            mover.restart(tree);
            mover.redraw_rates();
            mover.sweep(sweeps);
        });
    }

    /// The log-posterior of every chain's tree under the chain's own rates, up to a constant that depends on the votes alone.
    #[must_use]
    pub fn log_posteriors(&self) -> Vec<f64> {
        let mut chains = self.chains.clone();
        let of = |chain: &mut Chain| {
            let (shape, model) = chain.parts(self.model());
            best::log_posterior(shape, model)
        };
        chains.iter_mut().map(of).collect()
    }

    /// An ensemble without chains yet.
    fn without_moves(evidence: Evidence, settings: EnsembleSettings, record: u64) -> Self {
        let given = GivenRates::of(&evidence);
        let shared =
            given.as_ref().map_or_else(Scores::default, |given| Scores::of(&evidence, given.judge()));
        Self {
            evidence,
            settings,
            given,
            shared,
            chains: Vec::new(),
            record,
            unsettled: Default::default(),
            health: None,
        }
    }

    /// The settings in use.
    #[must_use]
    pub fn settings(&self) -> EnsembleSettings {
        self.settings
    }

    /// The present trees, one per chain.
    pub fn trees(&self) -> impl ExactSizeIterator<Item = Tree> {
        self.chains.iter().map(|chain| chain.shape.to_tree())
    }

    /// The present state of every chain.
    pub fn draws(&self) -> impl ExactSizeIterator<Item = Draw> {
        self.chains.iter().map(|chain| Draw {
            tree: chain.shape.to_tree(),
            divided: chain
                .divided
                .iter()
                .map(|&dissent::Division { concept, second, share, .. }| Divided {
                    concept,
                    second,
                    share: SHARES[share],
                })
                .collect(),
            rates: chain.workers.as_ref().map_or_else(Vec::new, |workers| workers.rates().to_vec()),
            forms: chain.workers.as_ref().map_or_else(Vec::new, |workers| workers.forms().to_vec()),
        })
    }

    /// The number of sweeps that a fresh chain gets, after which it has forgotten where it started. Chains that follow vote after vote lag behind a
    /// little, above all in who differs about what; as many sweeps bring them up to date.
    #[must_use]
    pub fn settling_sweeps(&self) -> usize {
        first_sweeps(self.evidence.count())
    }

    /// Gives every chain this many sweeps: a sweep is as many moves as there are concepts, and new rates.
    pub fn sweep(&mut self, sweeps: usize) {
        self.sweep_watched(sweeps, &Unwatched);
    }

    /// The same; if it is stopped, chains that were not yet swept stay as they are.
    pub fn sweep_watched(&mut self, sweeps: usize, watch: &dyn Watch) {
        watch.expect(sweeps * self.chains.len());
        for _ in 0..sweeps {
            self.move_chains(|_, mover| {
                if !watch.is_stopped() {
                    mover.sweep(1);
                    watch.step();
                }
            });
        }
    }

    fn model(&self) -> Model<'_> {
        model(&self.evidence, &self.shared, self.given.as_ref())
    }

    fn build_chains(&self, watch: &dyn Watch) -> Vec<Chain> {
        watch.expect(self.settings.trees * self.steps_of_start());
        let build = |stream| {
            if stream >= FEWEST_TREES && watch.is_stopped() {
                return None;
            }
            let by_size = stream % 2 == 0 || self.evidence.count() > RANDOM_ORDER_UP_TO;
            let start = if by_size { Start::BySize } else { Start::RandomOrder };
            Some(self.build_chain(start, &mut stream_of(self.settings.seed, stream as u64, 0), watch))
        };
        (0..self.settings.trees).into_par_iter().filter_map(build).collect()
    }

    /// The steps of building one chain, as reported to the watcher.
    fn steps_of_start(&self) -> usize {
        let count = self.evidence.count();
        1 + first_sweeps(count) + if count > RANDOM_ORDER_UP_TO { FIRST_CLIMBS } else { ANNEALING_ROUNDS }
    }

    /// A fresh chain: an exact draw from a uniform prior without evidence, and insertion of all concepts with some sweeps otherwise.
    fn build_chain(&self, start: Start, rng: &mut ChaCha8Rng, watch: &dyn Watch) -> Chain {
        let go_on = || {
            watch.step();
            !watch.is_stopped()
        };
        let count = self.evidence.count();
        let no_evidence = self.evidence.pairs().len() == 0
            && self.evidence.factors().is_empty()
            && self.evidence.corrections().is_empty();
        let uniform = no_evidence && self.evidence.settings().prior.ignores_shape();
        let tree = if uniform { Tree::random(count, rng) } else { Tree::flat(count) };
        let model = self.model();
        let workers = model.worker_prior().map(Workers::new);
        let mut chain = Chain { shape: Shape::from_tree(&tree), divided: Vec::new(), workers };
        let mut mover = Mover { chain: &mut chain, model, space: &mut Workspace::default(), rng };
        mover.trust_models(!uniform);
        mover.rescore_all();
        if !uniform {
            let started = match start {
                Start::BySize if !no_evidence => mover.insert_by_size(),
                _ => mover.insert_all(),
            };
            if !started {
                mover.restart(&self.evidence.corrections().simplest_tree());
            }
            watch.step();
            if no_evidence {
                // Without votes there is nothing to anneal towards.
            } else if count > RANDOM_ORDER_UP_TO {
                mover.climb(FIRST_CLIMBS, go_on);
            } else {
                mover.anneal(ANNEALING_ROUNDS, go_on);
            }
            mover.trust_models(false);
            mover.sweep_while(first_sweeps(count), go_on);
        } else if mover.may_differ() {
            mover.sweep_while(first_sweeps(count), go_on);
        }
        mover.expect_holders();
        chain
    }

    /// Moves all chains once more under the next record's random streams.
    fn move_chains(&mut self, work: impl Fn(usize, &mut Mover<'_>) + Sync) {
        self.record += 1;
        self.health = None;
        let Self { evidence, shared, given, chains, settings, record, .. } = self;
        let model = model(evidence, shared, given.as_ref());
        chains.par_iter_mut().enumerate().for_each_init(Workspace::default, |space, (index, chain)| {
            let rng = &mut stream_of(settings.seed, index as u64, *record);
            let mut mover = Mover { chain, model, space, rng };
            work(index, &mut mover);
            mover.expect_holders();
        });
        self.find_unsettled();
    }

    /// Moves after a vote: on its two concepts (or those that another response is about), on others, and sometimes on the rates. The more the posterior shifts, the more moves
    /// are needed: `surprise` is in bits.
    fn advance(&mut self, focus: &[Concept], changed: Changed, surprise: [f64; 2]) {
        let moves =
            surprise.map(|bits| (self.settings.moves as f64 * (1.0 + bits.min(MOST_SURPRISE))) as usize);
        let unsettled = std::mem::take(&mut self.unsettled);
        // Drawing rates takes time proportional to the votes, so with many votes a chain does it less often.
        let period = 1 + self.evidence.recorded() as u64 / 50;
        let (record, half) = (self.record, self.chains.len() / 2);
        self.move_chains(|index, mover| {
            let other = usize::from(index < half);
            match changed {
                Changed::Pair(pair) => mover.rescore(pair),
                Changed::Answers => mover.meet(),
                Changed::Nothing => {}
            }
            mover.redraw_holders();
            for &concept in focus {
                mover.replace(concept);
                mover.regraft(concept);
            }
            focus.iter().for_each(|&concept| mover.differ(concept));
            let any = |mover: &mut Mover<'_>| match &unsettled[other] {
                list if !list.is_empty() && mover.rng.random_range(0..4) < 3 => {
                    list[mover.rng.random_range(0..list.len())]
                }
                _ => Concept::new(mover.rng.random_range(1..=mover.chain.shape.count())),
            };
            for _ in 2 * focus.len()..moves[other] {
                let concept = any(mover);
                mover.move_one(concept);
            }
            let concept = any(mover);
            mover.differ(concept);
            if (record + index as u64).is_multiple_of(period) {
                mover.redraw_rates();
            }
        });
    }

    /// Updates the score of a pair after a vote, and moves the chains.
    fn votes_changed(&mut self, upper: Concept, lower: Concept, surprise: [f64; 2]) {
        let Some(pair) = self.evidence.pairs().find(upper, lower) else { return };
        if let Some(given) = &self.given {
            self.shared.update(&self.evidence, pair, given.judge());
        }
        self.advance(&[lower, upper], Changed::Pair(pair), surprise);
    }

    /// Updates scores after a response of another form than yes/no came or went, and moves the chains.
    fn responses_changed(&mut self, response: &Response, surprise: [f64; 2]) {
        let pair = placed(response).and_then(|(upper, lower)| self.evidence.pairs().find(upper, lower));
        if let (Some(pair), Some(given)) = (pair, &self.given) {
            self.shared.update(&self.evidence, pair, given.judge());
        }
        self.advance(&focus(response), pair.map_or(Changed::Answers, Changed::Pair), surprise);
    }

    /// Updates everything that depends on the set of concepts and pairs.
    fn evidence_rebuilt(&mut self) {
        if let Some(given) = &self.given {
            self.shared = Scores::of(&self.evidence, given.judge());
        }
    }

    /// Makes every chain fulfil changed corrections: by moving a concept in focus if that is enough, else by starting again.
    fn fulfil_corrections(&mut self, focus: [Concept; 2]) {
        let simplest = self.evidence.corrections().simplest_tree();
        let sweeps = first_sweeps(self.evidence.count());
        self.move_chains(|_, mover| {
            let broken =
                |mover: &Mover<'_>| !mover.model.evidence.corrections().hold_in(&mover.chain.shape.to_tree());
            // A divided concept would not move.
            mover.chain.divided.retain(|division| !focus.contains(&division.concept));
            mover.redraw_holders();
            for concept in focus {
                if broken(mover) {
                    mover.replace(concept);
                }
                if broken(mover) {
                    mover.regraft(concept);
                }
            }
            if broken(mover) {
                mover.restart(&simplest);
                mover.sweep(sweeps);
            }
            mover.drop_forbidden_divisions();
        });
        self.advance(&focus, Changed::Nothing, [MOST_SURPRISE; 2]);
    }

    fn find_unsettled(&mut self) {
        let (one, other) = self.chains.split_at(self.chains.len() / 2);
        self.unsettled = [one, other].map(|half| {
            let first = &half[0];
            let differs = |&concept: &Concept| {
                let place = |chain: &Chain| {
                    (chain.shape.parent(concept), chain.division(concept).map(|division| division.second))
                };
                let here = place(first);
                half.iter().any(|chain| place(chain) != here)
            };
            Concept::all(self.evidence.count()).filter(differs).collect()
        });
    }

    /// The surprise of a vote, in bits, for either half of the chains.
    fn surprise(&self, vote: &Vote) -> [f64; 2] {
        let question = vote.question;
        let share = |chain: &Chain| match question.kind {
            Kind::Path => chain.share_above(question.upper, question.lower),
            Kind::Edge => chain.share_under(question.upper, question.lower),
        };
        let rates = self.mean_rates(vote.worker);
        let (one, other) = self.chains.split_at(self.chains.len() / 2);
        [one, other].map(|half| {
            // Half a tree is added on each side, so that no probability is 0 or 1.
            let held: f64 = half.iter().map(share).sum();
            let belief = (held + 0.5) / (half.len() as f64 + 1.0);
            let yes = belief * rates.yes(Relation::Above) + (1.0 - belief) * rates.yes(Relation::Neither);
            -(if vote.answer == Answer::Yes { yes } else { 1.0 - yes }).log2()
        })
    }

    /// The same of a response of another form: the chance of all that it says, given either half of the chains.
    fn surprise_of(&self, response: &Response) -> [f64; 2] {
        let rates = self.mean_form_rates(response.worker);
        let factors = Factor::of(response);
        let count = self.evidence.count();
        let chance = |chain: &Chain| match placed(response) {
            None => factors.iter().map(|factor| chain.chance_of(factor, &rates)).product(),
            Some((upper, lower)) => {
                let [path, edge] = rates.log_place(count);
                let above = if upper.is_root() { 1.0 } else { chain.share_above(upper, lower) };
                let parent = chain.share_under(upper, lower);
                // Relative to the parent's chance, which is near to 1.
                parent + (above - parent) * (-edge).exp() + (1.0 - above) * (-edge - path).exp()
            }
        };
        let (one, other) = self.chains.split_at(self.chains.len() / 2);
        [one, other].map(|half| {
            let mean = half.iter().map(chance).sum::<f64>() / half.len() as f64;
            -mean.max(f64::MIN_POSITIVE).log2()
        })
    }

    fn mean_form_rates(&self, worker: crate::Worker) -> FormRates {
        let known = |chain: &'_ Chain| chain.workers.as_ref()?.forms().get(worker.index()).copied();
        FormRates::mean(self.chains.iter().filter_map(known))
            .unwrap_or_else(|| self.evidence.settings().noise.form_rates(worker))
    }

    fn mean_rates(&self, worker: crate::Worker) -> Rates {
        let known = |chain: &'_ Chain| chain.workers.as_ref()?.rates().get(worker.index()).copied();
        let unknown = |chain: &'_ Chain| {
            let prior = self.evidence.settings().noise.learnt()?;
            Some(prior.mean_in(chain.workers.as_ref()?.population()))
        };
        Rates::mean(self.chains.iter().filter_map(known))
            .or_else(|| Rates::mean(self.chains.iter().filter_map(unknown)))
            .unwrap_or_else(|| self.evidence.settings().noise.rates(worker))
    }
}

/// The concepts that a response is most about: those that move first.
fn focus(response: &Response) -> Vec<Concept> {
    match &response.screen {
        Screen::YesNo(question) => vec![question.lower, question.upper],
        Screen::Pick { lower, .. } | Screen::Place { lower } => {
            std::iter::once(lower).chain(response.reply.concepts()).copied().collect()
        }
        Screen::Tick { upper, options } => {
            let ticked = response.reply.concepts();
            let boxes = if response.reply == Reply::None { options } else { ticked };
            std::iter::once(upper).chain(boxes).copied().collect()
        }
    }
}

/// The model without any divided concepts; where rates are learnt, every chain puts in its own.
fn model<'a>(evidence: &'a Evidence, scores: &'a Scores, given: Option<&'a GivenRates>) -> Model<'a> {
    let judge = given.map_or(Judge::Majority, GivenRates::judge);
    Model { evidence, scores, judge, divided: &[] }
}

/// Sweeps for a fresh chain: many where they cost little.
fn first_sweeps(count: usize) -> usize {
    (2_000 / count.max(1)).clamp(2, 40)
}

/// The random stream of one chain within one record.
fn stream_of(seed: u64, stream: u64, record: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng.set_word_pos(u128::from(record) * WORDS_PER_RECORD);
    rng
}
