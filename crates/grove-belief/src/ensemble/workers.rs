//! The workers' rates in one chain, drawn together with its tree, so that no gold questions are needed.

use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution};

use super::model::{Model, sigmoid};
use super::shape::Shape;
use crate::Worker;
use crate::ballot::{Ballot, Judge, LogRates};
use crate::divided::Divided;
use crate::noise::{BetaPrior, LEAST_RATE, Rates, Relation, WorkerPrior};
use crate::pairs::{PairId, Score};

/// The prior of the rate of yes of workers who do not read the question.
const ANY_RATE: BetaPrior = BetaPrior { yes: 1.0, no: 1.0 };

/// Rates of all workers, and the pairs' scores under them.
#[derive(Clone, Debug)]
pub(crate) struct Workers {
    rates: Vec<Rates>,
    log_rates: Vec<LogRates>,
    /// Rates of unknown workers; never used for a vote, since [`Workers::meet`] comes first.
    others: LogRates,
    scores: Vec<Score>,
}

impl Workers {
    pub(crate) fn new(prior: &WorkerPrior) -> Self {
        Self { rates: Vec::new(), log_rates: Vec::new(), others: (&prior.mean()).into(), scores: Vec::new() }
    }

    pub(crate) fn scores(&self) -> &[Score] {
        &self.scores
    }

    pub(crate) fn rates(&self) -> &[Rates] {
        &self.rates
    }

    fn judge(&self) -> Judge<'_> {
        Judge::Each(&self.log_rates, &self.others)
    }

    /// Draws rates for new workers, from the prior and their gold answers.
    pub(crate) fn meet(&mut self, model: Model<'_>, prior: &WorkerPrior, rng: &mut impl Rng) {
        while self.rates.len() < model.evidence.workers() {
            let worker = Worker::new(self.rates.len() as u32);
            self.push(draw_rates(prior, &Tally::from_gold(model.evidence.gold(worker)), rng));
        }
    }

    pub(super) fn push(&mut self, rates: Rates) {
        self.log_rates.push((&rates).into());
        self.rates.push(rates);
    }

    /// Updates one pair's score after a vote on it.
    pub(crate) fn rescore(&mut self, model: Model<'_>, pair: PairId) {
        self.scores.resize(model.pairs().len(), Score::default());
        self.scores[pair.index()] = model.evidence.score(pair, self.judge());
    }

    pub(crate) fn rescore_all(&mut self, model: Model<'_>) {
        self.scores = model.evidence.scores(self.judge());
    }

    /// Draws all rates from their conditional posterior given the tree (Beta, being conjugate), after drawing for every question
    /// whether it divides people, and what each voter holds if it does. O(votes); a draw or two per question where questions may
    /// divide, one per vote on those that do, and a few per worker.
    pub(crate) fn redraw(
        &mut self,
        shape: &Shape,
        model: Model<'_>,
        prior: &WorkerPrior,
        rng: &mut impl Rng,
    ) {
        let all = Worker::all(model.evidence.workers());
        let mut tallies: Vec<Tally> =
            all.map(|worker| Tally::from_gold(model.evidence.gold(worker))).collect();
        for ([low, high], pair) in model.pairs().iter() {
            for (side, (upper, lower)) in [(low, high), (high, low)].into_iter().enumerate() {
                let relation = if shape.is_above(upper, lower) {
                    Relation::Above
                } else if shape.is_above(lower, upper) {
                    Relation::Reversed
                } else {
                    Relation::Neither
                };
                self.count(&pair.path[side], relation, model, prior, &mut tallies, rng);
                if !pair.edge[side].is_empty() {
                    let there = shape.parent(lower) == upper;
                    let relation = if there { Relation::Above } else { Relation::Neither };
                    self.count(&pair.edge[side], relation, model, prior, &mut tallies, rng);
                }
            }
        }
        self.rates.clear();
        self.log_rates.clear();
        for tally in &tallies {
            self.push(draw_rates(prior, tally, rng));
        }
        self.rescore_all(model);
    }

    fn count(
        &self,
        ballot: &Ballot,
        relation: Relation,
        model: Model<'_>,
        prior: &WorkerPrior,
        tallies: &mut [Tally],
        rng: &mut impl Rng,
    ) {
        if ballot.is_empty() {
            return;
        }
        let share = self.draw_division(ballot, relation, model, rng);
        for &(worker, yes) in ballot.votes() {
            let held = match share {
                None => relation,
                Some(share) => self.draw_opinion(worker, yes, share, rng),
            };
            tallies[worker.index()].add(prior.class(held), yes);
        }
    }

    /// Draws whether a question divides people, given the relation of its concepts in the tree, and the share of people on each side.
    fn draw_division(
        &self,
        ballot: &Ballot,
        relation: Relation,
        model: Model<'_>,
        rng: &mut impl Rng,
    ) -> Option<f64> {
        let division = model.evidence.settings().division.as_ref()?;
        let above = relation == Relation::Above;
        let divided = Divided::new(ballot, self.judge(), division);
        let clear = ballot.log_clear(self.judge())[relation as usize];
        let odds = (division.share() / (1.0 - division.share())).ln() + divided.log_likelihood(above) - clear;
        (rng.random::<f64>() < sigmoid(odds)).then(|| divided.draw_share(above, rng))
    }

    /// Draws the opinion of a voter on a divided question, given the answer.
    fn draw_opinion(&self, worker: Worker, yes: bool, share: f64, rng: &mut impl Rng) -> Relation {
        let [above, not] = self.log_rates[worker.index()].opinions(yes);
        let chance = share * above / (share * above + (1.0 - share) * not);
        if rng.random::<f64>() < chance { Relation::Above } else { Relation::Neither }
    }
}

/// (no, yes) answers by relation.
#[derive(Clone, Default, Debug)]
struct Tally([[f64; 2]; 3]);

impl Tally {
    fn from_gold(gold: crate::GoldTally) -> Self {
        let mut tally = Self::default();
        for (relation, [yes, no]) in [(Relation::Above, gold.true_yes), (Relation::Neither, gold.true_no)] {
            tally.0[relation as usize] = [f64::from(no), f64::from(yes)];
        }
        tally
    }

    fn add(&mut self, relation: Relation, yes: bool) {
        self.0[relation as usize][usize::from(yes)] += 1.0;
    }

    /// The answers under all relations together.
    fn total(&self) -> [f64; 2] {
        self.0.iter().fold([0.0; 2], |[no, yes], [more_no, more_yes]| [no + more_no, yes + more_yes])
    }
}

/// Draws a worker's rates from their posterior: first whether they read the questions, then the rates.
fn draw_rates(prior: &WorkerPrior, tally: &Tally, rng: &mut impl Rng) -> Rates {
    if prior.unread() > 0.0 && rng.random::<f64>() < unread_chance(prior, tally) {
        let [no, yes] = tally.total();
        let rate = draw_rate(BetaPrior { yes: ANY_RATE.yes + yes, no: ANY_RATE.no + no }, rng);
        return Rates::three(rate, rate, rate).expect("a Beta draw is a rate");
    }
    let mut draw = |relation: Relation| {
        let [no, yes] = tally.0[relation as usize];
        let prior = prior.rate(relation);
        draw_rate(BetaPrior { yes: prior.yes + yes, no: prior.no + no }, rng)
    };
    let (above, neither) = (draw(Relation::Above), draw(Relation::Neither));
    let reversed = match prior.class(Relation::Reversed) {
        Relation::Reversed => draw(Relation::Reversed),
        _ => neither,
    };
    Rates::three(above, reversed, neither).expect("a Beta draw is a rate")
}

/// The chance that a worker does not read the questions, their rates being summed out. Ignores that rates end at [`LEAST_RATE`],
/// which matters only for answers so one-sided that the chance is 0 or 1 anyway.
fn unread_chance(prior: &WorkerPrior, tally: &Tally) -> f64 {
    let classes = Relation::ALL;
    let reads: f64 =
        classes.iter().map(|&class| log_evidence(prior.rate(class), tally.0[class as usize])).sum();
    let odds = (prior.unread() / (1.0 - prior.unread())).ln() + log_evidence(ANY_RATE, tally.total()) - reads;
    sigmoid(odds)
}

/// ln of the chance of some answers, their rate being summed out: B(a + yes, b + no) / B(a, b).
fn log_evidence(beta: BetaPrior, [no, yes]: [f64; 2]) -> f64 {
    let log_beta = |a: f64, b: f64| libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    if yes + no == 0.0 { 0.0 } else { log_beta(beta.yes + yes, beta.no + no) - log_beta(beta.yes, beta.no) }
}

/// A Beta draw between the least rate and one minus it: everybody is assumed to err sometimes.
fn draw_rate(beta: BetaPrior, rng: &mut impl Rng) -> f64 {
    let distribution = Beta::new(beta.yes, beta.no).expect("counts of a valid prior stay positive");
    let allowed = LEAST_RATE..=1.0 - LEAST_RATE;
    let drawn =
        std::iter::repeat_with(|| distribution.sample(rng)).take(100).find(|rate| allowed.contains(rate));
    // After a hundred misses, nearly all of the distribution is beyond one end.
    drawn.unwrap_or(if beta.mean() > 0.5 { 1.0 - LEAST_RATE } else { LEAST_RATE })
}
