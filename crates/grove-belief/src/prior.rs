use std::collections::BTreeMap;

use grove_tree::Concept;

use crate::Error;

/// No log-odds may be larger: e to this power is beyond doubt, and sums over all pairs keep their digits.
const LARGEST_ODDS: f64 = 1e6;

/// What is believed before the first vote: uniform over all trees, unless told otherwise.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Prior {
    per_ancestor: f64,
    odds: BTreeMap<(Concept, Concept), f64>,
}

impl Prior {
    /// Every tree alike.
    #[must_use]
    pub fn uniform() -> Self {
        Self::default()
    }

    /// What people's hierarchies look like: shallower than most trees. With the uniform prior, certainties about them come out too low,
    /// because so many deep trees are never asked about; with a penalty of one or more, a concept that divides people drifts to the top.
    #[must_use]
    pub fn taxonomy() -> Self {
        Self { per_ancestor: -0.5, odds: BTreeMap::new() }
    }

    /// Multiplies a tree's prior by e^-`penalty` for every pair of concepts of which one is above the other, so that wide and
    /// shallow hierarchies, which people make, are likelier than the deep ones that dominate a uniform draw.
    ///
    /// # Errors
    /// [`Error::BadOdds`] unless the penalty is a number within a million of 0.
    pub fn shallow(penalty: f64) -> Result<Self, Error> {
        if penalty.abs() <= LARGEST_ODDS {
            Ok(Self { per_ancestor: -penalty, odds: BTreeMap::new() })
        } else {
            Err(Error::BadOdds)
        }
    }

    /// Multiplies the prior of all trees with `upper` above `lower` by e^`log_odds`: from a language model, or an old taxonomy.
    ///
    /// # Errors
    /// [`Error::BadOdds`] unless the odds are a number within a million of 0; [`Error::SameConcept`] and [`Error::AboutTheRoot`] as for questions.
    pub fn with_odds(mut self, upper: Concept, lower: Concept, log_odds: f64) -> Result<Self, Error> {
        crate::Question::path(upper, lower)?;
        if log_odds.abs() <= LARGEST_ODDS {
            self.odds.insert((upper, lower), log_odds);
            Ok(self)
        } else {
            Err(Error::BadOdds)
        }
    }

    /// The constant added to the log-posterior for every ancestor pair.
    #[must_use]
    pub fn per_ancestor(&self) -> f64 {
        self.per_ancestor
    }

    /// The pairs (upper, lower) with odds of their own.
    pub fn odds(&self) -> impl Iterator<Item = ((Concept, Concept), f64)> {
        self.odds.iter().map(|(&pair, &odds)| (pair, odds))
    }

    /// The same prior with concepts renamed, without the pairs that are gone. Where two pairs become one, both speak of it.
    pub(crate) fn renamed(&self, rename: impl Fn(Concept) -> Option<Concept>) -> Self {
        let mut renamed = Self { per_ancestor: self.per_ancestor, odds: BTreeMap::new() };
        for (&(upper, lower), &odds) in &self.odds {
            if let (Some(upper), Some(lower)) = (rename(upper), rename(lower))
                && upper != lower
            {
                *renamed.odds.entry((upper, lower)).or_default() += odds;
            }
        }
        renamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_odds_that_drown_all_others() {
        let (one, two) = (Concept::new(1), Concept::new(2));
        for odds in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1.1e6] {
            assert_eq!(Prior::shallow(odds), Err(Error::BadOdds));
            assert_eq!(Prior::uniform().with_odds(one, two, odds), Err(Error::BadOdds));
        }
        assert!(Prior::shallow(1e6).unwrap().with_odds(one, two, -1e6).is_ok());
    }
}
