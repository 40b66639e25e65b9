use std::collections::BTreeMap;

use grove_tree::Concept;

use crate::Error;

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

    /// Multiplies a tree's prior by e^-`penalty` for every pair of concepts of which one is above the other, so that wide and
    /// shallow hierarchies, which people make, are likelier than the deep ones that dominate a uniform draw.
    ///
    /// # Errors
    /// [`Error::BadOdds`] unless the penalty is finite.
    pub fn shallow(penalty: f64) -> Result<Self, Error> {
        if penalty.is_finite() {
            Ok(Self { per_ancestor: -penalty, odds: BTreeMap::new() })
        } else {
            Err(Error::BadOdds)
        }
    }

    /// Multiplies the prior of all trees with `upper` above `lower` by e^`log_odds`: from a language model, or an old taxonomy.
    ///
    /// # Errors
    /// [`Error::BadOdds`] unless the odds are finite; [`Error::SameConcept`] and [`Error::AboutTheRoot`] as for questions.
    pub fn with_odds(mut self, upper: Concept, lower: Concept, log_odds: f64) -> Result<Self, Error> {
        crate::Question::path(upper, lower)?;
        if !log_odds.is_finite() {
            return Err(Error::BadOdds);
        }
        self.odds.insert((upper, lower), log_odds);
        Ok(self)
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

    /// The same prior with concepts renamed, without the pairs that are gone.
    pub(crate) fn renamed(&self, rename: impl Fn(Concept) -> Option<Concept>) -> Self {
        let renamed = |(&(upper, lower), &odds): (&(Concept, Concept), &f64)| {
            let pair = (rename(upper)?, rename(lower)?);
            (pair.0 != pair.1).then_some((pair, odds))
        };
        Self { per_ancestor: self.per_ancestor, odds: self.odds.iter().filter_map(renamed).collect() }
    }
}
