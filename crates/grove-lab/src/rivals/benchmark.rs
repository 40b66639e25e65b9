//! 33 labels, 100 items, and people who answer questions about both.

use grove_belief::{Answer, Question, Worker};
use grove_sim::{Crowd, CrowdSpec, Dataset, Shares};
use grove_tree::{Concept, NamedTree, Tree};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::Error;

/// The number of items that the rivals label.
pub(super) const ITEMS: usize = 100;

/// So many that 49,500 votes on pairs of labels never ask anybody the same question twice.
pub(super) const PEOPLE: usize = 60;

/// Labels, items, and people.
pub(super) struct Benchmark {
    /// The hierarchy of the labels.
    pub(super) labels: Tree,
    /// People whose hierarchy has the labels first, and then the items, which are leaves.
    pub(super) crowd: Crowd,
}

/// The share of items, and the number of labels, that people disagree about.
const DIVIDED_ITEMS: f64 = 0.3;
const DIVIDED_LABELS: usize = 3;

/// The share of people who place a divided item or label elsewhere.
const ELSEWHERE: f64 = 0.4;

impl Benchmark {
    /// Every label gets an item of its own, and the other items get random labels. An item also has all labels above its own.
    pub(super) fn new(spec: &CrowdSpec, is_divided: bool, rng: &mut ChaCha8Rng) -> Result<Self, Error> {
        let labels = Dataset::Figer33.tree().tree().clone();
        let mut parents = labels.parents().to_vec();
        for item in 0..ITEMS {
            let own = labels.concepts().nth(item);
            parents.push(own.unwrap_or_else(|| Concept::new(rng.random_range(1..=labels.len()))));
        }
        let whole = Tree::from_parents(&parents)?;
        let shares = if is_divided { divided(&labels, &whole, rng)? } else { Shares::none(&whole) };
        let crowd = Crowd::gather(spec, &shares, rng)?;
        Ok(Self { labels, crowd })
    }

    /// Asks somebody "is ITEM a kind of LABEL?". The pair of item and label, counted from 0, has the number item * labels + label.
    pub(super) fn ask(&mut self, worker: usize, pair: usize, rng: &mut ChaCha8Rng) -> Result<bool, Error> {
        let labels = self.labels.len();
        let item = Concept::new(labels + 1 + pair / labels);
        let question = Question::path(Concept::new(pair % labels + 1), item)?;
        Ok(self.crowd.answer(Worker::new(worker as u32), question, rng) == Answer::Yes)
    }
}

/// Gives some items, and some labels that are leaves, a random second place. People who have it in mind also answer so about all
/// labels above it.
fn divided(labels: &Tree, whole: &Tree, rng: &mut ChaCha8Rng) -> Result<Shares, Error> {
    let names: Vec<String> = whole.concepts().map(|concept| concept.index().to_string()).collect();
    let named = NamedTree::new("0", &names, whole.clone())?;
    let is_leaf = |label: &Concept| labels.parents().iter().all(|parent| parent != label);
    let mut leaves: Vec<Concept> = labels.concepts().filter(is_leaf).collect();
    leaves.shuffle(rng);
    let items = whole.concepts().skip(labels.len()).filter(|_| rng.random::<f64>() < DIVIDED_ITEMS);
    let mut chosen: Vec<Concept> = items.collect();
    chosen.extend(&leaves[..DIVIDED_LABELS]);
    let mut lines = String::new();
    for concept in chosen {
        // A divided label must not be placed under another: somebody might then place each below the other.
        let free =
            |place: &Concept| *place != whole.parent(concept) && !leaves[..DIVIDED_LABELS].contains(place);
        let places: Vec<Concept> = labels.concepts().filter(free).collect();
        let elsewhere = places[rng.random_range(0..places.len())];
        lines.push_str(&format!("{}\t{}\t{ELSEWHERE}\n", concept.index(), elsewhere.index()));
    }
    Ok(Shares::parse(&lines, &named)?)
}

/// Who has answered about which pair of item and label: nobody is asked twice.
pub(super) struct Asked {
    /// For every pair, a bit per person.
    seen: Vec<u64>,
}

impl Asked {
    pub(super) fn new(labels: usize) -> Self {
        Self { seen: vec![0; labels * ITEMS] }
    }

    pub(super) fn is_open(&self, pair: usize) -> bool {
        self.seen[pair].count_ones() < PEOPLE as u32
    }

    /// Draws somebody who has not answered about an open pair yet, and marks that they have.
    pub(super) fn somebody(&mut self, pair: usize, rng: &mut ChaCha8Rng) -> usize {
        loop {
            let worker = rng.random_range(0..PEOPLE);
            if self.seen[pair] & (1 << worker) == 0 {
                self.seen[pair] |= 1 << worker;
                return worker;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn every_label_has_items_that_people_know() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let spec = CrowdSpec::one_rate(PEOPLE, 0.0).unwrap();
        let mut benchmark = Benchmark::new(&spec, false, &mut rng).unwrap();
        assert_eq!(benchmark.labels.len(), 33);
        for label in 0..33 {
            // The first items are the labels' own: they have the label and all above it.
            assert!(benchmark.ask(0, label * 33 + label, &mut rng).unwrap());
            let above = benchmark.labels.parent(Concept::new(label + 1)).index();
            if above > 0 {
                assert!(benchmark.ask(1, label * 33 + above - 1, &mut rng).unwrap());
            }
        }
        assert!(!benchmark.ask(0, 32, &mut rng).unwrap());
    }

    #[test]
    fn some_items_and_labels_divide_people() {
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let spec = CrowdSpec::one_rate(PEOPLE, 0.0).unwrap();
            let benchmark = Benchmark::new(&spec, true, &mut rng).unwrap();
            let shares = benchmark.crowd.truth_shares();
            let is_divided = |concept: &Concept| shares.parents(*concept).len() > 1;
            let divided: Vec<Concept> = Concept::all(33 + ITEMS).filter(is_divided).collect();
            let labels = divided.iter().filter(|concept| concept.index() <= 33).count();
            assert_eq!(labels, DIVIDED_LABELS);
            // 30 of 100 expected, 4.6 the standard deviation.
            assert!((12..=48).contains(&(divided.len() - labels)), "{}", divided.len());
        }
    }

    #[test]
    fn nobody_is_asked_twice() {
        let (mut asked, mut rng) = (Asked::new(2), ChaCha8Rng::seed_from_u64(2));
        let pair = 3 * 2 + 1;
        let mut people: Vec<usize> = (0..PEOPLE).map(|_| asked.somebody(pair, &mut rng)).collect();
        people.sort_unstable();
        people.dedup();
        assert_eq!(people.len(), PEOPLE);
        assert!(!asked.is_open(pair) && asked.is_open(3 * 2));
    }
}
