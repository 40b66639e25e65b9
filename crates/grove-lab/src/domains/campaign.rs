//! The paper's two phases: some concepts first, the others one by one, and then whatever is left to ask.

use grove_belief::{
    Belief, Choice, EdgeVotes, Evidence, Noise, Prior, Question, Rates, Settings, Strategy, Vote, Weights,
    WeightsSettings, Worker, choose,
};
use grove_sim::{Crowd, CrowdSpec, Dataset};
use grove_tree::Concept;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::order::Order;
use super::pool::{BUNDLE, Pool, ask};
use crate::Error;
use crate::asking::{auc, ensemble};

/// A parent this certain is not doubtful: the paper's red line.
pub(super) const CERTAIN: f64 = 0.75;

/// Votes that a concept may take before the next one joins all the same.
const PATIENCE: usize = 96;

/// Past the numbers of all questions, each of which stands for a worker of bundles.
const BUNDLE_ASKER: u32 = 900_000;

/// How many people there are.
const PEOPLE: usize = 40;

/// Who is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum People {
    Open,
    Qualified,
}

impl People {
    pub(super) const ALL: [Self; 2] = [Self::Open, Self::Qualified];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Qualified => "qualified",
        }
    }

    fn spec(self) -> CrowdSpec {
        match self {
            Self::Open => CrowdSpec::open(PEOPLE),
            Self::Qualified => CrowdSpec::qualified(PEOPLE),
        }
    }
}

/// Who is asked how, and who believes the answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// The paper's engine and rule, on recorded bundles of eight.
    PaperBundles,
    /// The ensemble by gain, on recorded bundles of eight.
    Bundles,
    /// The ensemble by gain, on single votes from the same record; nothing told of the people.
    Singles,
    /// The same with people asked afresh.
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

    fn votes_a_question(self) -> usize {
        if self.in_bundles() { BUNDLE } else { 1 }
    }
}

/// What came of a campaign.
pub(super) struct Outcome {
    /// (votes, AUC over the concepts that had joined).
    pub(super) curve: Vec<(usize, f64)>,
    /// The votes after which all concepts had joined.
    pub(super) joined: usize,
    /// What is believed in the end, with the concepts' order.
    pub(super) belief: Box<dyn Belief>,
    pub(super) order: Order,
}

struct Campaign {
    way: Way,
    order: Order,
    pool: Pool,
    crowd: Crowd,
    rng: ChaCha8Rng,
    votes: usize,
    curve: Vec<(usize, f64)>,
}

/// Runs a domain up to a number of votes.
pub(super) fn run(
    set: Dataset,
    people: People,
    way: Way,
    initial: usize,
    votes: usize,
    seed: u64,
) -> Result<Outcome, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let shares = set.shares();
    let order = Order::random(shares.reference(), &mut rng);
    let mut crowd = Crowd::gather(&people.spec(), &shares, &mut rng)?;
    let pool = Pool::record(&order, &mut crowd, &mut rng)?;
    let initial = if way.in_phases() { initial.min(order.len()) } else { order.len() };
    let mut belief = start(way, &pool, initial, seed)?;
    let mut campaign = Campaign { way, order, pool, crowd, rng, votes: 0, curve: Vec::new() };
    if way.in_phases() {
        campaign.ask_until_certain(&mut *belief, 1, initial * PATIENCE, votes)?;
    }
    while belief.evidence().count() < campaign.order.len() {
        let new = belief.add_concept(EdgeVotes::Weaken)?;
        campaign.ask_until_certain(&mut *belief, new.index(), PATIENCE, votes)?;
    }
    let joined = campaign.votes;
    while campaign.votes < votes && campaign.ask(&mut *belief)? {}
    Ok(Outcome { curve: campaign.curve, joined, belief, order: campaign.order })
}

fn start(way: Way, pool: &Pool, count: usize, seed: u64) -> Result<Box<dyn Belief>, Error> {
    let bundles =
        || -> Result<Noise, Error> { Ok(Noise::Workers { known: pool.noises()?, others: Rates::one(0.1)? }) };
    Ok(match way {
        Way::PaperBundles => {
            let settings = Settings { noise: bundles()?, division: None, prior: Prior::uniform() };
            let weights = WeightsSettings { seed, ..WeightsSettings::default() };
            Box::new(Weights::new(Evidence::new(count, settings)?, weights)?)
        }
        Way::Bundles | Way::BundlesAtOnce => {
            let settings = Settings { noise: bundles()?, division: None, prior: Prior::taxonomy() };
            Box::new(ensemble(Evidence::new(count, settings)?, seed)?)
        }
        Way::Singles | Way::Live | Way::AtOnce => {
            Box::new(ensemble(Evidence::new(count, Settings::default())?, seed)?)
        }
    })
}

impl Campaign {
    /// Asks until every concept from `first` on has a parent beyond doubt, or so many votes are spent, or all are.
    fn ask_until_certain(
        &mut self,
        belief: &mut dyn Belief,
        first: usize,
        patience: usize,
        most: usize,
    ) -> Result<(), Error> {
        let last = (self.votes + patience).min(most);
        let doubtful = |belief: &dyn Belief| {
            (first..=belief.evidence().count())
                .any(|child| belief.parents(Concept::new(child)).first().is_none_or(|best| best.1 < CERTAIN))
        };
        while self.votes < last && doubtful(belief) && self.ask(belief)? {}
        Ok(())
    }

    /// Asks one question; false if nothing is left to ask.
    fn ask(&mut self, belief: &mut dyn Belief) -> Result<bool, Error> {
        let strategy = if self.way == Way::PaperBundles { Strategy::WorstCase } else { Strategy::Gain };
        let Some((worker, choice)) = (0..PEOPLE).find_map(|_| self.choose(belief, strategy)) else {
            return Ok(false);
        };
        let Some(vote) = self.answer(choice.question, worker)? else { return Ok(false) };
        belief.record(vote)?;
        self.votes += self.way.votes_a_question();
        let count = belief.evidence().count();
        if self.votes.is_multiple_of(LOOK) {
            self.curve.push((self.votes, auc(belief, &self.order.truth(count)?)?));
        }
        Ok(true)
    }

    /// Somebody, and the best question for them; none if there is none, which another may still have.
    fn choose(&mut self, belief: &dyn Belief, strategy: Strategy) -> Option<(Worker, Choice)> {
        let worker = match self.way {
            // A bundle has no worker of its own before it is asked: somebody past all numbers.
            Way::PaperBundles | Way::Bundles | Way::BundlesAtOnce => Worker::new(BUNDLE_ASKER),
            Way::Singles | Way::Live | Way::AtOnce => Worker::new(self.rng.random_range(0..PEOPLE as u32)),
        };
        let closed = |question: Question| match self.way {
            Way::PaperBundles | Way::Bundles | Way::BundlesAtOnce => !self.pool.is_open(question),
            Way::Singles | Way::AtOnce => !self.pool.has(question, worker),
            Way::Live => false,
        };
        Some((worker, choose(belief, strategy, worker, &closed, &mut self.rng)?))
    }

    fn answer(&mut self, question: Question, worker: Worker) -> Result<Option<Vote>, Error> {
        Ok(match self.way {
            Way::PaperBundles | Way::Bundles | Way::BundlesAtOnce => self.pool.draw_bundle(question),
            Way::Singles | Way::AtOnce => self.pool.draw(question, worker),
            Way::Live => Some(ask(&self.order, &mut self.crowd, question, worker, &mut self.rng)?),
        })
    }
}

/// Votes between two looks at the AUC; a multiple of the bundle.
const LOOK: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concepts_join_and_their_hierarchy_is_found() {
        let outcome = run(Dataset::Food, People::Open, Way::Bundles, 6, 1_600, 1).unwrap();
        assert_eq!((outcome.belief.evidence().count(), outcome.order.len()), (26, 26));
        assert!(outcome.joined <= 1_600 && outcome.joined.is_multiple_of(BUNDLE));
        let last = outcome.curve.last().unwrap();
        // Half of what bundles take to be right nearly everywhere.
        assert!(last.0 > 1_550 && last.1 > 0.8, "{:?}", outcome.curve);
        // A bundle is one answer to a question that is not asked again.
        let mut asked: Vec<Question> =
            outcome.belief.evidence().votes().map(|(_, vote)| vote.question).collect();
        let all = asked.len();
        asked.sort_unstable();
        asked.dedup();
        assert_eq!((asked.len(), all), (200, 200));
    }
}
