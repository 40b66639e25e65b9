use grove_tree::{Concept, Tree};
use rand::{Rng, RngExt};

use super::model::{Model, Scores};
use super::moves::Workspace;
use super::shape::Shape;
use super::workers::Workers;
use crate::noise::{Noise, WorkerPrior};
use crate::pairs::{PairId, Score};

/// One tree of the ensemble, with its own idea of the workers where rates are learnt. A Markov chain whose target is the
/// posterior of the whole evidence, independent of all the other chains.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) shape: Shape,
    pub(crate) workers: Option<Workers>,
}

/// What a chain needs for a move: the model, and scores that all chains share where rates are given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) model: Model<'a>,
    pub(crate) shared: &'a [Score],
}

impl Context<'_> {
    fn worker_prior(&self) -> Option<&WorkerPrior> {
        match &self.model.evidence.settings().noise {
            Noise::Learnt(prior) => Some(prior),
            _ => None,
        }
    }
}

impl Chain {
    pub(crate) fn new(tree: &Tree, context: Context<'_>, rng: &mut impl Rng) -> Self {
        let mut chain = Self { shape: Shape::from_tree(tree), workers: None };
        if let Some(prior) = context.worker_prior() {
            let mut workers = Workers::new(prior);
            workers.meet(context.model, prior, rng);
            workers.rescore_all(context.model);
            chain.workers = Some(workers);
        }
        chain
    }

    fn scores<'a>(workers: &'a Option<Workers>, shared: &'a [Score]) -> Scores<'a> {
        Scores(workers.as_ref().map_or(shared, Workers::scores))
    }

    /// Notices that the votes on a pair changed.
    pub(crate) fn rescore(&mut self, context: Context<'_>, pair: PairId, rng: &mut impl Rng) {
        if let (Some(workers), Some(prior)) = (&mut self.workers, context.worker_prior()) {
            workers.meet(context.model, prior, rng);
            workers.rescore(context.model, pair);
        }
    }

    /// Notices that the pairs themselves changed.
    pub(crate) fn rescore_all(&mut self, context: Context<'_>, rng: &mut impl Rng) {
        if let (Some(workers), Some(prior)) = (&mut self.workers, context.worker_prior()) {
            workers.meet(context.model, prior, rng);
            workers.rescore_all(context.model);
        }
    }

    pub(crate) fn redraw_rates(&mut self, context: Context<'_>, rng: &mut impl Rng) {
        if let (Some(workers), Some(prior)) = (&mut self.workers, context.worker_prior()) {
            workers.redraw(&self.shape, context.model, prior, rng);
        }
    }

    /// Draws a concept's whole position anew.
    pub(crate) fn replace(
        &mut self,
        concept: Concept,
        context: Context<'_>,
        space: &mut Workspace,
        rng: &mut impl Rng,
    ) {
        let scores = Self::scores(&self.workers, context.shared);
        space.replace(&mut self.shape, concept, context.model, scores, rng);
    }

    /// Draws the parent of a concept's whole subtree anew.
    pub(crate) fn regraft(
        &mut self,
        concept: Concept,
        context: Context<'_>,
        space: &mut Workspace,
        rng: &mut impl Rng,
    ) {
        let scores = Self::scores(&self.workers, context.shared);
        space.regraft(&mut self.shape, concept, context.model, scores, rng);
    }

    /// Puts a concept in that is not in the tree yet. False if corrections leave no place.
    pub(crate) fn place(
        &mut self,
        concept: Concept,
        context: Context<'_>,
        space: &mut Workspace,
        rng: &mut impl Rng,
    ) -> bool {
        let scores = Self::scores(&self.workers, context.shared);
        space.place(&mut self.shape, concept, context.model, scores, rng)
    }

    /// The chances that other concepts are above or below one, given where all the others are in this tree.
    pub(crate) fn survey(
        &mut self,
        concept: Concept,
        context: Context<'_>,
        space: &mut Workspace,
        above: impl FnMut(Concept, f64),
        below: impl FnMut(Concept, f64),
    ) {
        let scores = Self::scores(&self.workers, context.shared);
        space.survey(&mut self.shape, concept, context.model, scores, above, below);
    }

    /// As many moves as there are concepts, on concepts drawn at random, then new rates.
    pub(crate) fn sweep(&mut self, context: Context<'_>, space: &mut Workspace, rng: &mut impl Rng) {
        for _ in 0..self.shape.count() {
            self.move_any(context, space, rng);
        }
        self.redraw_rates(context, rng);
    }

    /// One move on a concept drawn at random.
    pub(crate) fn move_any(&mut self, context: Context<'_>, space: &mut Workspace, rng: &mut impl Rng) {
        let concept = Concept::new(rng.random_range(1..=self.shape.count()));
        self.move_one(concept, context, space, rng);
    }

    /// One move on a concept; two of three are replacements, which change more.
    pub(crate) fn move_one(
        &mut self,
        concept: Concept,
        context: Context<'_>,
        space: &mut Workspace,
        rng: &mut impl Rng,
    ) {
        if rng.random_range(0..3) < 2 {
            self.replace(concept, context, space, rng);
        } else {
            self.regraft(concept, context, space, rng);
        }
    }
}
