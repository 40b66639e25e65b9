use std::collections::BTreeMap;

use grove_tree::{Concept, Tree};

use crate::Error;

/// No log-odds may be larger: e to this power is beyond doubt, and sums over all pairs keep their digits.
const LARGEST_ODDS: f64 = 1e6;

/// The penalty of [`Prior::taxonomy`] on every parent. The reference hierarchies in `grove-sim/data` fit 4.6 to 7.7 best, each by its own share of parents; this is
/// milder than all of them, so that votes decide.
const TAXONOMY: f64 = 3.5;

/// What is believed before the first vote. The default is uniform over all trees.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Prior {
    per_ancestor: f64,
    per_parent: f64,
    odds: BTreeMap<(Concept, Concept), f64>,
}

impl Prior {
    /// All trees are equally probable.
    #[must_use]
    pub fn uniform() -> Self {
        Self::default()
    }

    /// A prior fitted to hierarchies that people make, in which most concepts have nothing below them. In a uniform draw two of three do, so
    /// that with the uniform prior certainties about real hierarchies come out too low: it leaves probability to places that nobody would choose.
    #[must_use]
    pub fn taxonomy() -> Self {
        Self { per_parent: -TAXONOMY, ..Self::default() }
    }

    /// Multiplies a tree's prior by e^-`penalty` for every concept that has others below it (the root does not count).
    ///
    /// # Errors
    /// [`Error::BadOdds`] unless the penalty is a number within a million of 0.
    pub fn few_parents(mut self, penalty: f64) -> Result<Self, Error> {
        self.per_parent = -checked(penalty)?;
        Ok(self)
    }

    /// Multiplies a tree's prior by e^-`penalty` for every pair of concepts of which one is above the other, so that wide and
    /// shallow hierarchies, which people make, are likelier than the deep ones that dominate a uniform draw.
    ///
    /// # Errors
    /// [`Error::BadOdds`] unless the penalty is a number within a million of 0.
    pub fn shallow(penalty: f64) -> Result<Self, Error> {
        Ok(Self { per_ancestor: -checked(penalty)?, ..Self::default() })
    }

    /// Multiplies the prior of all trees with `upper` above `lower` by e^`log_odds`, which may come from a language model or an older taxonomy.
    ///
    /// # Errors
    /// [`Error::BadOdds`] unless the odds are a number within a million of 0; [`Error::Pair`] as for questions.
    pub fn with_odds(mut self, upper: Concept, lower: Concept, log_odds: f64) -> Result<Self, Error> {
        crate::Question::path(upper, lower)?;
        self.odds.insert((upper, lower), checked(log_odds)?);
        Ok(self)
    }

    /// The constant added to the log-posterior for every ancestor pair.
    #[must_use]
    pub fn per_ancestor(&self) -> f64 {
        self.per_ancestor
    }

    /// The constant added to the log-posterior for every concept that has others below it.
    #[must_use]
    pub fn per_parent(&self) -> f64 {
        self.per_parent
    }

    /// Whether all shapes of trees are equally probable.
    pub(crate) fn ignores_shape(&self) -> bool {
        self.per_ancestor == 0.0 && self.per_parent == 0.0
    }

    /// The part of a tree's log-prior that its shape alone decides. O(N depth).
    pub(crate) fn of_shape(&self, tree: &Tree) -> f64 {
        if self.ignores_shape() {
            return 0.0;
        }
        let ancestors: usize = tree.concepts().map(|concept| tree.ancestors(concept).count()).sum();
        let mut is_parent = vec![false; tree.concepts().len() + 1];
        tree.parents().iter().for_each(|parent| is_parent[parent.index()] = true);
        let parents = is_parent[1..].iter().filter(|is_parent| **is_parent).count();
        self.per_ancestor * ancestors as f64 + self.per_parent * parents as f64
    }

    /// The pairs (upper, lower) with odds of their own.
    pub fn odds(&self) -> impl Iterator<Item = ((Concept, Concept), f64)> {
        self.odds.iter().map(|(&pair, &odds)| (pair, odds))
    }

    /// The same prior with concepts renamed, without the pairs that are gone. Where two pairs become one, their odds multiply.
    pub(crate) fn renamed(&self, rename: impl Fn(Concept) -> Option<Concept>) -> Self {
        let mut renamed = Self { odds: BTreeMap::new(), ..*self };
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

fn checked(log_odds: f64) -> Result<f64, Error> {
    if log_odds.abs() <= LARGEST_ODDS { Ok(log_odds) } else { Err(Error::BadOdds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_odds_that_drown_all_others() {
        let (one, two) = (Concept::new(1), Concept::new(2));
        for odds in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1.1e6] {
            assert_eq!(Prior::shallow(odds), Err(Error::BadOdds));
            assert_eq!(Prior::uniform().few_parents(odds), Err(Error::BadOdds));
            assert_eq!(Prior::uniform().with_odds(one, two, odds), Err(Error::BadOdds));
        }
        assert!(Prior::shallow(1e6).unwrap().with_odds(one, two, -1e6).is_ok());
    }
}
