//! The paper's two phases: some concepts first, the others one by one, and then whatever is left to ask.

use grove_belief::{
    Belief, Choice, EdgeVotes, Noise, Prior, Question, Rates, Settings, Strategy, Vote, Worker, choose,
};
use grove_sim::{Crowd, Dataset};
use grove_tree::Concept;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::record::{BUNDLE, Order, Pool, ask};
use crate::Error;
use crate::trial::{Engine, auc, crowd_named};

/// A parent below this certainty is doubtful: the paper's red line.
pub(super) const CERTAIN: f64 = grove_belief::DOUBTFUL_BELOW;

/// Votes that a concept may take before the next one joins all the same.
const PATIENCE: usize = 96;

/// The worker for whom questions to bundles are chosen: above the numbers of all questions, each of which is a worker of bundles.
const BUNDLE_ASKER: u32 = 900_000;

/// The number of people.
const PEOPLE: usize = 40;

/// Votes between two points of the AUC curve; a multiple of the bundle.
const AUC_EVERY: usize = 24;

/// How people are asked, and which engine takes in the answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// The paper's engine and rule, with recorded bundles of eight.
    PaperBundles,
    /// The ensemble by gain, with recorded bundles of eight.
    Bundles,
    /// The ensemble by gain, with single votes from the same record; it knows nothing about the people.
    Singles,
    /// The same with people who are asked anew.
    Live,
    /// Bundles without phases: all concepts are there from the start.
    BundlesAtOnce,
    /// Single votes without phases.
    AtOnce,
}

impl Way {
    pub(super) const ALL: [Self; 6] =
        [Self::PaperBundles, Self::Bundles, Self::Singles, Self::Live, Self::BundlesAtOnce, Self::AtOnce];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PaperBundles => "weights, bundles of 8",
            Self::Bundles => "ensemble, bundles of 8",
            Self::Singles => "ensemble, single votes",
            Self::Live => "ensemble, single live votes",
            Self::BundlesAtOnce => "ensemble, bundles of 8, no phases",
            Self::AtOnce => "ensemble, single votes, no phases",
        }
    }

    pub(super) fn in_bundles(self) -> bool {
        matches!(self, Self::PaperBundles | Self::Bundles | Self::BundlesAtOnce)
    }

    fn in_phases(self) -> bool {
        !matches!(self, Self::BundlesAtOnce | Self::AtOnce)
    }

    fn start(self, pool: &Pool, count: usize, seed: u64) -> Result<Box<dyn Belief>, Error> {
        let prior = if self == Self::PaperBundles { Prior::uniform() } else { Prior::taxonomy() };
        let settings = if self.in_bundles() {
            let noise = Noise::Workers { known: pool.noises()?, others: Rates::one(0.1)? };
            Settings { noise, dissent: None, prior }
        } else {
            Settings::default()
        };
        let engine = if self == Self::PaperBundles { Engine::Weights } else { Engine::Ensemble };
        engine.start(count, settings, seed)
    }
}

pub(super) struct Campaign {
    way: Way,
    pool: Pool,
    crowd: Crowd,
    rng: ChaCha8Rng,
    /// The belief, with the order of its concepts.
    pub(super) belief: Box<dyn Belief>,
    pub(super) order: Order,
    votes: usize,
    /// The votes after which all concepts had joined.
    pub(super) joined: usize,
    /// (votes, AUC over the concepts that had joined).
    pub(super) curve: Vec<(f64, f64)>,
}

/// Runs a domain up to a number of votes.
pub(super) fn run(
    set: Dataset,
    people: &str,
    way: Way,
    initial: usize,
    votes: usize,
    seed: u64,
) -> Result<Campaign, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let shares = set.shares();
    let order = Order::random(shares.reference(), &mut rng);
    let mut crowd = Crowd::gather(&crowd_named(people, PEOPLE)?, &shares, &mut rng)?;
    let pool = Pool::record(&order, &mut crowd, &mut rng)?;
    let initial = if way.in_phases() { initial.min(order.len()) } else { order.len() };
    let belief = way.start(&pool, initial, seed)?;
    let curve = Vec::new();
    let mut campaign = Campaign { way, pool, crowd, rng, belief, order, votes: 0, joined: 0, curve };
    if way.in_phases() {
        campaign.ask_until_certain(1, initial * PATIENCE, votes)?;
    }
    while campaign.belief.evidence().count() < campaign.order.len() {
        let new = campaign.belief.add_concept(EdgeVotes::Weaken)?;
        campaign.ask_until_certain(new.index(), PATIENCE, votes)?;
    }
    campaign.joined = campaign.votes;
    while campaign.votes < votes && campaign.ask()? {}
    Ok(campaign)
}

impl Campaign {
    /// Asks until every concept from `first` on has a certain parent, or `patience` votes are spent, or `most` are in all.
    fn ask_until_certain(&mut self, first: usize, patience: usize, most: usize) -> Result<(), Error> {
        let last = (self.votes + patience).min(most);
        let doubtful = |belief: &dyn Belief| {
            (first..=belief.evidence().count())
                .any(|child| belief.parents(Concept::new(child)).first().is_none_or(|best| best.1 < CERTAIN))
        };
        while self.votes < last && doubtful(&*self.belief) && self.ask()? {}
        Ok(())
    }

    /// Asks one question; false if nothing is left to ask.
    fn ask(&mut self) -> Result<bool, Error> {
        let strategy = if self.way == Way::PaperBundles { Strategy::WorstCase } else { Strategy::Gain };
        let Some((worker, choice)) = (0..PEOPLE).find_map(|_| self.choose(strategy)) else {
            return Ok(false);
        };
        let Some(vote) = self.answer(choice.question, worker)? else { return Ok(false) };
        self.belief.record(vote)?;
        self.votes += if self.way.in_bundles() { BUNDLE } else { 1 };
        if self.votes.is_multiple_of(AUC_EVERY) {
            let truth = self.order.truth(self.belief.evidence().count())?;
            self.curve.push((self.votes as f64, auc(&*self.belief, &truth)?));
        }
        Ok(true)
    }

    /// Somebody, and the best question for them; none if there is none, although another person may have one.
    fn choose(&mut self, strategy: Strategy) -> Option<(Worker, Choice)> {
        let worker = match self.way.in_bundles() {
            true => Worker::new(BUNDLE_ASKER),
            false => Worker::new(self.rng.random_range(0..PEOPLE as u32)),
        };
        let closed = |question: Question| match self.way {
            Way::Live => false,
            way if way.in_bundles() => !self.pool.is_open(question),
            _ => !self.pool.has(question, worker),
        };
        Some((worker, choose(&*self.belief, strategy, worker, &closed, &mut self.rng)?))
    }

    fn answer(&mut self, question: Question, worker: Worker) -> Result<Option<Vote>, Error> {
        Ok(match self.way {
            Way::Live => Some(ask(&self.order, &mut self.crowd, question, worker, &mut self.rng)?),
            way if way.in_bundles() => self.pool.draw_bundle(question),
            _ => self.pool.draw(question, worker),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concepts_join_and_their_hierarchy_is_found() {
        let outcome = run(Dataset::Food, "open", Way::Bundles, 6, 1_600, 1).unwrap();
        assert_eq!((outcome.belief.evidence().count(), outcome.order.len()), (26, 26));
        assert!(outcome.joined <= 1_600 && outcome.joined.is_multiple_of(BUNDLE));
        let last = outcome.curve.last().unwrap();
        // Half of the votes that bundles need to be right nearly everywhere.
        assert!(last.0 > 1_550.0 && last.1 > 0.8, "{:?}", outcome.curve);
        // A bundle is one answer to a question, which is not asked again.
        let mut asked: Vec<Question> =
            outcome.belief.evidence().votes().map(|(_, vote)| vote.question).collect();
        let all = asked.len();
        asked.sort_unstable();
        asked.dedup();
        assert_eq!((asked.len(), all), (200, 200));
    }
}
