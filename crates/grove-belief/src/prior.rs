use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use grove_tree::{Concept, Tree};

use crate::Error;
use crate::ballot::ln_add;

/// No log-odds may be larger: e to this power is beyond doubt, and sums over all pairs keep their digits.
const LARGEST_ODDS: f64 = 1e6;

/// The penalty on every parent that stands in for [`Prior::taxonomy`] in engines that can only multiply one factor per parent.
/// The reference hierarchies in `grove-sim/data` fit 4.6 to 7.7 best; this is milder than all of them, so that votes decide.
const TAXONOMY: f64 = 3.5;

/// The penalties that [`Prior::taxonomy`] learns from, -2 to 7, all equally probable at first. The reference hierarchies are among
/// the larger ones; the smaller ones keep a list of three concepts from looking settled before anybody was asked.
const LEAST_PENALTY: f64 = -2.0;
const PENALTY_STEP: f64 = 0.5;
const PENALTIES: usize = 19;

/// What is believed before the first vote. The default is uniform over all trees.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Prior {
    per_ancestor: f64,
    parents: Parents,
    odds: BTreeMap<(Concept, Concept), f64>,
}

/// What is believed of the number of parents: of concepts, not the root, with others below them.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Parents {
    /// ln of the factor for every parent.
    Factor(f64),
    /// The factor is learnt.
    Learnt,
}

impl Default for Parents {
    fn default() -> Self {
        Self::Factor(0.0)
    }
}

impl Prior {
    /// All trees are equally probable.
    #[must_use]
    pub fn uniform() -> Self {
        Self::default()
    }

    /// The prior for hierarchies that people make: every concept that has others below it costs a penalty, and the
    /// size of the penalty is learnt with the tree.
    ///
    /// Most concepts of a real hierarchy have nothing below them, while in a uniform draw two of three do; how many
    /// do differs from list to list and is learnt from the votes. The penalty is any of -2, -1.5, ... 7 with equal
    /// chances; given it, P(T) = e^(-penalty k) / Z(penalty) for a tree with k such concepts. The engines `exact` and
    /// `weights` use a fixed penalty instead, and say that they are approximate.
    #[must_use]
    pub fn taxonomy() -> Self {
        Self { parents: Parents::Learnt, ..Self::default() }
    }

    /// Multiplies a tree's prior by e^-`penalty` for every concept that has others below it (the root does not count).
    ///
    /// # Errors
    /// [`Error::BadOdds`] unless the penalty is a number within a million of 0.
    pub fn few_parents(mut self, penalty: f64) -> Result<Self, Error> {
        self.parents = Parents::Factor(-checked(penalty)?);
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

    /// The constant added to the log-posterior for every concept that has others below it; for [`Prior::taxonomy`], the fixed
    /// penalty that stands in for it.
    #[must_use]
    pub fn per_parent(&self) -> f64 {
        match self.parents {
            Parents::Factor(log) => log,
            Parents::Learnt => -TAXONOMY,
        }
    }

    /// Whether the number of parents is learnt: not a factor per parent.
    pub(crate) fn learns_parents(&self) -> bool {
        self.parents == Parents::Learnt
    }

    /// Whether all shapes of trees are equally probable.
    pub(crate) fn ignores_shape(&self) -> bool {
        self.per_ancestor == 0.0 && self.parents == Parents::default()
    }

    /// The prior of the number of parents among this many concepts. If that number is learnt, its first use is O(N^2).
    pub(crate) fn of_parents(&self, count: usize) -> ParentPrior {
        match self.parents {
            Parents::Factor(log) => ParentPrior::Factor(log),
            Parents::Learnt => ParentPrior::Table(Arc::new(Table { count, logs: OnceLock::new() })),
        }
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
        self.per_ancestor * ancestors as f64 + self.per_parent() * parents as f64
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

/// The log-prior of a tree by its number of parents.
#[derive(Clone, Debug)]
pub(crate) enum ParentPrior {
    /// A constant for every parent.
    Factor(f64),
    /// One value for every possible number, up to a constant.
    Table(Arc<Table>),
}

/// The log-priors of all numbers of parents, computed when they are first needed: concepts that join one after the other need only
/// the last of their tables.
#[derive(Debug)]
pub(crate) struct Table {
    count: usize,
    logs: OnceLock<Vec<f64>>,
}

impl Table {
    fn logs(&self) -> &[f64] {
        self.logs.get_or_init(|| learnt_penalty(self.count))
    }
}

impl ParentPrior {
    /// The log-prior of a tree with this many parents, up to a constant.
    pub(crate) fn log(&self, parents: usize) -> f64 {
        match self {
            Self::Factor(log) => log * parents as f64,
            Self::Table(table) => {
                let logs = table.logs();
                logs[parents.min(logs.len() - 1)]
            }
        }
    }

    /// What one more parent adds. A tree of all concepts has at least one leaf; past that, the last step is repeated.
    pub(crate) fn step(&self, parents: usize) -> f64 {
        match self {
            Self::Factor(log) => *log,
            Self::Table(table) if table.count < 2 => 0.0,
            Self::Table(table) => {
                let logs = table.logs();
                let parents = parents.min(logs.len() - 2);
                logs[parents + 1] - logs[parents]
            }
        }
    }
}

/// The log-prior of a tree by its number of parents, k = 0 .. N-1, the penalty for each being unknown: ln of the mean over penalties of
/// e^(-penalty k) / Z(penalty), where Z(penalty) = sum over k of M_k e^(-penalty k) and M_k is the number of trees with k parents.
fn learnt_penalty(count: usize) -> Vec<f64> {
    let trees = trees_by_parents(count);
    let penalties = || (0..PENALTIES).map(|at| LEAST_PENALTY + PENALTY_STEP * at as f64);
    let normalisers: Vec<f64> = penalties()
        .map(|penalty| {
            trees
                .iter()
                .enumerate()
                .map(|(k, trees)| trees - penalty * k as f64)
                .fold(f64::NEG_INFINITY, ln_add)
        })
        .collect();
    let of = |k: usize| {
        let terms =
            penalties().zip(&normalisers).map(|(penalty, normaliser)| -penalty * k as f64 - normaliser);
        terms.fold(f64::NEG_INFINITY, ln_add)
    };
    (0..count).map(of).collect()
}

/// ln M_k for k = 0 .. N-1, where M_k is the number of trees of N concepts with k parents.
///
/// # Formula
/// In the code of Pruefer a tree is a sequence of N-1 of its nodes, in which just the parents occur, and the root at will. So M_k = C(N, k) r(N-1, k), where
/// r(L, j) counts the sequences of length L over the root and j parents that all occur: r(L+1, j) = (j+1) r(L, j) + j r(L, j-1).
fn trees_by_parents(count: usize) -> Vec<f64> {
    let mut sequences = vec![f64::NEG_INFINITY; count];
    sequences[0] = 0.0;
    let logs: Vec<f64> = (0..=count).map(|number| (number as f64).ln()).collect();
    for length in 0..count - 1 {
        for parents in (1..=(length + 1).min(count - 1)).rev() {
            let (same, fewer) =
                (sequences[parents] + logs[parents + 1], sequences[parents - 1] + logs[parents]);
            sequences[parents] = ln_add(same, fewer);
        }
    }
    let mut choices = 0.0;
    let of = |(parents, sequences): (usize, &f64)| {
        if parents > 0 {
            choices += logs[count - parents + 1] - logs[parents];
        }
        choices + sequences
    };
    sequences.iter().enumerate().map(of).collect()
}

fn checked(log_odds: f64) -> Result<f64, Error> {
    if log_odds.abs() <= LARGEST_ODDS { Ok(log_odds) } else { Err(Error::BadOdds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every list of parents without a cycle, counted by its number of parents.
    #[test]
    fn trees_are_counted_by_their_parents() {
        for count in 1..=6_usize {
            let mut trees = vec![0_u32; count];
            for number in 0..(count + 1).pow(count as u32) {
                let parent = |at: usize| Concept::new(number / (count + 1).pow(at as u32) % (count + 1));
                let parents: Vec<Concept> = (0..count).map(parent).collect();
                if Tree::from_parents(&parents).is_ok() {
                    trees[Concept::all(count).filter(|concept| parents.contains(concept)).count()] += 1;
                }
            }
            for (log, trees) in trees_by_parents(count).into_iter().zip(trees) {
                assert!((log - f64::from(trees).ln()).abs() < 1e-12, "{count}");
            }
        }
    }

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
