//! The two moves of a tree. Both draw from the exact conditional posterior of what they move, but for the prior of divided concepts, which accepts or
//! rejects the draw.

mod corrections;
mod forms;

use grove_tree::Concept;
use rand::{Rng, RngExt};

use super::dissent::{self, Division, Opinions};
use super::model::{Model, sigmoid};
use super::shape::Shape;

/// Working memory for moves, by place in depth-first order; kept between moves so that none of them allocates.
#[derive(Clone, Default, Debug)]
pub(crate) struct Workspace {
    /// ln weight of putting the moved concept under the concept at this place.
    weight: Vec<f64>,
    /// The log-posterior gained if the moved concept is above the subtree at this place.
    below: Vec<f64>,
    /// ln odds that the child at this place joins the moved concept.
    join: Vec<f64>,
    /// ln of the sum over all subsets of a place's children that might join, except for the factor kept in `product`, which saves
    /// a logarithm per child.
    joining: Vec<f64>,
    product: Vec<f64>,
    /// Whether corrections make a child of this place join.
    must_join: Vec<bool>,
    /// The children drawn to join, and ln of the sum over all subsets from each child on.
    joins: Vec<bool>,
    left: Vec<f64>,
    parent: Vec<usize>,
    /// The constraints of corrections, if there are any.
    fate: Vec<Fate>,
    closed: Vec<bool>,
    needed_above: Vec<u32>,
    needed_below: Vec<u32>,
    /// The memory of moves that let people differ.
    pub(super) opinions: Opinions,
    /// Whether to take the best place instead of drawing one.
    sharp: bool,
}

/// The largest logarithm of a factor: a product of three such factors is still finite.
const LARGE: f64 = 200.0;

/// Whether corrections decide if a child joins the concept inserted between it and its parent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Fate {
    #[default]
    Free,
    Must,
    MustNot,
    /// It both must and must not join, so the place is ruled out.
    Impossible,
}

impl Workspace {
    /// A workspace whose moves go to the best place instead of a random one.
    pub(crate) fn sharp() -> Self {
        Self { sharp: true, ..Self::default() }
    }

    fn reset(&mut self, places: usize) {
        for list in [&mut self.weight, &mut self.below, &mut self.join, &mut self.joining] {
            list.clear();
            list.resize(places, 0.0);
        }
        self.product.clear();
        self.product.resize(places, 1.0);
        self.parent.clear();
        self.parent.resize(places, 0);
        self.must_join.clear();
        self.must_join.resize(places, false);
    }

    /// Lifts a concept out of the tree and puts it back at a place drawn from its exact conditional posterior: under any
    /// concept q, between q and any subset of q's children.
    ///
    /// The sum over subsets factorises: weight(q) = exp(sum of S_av over a = q and everything above it) times the product over the
    /// children c of q of (1 + exp(sum of S_vd over d in the subtree of c)). A prior on parents multiplies all subsets but the empty
    /// one, so that the product P becomes 1 + e^per_parent (P - 1). One pass down and one up: O(N) for all
    /// places. Draws one random number for the place, one for whether any child joins, and one per child of the parent drawn.
    pub(crate) fn replace(
        &mut self,
        shape: &mut Shape,
        concept: Concept,
        model: Model<'_>,
        rng: &mut impl Rng,
    ) {
        if model.divided.iter().any(|division| division.concept == concept) {
            // People differ about its subtree; its places are drawn by a separate move.
            return;
        }
        if !model.constraints().of(concept).children.is_empty() {
            self.replace_with_pinned(shape, concept, model, rng);
            return;
        }
        let differ = model.evidence.settings().dissent.is_some() && !self.sharp;
        let before = (differ || model.constraints().any()).then(|| Before::of(shape, concept));
        let prior = if differ { dissent::log_prior(shape, model) } else { 0.0 };
        let within = model.division_around(shape, concept);
        shape.lift(concept);
        let Some(before) = before else {
            assert!(self.place_within(shape, concept, within, model, rng), "only corrections close places");
            return;
        };
        if !self.place_within(shape, concept, within, model, rng) {
            before.restore(shape, concept);
        } else if differ && !is_accepted(shape, model, prior, rng) {
            shape.lift(concept);
            before.restore(shape, concept);
        }
    }

    /// Puts an absent concept into the tree at a place drawn from its conditional posterior. Returns false if corrections leave no place.
    pub(crate) fn place(
        &mut self,
        shape: &mut Shape,
        concept: Concept,
        model: Model<'_>,
        rng: &mut impl Rng,
    ) -> bool {
        self.place_within(shape, concept, None, model, rng)
    }

    /// The same, within the subtree of a divided concept or outside all of them.
    fn place_within(
        &mut self,
        shape: &mut Shape,
        concept: Concept,
        within: Option<&Division>,
        model: Model<'_>,
        rng: &mut impl Rng,
    ) -> bool {
        self.weigh_places(shape, concept, within, model);
        let Some(at) = self.choose(rng) else { return false };
        self.draw_joins(shape, at, model, rng);
        let mut joins = self.joins.iter();
        shape.insert(concept, shape.at(at), |_| *joins.next().expect("one for every child"));
        true
    }

    /// Moves a concept together with the subtrees of the children that corrections pin to it; its other children stay behind. Without this move,
    /// a concept could never pass another one that it must stay related to.
    fn replace_with_pinned(
        &mut self,
        shape: &mut Shape,
        concept: Concept,
        model: Model<'_>,
        rng: &mut impl Rng,
    ) {
        // Votes of people who differ would follow the children; chains without divided concepts make these moves.
        if !model.divided.is_empty() {
            return;
        }
        let parent = shape.parent(concept);
        let stays = |child: &Concept| model.constraints().of(*child).parent != Some(concept);
        let left: Vec<Concept> = shape.children(concept).filter(stays).collect();
        let differ = model.evidence.settings().dissent.is_some() && !self.sharp;
        let prior = if differ { dissent::log_prior(shape, model) } else { 0.0 };
        left.iter().for_each(|&child| shape.regraft(child, parent));
        self.weigh_parents(shape, concept, model);
        self.weigh_joins(shape, concept, model);
        let joins: Option<(Concept, Vec<Concept>)> = self.choose(rng).map(|at| {
            let children = shape.children(shape.at(at)).filter(|&child| child != concept);
            let joins = children.filter(|&child| {
                let at = shape.place(child).expect("a child is in the tree");
                match self.fate[at] {
                    Fate::Free if self.sharp => self.join[at] > 0.0,
                    Fate::Free => rng.random::<f64>() < sigmoid(self.join[at]),
                    fate => fate == Fate::Must,
                }
            });
            (shape.at(at), joins.collect())
        });
        let put = |shape: &mut Shape, under: Concept, children: &[Concept]| {
            shape.regraft(concept, under);
            children.iter().for_each(|&child| shape.regraft(child, concept));
        };
        match joins {
            None => put(shape, parent, &left),
            Some((under, joins)) => {
                put(shape, under, &joins);
                if differ && !is_accepted(shape, model, prior, rng) {
                    joins.iter().for_each(|&child| shape.regraft(child, under));
                    put(shape, parent, &left);
                }
            }
        }
    }

    /// Adds to the weights of [`Workspace::weigh_parents`] which children of a place join a concept that has children anyway.
    fn weigh_joins(&mut self, shape: &Shape, concept: Concept, model: Model<'_>) {
        let (places, block) = (shape.len(), shape.block(concept));
        let constraints = model.constraints().of(concept);
        for &(other, pair) in model.pairs().touching(concept) {
            if let Some(at) = shape.place(other) {
                self.below[at] += model.path_score(pair, concept, other);
                self.join[at] += model.edge_score(pair, concept, other);
            }
        }
        self.weigh_as_option(shape, concept, None, model);
        self.reset_constraints(places);
        let outside = |lower: &&Concept| shape.place(**lower).is_some_and(|at| !block.contains(&at));
        for &lower in constraints.below.iter().filter(outside) {
            shape.place(lower).into_iter().for_each(|at| self.needed_below[at] = 1);
        }
        for &lower in &constraints.not_below {
            shape.place(lower).into_iter().for_each(|at| self.fate[at] = Fate::MustNot);
        }
        let mut joined = vec![0; places];
        for at in (1..places).rev().filter(|at| !block.contains(at)) {
            let parent = shape.parent_place(at);
            let (child, votes) = (shape.at(at), self.below[at]);
            self.below[parent] += votes;
            let barred = self.fate[at] == Fate::MustNot;
            if barred {
                self.fate[parent] = Fate::MustNot;
            }
            self.needed_below[parent] += self.needed_below[at];
            if let Some(pair) = model.pairs().find(shape.at(parent), child) {
                self.join[at] -= model.edge_score(pair, shape.at(parent), child);
            }
            // Without the block, which is still in the subtree of what it was below.
            let around = at < block.start && block.end <= at + shape.size_at(at);
            let size = shape.size_at(at) - if around { block.len() } else { 0 };
            self.join[at] += votes + model.per_ancestor() * size as f64;
            let pinned = model.constraints().of(child).parent.is_some();
            self.fate[at] = match (self.needed_below[at] > 0, barred || pinned) {
                (true, true) => Fate::Impossible,
                (true, false) => Fate::Must,
                (false, true) => Fate::MustNot,
                (false, false) => Fate::Free,
            };
            joined[parent] += u32::from(self.fate[at] == Fate::Must) * self.needed_below[at];
            self.weight[parent] += match self.fate[at] {
                Fate::Free if self.sharp => self.join[at].max(0.0),
                Fate::Free => softplus(self.join[at]),
                Fate::Must => self.join[at],
                Fate::MustNot => 0.0,
                Fate::Impossible => f64::NEG_INFINITY,
            };
        }
        let required = constraints.below.iter().filter(outside).count() as u32;
        for at in (0..places).filter(|&at| joined[at] != required) {
            self.weight[at] = f64::NEG_INFINITY;
        }
    }

    /// Puts an absent concept under the one that the votes on both speak for most, with all that is above it, or at the top if none does; children
    /// stay where they are. One draw where several are as good.
    pub(crate) fn append(
        &mut self,
        shape: &mut Shape,
        concept: Concept,
        model: Model<'_>,
        rng: &mut impl Rng,
    ) {
        self.reset(shape.len());
        for &(other, pair) in model.pairs().touching(concept) {
            if let Some(at) = shape.place(other) {
                self.weight[at] += model.path_score(pair, other, concept);
                self.join[at] += model.edge_score(pair, other, concept);
            }
        }
        self.weigh_factors_about(shape, concept, None, model);
        for at in 1..shape.len() {
            self.weight[at] += self.weight[shape.parent_place(at)];
        }
        let most = (0..shape.len()).map(|at| self.weight[at] + self.join[at]).fold(0.0, f64::max);
        let best = |at: &usize| self.weight[*at] + self.join[*at] >= most;
        let ties = (0..shape.len()).filter(best).count();
        let at = (0..shape.len()).filter(best).nth(if ties > 1 && most > 0.0 {
            rng.random_range(0..ties)
        } else {
            0
        });
        shape.insert(concept, shape.at(at.unwrap_or(0)), |_| false);
    }

    /// Draws which children of a place join the concept inserted there.
    fn draw_joins(&mut self, shape: &Shape, at: usize, model: Model<'_>, rng: &mut impl Rng) {
        let constrained = model.constraints().any();
        let per_parent = model.per_parent(shape.parents());
        // Without a prior on parents, or if some child must join anyway, children join independently.
        let free = self.must_join[at] || per_parent == 0.0;
        let may = free
            || if self.sharp {
                per_parent + self.joining[at] > 0.0
            } else {
                rng.random::<f64>() < -(-self.one_or_some(at, per_parent, per_parent.exp())).exp_m1()
            };
        let mut some_must = may && !free;
        let children = || shape.children(shape.at(at)).filter_map(|child| shape.place(child));
        let fate = |child: usize| if constrained { self.fate[child] } else { Fate::Free };
        // ln of the sum over all subsets of the children from each one on.
        self.left.clear();
        if some_must {
            let of = |child| if fate(child) == Fate::Free { softplus(self.join[child]) } else { 0.0 };
            self.left.extend(children().map(of));
        }
        for child in (1..self.left.len()).rev() {
            self.left[child - 1] += self.left[child];
        }
        self.joins.clear();
        for (index, child) in children().enumerate() {
            let joins = match fate(child) {
                Fate::Free if !may => false,
                Fate::Free if self.sharp => self.join[child] > 0.0,
                Fate::Free => {
                    // At least one child joins, so until one has, each is more likely to.
                    let some = if some_must { -(-self.left[index]).exp_m1() } else { 1.0 };
                    rng.random::<f64>() * some < sigmoid(self.join[child])
                }
                fate => fate == Fate::Must,
            };
            some_must &= !joins;
            self.joins.push(joins);
        }
    }

    /// The distribution of a concept's place given all other places: calls `above` with every other concept and the chance that it is above this
    /// one, and `below` with the chance that it is below. Averaged over chains, these are more precise than counting where the
    /// concept happens to be (Rao and Blackwell), especially if it hardly ever moves. O(N); draws nothing.
    pub(crate) fn survey(
        &mut self,
        shape: &mut Shape,
        concept: Concept,
        model: Model<'_>,
        mut above: impl FnMut(Concept, f64),
        mut below: impl FnMut(Concept, f64),
    ) {
        let before = Before::of(shape, concept);
        let within = model.division_around(shape, concept);
        shape.lift(concept);
        self.weigh_places(shape, concept, within, model);
        if shares(&mut self.weight).is_some() {
            let constrained = model.constraints().any();
            self.scale_joins(model.per_parent(shape.parents()));
            // A child joins if the concept is inserted between the child and its parent, so the parent must be the place drawn.
            for at in 1..shape.len() {
                let parent = shape.parent_place(at);
                let joins = match if constrained { self.fate[at] } else { Fate::Free } {
                    Fate::Free => sigmoid(self.join[at]) * self.joining[parent],
                    fate => f64::from(u8::from(fate == Fate::Must)),
                };
                let inherited = if parent == 0 { 0.0 } else { self.below[parent] };
                self.below[at] = inherited + self.weight[parent] * joins;
                below(shape.at(at), self.below[at]);
            }
            for at in (1..shape.len()).rev() {
                above(shape.at(at), self.weight[at]);
                self.weight[shape.parent_place(at)] += self.weight[at];
            }
        }
        before.restore(shape, concept);
    }

    /// Turns `joining` into the factor by which the prior on parents changes a child's chance of joining: 1 without such a prior.
    fn scale_joins(&mut self, per_parent: f64) {
        let parent = per_parent.exp();
        for at in 0..self.joining.len() {
            self.joining[at] = if self.must_join[at] || per_parent == 0.0 {
                1.0
            } else {
                (per_parent + self.joining_at(at) - self.one_or_some(at, per_parent, parent)).exp()
            };
        }
    }

    fn choose(&mut self, rng: &mut impl Rng) -> Option<usize> {
        if self.sharp { best(&self.weight) } else { draw(&mut self.weight, rng) }
    }

    /// Fills `weight` and `join` for a concept that is not in the tree, for places within the subtree of a divided concept or outside all
    /// of them.
    fn weigh_places(&mut self, shape: &Shape, concept: Concept, within: Option<&Division>, model: Model<'_>) {
        let places = shape.len();
        self.reset(places);
        for &(other, pair) in model.pairs().touching(concept) {
            if let Some(at) = shape.place(other) {
                self.weight[at] += model.path_score(pair, other, concept);
                self.below[at] += model.path_score(pair, concept, other);
            }
        }
        if within.is_none() {
            self.move_second_holders(shape, concept, model);
        }
        self.weigh_factors_about(shape, concept, within, model);
        self.weigh_as_option(shape, concept, within, model);
        let constrained = model.constraints().any();
        if constrained {
            self.apply_constraints(shape, concept, model);
        }
        let per_ancestor = model.per_ancestor();
        for at in 1..places {
            let parent = shape.parent_place(at);
            self.parent[at] = parent;
            self.weight[at] += self.weight[parent] + per_ancestor;
        }
        if model.pairs().has_edge_votes() {
            self.weigh_edges(shape, concept, model);
        }
        for at in (1..places).rev() {
            let (parent, votes) = (self.parent[at], self.below[at]);
            self.below[parent] += votes;
            self.join[at] += votes + per_ancestor * shape.size_at(at) as f64;
            match if constrained { self.fate[at] } else { Fate::Free } {
                Fate::Free => self.multiply(parent, self.join[at]),
                Fate::Must => {
                    self.weight[parent] += self.join[at];
                    self.must_join[parent] = true;
                }
                Fate::MustNot => {}
                Fate::Impossible => self.weight[parent] = f64::NEG_INFINITY,
            }
        }
        self.sum_over_joins(shape, model.per_parent(shape.parents()));
        if constrained {
            self.close_places();
        }
        self.close_divided(shape, within, model);
    }

    /// Accounts for those who hold the second place of a divided concept: for them, its subtree is below the second place. A concept that is
    /// itself the second place takes it along.
    fn move_second_holders(&mut self, shape: &Shape, concept: Concept, model: Model<'_>) {
        for division in model.divided {
            let block = shape.block(division.concept);
            let mut below = 0.0;
            for &(other, pair) in model.pairs().touching(concept) {
                if shape.place(other).is_some_and(|at| block.contains(&at)) {
                    below += model.second_path_score(division, pair, concept, other);
                }
            }
            self.below[block.start] -= below;
            if division.second != concept
                && let Some(second) = shape.place(division.second)
            {
                self.below[second] += below;
            }
            if division.second == concept {
                self.take_along(shape, division, &(0..0), model);
            }
        }
    }

    /// Adds to the weights of places the votes of those who hold the second place of a divided concept, where that place moves.
    fn take_along(
        &mut self,
        shape: &Shape,
        division: &Division,
        moving: &std::ops::Range<usize>,
        model: Model<'_>,
    ) {
        let block = shape.block(division.concept);
        for lower in block.clone().map(|at| shape.at(at)) {
            for &(upper, pair) in model.pairs().touching(lower) {
                let Some(at) = shape.place(upper) else { continue };
                if !block.contains(&at) && !moving.contains(&at) {
                    self.weight[at] += model.second_path_score(division, pair, upper, lower);
                }
            }
            self.take_factors_along(shape, division, moving, lower, model);
        }
    }

    /// A move does not cross the border of a divided concept's subtree.
    fn close_divided(&mut self, shape: &Shape, within: Option<&Division>, model: Model<'_>) {
        match within {
            Some(division) => {
                let block = shape.block(division.concept);
                self.weight[..block.start].fill(f64::NEG_INFINITY);
                self.weight[block.end..].fill(f64::NEG_INFINITY);
            }
            None => {
                for division in model.divided {
                    self.weight[shape.block(division.concept)].fill(f64::NEG_INFINITY);
                }
            }
        }
    }

    /// Finds the places where a concept with its subtree may be, whoever holds it to be there.
    pub(super) fn open_places(&mut self, shape: &Shape, concept: Concept, model: Model<'_>) {
        let places = shape.len();
        let mut open = std::mem::take(&mut self.opinions.open);
        open.clear();
        open.resize(places, true);
        if model.constraints().any() {
            self.apply_subtree_constraints(shape, concept, model);
            open.iter_mut().zip(&self.closed).for_each(|(open, closed)| *open = !closed);
        }
        open[shape.block(concept)].fill(false);
        model.divided.iter().for_each(|division| open[shape.block(division.concept)].fill(false));
        self.opinions.open = open;
    }

    /// Adds to every place's weight the sum over the subsets of children that join, and the prior of concepts that become parents.
    fn sum_over_joins(&mut self, shape: &Shape, per_parent: f64) {
        let parent = per_parent.exp();
        for at in 0..shape.len() {
            self.weight[at] += match self.must_join[at] {
                true => self.joining_at(at) + per_parent,
                false if self.sharp => (self.joining[at] + per_parent).max(0.0),
                false => self.one_or_some(at, per_parent, parent),
            };
            if at > 0 && shape.size_at(at) == 1 {
                self.weight[at] += per_parent;
            }
        }
    }

    /// ln of the sum over all subsets of a place's children, without the prior on parents.
    fn joining_at(&self, at: usize) -> f64 {
        if self.product[at] > 1.0 { self.joining[at] + self.product[at].ln() } else { self.joining[at] }
    }

    /// ln(1 + e^per_parent (e^joining - 1)): either no child joins, or some do and the concept becomes a parent. `parent` is e^per_parent.
    fn one_or_some(&self, at: usize, per_parent: f64, parent: f64) -> f64 {
        if per_parent == 0.0 {
            return self.joining_at(at);
        }
        let outside = self.joining[at];
        if outside == 0.0 && self.product[at] == 1.0 {
            0.0
        } else if outside < LARGE && self.product[at] < LARGE.exp() && per_parent < LARGE {
            let all = if outside == 0.0 { self.product[at] } else { outside.exp() * self.product[at] };
            (1.0 + parent * (all - 1.0)).ln()
        } else {
            // Subtracting 1 would not change the last digit.
            softplus(per_parent + self.joining_at(at))
        }
    }

    /// Multiplies the sum over joining subsets at a place by 1 + e^join, for a child's two choices; or by the better of them, if sharp.
    fn multiply(&mut self, at: usize, join: f64) {
        self.joining[at] += join.max(0.0);
        if self.sharp {
            return;
        }
        // Most children have no votes, and e^0 is known.
        self.product[at] *= if join == 0.0 { 2.0 } else { 1.0 + (-join.abs()).exp() };
        if self.product[at] > f64::MAX / 4.0 {
            self.joining[at] += self.product[at].ln();
            self.product[at] = 1.0;
        }
    }

    /// Edge votes: a parent gains S'_qv, and a child that changes its parent gains S'_vc and loses S'_qc.
    fn weigh_edges(&mut self, shape: &Shape, concept: Concept, model: Model<'_>) {
        for &(other, pair) in model.pairs().touching(concept) {
            if let Some(at) = shape.place(other) {
                self.weight[at] += model.edge_score(pair, other, concept);
                self.join[at] += model.edge_score(pair, concept, other);
            }
        }
        for division in model.divided {
            let (child, parent) = (division.concept, shape.parent(division.concept));
            let lost = model.second_edge_score(division, parent, child);
            let Some(at) = shape.place(child) else { continue };
            self.join[at] += lost - model.second_edge_score(division, concept, child);
        }
        for at in 1..shape.len() {
            let (child, parent) = (shape.at(at), shape.at(shape.parent_place(at)));
            if let Some(pair) = model.pairs().find(parent, child) {
                self.join[at] -= model.edge_score(pair, parent, child);
            }
        }
    }

    /// Detaches a concept with everything below it and draws a new parent from the exact conditional posterior:
    /// weight(q) = exp(sum of S_ad over a = q and everything above it, d in the subtree). O(N + votes on the subtree), one draw.
    pub(crate) fn regraft(
        &mut self,
        shape: &mut Shape,
        concept: Concept,
        model: Model<'_>,
        rng: &mut impl Rng,
    ) {
        if model.divided.iter().any(|division| division.concept == concept) {
            return;
        }
        self.weigh_parents(shape, concept, model);
        let Some(at) = self.choose(rng) else { return };
        let (before, after) = (shape.parent(concept), shape.at(at));
        if after == before {
            return;
        }
        let differ = model.evidence.settings().dissent.is_some() && !self.sharp;
        let prior = if differ { dissent::log_prior(shape, model) } else { 0.0 };
        shape.regraft(concept, after);
        if differ && !is_accepted(shape, model, prior, rng) {
            shape.regraft(concept, before);
        }
    }

    /// Calls `each` with every parent that a concept with its subtree may have, and the chance of it given the rest of the tree: the distribution that
    /// [`Workspace::regraft`] draws from. Draws nothing.
    pub(crate) fn each_parent(
        &mut self,
        shape: &Shape,
        concept: Concept,
        model: Model<'_>,
        mut each: impl FnMut(Concept, f64),
    ) {
        self.weigh_parents(shape, concept, model);
        if shares(&mut self.weight).is_none() {
            each(shape.parent(concept), 1.0);
            return;
        }
        for (at, &share) in self.weight.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            each(shape.at(at), share);
        }
    }

    fn weigh_parents(&mut self, shape: &Shape, concept: Concept, model: Model<'_>) {
        let (places, block) = (shape.len(), shape.block(concept));
        self.reset(places);
        for at in block.clone() {
            let lower = shape.at(at);
            for &(other, pair) in model.pairs().touching(lower) {
                if let Some(at) = shape.place(other).filter(|at| !block.contains(at)) {
                    self.weight[at] += model.path_score(pair, other, lower);
                }
            }
        }
        let within = model.division_around(shape, concept);
        self.weigh_factors_in(shape, &block, within, model);
        for division in model.divided.iter().filter(|_| within.is_none()) {
            let inside = |concept| shape.place(concept).is_some_and(|at| block.contains(&at));
            match (inside(division.concept), inside(division.second)) {
                (false, true) => self.take_along(shape, division, &block, model),
                (true, false) => self.leave_behind(shape, division, &block, model),
                _ => {}
            }
        }
        let per_ancestor = model.per_ancestor() * block.len() as f64;
        for at in (1..block.start).chain(block.end..places) {
            self.weight[at] += self.weight[shape.parent_place(at)] + per_ancestor;
        }
        if model.pairs().has_edge_votes() {
            for &(other, pair) in model.pairs().touching(concept) {
                if let Some(at) = shape.place(other) {
                    self.weight[at] += model.edge_score(pair, other, concept);
                }
            }
        }
        let only_child = |at: usize| at > 0 && at + 1 == block.start && shape.size_at(at) == 1 + block.len();
        let parents = shape.parents() - usize::from(only_child(shape.parent_place(block.start)));
        let per_parent = model.per_parent(parents);
        if per_parent != 0.0 {
            for at in (1..block.start).chain(block.end..places) {
                if shape.size_at(at) == 1 || only_child(at) {
                    self.weight[at] += per_parent;
                }
            }
        }
        if model.constraints().any() {
            self.apply_subtree_constraints(shape, concept, model);
            self.close_places();
        }
        self.weight[block].fill(f64::NEG_INFINITY);
        self.close_divided(shape, within, model);
    }

    /// Takes from the weights of places the votes of those who hold the second place of a divided concept in a subtree that moves, where that place
    /// stays.
    fn leave_behind(
        &mut self,
        shape: &Shape,
        division: &Division,
        moving: &std::ops::Range<usize>,
        model: Model<'_>,
    ) {
        for lower in shape.block(division.concept).map(|at| shape.at(at)) {
            for &(upper, pair) in model.pairs().touching(lower) {
                if let Some(at) = shape.place(upper).filter(|at| !moving.contains(at)) {
                    self.weight[at] -= model.second_path_score(division, pair, upper, lower);
                }
            }
        }
    }
}

/// Whether a move is accepted that was drawn without regard to the divided concepts' prior, which was `before`; and to the corrections, where they bind
/// second places.
fn is_accepted(shape: &Shape, model: Model<'_>, before: f64, rng: &mut impl Rng) -> bool {
    if model.divided.iter().any(|division| shape.parent(division.concept) == division.second) {
        // The move has put a divided concept under its second place.
        return false;
    }
    let odds = dissent::log_prior(shape, model) - before;
    if odds < 0.0 && rng.random::<f64>() >= odds.exp() {
        return false;
    }
    !model.constraints().any() || model.divided.iter().all(|division| division.is_allowed(shape, model))
}

/// A concept's position before it was lifted.
struct Before {
    parent: Concept,
    children: Vec<Concept>,
}

impl Before {
    fn of(shape: &Shape, concept: Concept) -> Self {
        Self { parent: shape.parent(concept), children: shape.children(concept).collect() }
    }

    fn restore(self, shape: &mut Shape, concept: Concept) {
        let back: Vec<usize> = self.children.iter().filter_map(|&child| shape.place(child)).collect();
        shape.insert(concept, self.parent, |at| back.contains(&at));
    }
}

/// ln(1 + e^x).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The index of the largest weight, the first of several; none if every weight is minus infinity.
fn best(weights: &[f64]) -> Option<usize> {
    let mut best = None;
    let mut most = f64::NEG_INFINITY;
    for (at, &weight) in weights.iter().enumerate() {
        if weight > most {
            (best, most) = (Some(at), weight);
        }
    }
    best
}

/// Draws an index with probability proportional to e^weight; none if every weight is minus infinity. One draw. Turns
/// the weights into probabilities.
pub(super) fn draw(weights: &mut [f64], rng: &mut impl Rng) -> Option<usize> {
    shares(weights)?;
    let mut left = rng.random::<f64>();
    let mut last = None;
    for (at, &share) in weights.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        last = Some(at);
        left -= share;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// Turns ln weights into probabilities; `None` if every weight is minus infinity.
fn shares(weights: &mut [f64]) -> Option<()> {
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return None;
    }
    let mut total = 0.0;
    for weight in weights.iter_mut() {
        *weight = relative(*weight - most);
        total += *weight;
    }
    let scale = 1.0 / total;
    weights.iter_mut().for_each(|weight| *weight *= scale);
    Some(())
}

/// e^x for x <= 0, and 0 where the difference cannot matter: a chance of e^-40 is never drawn.
fn relative(x: f64) -> f64 {
    if x > -40.0 { x.exp() } else { 0.0 }
}
