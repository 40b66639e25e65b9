//! The workers' rates in one chain, drawn together with its tree, so that no gold questions are needed.

use grove_tree::Concept;
use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution, Gamma};

use super::dissent::Division;
use super::model::{Model, Scores, sigmoid};
use super::shape::Shape;
use crate::ballot::{Ballot, Crowd, Judge, LogRates, push};
use crate::factors::{Factor, Said};
use crate::form_rates::{FormPriors, FormRates, PickRates, PlaceRates, TickRates};
use crate::noise::{BetaPrior, LEAST_RATE, Rates, Relation, WorkerPrior};
use crate::pairs::PairId;
use crate::population::{Population, log_beta_within};
use crate::soft::ModelTally;
use crate::{Kind, Worker};

/// The prior of the rate of yes of workers who do not read the question.
const ANY_RATE: BetaPrior = BetaPrior { yes: 1.0, no: 1.0 };

/// Rates of all workers, the population that they are drawn from, and the pairs' scores under them.
#[derive(Clone, Debug)]
pub(crate) struct Workers {
    population: Population,
    rates: Vec<Rates>,
    /// The same rates, ready for summing, and those in forms other than yes/no, of which there are none as long as nobody answered any. Rates of
    /// unknown workers are never used for a vote, since [`Workers::meet`] comes first.
    crowd: Crowd,
    /// Whether the answers of language models are assumed to depend on the question, as long as a chain has no probable tree yet. Beside a poor
    /// tree every answer seems arbitrary, and a tree drawn without a model's answers stays poor.
    trusts_models: bool,
    scores: Scores,
}

impl Workers {
    pub(crate) fn new(prior: &WorkerPrior) -> Self {
        Self {
            population: Population::typical(prior),
            rates: Vec::new(),
            crowd: Crowd::new(LogRates::new(&prior.mean(), &prior.forms().mean())),
            trusts_models: false,
            scores: Scores::default(),
        }
    }

    /// Sets whether the answers of models are assumed to depend on the question.
    pub(crate) fn trust_models(&mut self, trusts: bool) {
        self.trusts_models = trusts;
    }

    /// The rates without what follows from them: logarithms and scores.
    pub(crate) fn snapshot(&self) -> Self {
        Self {
            rates: self.rates.clone(),
            crowd: self.crowd.without_answers(),
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

    /// The rates of workers in forms other than yes/no; empty as long as nobody answered any.
    pub(crate) fn forms(&self) -> &[FormRates] {
        self.crowd.known_forms()
    }

    pub(crate) fn judge(&self) -> Judge<'_> {
        Judge::Each(&self.crowd)
    }

    /// Draws rates for new workers, from the population and their gold answers.
    pub(crate) fn meet(&mut self, model: Model<'_>, prior: &WorkerPrior, rng: &mut impl Rng) {
        while self.rates.len() < model.evidence.workers() {
            let worker = Worker::new(self.rates.len() as u32);
            let tally = Tally::from_gold(model.evidence.gold(worker));
            self.push(self.draw(worker, model, prior, &tally, rng));
        }
        while model.evidence.has_forms() && self.forms().len() < self.rates.len() {
            let worker = Worker::new(self.forms().len() as u32);
            self.push_forms(FormTally::default().draw(&forms_prior(worker, model, prior), None, rng));
        }
    }

    /// Draws a worker's rates given their answers; for a pseudo-worker, the share of its statements that hold.
    fn draw(
        &self,
        worker: Worker,
        model: Model<'_>,
        prior: &WorkerPrior,
        tally: &Tally,
        rng: &mut impl Rng,
    ) -> Rates {
        if model.evidence.is_model(worker) {
            return draw_model_rates(if self.trusts_models { 0.0 } else { prior.unread() }, tally, rng);
        }
        let Some(pseudo) = model.evidence.pseudo(worker) else {
            return draw_rates(prior, &self.population, tally, rng);
        };
        let yes = |relation: Relation| tally.0[relation as usize][1];
        let (holds, fails) = (yes(Relation::Above), yes(Relation::Reversed) + yes(Relation::Neither));
        let BetaPrior { yes, no } = pseudo.share();
        let share = draw_rate(BetaPrior { yes: yes + holds, no: no + fails }, rng);
        pseudo.rates(share, model.evidence.head_odds())
    }

    pub(super) fn push(&mut self, rates: Rates) {
        self.crowd.push(&rates);
        push(&mut self.rates, rates);
    }

    /// The rates in other forms of the next worker, whose rates of yes/no are known.
    pub(super) fn push_forms(&mut self, forms: FormRates) {
        self.crowd.push_forms(forms);
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

    /// Fills in what [`Workers::snapshot`] leaves out.
    pub(crate) fn complete(&mut self, model: Model<'_>) {
        self.crowd.clear();
        self.rates.iter().for_each(|rates| self.crowd.push(rates));
        self.rescore_all(model);
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
                let edges = pair.edges(side).map(|ballot| (Kind::Edge, ballot));
                for (kind, ballot) in std::iter::once((Kind::Path, &pair.path[side])).chain(edges) {
                    if !ballot.is_empty() {
                        around.count(kind, upper, lower, ballot, prior, &mut tallies);
                    }
                }
            }
        }
        self.rates.clear();
        self.crowd.clear();
        for (worker, tally) in (0..).map(Worker::new).zip(&tallies) {
            self.push(self.draw(worker, model, prior, tally, rng));
        }
        let is_person = |&(worker, _): &(Worker, &Rates)| {
            model.evidence.pseudo(worker).is_none() && !model.evidence.is_model(worker)
        };
        let people = (0..).map(Worker::new).zip(&self.rates).filter(is_person).map(|(_, rates)| rates);
        self.population.redraw(prior, people, rng);
        self.redraw_forms(&around, model, prior, rng);
        self.rescore_all(model);
    }
}

impl Workers {
    /// Draws all rates in forms other than yes/no from their conditional posterior; nothing as long as nobody answered any.
    fn redraw_forms(
        &mut self,
        around: &Around<'_>,
        model: Model<'_>,
        prior: &WorkerPrior,
        rng: &mut impl Rng,
    ) {
        let before = self.crowd.take_forms();
        if !model.evidence.has_forms() {
            return;
        }
        let mut tallies = vec![FormTally::default(); model.evidence.workers()];
        let model = Model { divided: around.divided, ..model };
        for factor in model.evidence.factors().iter() {
            let above = model.above(around.shape, factor);
            tallies[factor.worker.index()].add(factor, above);
        }
        for ([low, high], pair) in model.pairs().iter() {
            for (side, (upper, lower)) in [(low, high), (high, low)].into_iter().enumerate() {
                for worker in pair.placers(side) {
                    tallies[worker.index()].place[around.placed(upper, lower, worker)] += 1.0;
                }
            }
        }
        for (at, tally) in tallies.iter().enumerate() {
            let prior = forms_prior(Worker::new(at as u32), model, prior);
            self.push_forms(tally.draw(&prior, before.get(at), rng));
        }
    }
}

/// What is believed about a worker's rates in forms other than yes/no before their first answer.
fn forms_prior(worker: Worker, model: Model<'_>, prior: &WorkerPrior) -> FormPriors {
    model.evidence.pseudo(worker).map_or_else(|| *prior.forms(), |pseudo| pseudo.forms())
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

    /// How right a person's place for a concept is: the parent (0), too wide (1) or wrong (2).
    fn placed(&self, upper: Concept, lower: Concept, worker: Worker) -> usize {
        let held = self.division(lower).filter(|division| division.is_held_by(worker.index()));
        let inside =
            |division: &Division| self.division(upper).is_some_and(|other| other.concept == division.concept);
        let parent = match held {
            Some(division) if division.concept == lower => division.second,
            _ => self.shape.parent(lower),
        };
        let is_above = match held {
            _ if upper.is_root() => true,
            Some(division) if !inside(division) => division.second_is_below(self.shape, upper),
            _ => self.shape.is_above(upper, lower),
        };
        if parent == upper { 0 } else { 2 - usize::from(is_above) }
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

/// A worker's answers in forms other than yes/no, by what they are in the worker's own tree.
#[derive(Clone, Default, Debug)]
struct FormTally {
    /// Picks with some options above: the lowest, by whether a wrong answer and a wider one were possible; then missed, wrong and wider.
    lowest: [[f64; 2]; 2],
    errors: [f64; 3],
    /// Picks with none: some option, none.
    unfounded_picks: [f64; 2],
    /// Boxes that should be ticked, and that should not: empty, ticked.
    boxes: [[f64; 2]; 2],
    /// Boxes below one that is ticked: empty, ticked.
    redundant: [f64; 2],
    /// The parent, too wide, wrong.
    place: [f64; 3],
}

impl FormTally {
    fn add(&mut self, factor: &Factor, above: crate::factors::Above) {
        let (count, options) = (above.mask.count_ones(), factor.options.len());
        match factor.said {
            Said::None if count == 0 => self.unfounded_picks[1] += 1.0,
            Said::Picked(_) if count == 0 => self.unfounded_picks[0] += 1.0,
            Said::None => self.errors[0] += 1.0,
            Said::Picked(option) if above.lowest == Some(option) => {
                self.lowest[usize::from((count as usize) < options)][usize::from(count > 1)] += 1.0;
            }
            Said::Picked(option) => self.errors[1 + usize::from(above.has(option.into()))] += 1.0,
            Said::Ticked(ticked) if above.mask > 1 => self.redundant[usize::from(ticked)] += 1.0,
            Said::Ticked(ticked) => self.boxes[usize::from(!above.has(0))][usize::from(ticked)] += 1.0,
        }
    }

    /// Draws rates given the answers, and given the rates before.
    ///
    /// A pick of the lowest option, where an error of some kind was not possible, counts as that error with the chance that the rates before give to
    /// it; so the distribution of the rates is a Dirichlet one. Without answers, nothing depends on the rates before.
    fn draw(&self, priors: &FormPriors, before: Option<&FormRates>, rng: &mut impl Rng) -> FormRates {
        let mut picks = priors.pick;
        picks.iter_mut().skip(1).zip(self.errors).for_each(|(count, errors)| *count += errors);
        picks[0] += self.lowest[1][1];
        let pick = before.map_or_else(|| priors.mean().pick, |rates| rates.pick);
        let right = 1.0 - pick.missed - pick.wrong - pick.wider;
        for (wrong, wider) in [(0, 0), (0, 1), (1, 0)] {
            let [wrong_too, wider_too] = [(wrong, pick.wrong), (wider, pick.wider)]
                .map(|(possible, rate)| if possible == 0 { rate } else { 0.0 });
            for _ in 0..self.lowest[wrong][wider] as usize {
                let drawn = rng.random::<f64>() * (right + wrong_too + wider_too);
                picks[if drawn < right {
                    0
                } else if drawn < right + wrong_too {
                    2
                } else {
                    3
                }] += 1.0;
            }
        }
        let mut places = priors.place;
        places.iter_mut().zip(self.place).for_each(|(count, more)| *count += more);
        let [_, missed, wrong, wider] = draw_shares(picks, rng);
        let mut draw = |prior: BetaPrior, [yes, no]: [f64; 2]| {
            draw_rate(BetaPrior { yes: prior.yes + yes, no: prior.no + no }, rng)
        };
        let unfounded = draw(priors.unfounded_pick, self.unfounded_picks);
        let [found, unfounded_tick, redundant] = [
            (priors.found, self.boxes[0]),
            (priors.unfounded_tick, self.boxes[1]),
            (priors.redundant, self.redundant),
        ]
        .map(|(prior, [empty, ticked])| draw(prior, [ticked, empty]));
        let [_, place_wider, place_wrong] = draw_shares(places, rng);
        FormRates {
            pick: PickRates { missed, wrong, wider, unfounded },
            tick: TickRates { found, unfounded: unfounded_tick, redundant },
            place: PlaceRates { wider: place_wider, wrong: place_wrong },
        }
    }
}

/// A Dirichlet draw in which every share is at least the least rate.
fn draw_shares<const M: usize>(counts: [f64; M], rng: &mut impl Rng) -> [f64; M] {
    let mut draw = || {
        let draws = counts
            .map(|count| Gamma::new(count, 1.0).expect("counts of a valid prior stay positive").sample(rng));
        let total: f64 = draws.iter().sum();
        draws.map(|draw| draw / total)
    };
    let allowed = |shares: &[f64; M]| shares.iter().all(|share| *share >= LEAST_RATE);
    let drawn = std::iter::repeat_with(&mut draw).take(MOST_DRAWS).find(allowed);
    // After so many rejected draws, nearly all of the distribution lies beyond one end.
    drawn.unwrap_or_else(|| {
        let shares = draw().map(|share| if share >= LEAST_RATE { share } else { LEAST_RATE });
        let total: f64 = shares.iter().sum();
        shares.map(|share| share / total)
    })
}

/// Draws of rates before the nearest that is allowed is taken.
const MOST_DRAWS: usize = 100;

/// Draws a worker's rates from their posterior: first whether they read the questions, then the rates.
fn draw_rates(prior: &WorkerPrior, population: &Population, tally: &Tally, rng: &mut impl Rng) -> Rates {
    if prior.unread() > 0.0 && rng.random::<f64>() < unread_chance(prior, population, tally) {
        return draw_unread(tally, rng);
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

/// The one rate of a worker who does not read the questions.
fn draw_unread(tally: &Tally, rng: &mut impl Rng) -> Rates {
    let [no, yes] = tally.total();
    let rate = draw_rate(BetaPrior { yes: ANY_RATE.yes + yes, no: ANY_RATE.no + no }, rng);
    Rates::three(rate, rate, rate).expect("a Beta draw is a rate")
}

/// The same for language models: whether what they say depends on the question, then the rates.
fn draw_model_rates(unread: f64, tally: &Tally, rng: &mut impl Rng) -> Rates {
    let [above, reversed, neither] = tally.0;
    let said = ModelTally { above, not_above: [reversed[0] + neither[0], reversed[1] + neither[1]] };
    let errors = said.errors();
    let odds = (unread / (1.0 - unread)).ln() + log_evidence(ANY_RATE, tally.total()) - errors.log_total();
    if rng.random::<f64>() < sigmoid(odds) {
        return draw_unread(tally, rng);
    }
    let error = errors.draw(rng);
    let found = draw_rate(said.found(error), rng);
    Rates::three(found, error, error).expect("these are rates")
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
    let drawn = std::iter::repeat_with(|| distribution.sample(rng))
        .take(MOST_DRAWS)
        .find(|rate| allowed.contains(rate));
    // After a hundred rejected draws, nearly all of the distribution lies beyond one end.
    drawn.unwrap_or(if beta.mean() > 0.5 { 1.0 - LEAST_RATE } else { LEAST_RATE })
}
