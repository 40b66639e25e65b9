//! Screens for many workers who answer at the same time.

use std::collections::BTreeSet;

use grove_tree::Concept;
use rand::{Rng, RngExt};

use super::screens::{Asking, Chooser, ScreenChoice, Standing, View};
use crate::{Belief, Question, Relation, Screen, Worker};

/// How many hierarchies are compared with each other: a rough estimate of the redundancy in a batch is enough.
const VIEWS: usize = 128;

/// How many yes/no questions compete for the batch.
const QUESTIONS: usize = 64;

/// Chooses screens for several workers who answer at the same time, by gain per second given the others: screens that
/// are each the best on their own are often redundant, so each next one is chosen for what it adds to the earlier
/// ones. No concept is asked about twice.
///
/// Returns `length` such screens, the best first, with what each adds; then all others that were considered, by their gain per second alone. All are for
/// a worker like this one, who was shown none of their pairs in the same form; options are in random order.
///
/// # Formula
/// What a screen adds is its gain alone, which is known precisely, times the share of it that is left after the reply
/// to the most similar of the screens chosen before. That share is the ratio of two means over 128 of the belief's
/// hierarchies, from each of which a reply to every screen is drawn: of log2 P(reply | hierarchy) / P(reply | other
/// reply), and of log2 P(reply | hierarchy) / P(reply). (Given all other replies at once, so few hierarchies would be
/// told apart completely, and no screen would have any gain left.)
pub fn choose_screen_batch(
    belief: &dyn Belief,
    asking: &Asking,
    worker: Worker,
    length: usize,
    excluded: &dyn Fn(&Screen) -> bool,
    rng: &mut dyn Rng,
) -> Vec<ScreenChoice> {
    let chooser = Chooser::new(belief, asking, worker, rng);
    let mut choices: Vec<ScreenChoice> = Vec::new();
    chooser.consider(QUESTIONS, excluded, rng, |choice| choices.push(choice));
    choices.retain(|choice| !excluded(&choice.screen));
    choices.sort_by(|a, b| b.rate().total_cmp(&a.rate()).then_with(|| a.screen.cmp(&b.screen)));
    let mut batch = Batch::new(&chooser, &choices, length, rng);
    let mut chosen = Vec::new();
    while chosen.len() < length
        && let Some(at) = batch.next()
    {
        let choice = choices[at].clone();
        chosen.push(ScreenChoice { gain: choice.gain * batch.left[at], ..choice });
        batch.add(at);
    }
    let others = choices.into_iter().enumerate().filter(|(at, _)| !batch.chosen.contains(at));
    chosen.extend(others.map(|(_, choice)| choice));
    chosen.iter_mut().for_each(|choice| choice.shuffle(rng));
    chosen
}

/// Screens that compete, and those chosen so far.
struct Batch {
    /// The gain per second of each alone, and the concept it asks about.
    alone: Vec<(f64, Option<Concept>)>,
    /// By screen, by the hierarchy that its reply was drawn from: the chance of that reply in every hierarchy.
    chances: Vec<Vec<Vec<f64>>>,
    /// By screen: which share of its gain alone is left after those chosen.
    left: Vec<f64>,
    chosen: Vec<usize>,
}

impl Batch {
    /// A batch of one needs no comparison.
    fn new(chooser: &Chooser<'_>, choices: &[ScreenChoice], length: usize, rng: &mut dyn Rng) -> Self {
        let stride = chooser.views.len().div_ceil(VIEWS).max(1);
        let compared = if length > 1 { VIEWS } else { 0 };
        let views: Vec<&View> = chooser.views.iter().step_by(stride).take(compared).collect();
        let chances =
            choices.iter().map(|choice| drawn(&replies(chooser, &views, &choice.screen), rng)).collect();
        let alone =
            choices.iter().map(|choice| (choice.rate(), choice.screen.concepts().next().copied())).collect();
        Self { alone, chances, left: vec![1.0; choices.len()], chosen: Vec::new() }
    }

    /// The best screen about another concept than those chosen.
    fn next(&self) -> Option<usize> {
        let asked: Vec<_> = self.chosen.iter().map(|&at| self.alone[at].1).collect();
        let open = (0..self.alone.len()).filter(|at| !asked.contains(&self.alone[*at].1));
        let rate = |at: usize| self.alone[at].0 * self.left[at];
        open.reduce(|best, at| if rate(at) > rate(best) { at } else { best })
    }

    fn add(&mut self, chosen: usize) {
        self.chosen.push(chosen);
        for at in 0..self.left.len() {
            let share = self.share(at, chosen);
            self.left[at] = self.left[at].min(share);
        }
    }

    /// Which share of the gain of a screen is left after the reply to another.
    fn share(&self, at: usize, other: usize) -> f64 {
        let (mut alone, mut given) = (0.0, 0.0);
        for (own, (chances, weights)) in self.chances[at].iter().zip(&self.chances[other]).enumerate() {
            let even = chances.iter().sum::<f64>() / chances.len() as f64;
            let weighted: f64 = chances.iter().zip(weights).map(|(chance, weight)| chance * weight).sum();
            alone += (chances[own] / even).log2();
            given += (chances[own] * weights.iter().sum::<f64>() / weighted).log2();
        }
        if alone > 0.0 { (given / alone).clamp(0.0, 1.0) } else { 1.0 }
    }
}

/// How likely each reply to a screen is in one hierarchy.
enum Replies {
    /// One of several.
    One(Vec<f64>),
    /// Each of several, or not.
    Each(Vec<f64>),
}

impl Replies {
    /// Draws a reply: the number of the one, or of each.
    fn draw(&self, rng: &mut dyn Rng) -> Vec<usize> {
        match self {
            Self::One(chances) => {
                let mut left = rng.random::<f64>() * chances.iter().sum::<f64>();
                let drawn = chances.iter().position(|chance| {
                    left -= chance;
                    left < 0.0
                });
                vec![drawn.unwrap_or(chances.len() - 1)]
            }
            Self::Each(chances) => {
                (0..chances.len()).filter(|&at| rng.random::<f64>() < chances[at]).collect()
            }
        }
    }

    fn chance(&self, reply: &[usize]) -> f64 {
        match self {
            Self::One(chances) => reply.iter().map(|&at| chances[at]).product(),
            Self::Each(chances) => {
                let each = chances.iter().enumerate();
                each.map(|(at, chance)| if reply.contains(&at) { *chance } else { 1.0 - chance }).product()
            }
        }
    }
}

/// A reply drawn from each hierarchy, with its chance in all of them.
fn drawn(replies: &[Replies], rng: &mut dyn Rng) -> Vec<Vec<f64>> {
    replies
        .iter()
        .map(|own| {
            let reply = own.draw(rng);
            replies.iter().map(|other| other.chance(&reply)).collect()
        })
        .collect()
}

/// The chances of the replies to a screen in each hierarchy.
fn replies(chooser: &Chooser<'_>, views: &[&View], screen: &Screen) -> Vec<Replies> {
    match screen {
        Screen::YesNo(question) => views.iter().map(|view| yes_no(chooser, view, *question)).collect(),
        Screen::Pick { lower, options } => {
            let standings: Vec<(Standing, f64)> =
                views.iter().map(|view| (view.above(*lower), 1.0)).collect();
            chooser.pick_chances(&standings, options).into_iter().map(Replies::One).collect()
        }
        Screen::Tick { upper, options } => {
            let boxes = |view: &&View| {
                options.iter().map(|lower| chooser.tick_chance(view, *upper, *lower)).collect()
            };
            views.iter().map(boxes).map(Replies::Each).collect()
        }
        Screen::Place { lower } => place(chooser, views, *lower),
    }
}

fn yes_no(chooser: &Chooser<'_>, view: &View, Question { upper, lower, .. }: Question) -> Replies {
    let rates = chooser.belief.rates(chooser.worker);
    let is_reversed = view.above(upper).0.contains(&lower);
    let yes = |above: &[Concept]| {
        let relation = match above.contains(&upper) {
            true => Relation::Above,
            false if is_reversed => Relation::Reversed,
            false => Relation::Neither,
        };
        rates.yes(relation)
    };
    let (first, second) = view.above(lower);
    let mut chance = yes(&first);
    if let Some((share, second)) = second {
        chance += share * (yes(&second) - chance);
    }
    Replies::One(vec![chance, 1.0 - chance])
}

/// All places that are possible in one of the hierarchies, and all others together.
fn place(chooser: &Chooser<'_>, views: &[&View], lower: Concept) -> Vec<Replies> {
    let chances: Vec<_> = views.iter().map(|view| chooser.place_chances(&view.above(lower))).collect();
    let places: BTreeSet<Concept> = chances.iter().flat_map(|(own, _)| own.keys().copied()).collect();
    // The root is a place and the concept itself is none.
    let rest = (chooser.count - places.len()) as f64;
    let replies = |(own, others): (std::collections::BTreeMap<Concept, f64>, f64)| {
        let listed = places.iter().map(|place| own.get(place).copied().unwrap_or(others));
        // Never 0, so that a reply that was drawn has a chance everywhere.
        Replies::One(listed.chain([(rest * others).max(f64::MIN_POSITIVE)]).collect())
    };
    chances.into_iter().map(replies).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Evidence, Exact, Settings};

    fn belief() -> Exact {
        Exact::new(Evidence::new(6, Settings::one_rate(0.01).unwrap()).unwrap()).unwrap()
    }

    /// A screen tells little after one that asks the same, in whatever form, and nearly all after one about something else.
    #[test]
    fn what_repeats_another_screen_adds_little() {
        let (belief, asking, worker) = (belief(), Asking::owner(), Worker::new(0));
        let rng = &mut ChaCha8Rng::seed_from_u64(5);
        let chooser = Chooser::new(&belief, &asking, worker, rng);
        let one = |number| Concept::new(number);
        let screens = [
            Screen::Place { lower: one(2) },
            Screen::Pick { lower: one(2), options: vec![one(1), one(3), one(4)] },
            Screen::YesNo(Question::path(one(1), one(2)).unwrap()),
            Screen::Tick { upper: one(6), options: vec![one(5)] },
        ];
        let choice = |screen| ScreenChoice { screen, gain: 1.0, seconds: 5.0 };
        let batch = Batch::new(&chooser, &screens.map(choice), 2, rng);
        for (at, other) in [(0, 0), (1, 1), (1, 0), (2, 2), (2, 1), (3, 3)] {
            assert!(batch.share(at, other) < 0.5, "{at} after {other}: {}", batch.share(at, other));
        }
        for (at, other) in [(3, 0), (3, 1), (3, 2), (2, 3)] {
            assert!(batch.share(at, other) > 0.8, "{at} after {other}: {}", batch.share(at, other));
        }
    }

    #[test]
    fn a_batch_asks_about_different_concepts_and_lists_the_rest() {
        let belief = belief();
        let rng = &mut ChaCha8Rng::seed_from_u64(6);
        let all = choose_screen_batch(&belief, &Asking::owner(), Worker::new(0), 4, &|_| false, rng);
        let subjects: BTreeSet<_> = all[..4].iter().map(|choice| choice.screen.concepts().next()).collect();
        assert_eq!(subjects.len(), 4);
        assert!(all.len() > 8 && all[4..].is_sorted_by(|a, b| a.rate() >= b.rate()));
        let best = all.iter().map(ScreenChoice::rate).fold(0.0, f64::max);
        assert_eq!(all[0].rate(), best, "the first is the best alone");
        let none = choose_screen_batch(&belief, &Asking::owner(), Worker::new(0), 4, &|_| true, rng);
        assert!(none.is_empty());
    }
}
