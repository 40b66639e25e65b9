use grove_tree::{Concept, Tree};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::model::Model;
use super::moves::Workspace;
use super::shape::Shape;
use super::workers::Workers;
use crate::pairs::PairId;

/// A Markov chain whose target is the posterior given all evidence: a tree, and the workers' rates if these are learnt. Chains
/// are independent of each other.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) shape: Shape,
    pub(crate) workers: Option<Workers>,
}

impl Chain {
    /// The tree, and the model with this chain's own scores where rates are learnt.
    pub(crate) fn parts<'a>(&'a mut self, model: Model<'a>) -> (&'a mut Shape, Model<'a>) {
        let scores = self.workers.as_ref().map_or(model.scores, Workers::scores);
        (&mut self.shape, Model { scores, ..model })
    }
}

/// A chain with everything that its moves need.
pub(crate) struct Mover<'a> {
    pub(crate) chain: &'a mut Chain,
    /// With the scores under given rates, which all chains share.
    pub(crate) model: Model<'a>,
    pub(crate) space: &'a mut Workspace,
    pub(crate) rng: &'a mut ChaCha8Rng,
}

impl Mover<'_> {
    /// Updates the score of one pair after its votes changed.
    pub(crate) fn rescore(&mut self, pair: PairId) {
        if let (Some(workers), Some(prior)) = (&mut self.chain.workers, self.model.worker_prior()) {
            workers.meet(self.model, prior, self.rng);
            workers.rescore(self.model, pair);
        }
    }

    /// Updates all scores after the set of pairs changed.
    pub(crate) fn rescore_all(&mut self) {
        if let (Some(workers), Some(prior)) = (&mut self.chain.workers, self.model.worker_prior()) {
            workers.meet(self.model, prior, self.rng);
            workers.rescore_all(self.model);
        }
    }

    pub(crate) fn redraw_rates(&mut self) {
        if let (Some(workers), Some(prior)) = (&mut self.chain.workers, self.model.worker_prior()) {
            workers.redraw(&self.chain.shape, self.model, prior, self.rng);
        }
    }

    /// Draws a new position for a concept; its children stay behind or follow, each on its own.
    pub(crate) fn replace(&mut self, concept: Concept) {
        let (shape, model) = self.chain.parts(self.model);
        self.space.replace(shape, concept, model, self.rng);
    }

    /// Draws a new parent for a concept, which keeps its subtree.
    pub(crate) fn regraft(&mut self, concept: Concept) {
        let (shape, model) = self.chain.parts(self.model);
        self.space.regraft(shape, concept, model, self.rng);
    }

    /// Inserts a concept that is not in the tree yet. Returns false if corrections leave no place for it.
    pub(crate) fn place(&mut self, concept: Concept) -> bool {
        let (shape, model) = self.chain.parts(self.model);
        self.space.place(shape, concept, model, self.rng)
    }

    /// Empties the tree and inserts all concepts in random order. Returns false if corrections leave no place for one of them.
    pub(crate) fn insert_all(&mut self) -> bool {
        let count = self.chain.shape.count();
        let mut order: Vec<Concept> = Concept::all(count).collect();
        order.shuffle(self.rng);
        self.chain.shape = Shape::empty(count);
        order.into_iter().all(|concept| self.place(concept))
    }

    /// Starts again from this tree.
    pub(crate) fn restart(&mut self, tree: &Tree) {
        self.chain.shape = Shape::from_tree(tree);
    }

    /// Makes one move per concept, on concepts drawn at random, and then draws new rates; all this several times.
    pub(crate) fn sweep(&mut self, sweeps: usize) {
        for _ in 0..sweeps {
            (0..self.chain.shape.count()).for_each(|_| self.move_any());
            self.redraw_rates();
        }
    }

    /// Makes one move on a concept drawn at random.
    pub(crate) fn move_any(&mut self) {
        let concept = Concept::new(self.rng.random_range(1..=self.chain.shape.count()));
        self.move_one(concept);
    }

    /// Makes one move on a concept. Two of three are replacements, which change more.
    pub(crate) fn move_one(&mut self, concept: Concept) {
        if self.rng.random_range(0..3) < 2 {
            self.replace(concept);
        } else {
            self.regraft(concept);
        }
    }
}
