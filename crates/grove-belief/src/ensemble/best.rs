use grove_tree::{Concept, Tree};

use super::Ensemble;
use super::model::{Model, Scores};
use super::moves::Workspace;
use super::shape::Shape;
use crate::evidence::GivenRates;

/// The most rounds over all concepts before the search stops.
const MOST_ROUNDS: usize = 50;

impl Ensemble {
    /// The most probable tree found: the best of the ensemble, improved by moving each concept to its best place until none moves.
    ///
    /// Where rates are learnt, under the expected rates.
    pub(super) fn most_probable(&self) -> Tree {
        let expected = GivenRates::expected(self);
        let scores = Scores::of(&self.evidence, expected.judge());
        let model = Model { scores: &scores, judge: expected.judge(), ..self.model() };
        let score_of = |shape: &Shape| log_posterior(shape, model);
        let mut best = &self.chains[0].shape;
        let mut best_score = score_of(best);
        for chain in &self.chains[1..] {
            let score = score_of(&chain.shape);
            if score > best_score {
                (best, best_score) = (&chain.shape, score);
            }
        }
        climb(best.clone(), model)
    }
}

fn climb(mut shape: Shape, model: Model<'_>) -> Tree {
    let mut space = Workspace::sharp();
    // Nothing is drawn at random in a sharp workspace.
    let mut rng = super::stream_of(0, 0, 0);
    let mut tree = shape.to_tree();
    for _ in 0..MOST_ROUNDS {
        for concept in Concept::all(shape.count()) {
            space.replace(&mut shape, concept, model, &mut rng);
            space.regraft(&mut shape, concept, model, &mut rng);
        }
        let next = shape.to_tree();
        if next == tree {
            break;
        }
        tree = next;
    }
    tree
}

/// The log-posterior of a tree up to a constant: the scores of all pairs with one above the other, where people do not differ. O(N + pairs).
pub(super) fn log_posterior(shape: &Shape, model: Model<'_>) -> f64 {
    let mut sum = 0.0;
    for (id, [low, high]) in model.pairs().ids() {
        for (upper, lower) in [(low, high), (high, low)] {
            if shape.is_above(upper, lower) {
                sum += model.path_score(id, upper, lower);
            }
            if shape.parent(lower) == upper {
                sum += model.edge_score(id, upper, lower);
            }
        }
    }
    let judged = Model { divided: &[], ..model };
    sum += model.evidence.factors().iter().map(|factor| judged.log_factor(shape, factor)).sum::<f64>();
    let ancestors: usize = Concept::all(shape.count()).map(|concept| shape.size(concept) - 1).sum();
    sum += model.per_ancestor() * ancestors as f64 + model.evidence.parent_prior().log(shape.parents());
    sum
}
