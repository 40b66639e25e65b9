//! Pseudo-workers: other knowledge about the concepts, treated as the answers of a worker whose error rates are
//! learnt together with the hierarchy.
//!
//! They are trusted only as far as people's answers confirm them. What they say is kept apart from votes
//! ([`Evidence::hint`](crate::Evidence::hint)), so that no count of people or votes includes them.

use serde::{Deserialize, Serialize};

use crate::form_rates::{FormPriors, FormRates, PickRates, PlaceRates, TickRates};
use crate::noise::{BetaPrior, Rates};

/// A worker that is not a person.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PseudoWorker {
    /// Says that a jacket is the parent of a leather jacket, since the one name is the head of the other. It speaks
    /// about parents, and not about all that is above, because every concept has one parent whatever the shape of the
    /// tree: seven statements that one concept is above another made 23 of 29 concepts parents before the first answer,
    /// since in deep trees more pairs happen to be so.
    Names,
    /// Has placed every concept: an existing hierarchy that the campaign starts from.
    Hierarchy,
}

/// The prior of how often a concept whose name is the head of another's is its parent: as after two pairs for which
/// this holds and two for which it does not. In the reference hierarchies 20 to 77 % of such concepts are above the other.
const HEADS: BetaPrior = BetaPrior { yes: 2.0, no: 2.0 };

/// The prior chance that a concept has others below it: most hierarchies have few parents. If this chance were
/// larger, names would be judged wrong for that reason alone.
const PARENT: f64 = 0.25;

/// An existing hierarchy: 85 of 100 places are right and 5 too wide, with the weight of ten observed places.
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
    /// P(yes | parent) = s and P(yes | not) = (1 - s) o, where o are the prior odds that a concept is the parent of
    /// another ([`odds_of_head`]). Before any answers, a pair that it names then holds with probability s, whatever
    /// the number of concepts, provided that the rate is above the least rate assumed for any worker; and given the
    /// tree, s has a Beta distribution.
    pub(crate) fn rates(self, share: f64, odds: f64) -> Rates {
        let unfounded = (1.0 - share) * odds;
        Rates::three(share, unfounded, unfounded).expect("a share is a rate")
    }

    /// The expected rates before any answers.
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

/// The prior odds that a concept is the parent of another, if its name is the head of `together` names: it has
/// others below it with a chance p of 1/4, and then each of those is one of them with odds of 1 to p N. The odds for
/// one statement are the geometric mean over all. Were they counted as independent (`together` = 1 for each), seven
/// statements about one head would outweigh four people who said no to all of them.
pub(crate) fn odds_of_head(together: f64, concepts: usize) -> f64 {
    PARENT.powf(1.0 / together.max(1.0)) / (PARENT * concepts.max(1) as f64)
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
