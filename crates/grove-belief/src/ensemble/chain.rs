use grove_tree::{Concept, Tree};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::dissent::Division;
use super::joint::{options_in, options_over, second_stand};
use super::model::Model;
use super::moves::Workspace;
use super::shape::Shape;
use super::workers::Workers;
use crate::FormRates;
use crate::factors::{Above, Factor, Said};
use crate::pairs::PairId;

/// A Markov chain whose target is the posterior given all evidence: a tree, the concepts that people place differently, and the workers' rates if these
/// are learnt. Chains are independent of each other.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) shape: Shape,
    /// In the order of concepts.
    pub(crate) divided: Vec<Division>,
    pub(crate) workers: Option<Workers>,
}

impl Chain {
    /// The tree, and the model with this chain's own divided concepts, and its own scores where rates are learnt.
    pub(crate) fn parts<'a>(&'a mut self, model: Model<'a>) -> (&'a mut Shape, Model<'a>) {
        (&mut self.shape, own_model(&self.divided, self.workers.as_ref(), model))
    }

    /// The same, read-only.
    pub(crate) fn view<'a>(&'a self, model: Model<'a>) -> (&'a Shape, Model<'a>) {
        (&self.shape, own_model(&self.divided, self.workers.as_ref(), model))
    }

    /// The state of the chain, without the scores that follow from it.
    pub(crate) fn snapshot(&self) -> Self {
        Self {
            shape: self.shape.clone(),
            divided: self.divided.clone(),
            workers: self.workers.as_ref().map(Workers::snapshot),
        }
    }

    /// Removes a concept; those with higher numbers move down by one. A divided concept keeps its first place if the second is gone.
    pub(crate) fn forget(&mut self, gone: Concept) {
        self.divided.retain(|division| division.concept != gone && division.second != gone);
        let closed = |concept: Concept| Concept::new(concept.index() - usize::from(concept > gone));
        for division in &mut self.divided {
            (division.concept, division.second) = (closed(division.concept), closed(division.second));
        }
        self.shape.lift(gone);
        self.shape.forget(gone);
        // Both places may have become the same.
        let shape = &self.shape;
        self.divided.retain(|division| shape.parent(division.concept) != division.second);
    }

    /// The place of a concept's second parent, and the share of people who hold it, if it is divided.
    pub(crate) fn division(&self, concept: Concept) -> Option<&Division> {
        self.divided.iter().find(|division| division.concept == concept)
    }

    /// The share of people who hold `parent` to be directly above `child`.
    pub(crate) fn share_under(&self, parent: Concept, child: Concept) -> f64 {
        let there = |place: Concept| f64::from(u8::from(place == parent));
        let first = there(self.shape.parent(child));
        let second =
            |division: &Division| (1.0 - division.held) * first + division.held * there(division.second);
        self.division(child).map_or(first, second)
    }

    /// The chance that somebody with these rates says what a factor has, whichever place they hold.
    pub(crate) fn chance_of(&self, factor: &Factor, rates: &FormRates) -> f64 {
        let shape = &self.shape;
        let around = self.divided.iter().find(|division| {
            division.concept == factor.lower || shape.is_above(division.concept, factor.lower)
        });
        let first = options_in(shape, factor, |_, option| shape.is_above(option, factor.lower));
        let chance = |above: Above| factor.log(above, rates).exp();
        match around {
            None => chance(first),
            Some(division) => {
                let stand = second_stand(shape, factor, division);
                let second = stand.inside.under(options_over(shape, factor, stand));
                (1.0 - division.held) * chance(first) + division.held * chance(second)
            }
        }
    }

    /// The share of people who hold `upper` above `lower`.
    pub(crate) fn share_above(&self, upper: Concept, lower: Concept) -> f64 {
        let first = f64::from(u8::from(self.shape.is_above(upper, lower)));
        let around = self.divided.iter().find(|division| {
            let inside =
                |concept| concept == division.concept || self.shape.is_above(division.concept, concept);
            inside(lower) && !inside(upper)
        });
        match around {
            None => first,
            Some(division) => {
                let second = f64::from(u8::from(division.second_is_below(&self.shape, upper)));
                (1.0 - division.held) * first + division.held * second
            }
        }
    }
}

fn own_model<'a>(divided: &'a [Division], workers: Option<&'a Workers>, model: Model<'a>) -> Model<'a> {
    match workers {
        None => Model { divided, ..model },
        Some(workers) => Model { divided, scores: workers.scores(), judge: workers.judge(), ..model },
    }
}

/// With more concepts than this, fewer of them get a move of their two places than of their place. It takes time proportional to the votes on the subtree,
/// which with many concepts is a large multiple of what a move of one place takes.
const ALL_DIFFER_UP_TO: usize = 200;
/// Then, a concept with a subtree of more than so many gets one less often, in inverse proportion.
const USUAL_SIZE: usize = 8;

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

    /// Draws the rates of workers who are new, or who answer in a form other than yes/no for the first time.
    pub(crate) fn meet(&mut self) {
        if let (Some(workers), Some(prior)) = (&mut self.chain.workers, self.model.worker_prior()) {
            workers.meet(self.model, prior, self.rng);
        }
    }

    /// Updates all scores after the set of pairs changed.
    pub(crate) fn rescore_all(&mut self) {
        if let (Some(workers), Some(prior)) = (&mut self.chain.workers, self.model.worker_prior()) {
            workers.meet(self.model, prior, self.rng);
            workers.rescore_all(self.model);
        }
    }

    /// Sets whether the answers of language models are assumed to depend on the question.
    pub(crate) fn trust_models(&mut self, trusts: bool) {
        if let Some(workers) = &mut self.chain.workers {
            workers.trust_models(trusts);
        }
    }

    pub(crate) fn redraw_rates(&mut self) {
        if let (Some(workers), Some(prior)) = (&mut self.chain.workers, self.model.worker_prior()) {
            workers.redraw(&self.chain.shape, &self.chain.divided, self.model, prior, self.rng);
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
        self.chain.divided.clear();
        order.into_iter().all(|concept| self.place(concept))
    }

    /// Empties the tree and inserts the concepts in the order of how often they were said to be above another, each under the earlier concept that
    /// the votes speak for most, or at the top. A good start for many votes, where insertion in random order ends far from every probable
    /// tree. Returns false if corrections forbid the result.
    pub(crate) fn insert_by_size(&mut self) -> bool {
        let evidence = self.model.evidence;
        let mut size = vec![0_usize; evidence.count() + 1];
        for ([low, high], pair) in evidence.pairs().iter() {
            size[low.index()] += pair.path[0].yes() + pair.edge[0].yes();
            size[high.index()] += pair.path[1].yes() + pair.edge[1].yes();
            size[low.index()] += pair.placers(0).count();
            size[high.index()] += pair.placers(1).count();
        }
        for factor in evidence.factors().iter() {
            match factor.said {
                Said::Picked(option) => size[factor.options[usize::from(option)].index()] += 1,
                Said::Ticked(true) => size[factor.options[0].index()] += 1,
                Said::None | Said::Ticked(false) => {}
            }
        }
        let mut order: Vec<Concept> = Concept::all(evidence.count()).collect();
        order.shuffle(self.rng);
        order.sort_by_key(|concept| std::cmp::Reverse(size[concept.index()]));
        self.chain.divided.clear();
        self.chain.shape = Shape::empty(evidence.count());
        for concept in order {
            let (shape, model) = self.chain.parts(self.model);
            self.space.append(shape, concept, model, self.rng);
        }
        evidence.corrections().is_empty() || evidence.corrections().hold_in(&self.chain.shape.to_tree())
    }

    /// Moves every concept to its best place, in random order, and draws rates that suit the tree; all this several
    /// times. For starting a chain over so many concepts that drawing places would take hundreds of sweeps to reach
    /// probable trees. Ends early if told to after a round.
    pub(crate) fn climb(&mut self, rounds: usize, go_on: impl Fn() -> bool) {
        let mut order: Vec<Concept> = Concept::all(self.chain.shape.count()).collect();
        let mut space = Workspace::sharp();
        for _ in 0..rounds {
            self.redraw_rates();
            order.shuffle(self.rng);
            let (shape, model) = self.chain.parts(self.model);
            for &concept in &order {
                space.replace(shape, concept, model, self.rng);
                space.regraft(shape, concept, model, self.rng);
            }
            if !go_on() {
                break;
            }
        }
        self.redraw_rates();
    }

    /// Moves concepts while a yes/no vote counts for less than one, at first for next to nothing and in the end for
    /// nearly all (simulated annealing; Kirkpatrick, Gelatt and Vecchi 1983). A tree that was built by placing one
    /// concept after the other may be right in its parts and wrong in their arrangement, and moves of single concepts
    /// do not lead out of that. Rates are drawn only in the second half of the rounds, when the tree means something.
    /// Ends early if told to before a round.
    pub(crate) fn anneal(&mut self, rounds: usize, go_on: impl Fn() -> bool) {
        for round in 1..=rounds {
            if !go_on() {
                break;
            }
            let weight = round as f64 / (rounds + 1) as f64;
            if weight > 0.5 {
                self.redraw_rates();
            }
            let Chain { shape, divided, workers } = &mut *self.chain;
            let model = own_model(divided, workers.as_ref(), self.model);
            let scores = model.scores.scaled(weight);
            let model = Model { scores: &scores, ..model };
            for _ in 0..shape.count() {
                let concept = Concept::new(self.rng.random_range(1..=shape.count()));
                move_one(self.space, shape, concept, model, self.rng);
            }
        }
        self.redraw_rates();
    }

    /// Starts again from this tree.
    pub(crate) fn restart(&mut self, tree: &Tree) {
        self.chain.divided.clear();
        self.chain.shape = Shape::from_tree(tree);
    }

    /// Makes one move per concept, on concepts drawn at random, lets some of them divide people, and then draws new rates; all this several times.
    pub(crate) fn sweep(&mut self, sweeps: usize) {
        self.sweep_while(sweeps, || true);
    }

    /// The same; ends early if told to before a sweep.
    pub(crate) fn sweep_while(&mut self, sweeps: usize, go_on: impl Fn() -> bool) {
        for _ in 0..sweeps {
            if !go_on() {
                break;
            }
            self.redraw_holders();
            (0..self.chain.shape.count()).for_each(|_| self.move_any());
            self.differ_any(self.chain.shape.count());
            self.redraw_rates();
        }
    }

    /// Lets some concepts, drawn at random, divide people or not: as many as there were moves, or fewer where there are many concepts.
    pub(crate) fn differ_any(&mut self, moves: usize) {
        let count = self.chain.shape.count();
        for _ in 0..moves.div_ceil(1 + count / ALL_DIFFER_UP_TO) {
            let concept = Concept::new(self.rng.random_range(1..=count));
            // Its subtree stays the same when its places are drawn, so the reverse move is equally likely.
            let size = self.chain.shape.size(concept);
            if count <= ALL_DIFFER_UP_TO || self.rng.random_range(0..size) < USUAL_SIZE {
                self.differ(concept);
            }
        }
    }

    /// Makes one move on a concept drawn at random.
    pub(crate) fn move_any(&mut self) {
        let concept = Concept::new(self.rng.random_range(1..=self.chain.shape.count()));
        self.move_one(concept);
    }

    /// Makes one move on a concept.
    pub(crate) fn move_one(&mut self, concept: Concept) {
        let (shape, model) = self.chain.parts(self.model);
        move_one(self.space, shape, concept, model, self.rng);
    }
}

/// Makes one move on a concept. Two of three are replacements, which change more.
fn move_one(
    space: &mut Workspace,
    shape: &mut Shape,
    concept: Concept,
    model: Model<'_>,
    rng: &mut ChaCha8Rng,
) {
    if rng.random_range(0..3) < 2 {
        space.replace(shape, concept, model, rng);
    } else {
        space.regraft(shape, concept, model, rng);
    }
}
