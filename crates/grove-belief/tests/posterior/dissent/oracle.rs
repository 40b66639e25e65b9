//! The posterior where people may differ, by its definition: every tree, every set of divided concepts, every second place and share.
//! Shares nothing with the library but the values that describe votes, rates and trees.
//!
//! Given the tree and the set, second places and shares of different concepts are independent, and each decides about its own votes:
//! those on a concept of the block and one outside all blocks. So the sums over them are taken one concept at a time.

use grove_belief::{
    Answer, Correction, Evidence, FormRates, Kind, Noise, PlaceRates, Prior, Rates, Relation, Reply,
    Response, Screen, Worker,
};
use grove_tree::{Concept, Tree};

use crate::oracle::all_trees;

mod tests;

/// The prior of trees.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Trees {
    /// All alike.
    Uniform,
    /// e^-theta for every parent.
    FewParents(f64),
    /// e^-theta for every parent, where theta is -2, -1.5, ... or 7 with equal chances.
    Taxonomy,
}

impl Trees {
    pub(crate) fn prior(self) -> Prior {
        match self {
            Self::Uniform => Prior::uniform(),
            Self::FewParents(penalty) => Prior::uniform().few_parents(penalty).unwrap(),
            Self::Taxonomy => Prior::taxonomy(),
        }
    }
}

/// How likely a leaf is to be a second place, where the root and parents have the weight 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Leaves {
    /// As likely as a tree with one parent more, for one with as many as this.
    AsNewParents,
    /// As any other place: a fault to plant.
    LikeOthers,
}

/// All that the oracle assumes beside the rates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Model {
    pub(crate) trees: Trees,
    /// The chance that a concept is divided, if none above it is.
    pub(crate) delta: f64,
    pub(crate) leaves: Leaves,
    /// Weights of the shares .05, .10, ..., .50.
    pub(crate) shares: [f64; 10],
    pub(crate) reading: Reading,
}

/// How picks and ticks are read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Reading {
    Right,
    /// Every option is a pair of its own, as if others did not matter: a fault to plant, as the rest.
    Independent,
    /// Nobody names an option that is too wide.
    NeverWider,
    /// "None of these" is a no to every option.
    NoneIsNo,
    /// A box below one that is ticked counts as any other.
    EveryBox,
}

impl Model {
    pub(crate) fn new(trees: Trees, delta: f64) -> Self {
        let mut shares = [1.0; 10];
        shares[9] = 0.5;
        Self { trees, delta, leaves: Leaves::AsNewParents, shares, reading: Reading::Right }
    }
}

pub(crate) fn share(step: usize) -> f64 {
    0.05 * (step + 1) as f64
}

/// One thing that somebody said: an answer, a pick, a box, or a place.
struct Said {
    /// The upper concept of a yes/no question.
    upper: Option<usize>,
    lower: usize,
    worker: usize,
    /// Names, or an earlier hierarchy: they always hold the first place.
    pseudo: bool,
    what: What,
    rates: Rates,
    forms: FormRates,
    reading: Reading,
}

enum What {
    Answer(Kind, bool),
    /// The options, and which of them was picked.
    Pick(Vec<usize>, Option<usize>),
    /// The upper concept, the other boxes that are ticked, and whether this one is.
    Box(usize, Vec<usize>, bool),
    /// The parent; 0 for the top level.
    Place(usize),
}

impl Said {
    fn chance(&self, shape: &Shape) -> f64 {
        let lower = self.lower;
        match &self.what {
            What::Answer(kind, yes) => {
                let upper = self.upper.unwrap();
                let relation = match kind {
                    Kind::Path if shape.above[upper][lower] => Relation::Above,
                    Kind::Path if shape.above[lower][upper] => Relation::Reversed,
                    Kind::Edge if shape.parents[lower] == upper => Relation::Above,
                    Kind::Path | Kind::Edge => Relation::Neither,
                };
                let rate = self.rates.yes(relation);
                if *yes { rate } else { 1.0 - rate }
            }
            What::Pick(options, picked) => self.pick(options, *picked, shape),
            What::Box(upper, ticked, is_ticked) => {
                let implied = ticked.iter().any(|other| shape.above[*other][lower]);
                let tick = &self.forms.tick;
                let rate = match shape.above[*upper][lower] {
                    _ if implied && self.reading != Reading::EveryBox => tick.redundant,
                    true => tick.found,
                    false => tick.unfounded,
                };
                if *is_ticked { rate } else { 1.0 - rate }
            }
            What::Place(parent) => {
                let place = &self.forms.place;
                if shape.parents[lower] == *parent {
                    1.0 - place.wider - place.wrong
                } else if *parent == 0 || shape.above[*parent][lower] {
                    place.wider / 2.0
                } else {
                    place.wrong / (shape.parents.len() - 2) as f64
                }
            }
        }
    }

    fn pick(&self, options: &[usize], picked: Option<usize>, shape: &Shape) -> f64 {
        let mut rates = self.forms.pick;
        if self.reading == Reading::NeverWider {
            rates.wider = 1e-9;
        }
        let above: Vec<usize> =
            options.iter().copied().filter(|option| shape.above[*option][self.lower]).collect();
        // The one that all others are above.
        let lowest = above
            .iter()
            .copied()
            .find(|one| above.iter().all(|other| other == one || shape.above[*other][*one]));
        let (k, n) = (options.len() as f64, above.len() as f64);
        match (picked, lowest) {
            (None, _) if self.reading == Reading::NoneIsNo => options
                .iter()
                .map(|option| {
                    1.0 - self.rates.yes(if above.contains(option) {
                        Relation::Above
                    } else {
                        Relation::Neither
                    })
                })
                .product(),
            (Some(picked), _) if self.reading == Reading::Independent => {
                let gain = |option: &usize| {
                    let right = 1.0 - rates.missed;
                    if *option == picked {
                        right * k / rates.unfounded
                    } else {
                        rates.wrong / rates.unfounded * k / (k - 1.0)
                    }
                };
                rates.unfounded / k * above.iter().map(gain).product::<f64>()
            }
            (None, None) => 1.0 - rates.unfounded,
            (None, Some(_)) => rates.missed,
            (Some(_), None) => rates.unfounded / k,
            (Some(picked), Some(lowest)) => {
                let wrong = if n < k { rates.wrong } else { 0.0 };
                let wider = if n > 1.0 { rates.wider } else { 0.0 };
                if picked == lowest {
                    1.0 - rates.missed - wrong - wider
                } else if above.contains(&picked) {
                    wider / (n - 1.0)
                } else {
                    wrong / (k - n)
                }
            }
        }
    }
}

/// A tree as tables: the root is 0.
struct Shape {
    tree: Tree,
    parents: Vec<usize>,
    above: Vec<Vec<bool>>,
}

impl Shape {
    fn new(tree: Tree) -> Self {
        let all: Vec<Concept> = (0..=tree.len()).map(Concept::new).collect();
        let parents = all.iter().map(|concept| tree.parent(*concept).index()).collect();
        let row = |upper: &Concept| all.iter().map(|lower| tree.is_above(*upper, *lower)).collect();
        let above = all.iter().map(row).collect();
        Self { tree, parents, above }
    }

    fn is_parent(&self, concept: usize) -> bool {
        (1..self.parents.len()).any(|child| self.parents[child] == concept)
    }

    /// The number of parents, without the root.
    fn count_parents(&self) -> usize {
        (1..self.parents.len()).filter(|concept| self.is_parent(*concept)).count()
    }

    fn tops(&self) -> usize {
        (1..self.parents.len()).filter(|concept| self.parents[*concept] == 0).count()
    }

    /// Whether a concept belongs to the block of another: it is that one, or below it.
    fn in_block(&self, concept: usize, top: usize) -> bool {
        concept == top || self.above[top][concept]
    }

    fn moved(&self, concept: usize, place: usize) -> Self {
        let mut parents: Vec<Concept> = self.tree.parents().to_vec();
        parents[concept - 1] = Concept::new(place);
        Self::new(Tree::from_parents(&parents).unwrap())
    }

    fn satisfies(&self, corrections: &[Correction]) -> bool {
        corrections.iter().all(|correction| self.tree.satisfies(*correction))
    }
}

/// By upper, then lower concept; or by child, then parent. The root is 0.
type Table = Vec<Vec<f64>>;

/// What is to be expected of every probability.
#[derive(Clone, Debug)]
pub(crate) struct People {
    /// The chance that a person of the crowd holds the first above the second.
    pub(crate) path: Table,
    /// The chance that a person of the crowd places the first under the second.
    pub(crate) parents: Table,
    /// P(the first above the second in the tree).
    pub(crate) tree_path: Table,
    /// P(the first is divided and the second is its second place).
    pub(crate) second: Table,
    /// The mean share of every concept's second place, 0 where it is undivided.
    pub(crate) share: Vec<f64>,
    /// ln of the sum over all states of prior times likelihood; without votes and corrections, of a proper prior, 0.
    pub(crate) log_evidence: f64,
}

/// What the second places and shares of one concept come to, given the tree and the set of divided concepts.
struct Block {
    /// ln of the sum over places and shares of prior times likelihood of the block's votes.
    log_weight: f64,
    places: Vec<Place>,
}

/// One second place of a concept.
struct Place {
    at: usize,
    shape: Shape,
    /// Its chance.
    chance: f64,
    /// The chance that it is the place, and a person of the crowd holds it.
    held: f64,
    /// The mean share.
    share: f64,
}

impl People {
    pub(crate) fn divided(&self, concept: usize) -> f64 {
        self.second[concept].iter().sum()
    }

    pub(crate) fn new(evidence: &Evidence, model: &Model) -> Self {
        let count = evidence.count();
        let votes = votes(evidence, model.reading);
        let mut workers: Vec<usize> =
            votes.iter().filter(|said| !said.pseudo).map(|said| said.worker).collect();
        workers.sort_unstable();
        workers.dedup();
        let corrections: Vec<Correction> = evidence.corrections().iter().map(|(_, one)| one).collect();
        let shapes: Vec<Shape> = all_trees(count).into_iter().map(Shape::new).collect();
        let prior = TreePrior::new(model.trees, count, &shapes);
        let crowd = Crowd { votes, workers, corrections, model, prior };
        let mut sums = Sums::new(count);
        for shape in shapes.iter().filter(|shape| shape.satisfies(&crowd.corrections)) {
            for divided in sets(shape) {
                crowd.weigh(shape, &divided, &mut sums);
            }
        }
        sums.normalised()
    }
}

fn votes(evidence: &Evidence, reading: Reading) -> Vec<Said> {
    let rates_of = |worker: usize| match &evidence.settings().noise {
        Noise::Given(rates) => *rates,
        Noise::Workers { known, others } => known.get(worker).copied().unwrap_or(*others),
        other => panic!("not a noise model with given rates: {other:?}"),
    };
    // Half of what names say holds; a head of t names is a parent with a chance of 1/4, and then each of them is its child with odds of 4/N.
    let heads: Vec<Concept> =
        evidence.hints().iter().filter_map(|hint| hint.vote()).map(|vote| vote.question.upper).collect();
    let same = heads.iter().map(|head| heads.iter().filter(|other| *other == head).count()).sum::<usize>();
    let together = same as f64 / heads.len().max(1) as f64;
    let unfounded = 0.5 * 0.25_f64.powf(1.0 / together) * 4.0 / evidence.count() as f64;
    let mut all = Vec::new();
    let answers = evidence.responses().map(|(_, response)| response);
    for Response { worker, screen, reply } in answers.chain(evidence.hints().iter().cloned()) {
        let pseudo = evidence.pseudo(worker).is_some();
        let mut rates = rates_of(worker.index());
        let mut forms = evidence.settings().noise.form_rates(Worker::new(worker.index() as u32));
        if pseudo {
            rates = Rates::three(0.5, unfounded, unfounded).unwrap();
            forms.place = PlaceRates { wider: 0.05, wrong: 0.1 };
        }
        let mut said = |upper: Option<Concept>, lower: Concept, what: What| {
            let (upper, lower) = (upper.map(Concept::index), lower.index());
            all.push(Said { upper, lower, worker: worker.index(), pseudo, what, rates, forms, reading });
        };
        let indices =
            |concepts: &[Concept]| -> Vec<usize> { concepts.iter().map(|one| one.index()).collect() };
        match (&screen, &reply) {
            (_, Reply::CantSay) => {}
            (Screen::YesNo(question), reply) => {
                let yes = reply.answer() == Some(Answer::Yes);
                said(Some(question.upper), question.lower, What::Answer(question.kind, yes));
            }
            (Screen::Pick { lower, options }, reply) => {
                let picked = reply.concepts().first().map(|one| one.index());
                said(None, *lower, What::Pick(indices(options), picked));
            }
            (Screen::Tick { upper, options }, reply) => {
                for lower in options {
                    let ticked: Vec<Concept> =
                        reply.concepts().iter().copied().filter(|one| one != lower).collect();
                    let is_ticked = reply.concepts().contains(lower);
                    said(None, *lower, What::Box(upper.index(), indices(&ticked), is_ticked));
                }
            }
            (Screen::Place { lower }, reply) => {
                said(None, *lower, What::Place(reply.concepts().first().map_or(0, |one| one.index())));
            }
        }
    }
    all
}

/// All sets of concepts of which none is below another, but the set of all children of the root.
fn sets(shape: &Shape) -> Vec<Vec<usize>> {
    let count = shape.parents.len() - 1;
    let members = |bits: u32| (1..=count).filter(|concept| bits >> (concept - 1) & 1 == 1).collect();
    let apart = |set: &Vec<usize>| set.iter().all(|one| set.iter().all(|other| !shape.above[*one][*other]));
    let leaves_a_place =
        |set: &Vec<usize>| set.len() < shape.tops() || set.iter().any(|concept| shape.parents[*concept] != 0);
    (0..1 << count).map(members).filter(apart).filter(leaves_a_place).collect()
}

/// ln P(tree), normalised, by its number of parents.
struct TreePrior {
    by_parents: Vec<f64>,
}

impl TreePrior {
    fn new(trees: Trees, count: usize, all: &[Shape]) -> Self {
        let mut how_many = vec![0.0; count];
        all.iter().for_each(|shape| how_many[shape.count_parents()] += 1.0);
        let weight = |parents: usize| match trees {
            Trees::Uniform => 1.0,
            Trees::FewParents(penalty) => (-penalty * parents as f64).exp(),
            Trees::Taxonomy => (-4..=14)
                .map(|halves| {
                    let factor = |parents: usize| (-f64::from(halves) / 2.0 * parents as f64).exp();
                    let all: f64 = (0..count).map(|parents| how_many[parents] * factor(parents)).sum();
                    factor(parents) / all
                })
                .sum(),
        };
        let total: f64 = (0..count).map(|parents| how_many[parents] * weight(parents)).sum();
        Self { by_parents: (0..count).map(|parents| (weight(parents) / total).ln()).collect() }
    }

    /// P(a tree with one parent more) / P(a tree with this many).
    fn ratio(&self, parents: usize) -> f64 {
        let Some(last) = self.by_parents.len().checked_sub(2) else { return 1.0 };
        let parents = parents.min(last);
        (self.by_parents[parents + 1] - self.by_parents[parents]).exp()
    }
}

/// Everything that does not depend on the state.
struct Crowd<'m> {
    votes: Vec<Said>,
    workers: Vec<usize>,
    corrections: Vec<Correction>,
    model: &'m Model,
    prior: TreePrior,
}

impl Crowd<'_> {
    fn weigh(&self, shape: &Shape, divided: &[usize], sums: &mut Sums) {
        let count = shape.parents.len() - 1;
        let block_of: Vec<Option<usize>> =
            (0..=count).map(|one| divided.iter().copied().find(|top| shape.in_block(one, *top))).collect();
        let blocks: Vec<Block> = divided.iter().map(|top| self.block(shape, *top, &block_of)).collect();
        let others: f64 = self
            .votes
            .iter()
            .filter(|said| decided_by(said, &block_of).is_none())
            .map(|said| said.chance(shape).ln())
            .sum();
        let log_weight = self.prior.by_parents[shape.count_parents()]
            + self.log_prior(shape, divided)
            + others
            + blocks.iter().map(|block| block.log_weight).sum::<f64>();
        if log_weight > f64::NEG_INFINITY {
            sums.add(log_weight, shape, divided, &blocks);
        }
    }

    /// ln P(set | tree).
    fn log_prior(&self, shape: &Shape, divided: &[usize]) -> f64 {
        let (delta, count) = (self.model.delta, shape.parents.len() - 1);
        let outside = (1..=count).filter(|one| !divided.iter().any(|top| shape.in_block(*one, *top))).count();
        let tops = shape.tops() as i32;
        delta.powi(divided.len() as i32).ln() + outside as f64 * (1.0 - delta).ln()
            - (1.0 - delta.powi(tops)).ln()
    }

    fn block(&self, shape: &Shape, top: usize, block_of: &[Option<usize>]) -> Block {
        let ratio = match self.model.leaves {
            Leaves::AsNewParents => self.prior.ratio(shape.count_parents()),
            Leaves::LikeOthers => 1.0,
        };
        let outside = (0..block_of.len()).filter(|place| block_of[*place].is_none());
        let allowed: Vec<(usize, f64)> = outside
            .filter(|place| *place != shape.parents[top])
            .map(|place| (place, if place == 0 || shape.is_parent(place) { 1.0 } else { ratio }))
            .collect();
        let total: f64 = allowed.iter().map(|(_, weight)| weight).sum();
        assert!(total > 0.0, "a divided concept without a second place");
        let mine: Vec<&Said> =
            self.votes.iter().filter(|said| decided_by(said, block_of) == Some(top)).collect();
        let first = self.by_worker(&mine, shape);
        let mut places = Vec::new();
        // Relative to the first place, by place: ln of prior times likelihood summed over shares, and the means.
        for (at, weight) in allowed {
            let moved = shape.moved(top, at);
            if moved.satisfies(&self.corrections) {
                let second = self.by_worker(&mine, &moved);
                places.push((self.place(at, moved, &first, &second), (weight / total).ln()));
            }
        }
        let logs: Vec<f64> = places.iter().map(|(place, prior)| prior + place.chance).collect();
        let log_weight = log_sum(&logs);
        let chosen = |((place, _), log): ((Place, f64), f64)| {
            let chance = (log - log_weight).exp();
            Place { chance, held: chance * place.held, share: chance * place.share, ..place }
        };
        Block { log_weight, places: places.into_iter().zip(logs).map(chosen).collect() }
    }

    /// ln of the chance of every worker's votes among some.
    fn by_worker(&self, votes: &[&Said], shape: &Shape) -> Vec<f64> {
        let mut logs = vec![0.0; self.workers.len()];
        for said in votes {
            let at = self.workers.binary_search(&said.worker).unwrap();
            logs[at] += said.chance(shape).ln();
        }
        logs
    }

    /// With the shares summed out: as its chance, ln of the likelihood; the rest given that this is the place.
    fn place(&self, at: usize, shape: Shape, first: &[f64], second: &[f64]) -> Place {
        let total: f64 = self.model.shares.iter().sum();
        let (mut logs, mut held) = (Vec::new(), Vec::new());
        for (step, weight) in self.model.shares.iter().enumerate() {
            let share = share(step);
            let (mut log, mut holders) = ((weight / total).ln(), 0.0);
            for (first, second) in first.iter().zip(second) {
                let both = log_sum(&[(1.0 - share).ln() + first, share.ln() + second]);
                log += both;
                holders += (share.ln() + second - both).exp();
            }
            logs.push(log);
            held.push(if first.is_empty() { share } else { holders / first.len() as f64 });
        }
        let all = log_sum(&logs);
        let mean = |of: &dyn Fn(usize) -> f64| {
            logs.iter().enumerate().map(|(step, log)| (log - all).exp() * of(step)).sum::<f64>()
        };
        Place { at, shape, chance: all, held: mean(&|step| held[step]), share: mean(&share) }
    }
}

/// The divided concept whose place decides about the answer: the one whose block has one of the question's concepts, the other being outside
/// all blocks. Concepts of two blocks are never above each other, wherever the blocks stand.
fn decided_by(said: &Said, block_of: &[Option<usize>]) -> Option<usize> {
    if said.pseudo {
        return None;
    }
    // What else is said depends on what is above one concept.
    let Some(upper) = said.upper else { return block_of[said.lower] };
    match (block_of[upper], block_of[said.lower]) {
        (Some(block), None) | (None, Some(block)) => Some(block),
        _ => None,
    }
}

fn log_sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
}

/// Weighted sums over states, relative to the likeliest one so far.
struct Sums {
    people: People,
    total: f64,
    most: f64,
}

impl Sums {
    fn new(count: usize) -> Self {
        let table = || vec![vec![0.0; count + 1]; count + 1];
        let people = People {
            path: table(),
            parents: table(),
            tree_path: table(),
            second: table(),
            share: vec![0.0; count + 1],
            log_evidence: 0.0,
        };
        Self { people, total: 0.0, most: f64::NEG_INFINITY }
    }

    fn scale(&mut self, factor: f64) {
        let People { path, parents, tree_path, second, share, .. } = &mut self.people;
        let tables = [path, parents, tree_path, second];
        tables.into_iter().flatten().flatten().chain(share).for_each(|sum| *sum *= factor);
        self.total *= factor;
    }

    fn add(&mut self, log_weight: f64, shape: &Shape, divided: &[usize], blocks: &[Block]) {
        if log_weight > self.most {
            self.scale((self.most - log_weight).exp());
            self.most = log_weight;
        }
        let weight = (log_weight - self.most).exp();
        self.total += weight;
        let People { path, parents, tree_path, second, share, .. } = &mut self.people;
        let all = 0..shape.parents.len();
        for lower in all.clone().skip(1) {
            let block = divided.iter().position(|top| shape.in_block(lower, *top));
            for upper in all.clone() {
                let in_tree = f64::from(u8::from(shape.above[upper][lower]));
                let of_person = block.map_or(in_tree, |at| {
                    let shift = |place: &Place| {
                        place.held * (f64::from(u8::from(place.shape.above[upper][lower])) - in_tree)
                    };
                    in_tree + blocks[at].places.iter().map(shift).sum::<f64>()
                });
                path[upper][lower] += weight * of_person;
                tree_path[upper][lower] += weight * in_tree;
            }
            parents[lower][shape.parents[lower]] += weight;
        }
        for (top, block) in divided.iter().zip(blocks) {
            for place in &block.places {
                parents[*top][place.at] += weight * place.held;
                parents[*top][shape.parents[*top]] -= weight * place.held;
                second[*top][place.at] += weight * place.chance;
                share[*top] += weight * place.share;
            }
        }
    }

    fn normalised(mut self) -> People {
        assert!(self.total > 0.0, "no state is allowed");
        self.people.log_evidence = self.total.ln() + self.most;
        self.scale(1.0 / self.total);
        self.people
    }
}
