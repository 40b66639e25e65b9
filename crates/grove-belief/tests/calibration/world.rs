//! Worlds drawn from the model: a hierarchy, concepts whose place divides people, people with different rates, and what they say.

use grove_belief::{
    Answer, BetaPrior, Dissent, Divided, FormPriors, FormRates, Kind, LEAST_RATE, Noise, POPULATION_MEANS,
    POPULATION_STRENGTHS, PickRates, PlaceRates, Prior, Question, Rates, Relation, Reply, Response, SHARES,
    Screen, Settings, TickRates, Vote, Worker, WorkerPrior,
};
use grove_tree::{Concept, Tree};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Beta, Distribution, Gamma};

/// The prior of trees.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Trees {
    /// All alike.
    Uniform,
    /// A factor for every parent, which is unknown itself.
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
    /// Whether people are asked in all forms.
    pub(crate) forms: bool,
}

/// The truth, and what was said.
pub(crate) struct World {
    pub(crate) tree: Tree,
    pub(crate) divided: Vec<Divided>,
    pub(crate) rates: Vec<Rates>,
    pub(crate) forms: Vec<FormRates>,
    pub(crate) said: Vec<Response>,
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
        if self.forms {
            let forms = self.draw_form_rates(rng);
            let said = (0..self.votes)
                .map(|_| {
                    let (screen, worker) = (self.draw_screen(rng), rng.random_range(0..self.workers));
                    let at = worker as usize;
                    let reply = draw_reply(&screen, &trees[at], &rates[at], &forms[at], rng);
                    Response::new(Worker::new(worker), screen, reply).unwrap()
                })
                .collect();
            return World { tree, divided, rates, forms, said };
        }
        let said = (0..self.votes)
            .map(|_| {
                let (question, worker) = (self.draw_question(rng), rng.random_range(0..self.workers));
                let relation = relation(question, &trees[worker as usize]);
                let yes = rng.random::<f64>() < rates[worker as usize].yes(relation);
                let answer = if yes { Answer::Yes } else { Answer::No };
                Vote { question, worker: Worker::new(worker), answer }.into()
            })
            .collect();
        let forms = rates.iter().map(FormRates::told).collect();
        World { tree, divided, rates, forms, said }
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
                chance_of_one(self.count, parents + 1) / chance_of_one(self.count, parents)
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

    fn draw_form_rates(&self, rng: &mut ChaCha8Rng) -> Vec<FormRates> {
        match &self.noise {
            Noise::Learnt(prior) => (0..self.workers).map(|_| form_rates(prior.forms(), rng)).collect(),
            given => (0..self.workers).map(|worker| given.form_rates(Worker::new(worker))).collect(),
        }
    }

    fn draw_screen(&self, rng: &mut ChaCha8Rng) -> Screen {
        let mut concepts: Vec<Concept> = Concept::all(self.count).collect();
        concepts.shuffle(rng);
        let subject = concepts.pop().unwrap();
        let most = concepts.len().min(4);
        match rng.random_range(0..4) {
            0 => self.draw_question(rng).into(),
            1 => Screen::pick(subject, concepts[..rng.random_range(2..=most)].to_vec()).unwrap(),
            2 => Screen::tick(subject, concepts[..rng.random_range(1..=most)].to_vec()).unwrap(),
            _ => Screen::place(subject).unwrap(),
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

/// The penalties for a parent, all alike.
fn penalties() -> impl Iterator<Item = f64> {
    (-4..=14).map(|halves| f64::from(halves) / 2.0)
}

/// The chances of all numbers of parents, given the penalty for one.
fn chances_of_parents(count: usize, penalty: f64) -> Vec<f64> {
    let weights: Vec<f64> =
        (0..count).map(|parents| trees_with(count, parents) * (-penalty * parents as f64).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The chance of one tree with so many parents.
fn chance_of_one(count: usize, parents: usize) -> f64 {
    let chances = penalties().map(|penalty| chances_of_parents(count, penalty)[parents]);
    chances.sum::<f64>() / penalties().count() as f64 / trees_with(count, parents)
}

/// The penalty for a parent is any of those listed; all trees with as many parents are alike.
fn taxonomy(count: usize, rng: &mut ChaCha8Rng) -> Tree {
    let penalty = penalties().nth(rng.random_range(0..penalties().count())).unwrap();
    let chances: Vec<(usize, f64)> = chances_of_parents(count, penalty).into_iter().enumerate().collect();
    let parents = draw_weighted(&chances, rng);
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

/// As sure as after six answers of every kind.
fn form_rates(priors: &FormPriors, rng: &mut ChaCha8Rng) -> FormRates {
    const ANSWERS: f64 = 6.0;
    let FormRates { pick, tick, place } = priors.mean();
    let mut rate = |mean: f64| draw_rate(BetaPrior { yes: ANSWERS * mean, no: ANSWERS * (1.0 - mean) }, rng);
    let (unfounded, found, unfounded_tick) = (rate(pick.unfounded), rate(tick.found), rate(tick.unfounded));
    let redundant = rate(tick.redundant);
    let right = 1.0 - pick.missed - pick.wrong - pick.wider;
    let [_, missed, wrong, wider] =
        draw_shares([right, pick.missed, pick.wrong, pick.wider].map(|mean| ANSWERS * mean), rng);
    let right = 1.0 - place.wider - place.wrong;
    let [_, place_wider, place_wrong] =
        draw_shares([right, place.wider, place.wrong].map(|mean| ANSWERS * mean), rng);
    FormRates {
        pick: PickRates { missed, wrong, wider, unfounded },
        tick: TickRates { found, unfounded: unfounded_tick, redundant },
        place: PlaceRates { wider: place_wider, wrong: place_wrong },
    }
}

fn draw_shares<const M: usize>(counts: [f64; M], rng: &mut ChaCha8Rng) -> [f64; M] {
    loop {
        let draws = counts.map(|count| Gamma::new(count, 1.0).unwrap().sample(rng));
        let total: f64 = draws.iter().sum();
        let shares = draws.map(|draw| draw / total);
        if shares.iter().all(|share| *share >= LEAST_RATE) {
            return shares;
        }
    }
}

/// What somebody says whose tree this is.
fn draw_reply(screen: &Screen, tree: &Tree, rates: &Rates, forms: &FormRates, rng: &mut ChaCha8Rng) -> Reply {
    let replies: Vec<Reply> = match screen {
        Screen::YesNo(_) => vec![Reply::Yes, Reply::No],
        Screen::Pick { options, .. } => {
            options.iter().copied().map(Reply::Picked).chain([Reply::None]).collect()
        }
        Screen::Place { lower } => {
            tree.concepts().filter(|one| one != lower).map(Reply::Under).chain([Reply::Top]).collect()
        }
        Screen::Tick { options, .. } => (0..1 << options.len())
            .map(|bits: usize| {
                let ticked = |(at, _): &(usize, &Concept)| bits >> at & 1 == 1;
                let ticked: Vec<Concept> =
                    options.iter().enumerate().filter(ticked).map(|(_, one)| *one).collect();
                if ticked.is_empty() { Reply::None } else { Reply::Ticked(ticked) }
            })
            .collect(),
    };
    let indices: Vec<(usize, f64)> = replies
        .iter()
        .enumerate()
        .map(|(at, reply)| (at, chance_of(screen, reply, tree, rates, forms)))
        .collect();
    let total: f64 = indices.iter().map(|(_, chance)| chance).sum();
    assert!((total - 1.0).abs() < 1e-9 || matches!(screen, Screen::Place { .. }), "{screen}: {total}");
    replies[draw_weighted(&indices, rng)].clone()
}

/// The chance of a reply, given the tree of the person.
fn chance_of(screen: &Screen, reply: &Reply, tree: &Tree, rates: &Rates, forms: &FormRates) -> f64 {
    match (screen, reply) {
        (Screen::YesNo(question), reply) => {
            let yes = rates.yes(relation(*question, tree));
            if *reply == Reply::Yes { yes } else { 1.0 - yes }
        }
        (Screen::Pick { lower, options }, reply) => {
            let PickRates { missed, wrong, wider, unfounded } = forms.pick;
            // From the lowest up.
            let above: Vec<Concept> = tree.ancestors(*lower).filter(|one| options.contains(one)).collect();
            let (k, n) = (options.len(), above.len());
            let (wrong, wider) = (if n < k { wrong } else { 0.0 }, if n > 1 { wider } else { 0.0 });
            match (reply, above.first()) {
                (Reply::Picked(_), None) => unfounded / k as f64,
                (_, None) => 1.0 - unfounded,
                (Reply::Picked(one), Some(lowest)) if one == lowest => 1.0 - missed - wrong - wider,
                (Reply::Picked(one), _) if above.contains(one) => wider / (n - 1) as f64,
                (Reply::Picked(_), _) => wrong / (k - n) as f64,
                _ => missed,
            }
        }
        (Screen::Tick { upper, options }, reply) => {
            let ticked = reply.concepts();
            let of_box = |one: &Concept| {
                let rate = if ticked.iter().any(|other| tree.is_above(*other, *one)) {
                    forms.tick.redundant
                } else if tree.is_above(*upper, *one) {
                    forms.tick.found
                } else {
                    forms.tick.unfounded
                };
                if ticked.contains(one) { rate } else { 1.0 - rate }
            };
            options.iter().map(of_box).product()
        }
        // In proportion.
        (Screen::Place { lower }, reply) => {
            let upper = reply.concepts().first().copied().unwrap_or(Concept::ROOT);
            let PlaceRates { wider, wrong } = forms.place;
            if tree.parent(*lower) == upper {
                1.0 - wider - wrong
            } else if upper.is_root() || tree.is_above(upper, *lower) {
                wider / 2.0
            } else {
                wrong / (tree.len() - 1) as f64
            }
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
pub(crate) fn log_likelihood(
    said: &[Response],
    tree: &Tree,
    divided: &[Divided],
    rates: &[Rates],
    forms: &[FormRates],
) -> f64 {
    let sets = (0..1_usize << divided.len()).map(|bits| {
        let holds = |at: usize| bits >> at & 1 == 1;
        let of = |(at, one): (usize, &Divided)| if holds(at) { one.share } else { 1.0 - one.share };
        let chance: f64 = divided.iter().enumerate().map(of).product();
        (chance, held(tree, divided.iter().enumerate().filter(|(at, _)| holds(*at)).map(|(_, one)| one)))
    });
    let mut by_worker = vec![0.0; rates.len()];
    for (chance, tree) in sets {
        let mut of_votes = vec![1.0; rates.len()];
        for Response { worker, screen, reply } in said {
            let at = worker.index();
            of_votes[at] *= chance_of(screen, reply, &tree, &rates[at], &forms[at]);
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
            let expected = DRAWS as f64 * chance_of_one(4, count_parents(&tree));
            // With 125 trees, 4.5 standard errors are more than chance makes in one of a thousand runs.
            assert!((found - expected).abs() < 4.5 * expected.sqrt(), "{found} for {expected}: {tree:?}");
        }
    }
}
