//! How often people say yes, depending on the true relation of two concepts.

use crate::Error;
use crate::form_rates::{FormPriors, FormRates};
use crate::population::Population;

/// The lowest chance of an answer that is ever assumed: everybody makes slips, and an answer taken for certain could never be
/// outweighed.
pub const LEAST_RATE: f64 = 1e-3;

/// The relation of the two concepts of a question in a hierarchy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// The upper concept is above the lower one: the honest answer is yes.
    Above,
    /// It is the other way round.
    Reversed,
    /// Neither is above the other.
    Neither,
}

impl Relation {
    /// All relations, each at its own index.
    pub(crate) const ALL: [Self; 3] = [Self::Above, Self::Reversed, Self::Neither];
}

/// The chances that a person says yes, given the relation.
///
/// An edge question has two cases: the edge exists (as [`Relation::Above`]) or not (as [`Relation::Neither`]).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    yes: [f64; 3],
}

impl Rates {
    /// One noise rate g: every answer is wrong with this chance, or with [`LEAST_RATE`] if that is larger.
    ///
    /// # Errors
    /// [`Error::BadRate`] unless 0 <= g <= 1.
    pub fn one(noise: f64) -> Result<Self, Error> {
        Self::two(noise, noise)
    }

    /// A rate of false yes and a rate of false no.
    ///
    /// # Errors
    /// [`Error::BadRate`] unless both are within 0 and 1.
    pub fn two(false_yes: f64, false_no: f64) -> Result<Self, Error> {
        Self::three(1.0 - false_no, false_yes, false_yes)
    }

    /// The chances of yes when the upper is above the lower, below it, or neither: people confuse the direction more often than they
    /// relate concepts that have nothing to do with each other.
    ///
    /// # Errors
    /// [`Error::BadRate`] unless all are within 0 and 1.
    pub fn three(above: f64, reversed: f64, neither: f64) -> Result<Self, Error> {
        let yes = [above, reversed, neither];
        match yes.iter().find(|rate| !(0.0..=1.0).contains(*rate)) {
            Some(&rate) => Err(Error::BadRate(rate)),
            None => Ok(Self { yes: yes.map(|rate| rate.clamp(LEAST_RATE, 1.0 - LEAST_RATE)) }),
        }
    }

    /// The chance of a yes.
    #[must_use]
    pub fn yes(&self, relation: Relation) -> f64 {
        self.yes[relation as usize]
    }

    /// The chances of a yes: above, reversed, neither.
    pub(crate) fn by_relation(&self) -> [f64; 3] {
        self.yes
    }

    /// The mean of several; `None` if there are none.
    pub(crate) fn mean(all: impl Iterator<Item = Self>) -> Option<Self> {
        let (mut sum, mut count) = ([0.0; 3], 0.0);
        for rates in all {
            sum.iter_mut().zip(rates.yes).for_each(|(sum, yes)| *sum += yes);
            count += 1.0;
        }
        (count > 0.0).then(|| Self { yes: sum.map(|sum| sum / count) })
    }

    /// ln of the chance of a yes or of a no.
    pub(crate) fn log_likelihood(&self, relation: Relation, yes: bool) -> f64 {
        let rate = self.yes(relation);
        if yes { rate.ln() } else { (-rate).ln_1p() }
    }
}

/// A Beta distribution over a rate of yes, given as counts of imaginary earlier answers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BetaPrior {
    /// Imaginary yes answers.
    pub yes: f64,
    /// Imaginary no answers.
    pub no: f64,
}

impl BetaPrior {
    /// The mean rate of yes.
    #[must_use]
    pub fn mean(self) -> f64 {
        self.yes / (self.yes + self.no)
    }

    fn is_valid(self) -> bool {
        [self.yes, self.no].iter().all(|count| count.is_finite() && *count > 0.0)
    }
}

/// What is believed about a worker before their first vote: one Beta distribution per relation, for those who read the questions. A few do
/// not: they say yes at one rate, which may be any, whatever they are asked.
///
/// The Beta distributions are given, or learnt from all workers together: crowds differ, and how good most of a crowd is tells much
/// about a person who has answered little.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WorkerPrior {
    rates: [BetaPrior; 3],
    directions: bool,
    unread: f64,
    learnt: bool,
    forms: FormPriors,
}

impl WorkerPrior {
    /// Two rates per worker, of yes when the upper is above and when it is not.
    ///
    /// # Errors
    /// [`Error::BadPrior`] unless all counts are positive.
    pub fn two(above: BetaPrior, not_above: BetaPrior) -> Result<Self, Error> {
        Self::checked([above, not_above, not_above], false)
    }

    /// Three rates per worker: above, reversed, neither.
    ///
    /// # Errors
    /// [`Error::BadPrior`] unless all counts are positive.
    pub fn three(above: BetaPrior, reversed: BetaPrior, neither: BetaPrior) -> Result<Self, Error> {
        Self::checked([above, reversed, neither], true)
    }

    fn checked(rates: [BetaPrior; 3], directions: bool) -> Result<Self, Error> {
        if rates.iter().all(|prior| prior.is_valid()) {
            Ok(Self { rates, directions, unread: 0.0, learnt: false, forms: FormPriors::default() })
        } else {
            Err(Error::BadPrior)
        }
    }

    /// Assumes that this share of workers does not read the questions.
    ///
    /// # Errors
    /// [`Error::BadPrior`] unless 0 <= share < 1.
    pub fn with_unread(self, share: f64) -> Result<Self, Error> {
        if (0.0..1.0).contains(&share) { Ok(Self { unread: share, ..self }) } else { Err(Error::BadPrior) }
    }

    /// The prior of one careful person who answers alone: one answer in a hundred is wrong, in every form; as sure as after two hundred answers.
    ///
    /// Nobody else answers, so with a weaker prior the rates would be learnt from the prior over trees instead: there
    /// are so many hierarchies in which some places were slips that after thirty places without one, slips seemed
    /// three times as frequent as at the start.
    #[must_use]
    pub fn careful() -> Self {
        const ANSWERS: f64 = 200.0;
        let rates = Rates { yes: [0.99, 0.01, 0.01] };
        let forms = FormPriors::around(FormRates::told(&rates), ANSWERS).expect("valid rates");
        let [rarely, mostly] = [0.01 * ANSWERS, 0.99 * ANSWERS];
        let (mostly, rarely) = (BetaPrior { yes: mostly, no: rarely }, BetaPrior { yes: rarely, no: mostly });
        Self { rates: [mostly, rarely, rarely], directions: false, unread: 0.0, learnt: false, forms }
    }

    /// Sets the prior for forms other than yes/no.
    #[must_use]
    pub fn with_forms(self, forms: FormPriors) -> Self {
        Self { forms, ..self }
    }

    /// The prior for forms other than yes/no.
    #[must_use]
    pub fn forms(&self) -> &FormPriors {
        &self.forms
    }

    /// The share of workers who do not read the questions.
    #[must_use]
    pub fn unread(&self) -> f64 {
        self.unread
    }

    /// The relation whose rate applies: with two rates, reversed counts as "not above".
    pub(crate) fn class(&self, relation: Relation) -> Relation {
        match relation {
            Relation::Reversed if !self.directions => Relation::Neither,
            other => other,
        }
    }

    /// Whether the Beta distributions are learnt with the hierarchy, and [`WorkerPrior::rate`] is only where they start from.
    #[must_use]
    pub fn learns_population(&self) -> bool {
        self.learnt
    }

    /// The prior of the rate for a relation.
    #[must_use]
    pub fn rate(&self, relation: Relation) -> BetaPrior {
        self.rates[self.class(relation) as usize]
    }

    /// The expected rates of an unknown worker.
    #[must_use]
    pub fn mean(&self) -> Rates {
        self.mean_in(&Population::typical(self))
    }

    /// The expected rates of an unknown worker of a population.
    pub(crate) fn mean_in(&self, population: &Population) -> Rates {
        let mean = |relation| {
            let mean = (1.0 - self.unread) * population.rate(self.class(relation)).mean() + self.unread * 0.5;
            mean.clamp(LEAST_RATE, 1.0 - LEAST_RATE)
        };
        Rates { yes: Relation::ALL.map(mean) }
    }
}

impl Default for WorkerPrior {
    /// Two rates; how good people are is learnt, starting from open crowds, which say yes to four of five true statements and to one of
    /// five false ones; and one worker in ten does not read the questions.
    fn default() -> Self {
        let (mostly, rarely) = (BetaPrior { yes: 4.8, no: 1.2 }, BetaPrior { yes: 1.2, no: 4.8 });
        Self {
            rates: [mostly, rarely, rarely],
            directions: false,
            unread: 0.1,
            learnt: true,
            forms: FormPriors::default(),
        }
    }
}

/// The model of how people answer.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Noise {
    /// The same given rates for everybody.
    Given(Rates),
    /// Given rates for every worker by number, and for those past the end of the list.
    Workers {
        /// Rates by worker number.
        known: Vec<Rates>,
        /// Rates of everybody else.
        others: Rates,
    },
    /// The paper's model: the majority of a question's votes counts as one answer, with a noise rate estimated from the same votes,
    /// (minority + 1) / (votes + 2).
    Majority,
    /// Every worker's rates are unknown and learnt together with the hierarchy.
    Learnt(WorkerPrior),
}

/// The noise rate assumed for a first answer, where the rate is estimated from the answers.
const UNKNOWN_NOISE: f64 = 0.1;

impl Noise {
    /// The expected rates of a worker, before any vote.
    #[must_use]
    pub fn rates(&self, worker: crate::Worker) -> Rates {
        match self {
            Self::Given(rates) => *rates,
            Self::Workers { known, others } => known.get(worker.index()).copied().unwrap_or(*others),
            Self::Majority => Rates { yes: [1.0 - UNKNOWN_NOISE, UNKNOWN_NOISE, UNKNOWN_NOISE] },
            Self::Learnt(prior) => prior.mean(),
        }
    }

    /// The expected rates of a worker in forms other than yes/no, before any answer; [`FormRates::told`] where rates
    /// are given.
    #[must_use]
    pub fn form_rates(&self, worker: crate::Worker) -> FormRates {
        match self {
            Self::Learnt(prior) => prior.forms().mean(),
            told => FormRates::told(&told.rates(worker)),
        }
    }

    /// The prior of the workers' rates, if these are learnt.
    pub(crate) fn learnt(&self) -> Option<&WorkerPrior> {
        if let Self::Learnt(prior) = self { Some(prior) } else { None }
    }
}
