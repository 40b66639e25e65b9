//! How good a belief is, if the true hierarchy is known.

mod calibration;
mod ranking;

use grove_tree::{Concept, Tree};

use crate::belief::{all_parents, chance_of};
use crate::{Belief, Error};
pub use calibration::{Calibration, CalibrationBin};
use ranking::Ranking;

/// Probabilities closer than this count as equal, so that the order of summation makes no difference.
const ROUNDING: f64 = 1e-9;

/// The possible parents of every concept, the root among them, with their probabilities; parents that are not listed have none.
///
/// It can come from a belief, or from a crowd of people who disagree; either can be compared with a true tree, or with the
/// other. Ten thousand concepts need no square array.
#[derive(Clone, PartialEq, Debug)]
pub struct Certainties {
    /// Of concept `j` at `j - 1`, likeliest first, ties by number.
    parents: Vec<Vec<(Concept, f64)>>,
}

impl Certainties {
    /// From a list of possible parents for each concept in turn, in any order.
    ///
    /// # Errors
    /// [`Error::NoConcept`] for none; [`Error::BadCertainties`] for a parent that is the concept itself, does not exist or
    /// is listed twice, and for numbers that are no probabilities.
    pub fn new(mut parents: Vec<Vec<(Concept, f64)>>) -> Result<Self, Error> {
        if parents.is_empty() {
            return Err(Error::NoConcept);
        }
        let count = parents.len();
        for (child, list) in Concept::all(count).zip(&mut parents) {
            check_list(child, list, count)?;
            list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            for (_, probability) in list {
                // The check tolerates values that exceed 1 by a rounding error.
                *probability = probability.min(1.0);
            }
        }
        Ok(Self { parents })
    }

    /// The parents of all concepts according to a belief.
    ///
    /// # Errors
    /// As [`Certainties::new`]; never for the engines of this crate.
    pub fn of(belief: &dyn Belief) -> Result<Self, Error> {
        Self::new(all_parents(belief))
    }

    /// The same with as little sampling error as the engine can manage ([`Belief::expected_parents`]): some hundred trees cannot tell a chance of one in
    /// a thousand from none, and a ranking of all edges depends on that.
    ///
    /// # Errors
    /// As [`Certainties::new`]; never for the engines of this crate.
    pub fn expected(belief: &dyn Belief) -> Result<Self, Error> {
        Self::new(belief.expected_parents())
    }

    /// The share of trees that have each edge: of sampled trees, or of the trees that people have in mind.
    ///
    /// # Errors
    /// [`Error::NoConcept`] without trees or without concepts.
    ///
    /// # Panics
    /// If the trees are about different numbers of concepts.
    pub fn of_trees<'a>(trees: impl IntoIterator<Item = &'a Tree>) -> Result<Self, Error> {
        let trees: Vec<&Tree> = trees.into_iter().collect();
        let count = trees.first().map_or(0, |tree| tree.len());
        assert!(trees.iter().all(|tree| tree.len() == count), "trees are compared over the same concepts");
        let shares = |child| {
            let mut chosen: Vec<Concept> = trees.iter().map(|tree| tree.parent(child)).collect();
            chosen.sort_unstable();
            let share = |same: &[Concept]| (same[0], same.len() as f64 / trees.len() as f64);
            chosen.chunk_by(|a, b| a == b).map(share).collect()
        };
        Self::new(Concept::all(count).map(shares).collect())
    }

    /// The number of concepts, N.
    #[must_use]
    pub fn count(&self) -> usize {
        self.parents.len()
    }

    /// The possible parents of a concept, likeliest first, ties by number.
    #[must_use]
    pub fn parents(&self, child: Concept) -> &[(Concept, f64)] {
        &self.parents[child.index() - 1]
    }

    /// The probability of one parent.
    #[must_use]
    pub fn parent(&self, parent: Concept, child: Concept) -> f64 {
        chance_of(parent, self.parents(child))
    }

    fn check(&self, truth: &Tree) {
        assert_eq!(truth.len(), self.count(), "a truth is compared with certainties over the same concepts");
    }

    /// The area under the ROC curve of the edges: the chance that a true edge is held likelier than a false one, ties
    /// counting half, over all N^2 ordered pairs of a parent (or the root) and a child. This is the paper's measure. None for one concept,
    /// where no edge can be false. O(K log K) for K listed parents: the others are ties at 0.
    ///
    /// # Panics
    /// If the truth is about another number of concepts.
    #[must_use]
    pub fn edge_auc(&self, truth: &Tree) -> Option<f64> {
        self.check(truth);
        let mut ranking = Ranking::default();
        let mut unlisted_true = 0;
        let mut unlisted = (self.count() * self.count()) as u64;
        for (parent, child) in truth.edges() {
            let list = self.parents(child);
            for &(listed, probability) in list {
                ranking.add(probability, listed == parent);
            }
            unlisted -= list.len() as u64;
            unlisted_true += u64::from(list.iter().all(|listed| listed.0 != parent));
        }
        ranking.add_many(0.0, true, unlisted_true);
        ranking.add_many(0.0, false, unlisted - unlisted_true);
        ranking.auc()
    }

    /// The share of concepts whose likeliest parent is the true one. A tie for the likeliest is wrong: a belief that
    /// cannot decide has not found the parent.
    ///
    /// # Panics
    /// If the truth is about another number of concepts.
    #[must_use]
    pub fn parents_right(&self, truth: &Tree) -> f64 {
        self.mean(truth, |parent, list| {
            let second = list.get(1).map_or(0.0, |second| second.1);
            indicator(list.first().is_some_and(|first| first.0 == parent && first.1 > second + ROUNDING))
        })
    }

    /// The Brier score (1950) of the parents: the mean over concepts of the summed squares of P(parent) - \[is the parent\], the root
    /// among the parents. 0 is perfect, 2 is certainly wrong everywhere.
    ///
    /// # Panics
    /// If the truth is about another number of concepts.
    #[must_use]
    pub fn brier(&self, truth: &Tree) -> f64 {
        self.mean(truth, |parent, list| {
            let squares: f64 =
                list.iter().map(|&(at, probability)| (probability - indicator(at == parent)).powi(2)).sum();
            squares + indicator(list.iter().all(|listed| listed.0 != parent))
        })
    }

    /// The mean over concepts of -ln P(true parent), in nats. None where some true parent has no probability at all.
    ///
    /// # Panics
    /// If the truth is about another number of concepts.
    #[must_use]
    pub fn log_loss(&self, truth: &Tree) -> Option<f64> {
        let loss = self.mean(truth, |parent, list| -chance_of(parent, list).ln());
        loss.is_finite().then_some(loss)
    }

    /// The expected calibration error of the reported parents, in ten bins; see [`Calibration`], which gathers many runs.
    ///
    /// # Panics
    /// If the truth is about another number of concepts.
    #[must_use]
    pub fn calibration_error(&self, truth: &Tree) -> Option<f64> {
        let mut calibration = Calibration::new();
        calibration.add_run(self, truth);
        calibration.error()
    }

    /// The mean over concepts of the total variation distance between two statements about its parent: half the sum of
    /// absolute differences. 0 is agreement, 1 is none at all.
    ///
    /// # Panics
    /// If the other is about another number of concepts.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        assert_eq!(self.count(), other.count(), "certainties are compared over the same concepts");
        let distances = Concept::all(self.count()).map(|child| self.distance_at(other, child));
        distances.sum::<f64>() / self.count() as f64
    }

    /// The same for one concept.
    #[must_use]
    pub fn distance_at(&self, other: &Self, child: Concept) -> f64 {
        let is_here = |parent| self.parents(child).iter().any(|listed| listed.0 == parent);
        let here = self.parents(child).iter();
        let only_there = other.parents(child).iter().filter(|listed| !is_here(listed.0));
        let differences = here
            .map(|&(parent, probability)| (probability - other.parent(parent, child)).abs())
            .chain(only_there.map(|listed| listed.1));
        differences.sum::<f64>() / 2.0
    }

    /// The mean over concepts of a score of (true parent, list of possible parents).
    fn mean(&self, truth: &Tree, score: impl Fn(Concept, &[(Concept, f64)]) -> f64) -> f64 {
        self.check(truth);
        let sum: f64 = truth.edges().map(|(parent, child)| score(parent, self.parents(child))).sum();
        sum / self.count() as f64
    }
}

fn indicator(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn check_list(child: Concept, list: &[(Concept, f64)], count: usize) -> Result<(), Error> {
    let wrong = |problem| Err(Error::BadCertainties { child, problem });
    if list.iter().any(|listed| !(0.0..=1.0 + ROUNDING).contains(&listed.1)) {
        return wrong("each probability must lie within 0 and 1");
    }
    if list.iter().map(|listed| listed.1).sum::<f64>() > 1.0 + ROUNDING * (1 + list.len()) as f64 {
        return wrong("their sum must not pass 1");
    }
    if list.iter().any(|listed| listed.0 == child || listed.0.index() > count) {
        return wrong("each must be the root or another concept");
    }
    let mut parents: Vec<Concept> = list.iter().map(|listed| listed.0).collect();
    parents.sort_unstable();
    if parents.windows(2).any(|two| two[0] == two[1]) {
        return wrong("each must be listed once");
    }
    Ok(())
}

/// The area under the ROC curve of the paths: the chance that a true "above" is held likelier than a false one, ties
/// counting half, over all N(N-1) ordered pairs of concepts. None if the truth is flat, or has no false pair. Asks for every
/// pair once: O(N^2) calls, memory by distinct probabilities.
///
/// # Panics
/// If a probability is not a number.
#[must_use]
pub fn path_auc(path: impl Fn(Concept, Concept) -> f64, truth: &Tree) -> Option<f64> {
    let outline = truth.outline();
    let mut ranking = Ranking::default();
    for lower in truth.concepts() {
        for upper in truth.concepts().filter(|&upper| upper != lower) {
            ranking.add(path(upper, lower), outline.is_above(upper, lower));
        }
    }
    ranking.auc()
}

/// The F1 score of the pairs (concept above, concept below) of a tree: twice the pairs it shares with the truth, over the pairs
/// of both. The root is left out, being above everything in any tree; two flat trees agree fully. O(N depth).
///
/// # Panics
/// If the truth is about another number of concepts.
#[must_use]
pub fn ancestor_f1(tree: &Tree, truth: &Tree) -> f64 {
    assert_eq!(tree.len(), truth.len(), "trees are compared over the same concepts");
    let outline = truth.outline();
    let (mut pairs, mut shared) = (0_usize, 0_usize);
    for lower in tree.concepts() {
        for upper in tree.ancestors(lower) {
            pairs += 1;
            shared += usize::from(outline.is_above(upper, lower));
        }
        pairs += outline.depth(lower) - 1;
    }
    if pairs == 0 { 1.0 } else { 2.0 * shared as f64 / pairs as f64 }
}

/// All measures of a belief's edges; paths cost more and have [`path_auc`].
#[derive(serde::Serialize, Clone, Copy, PartialEq, Debug)]
pub struct Measures {
    /// [`Certainties::edge_auc`].
    pub edge_auc: Option<f64>,
    /// [`Certainties::parents_right`].
    pub parents_right: f64,
    /// [`ancestor_f1`] of the most probable tree.
    pub ancestor_f1: f64,
    /// [`Certainties::brier`].
    pub brier: f64,
    /// [`Certainties::calibration_error`].
    pub calibration_error: Option<f64>,
    /// [`Certainties::log_loss`].
    pub log_loss: Option<f64>,
}

impl Measures {
    /// Compares a belief with the truth.
    ///
    /// # Errors
    /// As [`Certainties::of`].
    ///
    /// # Panics
    /// If the truth is about another number of concepts.
    pub fn of(belief: &dyn Belief, truth: &Tree) -> Result<Self, Error> {
        let certainties = Certainties::of(belief)?;
        Ok(Self {
            edge_auc: certainties.edge_auc(truth),
            parents_right: certainties.parents_right(truth),
            ancestor_f1: ancestor_f1(&belief.best_tree(), truth),
            brier: certainties.brier(truth),
            calibration_error: certainties.calibration_error(truth),
            log_loss: certainties.log_loss(truth),
        })
    }
}

#[cfg(test)]
mod tests;
