//! What people hold of every pair of concepts, from all trees at once.

use grove_tree::Concept;
use rayon::prelude::*;

use super::chain::Chain;
use super::model::Model;
use super::moves::Workspace;
use crate::belief::{Differ, normalised};
use crate::table::PairTable;

/// What people hold of one concept being above another: sums, or means, over trees.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Opinion {
    /// The share of people who hold it.
    pub(super) above: f64,
    /// The trees in which people differ; the sum of the shares who hold it there, and of their squares.
    differ: f64,
    share: f64,
    square: f64,
}

impl Opinion {
    /// Adds the share of people who hold it in one tree.
    pub(super) fn add(&mut self, share: f64) {
        self.above += share;
        if share > 0.0 && share < 1.0 {
            self.differ += 1.0;
            self.share += share;
            self.square += share * share;
        }
    }

    /// The means over a number of trees.
    pub(super) fn over(self, trees: usize) -> Self {
        let trees = trees as f64;
        Self {
            above: self.above / trees,
            differ: self.differ / trees,
            share: self.share / trees,
            square: self.square / trees,
        }
    }

    pub(super) fn differ(&self) -> Differ {
        if self.differ == 0.0 {
            return Differ::default();
        }
        let share = self.share / self.differ;
        Differ { chance: self.differ, share, variance: (self.square / self.differ - share * share).max(0.0) }
    }

    /// The chance that the likelier state of the pair is not the true one: that people hold it, do not, or differ.
    fn doubt(&self) -> f64 {
        let above = self.above - self.share;
        1.0 - above.max(self.differ).max(1.0 - above - self.differ)
    }
}

/// What people hold of every pair, by counting over all trees. O(trees * N * depth).
pub(super) fn counted(count: usize, chains: &[Chain]) -> PairTable<Opinion> {
    let mut opinions = PairTable::new(count, Opinion::default());
    let mut add = |upper, lower, share| opinions[(upper, lower)].add(share);
    for chain in chains {
        let shape = &chain.shape;
        for lower in Concept::all(count) {
            let around = chain
                .divided
                .iter()
                .find(|division| division.concept == lower || shape.is_above(division.concept, lower));
            let Some(division) = around else {
                shape.ancestors(lower).for_each(|upper| add(upper, lower, 1.0));
                continue;
            };
            let within =
                |upper: &Concept| *upper == division.concept || shape.is_above(division.concept, *upper);
            for upper in shape.ancestors(lower) {
                let second = within(&upper) || division.second_is_below(shape, upper);
                add(upper, lower, if second { 1.0 } else { 1.0 - division.held });
            }
            let seconds = std::iter::once(division.second).chain(shape.ancestors(division.second));
            for upper in seconds.filter(|upper| !upper.is_root() && !shape.is_above(*upper, lower)) {
                add(upper, lower, division.held);
            }
        }
    }
    opinions.map(|opinion| opinion.over(chains.len()))
}

/// Replaces the shares of people who hold a pair by the distribution of each concept's place given the others, in each of some trees in which people
/// do not differ. O(trees * N^2).
pub(super) fn survey(count: usize, chains: &[Chain], model: Model<'_>, opinions: &mut PairTable<Opinion>) {
    let clear: Vec<&Chain> = chains.iter().filter(|chain| chain.divided.is_empty()).collect();
    if clear.is_empty() {
        return;
    }
    let mut paths = PairTable::new(count, 0.0);
    let mut space = Workspace::default();
    // Every pair is met twice: when its lower concept is surveyed, and when its upper one is.
    let share = 0.5 / clear.len() as f64;
    for chain in clear {
        let mut chain = chain.clone();
        if let Some(workers) = &mut chain.workers {
            workers.complete(model);
        }
        for concept in Concept::all(count) {
            let (mut above, mut below) = (Vec::new(), Vec::new());
            let (shape, model) = chain.parts(model);
            let (push_above, push_below) = (|u, p| above.push((u, p)), |l, p| below.push((l, p)));
            space.survey(shape, concept, model, push_above, push_below);
            above.into_iter().for_each(|(upper, chance)| paths[(upper, concept)] += share * chance);
            below.into_iter().for_each(|(lower, chance)| paths[(concept, lower)] += share * chance);
        }
    }
    for upper in Concept::all(count) {
        for lower in Concept::all(count) {
            let opinion = &mut opinions[(upper, lower)];
            if opinion.differ == 0.0 {
                opinion.above = paths[(upper, lower)];
            }
        }
    }
}

/// The parents of every concept, each with its chance given the rest of a tree, averaged over all trees (Rao and Blackwell). A parent that no tree happens to
/// have still has its chance, where counting finds nothing. The prior of which concepts divide people is left out, whose effect is small. O(trees * N^2).
pub(super) fn expected_parents(chains: &[Chain], model: Model<'_>) -> Vec<Vec<(Concept, f64)>> {
    let count = model.evidence.count();
    let of = |space: &mut Workspace, child: usize| {
        let child = Concept::new(child);
        let mut weights = vec![0.0; count + 1];
        for chain in chains {
            let (shape, model) = chain.view(model);
            match chain.division(child) {
                Some(division) => {
                    weights[shape.parent(child).index()] += 1.0 - division.held;
                    weights[division.second.index()] += division.held;
                }
                None => {
                    space.each_parent(shape, child, model, |parent, share| weights[parent.index()] += share)
                }
            }
        }
        normalised(weights.into_iter().enumerate().map(|(at, weight)| (Concept::new(at), weight)))
    };
    (1..=count).into_par_iter().map_init(Workspace::default, of).collect()
}

/// The largest chance that what is likeliest of any pair is wrong.
pub(super) fn largest_doubt(opinions: &PairTable<Opinion>) -> f64 {
    opinions.values().iter().map(Opinion::doubt).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::{Ensemble, EnsembleSettings};
    use crate::{Answer, Evidence, Question, Settings, Vote, Worker};

    /// Of three workers, one says the opposite of what holds: weighed by the rates of an average worker, the votes mean something else.
    #[test]
    fn snapshots_are_surveyed_by_their_own_rates() {
        let count = 4;
        let mut evidence = Evidence::new(count, Settings::default()).unwrap();
        let pairs =
            Concept::all(count).flat_map(|upper| Concept::all(count).map(move |lower| (upper, lower)));
        for question in pairs.filter_map(|(upper, lower)| Question::path(upper, lower).ok()) {
            for worker in 0..3 {
                let holds = question.upper == Concept::new(1);
                let answer = if holds == (worker < 2) { Answer::Yes } else { Answer::No };
                evidence.record(Vote { question, worker: Worker::new(worker), answer }).unwrap();
            }
        }
        let settings = EnsembleSettings { trees: 8, ..EnsembleSettings::for_concepts(count) };
        let belief = Ensemble::new(evidence, settings).unwrap();
        let surveyed = |chains: &[Chain]| {
            let mut opinions = PairTable::new(count, Opinion::default());
            survey(count, chains, belief.model(), &mut opinions);
            opinions.values().iter().map(|opinion| opinion.above).collect::<Vec<f64>>()
        };
        let snapshots: Vec<Chain> = belief.chains.iter().map(Chain::snapshot).collect();
        assert_eq!(surveyed(&snapshots), surveyed(&belief.chains));
    }
}
