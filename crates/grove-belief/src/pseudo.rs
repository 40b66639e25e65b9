//! Workers who are no people: what else is known of the concepts, read as the answers of somebody whose rates are learnt with the hierarchy.
//!
//! They are believed as far as people's answers bear them out, and no further. What they say is kept apart from votes
//! ([`Evidence::hint`](crate::Evidence::hint)), so that nothing which counts people or votes can count them.

use serde::{Deserialize, Serialize};

use crate::form_rates::{FormPriors, FormRates, PickRates, PlaceRates, TickRates};
use crate::noise::{BetaPrior, Rates};

/// A worker who is no person.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PseudoWorker {
    /// Says yes to "is a jacket above a leather jacket?", since the one name is the head of the other.
    Names,
    /// Has placed every concept: a hierarchy that was there before.
    Hierarchy,
}

/// How often a concept is above another by its name, before anybody answered: as after two pairs of which it is, and two of which it is not. In
/// reference hierarchies, 20 to 77 % of such pairs hold.
const HEADS: BetaPrior = BetaPrior { yes: 2.0, no: 2.0 };

/// The chance that a concept has others below it before anybody answered: most hierarchies have few parents. With a larger one, names would be held to be
/// wrong for no other reason than that.
const PARENT: f64 = 0.25;

/// A hierarchy that was there before: 85 of 100 places are right, 5 too wide; as sure as after ten places.
const PLACES: PlaceRates = PlaceRates { wider: 0.05, wrong: 0.1 };
const PLACES_SEEN: f64 = 10.0;

impl PseudoWorker {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Names, Self::Hierarchy];

    /// The word for it in JSON and in the log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::Hierarchy => "hierarchy",
        }
    }

    /// The prior of the share of its statements that hold.
    pub(crate) fn share(self) -> BetaPrior {
        HEADS
    }

    /// The rates by which its statements count if this share of them holds.
    ///
    /// # Formula
    /// P(yes | above) = s and P(yes | not above) = (1 - s) o, where o are the odds that a concept is above another before anybody answered
    /// ([`odds_of_head`]). A pair that it names is then above with a chance of s before anybody answers, whatever the number of concepts, as long as the rate is
    /// above the least that is assumed of anybody; and given the tree, s has a Beta distribution.
    pub(crate) fn rates(self, share: f64, odds: f64) -> Rates {
        let unfounded = (1.0 - share) * odds;
        Rates::three(share, unfounded, unfounded).expect("a share is a rate")
    }

    /// The expected rates before anybody answered.
    pub(crate) fn mean(self, odds: f64) -> Rates {
        self.rates(self.share().mean(), odds)
    }

    /// The prior of its rates in forms other than yes/no; only that of places matters.
    pub(crate) fn forms(self) -> FormPriors {
        let rates = FormRates {
            pick: PickRates { missed: 0.1, wrong: 0.1, wider: 0.1, unfounded: 0.1 },
            tick: TickRates { found: 0.9, unfounded: 0.1, redundant: 0.5 },
            place: PLACES,
        };
        FormPriors::around(rates, PLACES_SEEN).expect("these are rates")
    }
}

/// The odds that a concept is above another before anybody answered, if its name is the head of so many: it has others below it with a chance of 1/4, and
/// then all that it is the head of. Counted as if independent (m = 1 for each), seven statements about one head outweighed four people who said no to all of
/// them.
pub(crate) fn odds_of_head(together: f64, concepts: usize) -> f64 {
    PARENT * together.max(1.0) / concepts.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Relation;

    #[test]
    fn a_statement_holds_with_its_share_whatever_the_number_of_concepts() {
        for (concepts, share) in [(10, 0.5), (30, 0.7), (150, 0.3)] {
            let before = odds_of_head(1.0, concepts);
            let rates = PseudoWorker::Names.rates(share, before);
            let ratio = rates.yes(Relation::Above) / rates.yes(Relation::Neither);
            let odds = ratio * before;
            assert!((odds / (1.0 + odds) - share).abs() < 1e-9, "{concepts} {share}");
        }
    }
}
