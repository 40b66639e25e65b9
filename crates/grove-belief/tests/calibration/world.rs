//! Worlds drawn from the model: a hierarchy, people with different rates, questions that divide them, and their votes.

use std::collections::BTreeMap;

use grove_belief::{
    Answer, BetaPrior, Division, Kind, LEAST_RATE, Noise, Question, Rates, Relation, Settings, Vote, Worker,
    WorkerPrior,
};
use grove_tree::{Concept, Tree};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Beta, Distribution};

/// How worlds are made.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) count: usize,
    pub(crate) votes: usize,
    pub(crate) workers: u32,
    pub(crate) kinds: &'static [Kind],
    pub(crate) settings: Settings,
}

/// The truth, and the votes.
pub(crate) struct World {
    pub(crate) tree: Tree,
    pub(crate) rates: Vec<Rates>,
    pub(crate) votes: Vec<Vote>,
}

impl Model {
    /// The prior must be uniform: that is what trees are drawn from.
    pub(crate) fn draw(&self, rng: &mut ChaCha8Rng) -> World {
        let tree = Tree::random(self.count, rng);
        let rates: Vec<Rates> = (0..self.workers).map(|worker| self.draw_rates(worker, rng)).collect();
        let mut splits = BTreeMap::new();
        let votes = (0..self.votes)
            .map(|_| {
                let (question, worker) = (self.draw_question(rng), rng.random_range(0..self.workers));
                let relation = relation(question, &tree);
                let split =
                    *splits.entry(question).or_insert_with(|| draw_split(&self.settings, relation, rng));
                let rates = &rates[worker as usize];
                let chance = split.map_or(rates.yes(relation), |share| says_yes(rates, share));
                let answer = if rng.random::<f64>() < chance { Answer::Yes } else { Answer::No };
                Vote { question, worker: Worker::new(worker), answer }
            })
            .collect();
        World { tree, rates, votes }
    }

    fn draw_rates(&self, worker: u32, rng: &mut ChaCha8Rng) -> Rates {
        match &self.settings.noise {
            Noise::Learnt(prior) => rates_from(prior, rng),
            given => given.rates(Worker::new(worker)),
        }
    }

    fn draw_question(&self, rng: &mut ChaCha8Rng) -> Question {
        let kind = self.kinds[rng.random_range(0..self.kinds.len())];
        loop {
            let mut any = || Concept::new(rng.random_range(1..=self.count));
            if let Ok(question) = Question::new(kind, any(), any()) {
                return question;
            }
        }
    }
}

fn rates_from(prior: &WorkerPrior, rng: &mut ChaCha8Rng) -> Rates {
    if rng.random::<f64>() < prior.unread() {
        let rate = rng.random_range(LEAST_RATE..1.0 - LEAST_RATE);
        return Rates::three(rate, rate, rate).unwrap();
    }
    let mut draw = |relation| {
        let BetaPrior { yes, no } = prior.rate(relation);
        let beta = Beta::new(yes, no).unwrap();
        loop {
            let rate = beta.sample(rng);
            if (LEAST_RATE..=1.0 - LEAST_RATE).contains(&rate) {
                return rate;
            }
        }
    };
    let [above, reversed, neither] = [Relation::Above, Relation::Reversed, Relation::Neither].map(&mut draw);
    // With two rates per person, reversed and unrelated pairs have the same rate.
    let two_cases = prior.with_unread(0.0)
        == WorkerPrior::two(prior.rate(Relation::Above), prior.rate(Relation::Neither));
    Rates::three(above, if two_cases { neither } else { reversed }, neither).unwrap()
}

/// The share of people who hold the upper above, on a question that divides them; none on a clear one.
fn draw_split(settings: &Settings, relation: Relation, rng: &mut ChaCha8Rng) -> Option<f64> {
    let division = settings.division?;
    if rng.random::<f64>() >= division.share() {
        return None;
    }
    let shares = shares(division, relation == Relation::Above);
    let mut left = rng.random::<f64>();
    let drawn = shares.iter().find(|(_, chance)| {
        left -= chance;
        left < 0.0
    });
    drawn.or(shares.last()).map(|(share, _)| *share)
}

/// The twenty shares that a divided question may have, each with its chance. It counts as above with odds sqrt(t / (1-t)); seen from a
/// tree that says above, t has the chance of Beta(a, a) times the chance of that.
fn shares(division: Division, above: bool) -> Vec<(f64, f64)> {
    let weigh = |step: u32| {
        let t = 0.025 + 0.05 * f64::from(step);
        let counts = t.sqrt() / (t.sqrt() + (1.0 - t).sqrt());
        (t, (t * (1.0 - t)).powf(division.spread() - 1.0) * if above { counts } else { 1.0 - counts })
    };
    let weighed: Vec<(f64, f64)> = (0..20).map(weigh).collect();
    let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
    weighed.into_iter().map(|(t, weight)| (t, weight / total)).collect()
}

/// The chance of a yes from a worker with these rates who holds the upper above with the given chance.
fn says_yes(rates: &Rates, share: f64) -> f64 {
    share * rates.yes(Relation::Above) + (1.0 - share) * rates.yes(Relation::Neither)
}

pub(crate) fn relation(question: Question, tree: &Tree) -> Relation {
    let (upper, lower) = (question.upper, question.lower);
    match question.kind {
        Kind::Path if tree.is_above(upper, lower) => Relation::Above,
        Kind::Path if tree.is_above(lower, upper) => Relation::Reversed,
        Kind::Edge if tree.parent(lower) == upper => Relation::Above,
        Kind::Path | Kind::Edge => Relation::Neither,
    }
}

/// ln P(all votes | tree, rates), divisions summed over.
pub(crate) fn log_likelihood(votes: &[Vote], settings: &Settings, tree: &Tree, rates: &[Rates]) -> f64 {
    let mut ballots: BTreeMap<Question, Vec<&Vote>> = BTreeMap::new();
    votes.iter().for_each(|vote| ballots.entry(vote.question).or_default().push(vote));
    let of_question = |(question, votes): (&Question, &Vec<&Vote>)| {
        let relation = relation(*question, tree);
        let clear: f64 =
            votes.iter().map(|vote| chance(rates[vote.worker.index()].yes(relation), vote)).product();
        let Some(division) = settings.division else { return clear.ln() };
        let divided = divided_chance(votes, relation == Relation::Above, division, rates);
        ((1.0 - division.share()) * clear + division.share() * divided).ln()
    };
    ballots.iter().map(of_question).sum()
}

fn chance(yes: f64, vote: &Vote) -> f64 {
    if vote.answer == Answer::Yes { yes } else { 1.0 - yes }
}

/// The chance of the votes on a divided question: the mean over shares of the product over votes.
fn divided_chance(votes: &[&Vote], above: bool, division: Division, rates: &[Rates]) -> f64 {
    let of_share = |share: f64| -> f64 {
        votes.iter().map(|vote| chance(says_yes(&rates[vote.worker.index()], share), vote)).product()
    };
    shares(division, above).into_iter().map(|(share, weight)| weight * of_share(share)).sum()
}
