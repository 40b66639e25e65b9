use grove_tree::Concept;

use super::dissent::Division;
use super::shape::Shape;
use crate::ballot::Judge;
use crate::corrections::Constraints;
use crate::noise::WorkerPrior;
use crate::pairs::{Pair, PairId, Pairs, Score, side};
use crate::{Evidence, Relation};

/// The scores of all pairs under some rates, in half the memory of [`Score`]: chains have them in great numbers.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scores {
    path: Vec<[f32; 2]>,
    /// Empty if there are no edge votes.
    edge: Vec<[f32; 2]>,
}

impl Scores {
    pub(crate) fn of(evidence: &Evidence, judge: Judge<'_>) -> Self {
        let mut scores = Self::default();
        for (_, pair) in evidence.pairs().iter() {
            let score = pair.score(judge, evidence.count());
            scores.path.push(score.path.map(|score| score as f32));
            if evidence.pairs().has_edge_votes() {
                scores.edge.push(score.edge.map(|score| score as f32));
            }
        }
        scores
    }

    /// What the scores would be if every vote counted for this much of one.
    pub(crate) fn scaled(&self, by: f64) -> Self {
        let scale =
            |scores: &[[f32; 2]]| scores.iter().map(|score| score.map(|one| one * by as f32)).collect();
        Self { path: scale(&self.path), edge: scale(&self.edge) }
    }

    /// Updates the score of one pair, which may be new.
    pub(crate) fn update(&mut self, evidence: &Evidence, pair: PairId, judge: Judge<'_>) {
        let Score { path, edge } = evidence.score(pair, judge);
        self.path.resize(evidence.pairs().len(), [0.0; 2]);
        self.path[pair.index()] = path.map(|score| score as f32);
        if evidence.pairs().has_edge_votes() {
            self.edge.resize(evidence.pairs().len(), [0.0; 2]);
            self.edge[pair.index()] = edge.map(|score| score as f32);
        }
    }
}

/// The evidence, the scores of all pairs, and the divided concepts: everything that a move of others reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model<'a> {
    pub(crate) evidence: &'a Evidence,
    /// One score per pair, under given rates or under those of one chain.
    pub(crate) scores: &'a Scores,
    /// The rates behind the scores.
    pub(crate) judge: Judge<'a>,
    /// The concepts that people place differently, of one chain.
    pub(crate) divided: &'a [Division],
}

impl<'a> Model<'a> {
    pub(crate) fn pairs(self) -> &'a Pairs {
        self.evidence.pairs()
    }

    pub(crate) fn constraints(self) -> &'a Constraints {
        self.evidence.corrections().constraints()
    }

    /// The prior of the workers' rates, if these are learnt.
    pub(crate) fn worker_prior(self) -> Option<&'a WorkerPrior> {
        self.evidence.settings().noise.learnt()
    }

    /// The prior's constant for every ancestor pair.
    pub(crate) fn per_ancestor(self) -> f64 {
        self.evidence.settings().prior.per_ancestor()
    }

    /// What one more parent adds to the log-prior of a tree with this many.
    pub(crate) fn per_parent(self, parents: usize) -> f64 {
        self.evidence.parent_prior().step(parents)
    }

    /// The log-posterior gained by having `upper` above `lower`.
    pub(crate) fn path_score(self, pair: PairId, upper: Concept, lower: Concept) -> f64 {
        f64::from(self.scores.path[pair.index()][side(upper, lower)])
    }

    /// The log-posterior gained by having `upper` directly above `lower`.
    pub(crate) fn edge_score(self, pair: PairId, upper: Concept, lower: Concept) -> f64 {
        self.scores.edge.get(pair.index()).map_or(0.0, |scores| f64::from(scores[side(upper, lower)]))
    }

    /// The part of [`Model::path_score`] that comes from those who hold the second place of a divided concept.
    pub(crate) fn second_path_score(
        self,
        division: &Division,
        pair: PairId,
        upper: Concept,
        lower: Concept,
    ) -> f64 {
        let pair = self.pairs().get(pair);
        let mut sum = 0.0;
        self.each_path_vote(pair, upper, lower, |worker, ratio| {
            if division.is_held_by(worker) {
                sum += ratio;
            }
        });
        sum
    }

    /// The same of [`Model::edge_score`].
    pub(crate) fn second_edge_score(self, division: &Division, upper: Concept, lower: Concept) -> f64 {
        let Some(pair) = self.pairs().find(upper, lower) else { return 0.0 };
        let mut sum = 0.0;
        self.each_edge_vote(self.pairs().get(pair), upper, lower, |worker, ratio| {
            if division.is_held_by(worker) {
                sum += ratio;
            }
        });
        sum
    }

    /// Every vote on a pair with what it adds to the log-likelihood if `upper` is above `lower`, where the two are not related otherwise.
    pub(crate) fn each_path_vote(
        self,
        pair: &Pair,
        upper: Concept,
        lower: Concept,
        mut each: impl FnMut(usize, f64),
    ) {
        let side = side(upper, lower);
        for (side, relation) in [(side, Relation::Above), (1 - side, Relation::Reversed)] {
            for &(worker, yes) in pair.path[side].votes() {
                if let Some(rates) = self.judge.of(worker) {
                    each(worker.index(), rates.ratio(relation, yes));
                }
            }
        }
        if !pair.with_root {
            for worker in pair.placers(side) {
                each(worker.index(), self.judge.forms(worker).log_place(self.evidence.count())[0]);
            }
        }
    }

    /// Every edge vote on a pair with what it adds to the log-likelihood if `upper` is the parent of `lower`.
    pub(crate) fn each_edge_vote(
        self,
        pair: &Pair,
        upper: Concept,
        lower: Concept,
        mut each: impl FnMut(usize, f64),
    ) {
        for &(worker, yes) in pair.edges(side(upper, lower)).flat_map(|ballot| ballot.votes()) {
            if let Some(rates) = self.judge.of(worker) {
                each(worker.index(), rates.ratio(Relation::Above, yes));
            }
        }
        for worker in pair.placers(side(upper, lower)) {
            each(worker.index(), self.judge.forms(worker).log_place(self.evidence.count())[1]);
        }
    }

    /// The divided concept whose subtree a concept is in, itself included.
    pub(crate) fn division_around(self, shape: &Shape, concept: Concept) -> Option<&'a Division> {
        self.divided.iter().find(|division| {
            division.concept == concept
                || shape.place(concept).is_some() && shape.is_above(division.concept, concept)
        })
    }
}

/// 1 / (1 + e^-x).
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
