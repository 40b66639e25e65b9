//! The workers' rates in one chain, drawn together with its tree, so that no gold questions are needed.

use grove_tree::Concept;
use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution};

use super::dissent::Division;
use super::model::{Model, Scores, sigmoid};
use super::shape::Shape;
use crate::ballot::{Ballot, Judge, LogRates};
use crate::noise::{BetaPrior, LEAST_RATE, Rates, Relation, WorkerPrior};
use crate::pairs::PairId;
use crate::population::{Population, log_beta_within};
use crate::{Kind, Worker};

/// The prior of the rate of yes of workers who do not read the question.
const ANY_RATE: BetaPrior = BetaPrior { yes: 1.0, no: 1.0 };

/// Rates of all workers, the population that they are drawn from, and the pairs' scores under them.
#[derive(Clone, Debug)]
pub(crate) struct Workers {
    population: Population,
    rates: Vec<Rates>,
    log_rates: Vec<LogRates>,
    /// Rates of unknown workers; never used for a vote, since [`Workers::meet`] comes first.
    others: LogRates,
    scores: Scores,
}

impl Workers {
    pub(crate) fn new(prior: &WorkerPrior) -> Self {
        Self {
            population: Population::typical(prior),
            rates: Vec::new(),
            log_rates: Vec::new(),
            others: (&prior.mean()).into(),
            scores: Scores::default(),
        }
    }

    /// The rates without the scores that follow from them.
    pub(crate) fn snapshot(&self) -> Self {
        Self {
            rates: self.rates.clone(),
            log_rates: self.log_rates.clone(),
            scores: Scores::default(),
            ..*self
        }
    }

    pub(crate) fn population(&self) -> &Population {
        &self.population
    }

    pub(crate) fn set_population(&mut self, population: Population) {
        self.population = population;
    }

    pub(crate) fn scores(&self) -> &Scores {
        &self.scores
    }

    pub(crate) fn rates(&self) -> &[Rates] {
        &self.rates
    }

    pub(crate) fn judge(&self) -> Judge<'_> {
        Judge::Each(&self.log_rates, &self.others)
    }

    /// Draws rates for new workers, from the population and their gold answers.
    pub(crate) fn meet(&mut self, model: Model<'_>, prior: &WorkerPrior, rng: &mut impl Rng) {
        while self.rates.len() < model.evidence.workers() {
            let worker = Worker::new(self.rates.len() as u32);
            let tally = Tally::from_gold(model.evidence.gold(worker));
            self.push(draw_rates(prior, &self.population, &tally, rng));
        }
    }

    pub(super) fn push(&mut self, rates: Rates) {
        self.log_rates.push((&rates).into());
        self.rates.push(rates);
    }

    /// Updates one pair's score after a vote on it.
    pub(crate) fn rescore(&mut self, model: Model<'_>, pair: PairId) {
        let mut scores = std::mem::take(&mut self.scores);
        scores.update(model.evidence, pair, self.judge());
        self.scores = scores;
    }

    pub(crate) fn rescore_all(&mut self, model: Model<'_>) {
        self.scores = Scores::of(model.evidence, self.judge());
    }

    /// Draws all rates from their conditional posterior given every person's own tree (Beta, being conjugate), and then the population given
    /// the rates. O(votes); a few draws per worker.
    pub(crate) fn redraw(
        &mut self,
        shape: &Shape,
        divided: &[Division],
        model: Model<'_>,
        prior: &WorkerPrior,
        rng: &mut impl Rng,
    ) {
        let all = Worker::all(model.evidence.workers());
        let mut tallies: Vec<Tally> =
            all.map(|worker| Tally::from_gold(model.evidence.gold(worker))).collect();
        let around = Around::new(shape, divided);
        for ([low, high], pair) in model.pairs().iter() {
            for (side, (upper, lower)) in [(low, high), (high, low)].into_iter().enumerate() {
                for (kind, ballot) in [(Kind::Path, &pair.path[side]), (Kind::Edge, &pair.edge[side])] {
                    if !ballot.is_empty() {
                        around.count(kind, upper, lower, ballot, prior, &mut tallies);
                    }
                }
            }
        }
        self.rates.clear();
        self.log_rates.clear();
        for tally in &tallies {
            self.push(draw_rates(prior, &self.population, tally, rng));
        }
        self.population.redraw(prior, &self.rates, rng);
        self.rescore_all(model);
    }
}

/// How two concepts are related for each person.
struct Around<'a> {
    shape: &'a Shape,
    divided: &'a [Division],
    /// For every concept, one more than the index of the divided concept whose subtree it is in; 0 outside of all.
    division: Vec<u32>,
}

impl<'a> Around<'a> {
    fn new(shape: &'a Shape, divided: &'a [Division]) -> Self {
        let mut division = vec![0; if divided.is_empty() { 0 } else { shape.count() + 1 }];
        for (index, divided) in divided.iter().enumerate() {
            for at in shape.block(divided.concept) {
                division[shape.at(at).index()] = index as u32 + 1;
            }
        }
        Self { shape, divided, division }
    }

    /// The divided concept whose subtree a concept is in.
    fn division(&self, concept: Concept) -> Option<&'a Division> {
        let index = *self.division.get(concept.index())?;
        self.divided.get((index as usize).checked_sub(1)?)
    }

    /// Adds the answers to a question to the tallies of those who gave them, each by the relation in that person's tree.
    fn count(
        &self,
        kind: Kind,
        upper: Concept,
        lower: Concept,
        ballot: &Ballot,
        prior: &WorkerPrior,
        tallies: &mut [Tally],
    ) {
        let first = prior.class(self.first(kind, upper, lower));
        let second = self.second(kind, upper, lower, first);
        for &(worker, yes) in ballot.votes() {
            let relation = match second {
                Some((division, second)) if division.is_held_by(worker.index()) => prior.class(second),
                _ => first,
            };
            tallies[worker.index()].add(relation, yes);
        }
    }

    fn first(&self, kind: Kind, upper: Concept, lower: Concept) -> Relation {
        match kind {
            Kind::Path if self.shape.is_above(upper, lower) => Relation::Above,
            Kind::Path if self.shape.is_above(lower, upper) => Relation::Reversed,
            Kind::Edge if self.shape.parent(lower) == upper => Relation::Above,
            Kind::Path | Kind::Edge => Relation::Neither,
        }
    }

    /// The relation for those who hold the second place of the divided concept that the question is about, if it is about one.
    fn second(
        &self,
        kind: Kind,
        upper: Concept,
        lower: Concept,
        first: Relation,
    ) -> Option<(&'a Division, Relation)> {
        let (of_upper, of_lower) = (self.division(upper), self.division(lower));
        let same = of_upper.map(|division| division.concept) == of_lower.map(|division| division.concept);
        match (of_upper, of_lower) {
            _ if same => None,
            (None, Some(division)) if kind == Kind::Edge => (division.concept == lower).then(|| {
                let there = division.second == upper;
                (division, if there { Relation::Above } else { Relation::Neither })
            }),
            (None, Some(division)) => {
                let there = division.second_is_below(self.shape, upper);
                Some((division, if there { Relation::Above } else { Relation::Neither }))
            }
            (Some(division), None) if kind == Kind::Path => {
                let there = division.second_is_below(self.shape, lower);
                Some((division, if there { Relation::Reversed } else { Relation::Neither }))
            }
            _ => {
                debug_assert!(first == Relation::Neither, "no divided concept is above another's");
                None
            }
        }
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
fn draw_rates(prior: &WorkerPrior, population: &Population, tally: &Tally, rng: &mut impl Rng) -> Rates {
    if prior.unread() > 0.0 && rng.random::<f64>() < unread_chance(prior, population, tally) {
        let [no, yes] = tally.total();
        let rate = draw_rate(BetaPrior { yes: ANY_RATE.yes + yes, no: ANY_RATE.no + no }, rng);
        return Rates::three(rate, rate, rate).expect("a Beta draw is a rate");
    }
    let mut draw = |relation: Relation| {
        let [no, yes] = tally.0[relation as usize];
        let prior = population.rate(relation);
        draw_rate(BetaPrior { yes: prior.yes + yes, no: prior.no + no }, rng)
    };
    let (above, neither) = (draw(Relation::Above), draw(Relation::Neither));
    let reversed = match prior.class(Relation::Reversed) {
        Relation::Reversed => draw(Relation::Reversed),
        _ => neither,
    };
    Rates::three(above, reversed, neither).expect("a Beta draw is a rate")
}

/// The chance that a worker does not read the questions, their rates being summed out.
fn unread_chance(prior: &WorkerPrior, population: &Population, tally: &Tally) -> f64 {
    let reads: f64 = Relation::ALL
        .iter()
        .map(|&class| log_evidence(population.rate(class), tally.0[class as usize]))
        .sum();
    let odds = (prior.unread() / (1.0 - prior.unread())).ln() + log_evidence(ANY_RATE, tally.total()) - reads;
    sigmoid(odds)
}

/// ln of the chance of some answers, their rate being summed out: B(a + yes, b + no) / B(a, b), both without their ends.
fn log_evidence(beta: BetaPrior, [no, yes]: [f64; 2]) -> f64 {
    if yes + no == 0.0 {
        return 0.0;
    }
    log_beta_within(BetaPrior { yes: beta.yes + yes, no: beta.no + no }) - log_beta_within(beta)
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
