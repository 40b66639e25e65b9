//! The concepts that people place differently, in one chain, and the move that draws them.
//!
//! Who holds which place is summed out when a concept's places and share are drawn, and drawn itself right after, so that moves of other
//! concepts see every person's own tree. A concept may be divided only if it is in no other divided concept's subtree,
//! has none in its own, and no second place of another lies there: then every vote depends on the place of one divided concept at most.

use std::ops::Range;

use grove_tree::Concept;
use rand::{Rng, RngExt};

use super::chain::Mover;
use super::joint::{Moving, each_gain, options_in};
use super::model::Model;
use super::moves::draw;
use super::shape::Shape;
use crate::dissent::{SHARES, log_shares};

/// A concept with two places, each of which some people hold.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    pub(crate) concept: Concept,
    /// The parent other than the one in the tree.
    pub(crate) second: Concept,
    /// Which of [`SHARES`] hold the second place.
    pub(crate) share: usize,
    /// The expected share of all workers who do, given their votes.
    pub(crate) held: f64,
    /// A bit for every worker who voted about the concept's places.
    holders: Vec<u64>,
}

impl Division {
    pub(crate) fn new(concept: Concept, second: Concept, share: usize) -> Self {
        Self { concept, second, share, held: SHARES[share], holders: Vec::new() }
    }

    pub(crate) fn is_held_by(&self, worker: usize) -> bool {
        self.holders.get(worker / 64).is_some_and(|bits| bits >> (worker % 64) & 1 == 1)
    }

    fn hold(&mut self, worker: usize) {
        if self.holders.len() <= worker / 64 {
            self.holders.resize(worker / 64 + 1, 0);
        }
        self.holders[worker / 64] |= 1 << (worker % 64);
    }

    /// Whether those who hold the second place have `upper`, which is outside the concept's subtree, above it.
    pub(crate) fn second_is_below(&self, shape: &Shape, upper: Concept) -> bool {
        upper == self.second || shape.is_above(upper, self.second)
    }

    /// Whether the corrections allow the second place, given the tree.
    pub(crate) fn is_allowed(&self, shape: &Shape, model: Model<'_>) -> bool {
        let block = shape.block(self.concept);
        let fulfils = |at: usize| {
            let constraints = model.constraints().of(shape.at(at));
            let inside = |upper: Concept| shape.place(upper).is_some_and(|at| block.contains(&at));
            let required = |&upper: &Concept| inside(upper) || self.second_is_below(shape, upper);
            let forbidden = |&upper: &Concept| !inside(upper) && self.second_is_below(shape, upper);
            constraints.above.iter().all(required) && !constraints.not_above.iter().any(forbidden)
        };
        model.constraints().of(self.concept).parent.is_none() && block.clone().all(fulfils)
    }
}

/// Further top-level concepts are not counted: the chance that so many are all divided is practically zero.
const FEW_TOPS: usize = 12;

/// The numbers of parents and leaves that second places may not be at: those in the subtrees of divided concepts.
fn inside(shape: &Shape, divided: &[Division]) -> [usize; 2] {
    let mut counts = [0; 2];
    for at in divided.iter().flat_map(|division| shape.block(division.concept)) {
        counts[usize::from(shape.size_at(at) == 1)] += 1;
    }
    counts
}

/// The prior of divided concepts in trees that have some things in common.
struct SecondPlaces<'a> {
    model: Model<'a>,
    chance: f64,
    concepts: usize,
    inside: [usize; 2],
}

impl<'a> SecondPlaces<'a> {
    /// With these divided concepts, whose subtrees all trees have in common.
    fn new(shape: &Shape, model: Model<'a>, divided: &[Division]) -> Option<Self> {
        let chance = model.evidence.settings().dissent?.chance();
        Some(Self { model, chance, concepts: shape.count(), inside: inside(shape, divided) })
    }

    /// ln of the sum of the weights of all second places, in a tree with this many parents.
    fn log_sum(&self, parents: usize) -> f64 {
        let leaves = self.concepts - parents;
        let outside = [parents - self.inside[0], leaves - self.inside[1]];
        (outside[0] as f64 + self.model.per_parent(parents).exp() * outside[1] as f64).ln()
    }

    /// -ln P(not all top-level concepts are divided).
    fn not_all(&self, tops: usize) -> f64 {
        -(-self.chance.powi(tops.min(FEW_TOPS) as i32)).ln_1p()
    }
}

/// The log-prior of the divided concepts in a tree, up to a constant as long as they stay the same and nothing enters or leaves their
/// subtrees.
pub(crate) fn log_prior(shape: &Shape, model: Model<'_>) -> f64 {
    let Some(prior) = SecondPlaces::new(shape, model, model.divided) else { return 0.0 };
    let tops = prior.not_all(shape.children(Concept::ROOT).take(FEW_TOPS).count());
    if model.divided.is_empty() {
        return tops;
    }
    let leaf = |division: &&Division| !division.second.is_root() && !shape.is_parent(division.second);
    let leaves = model.divided.iter().filter(leaf).count() as f64;
    let parents = shape.parents();
    tops + leaves * model.per_parent(parents) - model.divided.len() as f64 * prior.log_sum(parents)
}

/// What one worker's votes add to the log-likelihood, at a place and everything below it.
#[derive(Clone, Copy, Debug)]
struct Opinion {
    place: u32,
    worker: u32,
    log: f64,
}

/// The votes that depend on where a concept with its subtree is, by place and worker.
#[derive(Clone, Default, Debug)]
pub(crate) struct Opinions {
    paths: Vec<Opinion>,
    /// Votes on edges, which add something at one place only.
    edges: Vec<Opinion>,
    /// The workers who gave them, in order.
    workers: Vec<u32>,
    /// The pseudo-workers. They hold the place that most people hold: a rule applied to all concepts has no opinion
    /// about a single one, and would otherwise count as right wherever people contradict it.
    pseudo: Vec<u32>,
    /// By worker: the log-likelihood at the reference place, and e to the difference of the present one.
    anchor: Vec<f64>,
    ratio: Vec<f64>,
    /// What to restore when a walk leaves a subtree.
    undo: Vec<(u32, f64)>,
    /// By place: whether the concept may be there, and the group of places with the same votes.
    pub(super) open: Vec<bool>,
    group: Vec<u32>,
    /// By group and share: the log-likelihood relative to the anchor's.
    value: Vec<f64>,
    log: Vec<f64>,
}

/// The largest ratio of likelihoods is e to this, so that products of some stay finite.
const LARGEST_LOG: f64 = 300.0;

impl Opinions {
    /// Gathers the votes on pairs of the concept's subtree and the rest, and the places that are allowed.
    fn gather(&mut self, shape: &Shape, concept: Concept, model: Model<'_>) {
        let block = shape.block(concept);
        self.paths.clear();
        self.edges.clear();
        for at in block.clone() {
            let lower = shape.at(at);
            for &(upper, pair) in model.pairs().touching(lower) {
                let Some(place) = shape.place(upper).filter(|place| !block.contains(place)) else { continue };
                let (paths, pair) = (&mut self.paths, model.pairs().get(pair));
                let opinion =
                    |worker: usize, log| Opinion { place: place as u32, worker: worker as u32, log };
                model.each_path_vote(pair, upper, lower, |worker, log| paths.push(opinion(worker, log)));
                if lower == concept {
                    let edges = &mut self.edges;
                    model.each_edge_vote(pair, upper, lower, |worker, log| edges.push(opinion(worker, log)));
                }
            }
            for factor in model.evidence.factors().about(lower) {
                let along = options_in(shape, factor, |at, option| {
                    block.contains(&at) && shape.is_above(option, lower)
                });
                let moving = Moving { along, ..Moving::default() };
                let worker = factor.worker.index() as u32;
                each_gain(shape, factor, model, moving, &block, &(0..shape.len()), |place, log| {
                    self.paths.push(Opinion { place: place as u32, worker, log });
                });
            }
        }
        self.workers.clear();
        for list in [&mut self.paths, &mut self.edges] {
            list.sort_unstable_by_key(|opinion| (opinion.place, opinion.worker));
            list.dedup_by(|next, kept| {
                let same = (next.place, next.worker) == (kept.place, kept.worker);
                if same {
                    kept.log += next.log;
                }
                same
            });
            self.workers.extend(list.iter().map(|opinion| opinion.worker));
        }
        self.workers.sort_unstable();
        self.workers.dedup();
        self.pseudo.clear();
        self.pseudo.extend(model.evidence.pseudo_workers().iter().map(|(worker, _)| worker.index() as u32));
        let workers = self.workers.last().map_or(0, |&worker| worker as usize + 1);
        self.anchor.resize(self.anchor.len().max(workers), 0.0);
        self.ratio.resize(self.ratio.len().max(workers), 1.0);
    }

    /// The log-likelihood of every worker's votes with the concept at a place, into `anchor`.
    fn anchor_at(&mut self, shape: &Shape, place: usize) {
        self.workers.iter().for_each(|&worker| self.anchor[worker as usize] = 0.0);
        let mut at = place;
        while at > 0 {
            for opinion in of_place(&self.paths, at) {
                self.anchor[opinion.worker as usize] += opinion.log;
            }
            at = shape.parent_place(at);
        }
        for opinion in of_place(&self.edges, place) {
            self.anchor[opinion.worker as usize] += opinion.log;
        }
    }

    /// Walks over all places outside the block, and fills in `group`, and for every group and every (u, v): the sum over workers of
    /// ln(u + v e^(l - anchor)), where l is the log-likelihood of the worker's votes at the place. O(N + votes * pairs (u, v)).
    fn walk<const M: usize>(&mut self, shape: &Shape, block: Range<usize>, mixtures: &Mixtures<M>) {
        let places = shape.len();
        self.group.clear();
        self.group.resize(places, 0);
        self.value.clear();
        self.undo.clear();
        // The root is above everything, so no votes add anything.
        let mut root = [Product::default(); M];
        for &worker in &self.workers {
            let ratio = exp(-self.anchor[worker as usize]);
            self.ratio[worker as usize] = ratio;
            let mixtures = mixtures.of(self.pseudo.contains(&worker));
            root.iter_mut().zip(mixtures).for_each(|(product, [u, v])| product.multiply(u + v * ratio));
        }
        self.value.extend(root.iter().map(Product::log));
        let mut stack = vec![(places, 0_u32, 0_usize)];
        let (mut paths, mut edges) = (0, 0);
        // Those who placed the concept at the top level.
        let tops = self.edges.partition_point(|opinion| opinion.place == 0);
        if tops > 0 {
            self.group[0] = (self.value.len() / M) as u32;
            self.add_group(0, 0..tops, mixtures, true);
            edges = tops;
        }
        let mut at = 1;
        while at < places {
            if at == block.start {
                at = block.end;
                continue;
            }
            while let Some(&(end, _, undone)) = stack.last()
                && at >= end
            {
                stack.pop();
                for (worker, ratio) in self.undo.drain(undone..).rev() {
                    self.ratio[worker as usize] = ratio;
                }
            }
            let (_, above, _) = *stack.last().expect("the root's subtree is everything");
            let mut group = above;
            if self.paths.get(paths).is_some_and(|opinion| opinion.place as usize == at) {
                group = (self.value.len() / M) as u32;
                stack.push((at + shape.size_at(at), group, self.undo.len()));
                let end = paths + self.paths[paths..].partition_point(|opinion| opinion.place as usize == at);
                self.add_group(above, paths..end, mixtures, false);
                paths = end;
            }
            if self.edges.get(edges).is_some_and(|opinion| opinion.place as usize == at) {
                let end = edges + self.edges[edges..].partition_point(|opinion| opinion.place as usize == at);
                let own = (self.value.len() / M) as u32;
                self.add_group(group, edges..end, mixtures, true);
                edges = end;
                group = own;
            }
            self.group[at] = group;
            at += 1;
        }
        // Nothing is left of the walk in `ratio` that the next one does not set.
    }

    /// The values of a new group: those of another with some more votes, on paths or on an edge.
    fn add_group<const M: usize>(
        &mut self,
        above: u32,
        votes: Range<usize>,
        mixtures: &Mixtures<M>,
        edge: bool,
    ) {
        let list = if edge { &self.edges } else { &self.paths };
        let mut products = [Product::default(); M];
        for opinion in &list[votes] {
            let worker = opinion.worker as usize;
            let before = self.ratio[worker];
            let after = (before * exp(opinion.log)).clamp(exp(-LARGEST_LOG), exp(LARGEST_LOG));
            let mixtures = mixtures.of(self.pseudo.contains(&opinion.worker));
            for (product, [u, v]) in products.iter_mut().zip(mixtures) {
                product.multiply((u + v * after) / (u + v * before));
            }
            if !edge {
                self.undo.push((opinion.worker, before));
                self.ratio[worker] = after;
            }
        }
        let start = above as usize * M;
        for (at, product) in products.iter().enumerate() {
            self.value.push(self.value[start + at] + product.log());
        }
    }
}

fn of_place(opinions: &[Opinion], place: usize) -> &[Opinion] {
    let start = opinions.partition_point(|opinion| (opinion.place as usize) < place);
    let end = opinions.partition_point(|opinion| opinion.place as usize <= place);
    &opinions[start..end]
}

/// e^x, for an x that is not too far from 0.
fn exp(x: f64) -> f64 {
    x.clamp(-LARGEST_LOG, LARGEST_LOG).exp()
}

/// A product of many factors with its logarithm: one logarithm for many of them.
#[derive(Clone, Copy, Debug)]
struct Product {
    factor: f64,
    log: f64,
}

impl Default for Product {
    fn default() -> Self {
        Self { factor: 1.0, log: 0.0 }
    }
}

impl Product {
    fn multiply(&mut self, factor: f64) {
        self.factor *= factor;
        if !(1e-150..1e150).contains(&self.factor) {
            self.log += self.factor.ln();
            self.factor = 1.0;
        }
    }

    fn log(&self) -> f64 {
        self.log + self.factor.ln()
    }
}

/// The chances (u, v) that a worker holds the reference place or another one, in several cases: for people, and for
/// pseudo-workers.
struct Mixtures<const M: usize> {
    people: [[f64; 2]; M],
    pseudo: [[f64; 2]; M],
}

impl<const M: usize> Mixtures<M> {
    fn of(&self, pseudo: bool) -> &[[f64; 2]; M] {
        if pseudo { &self.pseudo } else { &self.people }
    }
}

/// Which second place and share, or none, is drawn.
const SECONDS: Mixtures<{ SHARES.len() }> = Mixtures { people: BY_SHARE, pseudo: [[1.0, 0.0]; SHARES.len()] };

const BY_SHARE: [[f64; 2]; SHARES.len()] = {
    let mut mixtures = [[0.0; 2]; SHARES.len()];
    let mut at = 0;
    while at < SHARES.len() {
        mixtures[at] = [1.0 - SHARES[at], SHARES[at]];
        at += 1;
    }
    mixtures
};

impl Mover<'_> {
    /// Whether people may differ, and each person's votes count.
    pub(crate) fn may_differ(&self) -> bool {
        let settings = self.model.evidence.settings();
        settings.dissent.is_some() && settings.noise != crate::Noise::Majority
    }

    /// Draws the places of a concept that keeps its subtree: first whether there is a second place, which, and the share that holds it; then, if
    /// there is, the first place, and which of the two is first. Each step draws from its exact conditional posterior.
    /// O(N + votes on the subtree).
    pub(crate) fn differ(&mut self, concept: Concept) {
        if !self.may_differ() || self.model.constraints().of(concept).parent.is_some() {
            return;
        }
        self.chain.divided.retain(|division| division.concept != concept);
        if !self.may_be_divided(concept) {
            return;
        }
        let (shape, model) = self.chain.parts(self.model);
        self.space.open_places(shape, concept, model);
        let opinions = &mut self.space.opinions;
        opinions.gather(shape, concept, model);
        let Some(mut division) = opinions.draw_second(shape, concept, model, self.rng) else { return };
        opinions.draw_first(shape, &division, model, self.rng);
        opinions.draw_order(shape, &mut division, model, self.rng);
        opinions.draw_holders(shape, &mut division, self.rng);
        let at = self.chain.divided.partition_point(|other| other.concept < concept);
        self.chain.divided.insert(at, division);
    }

    /// Whether one more concept may be divided together with those that are; true for one that already is.
    fn may_be_divided(&self, concept: Concept) -> bool {
        let shape = &self.chain.shape;
        let apart = |upper: Concept, lower: Concept| upper != lower && !shape.is_above(upper, lower);
        self.chain.divided.iter().all(|other| {
            apart(concept, other.concept)
                && apart(other.concept, concept)
                && (other.second.is_root() || apart(concept, other.second))
        })
    }

    /// Draws anew who holds which place of every divided concept.
    pub(crate) fn redraw_holders(&mut self) {
        for at in 0..self.chain.divided.len() {
            let mut division = self.chain.divided[at].clone();
            let (shape, model) = self.chain.parts(self.model);
            let opinions = &mut self.space.opinions;
            opinions.gather(shape, division.concept, model);
            opinions.draw_holders(shape, &mut division, self.rng);
            self.chain.divided[at] = division;
        }
    }

    /// Notes for every divided concept what share of people hold its second place, given all votes and rates as they are now.
    pub(crate) fn expect_holders(&mut self) {
        let mut divided = std::mem::take(&mut self.chain.divided);
        let (shape, model) = self.chain.parts(self.model);
        for division in &mut divided {
            self.space.opinions.expect_holders(shape, division, model);
        }
        self.chain.divided = divided;
    }

    /// Forgets the divided concepts whose second place corrections no longer allow.
    pub(crate) fn drop_forbidden_divisions(&mut self) {
        let (shape, model) = self.chain.parts(self.model);
        let allowed: Vec<bool> =
            model.divided.iter().map(|division| division.is_allowed(shape, model)).collect();
        let mut allowed = allowed.into_iter();
        self.chain.divided.retain(|_| allowed.next() == Some(true));
    }
}

impl Opinions {
    /// Draws whether a concept is divided, and then the second place and the share. The model has the other divided concepts.
    fn draw_second(
        &mut self,
        shape: &Shape,
        concept: Concept,
        model: Model<'_>,
        rng: &mut impl Rng,
    ) -> Option<Division> {
        let (block, parents) = (shape.block(concept), shape.parents());
        let first = shape.place(shape.parent(concept))?;
        self.anchor_at(shape, first);
        self.walk(shape, block.clone(), &SECONDS);
        let leaf = model.per_parent(parents).exp();
        let weight = |at: usize| if at == 0 || shape.size_at(at) > 1 { 1.0 } else { leaf };
        let groups = self.value.len() / SHARES.len();
        let mut weights = vec![0.0; groups];
        let members = |open: &[bool]| -> Vec<usize> {
            (0..shape.len()).filter(|&at| open[at] && at != first).collect()
        };
        let members = members(&self.open);
        members.iter().for_each(|&at| weights[self.group[at] as usize] += weight(at));

        let others = model.divided.len() as f64;
        let without = SecondPlaces::new(shape, model, model.divided)?;
        let mut with = SecondPlaces { inside: without.inside, ..SecondPlaces::new(shape, model, &[])? };
        for at in block.clone() {
            with.inside[usize::from(shape.size_at(at) == 1)] += 1;
        }
        let chance = with.chance;
        self.log.clear();
        let undivided = block.len() as f64 * (-chance).ln_1p();
        self.log.push(undivided - if others > 0.0 { others * without.log_sum(parents) } else { 0.0 });
        let divided =
            if members.is_empty() { 0.0 } else { chance.ln() - (others + 1.0) * with.log_sum(parents) };
        for (group, weight) in weights.iter().enumerate() {
            let prior = divided + weight.ln();
            let likelihoods = &self.value[group * SHARES.len()..][..SHARES.len()];
            self.log.extend(log_shares().iter().zip(likelihoods).map(|(share, log)| prior + share + log));
        }
        let drawn = draw(&mut self.log, rng)?.checked_sub(1)?;
        let (group, share) = (drawn / SHARES.len(), drawn % SHARES.len());
        let mut left = rng.random::<f64>() * weights[group];
        let in_group: Vec<usize> =
            members.into_iter().filter(|&at| self.group[at] as usize == group).collect();
        let second = in_group.iter().copied().find(|&at| {
            left -= weight(at);
            left < 0.0
        });
        let second = second.or(in_group.last().copied())?;
        Some(Division::new(concept, shape.at(second), share))
    }

    /// Draws the first place of a divided concept, and puts it there.
    fn draw_first(&mut self, shape: &mut Shape, division: &Division, model: Model<'_>, rng: &mut impl Rng) {
        let block = shape.block(division.concept);
        let Some(second) = shape.place(division.second) else { return };
        self.anchor_at(shape, second);
        let share = SHARES[division.share];
        self.walk(shape, block, &Mixtures { people: [[share, 1.0 - share]], pseudo: [[0.0, 1.0]] });
        let prior = FirstPlaces::new(shape, division.concept, model);
        self.log.clear();
        for at in 0..shape.len() {
            let open = self.open[at] && at != second;
            let log = |at: usize| prior.log(shape, at, division.second) + self.value[self.group[at] as usize];
            self.log.push(if open { log(at) } else { f64::NEG_INFINITY });
        }
        if let Some(at) = draw(&mut self.log, rng)
            && shape.at(at) != shape.parent(division.concept)
        {
            let parent = shape.at(at);
            shape.regraft(division.concept, parent);
            // Places have new numbers.
            self.gather(shape, division.concept, model);
        }
    }

    /// Draws which of the two places is first, and the share.
    fn draw_order(
        &mut self,
        shape: &mut Shape,
        division: &mut Division,
        model: Model<'_>,
        rng: &mut impl Rng,
    ) {
        let first = shape.parent(division.concept);
        let (Some(at_first), Some(at_second)) = (shape.place(first), shape.place(division.second)) else {
            return;
        };
        self.anchor_at(shape, at_first);
        let firsts: Vec<f64> = self.workers.iter().map(|&worker| self.anchor[worker as usize]).collect();
        self.anchor_at(shape, at_second);
        // The sum over workers of ln(1 - t + t e^(second - first)), for shares t of the second place from both ends.
        let mut products = [[Product::default(); SHARES.len()]; 2];
        for (&worker, first) in self.workers.iter().zip(&firsts) {
            let ratio = exp(self.anchor[worker as usize] - first);
            for (share, [most, least]) in SECONDS.of(self.pseudo.contains(&worker)).iter().enumerate() {
                products[0][share].multiply(most + least * ratio);
                products[1][share].multiply(least + most * ratio);
            }
        }
        let prior = FirstPlaces::new(shape, division.concept, model);
        let orders = [prior.log(shape, at_first, division.second), prior.log(shape, at_second, first)];
        self.log.clear();
        for (order, products) in orders.iter().zip(&products) {
            let log = |(share, product): (&f64, &Product)| order + share + product.log();
            self.log.extend(log_shares().iter().zip(products).map(log));
        }
        let Some(drawn) = draw(&mut self.log, rng) else { return };
        division.share = drawn % SHARES.len();
        if drawn >= SHARES.len() {
            shape.regraft(division.concept, division.second);
            division.second = first;
            self.gather(shape, division.concept, model);
        }
    }

    /// Draws who holds which place.
    fn draw_holders(&mut self, shape: &Shape, division: &mut Division, rng: &mut impl Rng) {
        division.holders.clear();
        let chances = self.holding_chances(shape, division);
        for (&worker, chance) in self.workers.iter().zip(chances) {
            if rng.random::<f64>() < chance {
                division.hold(worker as usize);
            }
        }
    }

    /// For every worker who voted about it, the chance that they hold the second place.
    fn holding_chances(&mut self, shape: &Shape, division: &Division) -> Vec<f64> {
        let share = SHARES[division.share];
        let place = |concept: Concept| {
            shape.place(concept).expect("both places of a divided concept are in the tree")
        };
        self.anchor_at(shape, place(shape.parent(division.concept)));
        let firsts: Vec<f64> = self.workers.iter().map(|&worker| self.anchor[worker as usize]).collect();
        self.anchor_at(shape, place(division.second));
        let chance = |(&worker, first): (&u32, f64)| {
            if self.pseudo.contains(&worker) {
                return 0.0;
            }
            let ratio = exp(self.anchor[worker as usize] - first);
            share * ratio / (1.0 - share + share * ratio)
        };
        self.workers.iter().zip(firsts).map(chance).collect()
    }

    /// Notes the expected share of people who hold the second place, without drawing who does.
    pub(crate) fn expect_holders(&mut self, shape: &Shape, division: &mut Division, model: Model<'_>) {
        self.gather(shape, division.concept, model);
        let share = SHARES[division.share];
        let chances = self.holding_chances(shape, division);
        let people = self.workers.iter().zip(chances).filter(|(worker, _)| !self.pseudo.contains(worker));
        let more: f64 = people.map(|(_, chance)| chance - share).sum();
        division.held = share + more / model.evidence.voters().max(1) as f64;
    }
}

/// The log-prior of a tree by the place of one divided concept with its subtree.
struct FirstPlaces<'a> {
    prior: SecondPlaces<'a>,
    divided: f64,
    /// Parents, and top-level concepts, without the concept.
    parents: usize,
    tops: usize,
    block: Range<usize>,
    /// The place of the concept's present parent, if it has no other child.
    only_child_of: Option<usize>,
    /// By place: what the prior's odds and its penalty on depth add; empty if there are none.
    above: Vec<f64>,
}

impl<'a> FirstPlaces<'a> {
    /// The model has the other divided concepts.
    fn new(shape: &Shape, concept: Concept, model: Model<'a>) -> Self {
        let mut prior = SecondPlaces::new(shape, model, model.divided).expect("people may differ");
        let block = shape.block(concept);
        for at in block.clone() {
            prior.inside[usize::from(shape.size_at(at) == 1)] += 1;
        }
        let parent = shape.parent(concept);
        let only_child = !parent.is_root() && shape.size(parent) == 1 + block.len();
        let tops = shape.children(Concept::ROOT).count();
        Self {
            prior,
            divided: model.divided.len() as f64 + 1.0,
            parents: shape.parents() - usize::from(only_child),
            tops: tops - usize::from(parent.is_root()),
            only_child_of: only_child.then(|| shape.place(parent)).flatten(),
            above: prior_above(shape, &block, model),
            block,
        }
    }

    /// Whether the concept at a place has no children, this one left out.
    fn is_leaf(&self, shape: &Shape, at: usize) -> bool {
        at > 0 && (shape.size_at(at) == 1 || self.only_child_of == Some(at))
    }

    fn log(&self, shape: &Shape, at: usize, second: Concept) -> f64 {
        debug_assert!(!self.block.contains(&at));
        let model = self.prior.model;
        let parents = self.parents + usize::from(self.is_leaf(shape, at));
        let seconds = model.divided.iter().map(|other| other.second).chain([second]);
        let leaves = seconds
            .filter_map(|second| shape.place(second))
            .filter(|&second| second != at && self.is_leaf(shape, second))
            .count();
        model.evidence.parent_prior().log(parents) + leaves as f64 * model.per_parent(parents)
            - self.divided * self.prior.log_sum(parents)
            + self.prior.not_all(self.tops + usize::from(at == 0))
            + self.above.get(at).copied().unwrap_or(0.0)
    }
}

/// What the prior's odds, and its penalty on depth, add for a block at every place.
fn prior_above(shape: &Shape, block: &Range<usize>, model: Model<'_>) -> Vec<f64> {
    let per_ancestor = model.per_ancestor() * block.len() as f64;
    if per_ancestor == 0.0 && model.evidence.settings().prior.odds().next().is_none() {
        return Vec::new();
    }
    let mut above = vec![0.0; shape.len()];
    for at in block.clone() {
        let lower = shape.at(at);
        for &(upper, pair) in model.pairs().touching(lower) {
            if let Some(place) = shape.place(upper) {
                above[place] += model.pairs().get(pair).odds[crate::pairs::side(upper, lower)];
            }
        }
    }
    for at in (1..block.start).chain(block.end..shape.len()) {
        above[at] += above[shape.parent_place(at)] + per_ancestor;
    }
    above
}
