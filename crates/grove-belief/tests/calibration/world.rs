//! Worlds drawn from the model: a hierarchy, concepts whose place divides people, people with different rates, and their votes.

use grove_belief::{
    Answer, BetaPrior, Dissent, Divided, Kind, LEAST_RATE, Noise, POPULATION_MEANS, POPULATION_STRENGTHS,
    Prior, Question, Rates, Relation, SHARES, Settings, Vote, Worker, WorkerPrior,
};
use grove_tree::{Concept, Tree};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Beta, Distribution};

/// The prior of trees.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Trees {
    /// All alike.
    Uniform,
    /// All numbers of parents alike, and all trees with as many.
    Taxonomy,
}

/// How worlds are made.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) count: usize,
    pub(crate) votes: usize,
    pub(crate) workers: u32,
    pub(crate) kinds: &'static [Kind],
    pub(crate) trees: Trees,
    pub(crate) noise: Noise,
    /// The chance that a concept is divided, if none above it is.
    pub(crate) dissent: Option<f64>,
    /// Every second place is held by half of the people, which no engine assumes: a fault planted on this side.
    pub(crate) even_shares: bool,
}

/// The truth, and the votes.
pub(crate) struct World {
    pub(crate) tree: Tree,
    pub(crate) divided: Vec<Divided>,
    pub(crate) rates: Vec<Rates>,
    pub(crate) votes: Vec<Vote>,
}

impl Model {
    /// What an engine is told.
    pub(crate) fn settings(&self) -> Settings {
        let prior = match self.trees {
            Trees::Uniform => Prior::uniform(),
            Trees::Taxonomy => Prior::taxonomy(),
        };
        let dissent = self.dissent.map(|chance| Dissent::new(chance).unwrap());
        Settings { noise: self.noise.clone(), dissent, prior }
    }

    pub(crate) fn draw(&self, rng: &mut ChaCha8Rng) -> World {
        let tree = match self.trees {
            Trees::Uniform => Tree::random(self.count, rng),
            Trees::Taxonomy => taxonomy(self.count, rng),
        };
        let divided = self.draw_divided(&tree, rng);
        let rates = self.draw_rates(rng);
        let hold = |rng: &mut ChaCha8Rng| -> Tree {
            let holds: Vec<bool> = divided.iter().map(|one| rng.random::<f64>() < one.share).collect();
            held(&tree, divided.iter().zip(holds).filter(|(_, holds)| *holds).map(|(one, _)| one))
        };
        let trees: Vec<Tree> = (0..self.workers).map(|_| hold(rng)).collect();
        let votes = (0..self.votes)
            .map(|_| {
                let (question, worker) = (self.draw_question(rng), rng.random_range(0..self.workers));
                let relation = relation(question, &trees[worker as usize]);
                let yes = rng.random::<f64>() < rates[worker as usize].yes(relation);
                let answer = if yes { Answer::Yes } else { Answer::No };
                Vote { question, worker: Worker::new(worker), answer }
            })
            .collect();
        World { tree, divided, rates, votes }
    }

    /// From the root down, each concept that is not below a divided one is divided with a certain chance. If all children of the root were,
    /// there would be no other place for them: then all is drawn again.
    fn draw_divided(&self, tree: &Tree, rng: &mut ChaCha8Rng) -> Vec<Divided> {
        let Some(chance) = self.dissent else { return Vec::new() };
        let mut downwards: Vec<Concept> = tree.concepts().collect();
        downwards.sort_by_key(|concept| tree.depth(*concept));
        let set = loop {
            let mut set: Vec<Concept> = Vec::new();
            for &concept in &downwards {
                let below = set.iter().any(|top| tree.is_above(*top, concept));
                if !below && rng.random::<f64>() < chance {
                    set.push(concept);
                }
            }
            if tree.concepts().any(|one| tree.parent(one).is_root() && !set.contains(&one)) {
                break set;
            }
        };
        set.iter().map(|&concept| self.draw_second(tree, &set, concept, rng)).collect()
    }

    /// The second place of a concept and the share of people who hold it.
    fn draw_second(&self, tree: &Tree, set: &[Concept], concept: Concept, rng: &mut ChaCha8Rng) -> Divided {
        let in_blocks = |place: Concept| set.iter().any(|&top| top == place || tree.is_above(top, place));
        let leaf = self.new_parent(tree);
        let weight = |place: Concept| {
            let leads = place.is_root() || tree.parents().contains(&place);
            if leads { 1.0 } else { leaf }
        };
        let places: Vec<(Concept, f64)> = (0..=self.count)
            .map(Concept::new)
            .filter(|&place| place != tree.parent(concept) && !in_blocks(place))
            .map(|place| (place, weight(place)))
            .collect();
        let second = draw_weighted(&places, rng);
        let last = SHARES.len() - 1;
        let shares: Vec<(f64, f64)> = SHARES
            .iter()
            .enumerate()
            .map(|(at, &share)| (share, if at == last { 0.5 } else { 1.0 }))
            .collect();
        let share = if self.even_shares { SHARES[last] } else { draw_weighted(&shares, rng) };
        Divided { concept, second, share }
    }

    /// P(a tree with one parent more than this) / P(this one).
    fn new_parent(&self, tree: &Tree) -> f64 {
        match self.trees {
            Trees::Taxonomy if self.count > 1 => {
                let parents = count_parents(tree).min(self.count - 2);
                trees_with(self.count, parents) / trees_with(self.count, parents + 1)
            }
            _ => 1.0,
        }
    }

    fn draw_rates(&self, rng: &mut ChaCha8Rng) -> Vec<Rates> {
        match &self.noise {
            Noise::Learnt(prior) if *prior == WorkerPrior::default() => {
                let population = [(); 2].map(|()| draw_population(rng));
                (0..self.workers).map(|_| rates_from_population(population, rng)).collect()
            }
            Noise::Learnt(prior) => (0..self.workers).map(|_| rates_from(prior, rng)).collect(),
            given => (0..self.workers).map(|worker| given.rates(Worker::new(worker))).collect(),
        }
    }

    fn draw_question(&self, rng: &mut ChaCha8Rng) -> Question {
        let kind = self.kinds[rng.random_range(0..self.kinds.len())];
        loop {
            let mut any = || Concept::new(rng.random_range(1..=self.count));
            if let Ok(question) = Question::new(kind, any(), any()) {
                return question;
            }
        }
    }
}

/// One of several, by weight.
fn draw_weighted<T: Copy>(weighted: &[(T, f64)], rng: &mut ChaCha8Rng) -> T {
    let mut left = rng.random::<f64>() * weighted.iter().map(|(_, weight)| weight).sum::<f64>();
    let drawn = weighted.iter().find(|(_, weight)| {
        left -= weight;
        left < 0.0
    });
    drawn.or(weighted.last()).unwrap().0
}

/// The number of concepts with others below them.
pub(crate) fn count_parents(tree: &Tree) -> usize {
    tree.concepts().filter(|concept| tree.parents().contains(concept)).count()
}

/// Lists of `length` symbols in which all of `needed` symbols occur, and any of `others` may.
fn lists_with(length: usize, needed: usize, others: usize) -> f64 {
    // By how many of the needed ones are still missing.
    let mut lists: Vec<f64> = std::iter::once(1.0).chain(std::iter::repeat_n(0.0, needed)).collect();
    for _ in 0..length {
        lists = (0..=needed)
            .map(|missing| {
                let old = (others + needed - missing) as f64 * lists[missing];
                let new = if missing > 0 { missing as f64 * lists[missing - 1] } else { 0.0 };
                old + new
            })
            .collect();
    }
    lists[needed]
}

/// The number of trees in which a certain number of concepts have others below them. By Prüfer's code a tree is a list of N-1 symbols out of the
/// concepts and the root, and the concepts that occur are those with others below them.
fn trees_with(count: usize, parents: usize) -> f64 {
    let choose: f64 = (0..parents).map(|at| (count - at) as f64 / (at + 1) as f64).product();
    choose * lists_with(count - 1, parents, 1)
}

/// The number of parents is uniform over 0, ..., N-1, and all trees with as many are alike.
fn taxonomy(count: usize, rng: &mut ChaCha8Rng) -> Tree {
    let parents = rng.random_range(0..count);
    let mut concepts: Vec<Concept> = Concept::all(count).collect();
    let mut missing: Vec<Concept> =
        (0..parents).map(|_| concepts.swap_remove(rng.random_range(0..concepts.len()))).collect();
    let mut others = vec![Concept::ROOT];
    let mut code = Vec::new();
    for length in (0..count - 1).rev() {
        let new = missing.len() as f64
            * if missing.is_empty() { 0.0 } else { lists_with(length, missing.len() - 1, others.len() + 1) };
        let old = others.len() as f64 * lists_with(length, missing.len(), others.len());
        if rng.random::<f64>() * (new + old) < new {
            others.push(missing.swap_remove(rng.random_range(0..missing.len())));
            code.extend(others.last());
        } else {
            code.push(others[rng.random_range(0..others.len())]);
        }
    }
    decoded(count, &code)
}

/// The tree of a Prüfer code: leaf by leaf, each under the next symbol. The root counts as the highest number, so that it is never cut off.
fn decoded(count: usize, code: &[Concept]) -> Tree {
    let mut left: Vec<Concept> = Concept::all(count).collect();
    let mut parents = vec![Concept::ROOT; count];
    for (at, &symbol) in code.iter().enumerate() {
        let leaf = left.iter().position(|concept| !code[at..].contains(concept)).unwrap();
        parents[left.remove(leaf).index() - 1] = symbol;
    }
    Tree::from_parents(&parents).unwrap()
}

/// The mean and the strength of the Beta distribution from which readers' rates come.
fn draw_population(rng: &mut ChaCha8Rng) -> BetaPrior {
    let mean = POPULATION_MEANS[rng.random_range(0..POPULATION_MEANS.len())];
    let strength = POPULATION_STRENGTHS[rng.random_range(0..POPULATION_STRENGTHS.len())];
    BetaPrior { yes: strength * mean, no: strength * (1.0 - mean) }
}

/// One of ten people does not read; the others' rates of being right come from the population.
fn rates_from_population([right_yes, right_no]: [BetaPrior; 2], rng: &mut ChaCha8Rng) -> Rates {
    if rng.random::<f64>() < 0.1 {
        return unread_rates(rng);
    }
    let (above, not) = (draw_rate(right_yes, rng), 1.0 - draw_rate(right_no, rng));
    Rates::three(above, not, not).unwrap()
}

fn unread_rates(rng: &mut ChaCha8Rng) -> Rates {
    let rate = rng.random_range(LEAST_RATE..1.0 - LEAST_RATE);
    Rates::three(rate, rate, rate).unwrap()
}

fn draw_rate(BetaPrior { yes, no }: BetaPrior, rng: &mut ChaCha8Rng) -> f64 {
    let beta = Beta::new(yes, no).unwrap();
    loop {
        let rate = beta.sample(rng);
        if (LEAST_RATE..=1.0 - LEAST_RATE).contains(&rate) {
            return rate;
        }
    }
}

fn rates_from(prior: &WorkerPrior, rng: &mut ChaCha8Rng) -> Rates {
    if rng.random::<f64>() < prior.unread() {
        return unread_rates(rng);
    }
    let [above, reversed, neither] = [Relation::Above, Relation::Reversed, Relation::Neither]
        .map(|relation| draw_rate(prior.rate(relation), rng));
    // With two rates per person, reversed and unrelated pairs have the same rate.
    let two_cases = prior.with_unread(0.0)
        == WorkerPrior::two(prior.rate(Relation::Above), prior.rate(Relation::Neither));
    Rates::three(above, if two_cases { neither } else { reversed }, neither).unwrap()
}

/// The tree of somebody who holds some second places.
fn held<'d>(tree: &Tree, seconds: impl Iterator<Item = &'d Divided>) -> Tree {
    let mut parents = tree.parents().to_vec();
    seconds.for_each(|one| parents[one.concept.index() - 1] = one.second);
    Tree::from_parents(&parents).unwrap()
}

fn relation(question: Question, tree: &Tree) -> Relation {
    let (upper, lower) = (question.upper, question.lower);
    match question.kind {
        Kind::Path if tree.is_above(upper, lower) => Relation::Above,
        Kind::Path if tree.is_above(lower, upper) => Relation::Reversed,
        Kind::Edge if tree.parent(lower) == upper => Relation::Above,
        Kind::Path | Kind::Edge => Relation::Neither,
    }
}

/// ln P(all votes | tree, divided concepts, rates), summed over who holds which second places: for every person, over all sets of them.
pub(crate) fn log_likelihood(votes: &[Vote], tree: &Tree, divided: &[Divided], rates: &[Rates]) -> f64 {
    let sets = (0..1_usize << divided.len()).map(|bits| {
        let holds = |at: usize| bits >> at & 1 == 1;
        let of = |(at, one): (usize, &Divided)| if holds(at) { one.share } else { 1.0 - one.share };
        let chance: f64 = divided.iter().enumerate().map(of).product();
        (chance, held(tree, divided.iter().enumerate().filter(|(at, _)| holds(*at)).map(|(_, one)| one)))
    });
    let mut by_worker = vec![0.0; rates.len()];
    for (chance, tree) in sets {
        let mut of_votes = vec![1.0; rates.len()];
        for vote in votes {
            let yes = rates[vote.worker.index()].yes(relation(vote.question, &tree));
            of_votes[vote.worker.index()] *= if vote.answer == Answer::Yes { yes } else { 1.0 - yes };
        }
        by_worker.iter_mut().zip(of_votes).for_each(|(sum, votes)| *sum += chance * votes);
    }
    by_worker.iter().map(|chance: &f64| chance.ln()).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::SeedableRng;

    use super::*;

    #[test]
    fn numbers_of_trees_add_up() {
        for count in 1..=12 {
            let all: f64 = (0..count).map(|parents| trees_with(count, parents)).sum();
            let cayley = (count as f64 + 1.0).powi(count as i32 - 1);
            assert!((all / cayley - 1.0).abs() < 1e-12, "{all} of {cayley}");
        }
        assert_eq!([0, 1, 2].map(|parents| trees_with(3, parents)), [1.0, 9.0, 6.0]);
    }

    #[test]
    fn every_tree_is_drawn_as_often_as_it_should() {
        const DRAWS: usize = 100_000;
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut counts: HashMap<Tree, f64> = HashMap::new();
        for _ in 0..DRAWS {
            *counts.entry(taxonomy(4, &mut rng)).or_default() += 1.0;
        }
        assert_eq!(counts.len(), 125);
        for (tree, found) in counts {
            let expected = DRAWS as f64 / 4.0 / trees_with(4, count_parents(&tree));
            // With 125 trees, 4.5 standard errors are more than chance makes in one of a thousand runs.
            assert!((found - expected).abs() < 4.5 * expected.sqrt(), "{found} for {expected}: {tree:?}");
        }
    }
}
