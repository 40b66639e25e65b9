//! 33 labels, 100 items, and people who answer about both.

use grove_belief::{Answer, Question, Worker};
use grove_sim::{Crowd, CrowdSpec, Shares, read_tree};
use grove_tree::{Concept, NamedTree, Tree};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::Error;

/// The number of items that the rivals label.
pub(super) const ITEMS: usize = 100;

/// So many that 49,500 votes on pairs of labels never ask anybody the same twice.
pub(super) const PEOPLE: usize = 60;

/// Labels, items, and people.
pub(super) struct Benchmark {
    /// The hierarchy of the labels.
    pub(super) labels: Tree,
    /// People who have labels and items in mind: labels come first, then items, which are leaves.
    pub(super) crowd: Crowd,
}

/// Whether people agree where items and labels belong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Agreement {
    /// All of them.
    Full,
    /// Over three items in ten, and three labels, .6 to .4.
    Divided,
}

/// The share of items, and the number of labels, that people divide over.
const DIVIDED_ITEMS: f64 = 0.3;
const DIVIDED_LABELS: usize = 3;

/// The share of people who place a divided item or label elsewhere.
const ELSEWHERE: f64 = 0.4;

impl Benchmark {
    /// Every label gets an item of its own, and the other items a label drawn at random. An item is of its label and of all above.
    pub(super) fn new(spec: &CrowdSpec, agreement: Agreement, rng: &mut ChaCha8Rng) -> Result<Self, Error> {
        let labels = labels();
        let mut parents = labels.parents().to_vec();
        for item in 0..ITEMS {
            let own = labels.concepts().nth(item);
            parents.push(own.unwrap_or_else(|| Concept::new(rng.random_range(1..=labels.len()))));
        }
        let whole = Tree::from_parents(&parents)?;
        let shares = match agreement {
            Agreement::Full => Shares::none(&whole),
            Agreement::Divided => divided(&labels, &whole, rng)?,
        };
        let crowd = Crowd::gather(spec, &shares, rng)?;
        Ok(Self { labels, crowd })
    }

    /// Asks somebody whether an item is of a label: "is ITEM a kind of LABEL?"
    pub(super) fn ask(&mut self, worker: usize, pair: Pair, rng: &mut ChaCha8Rng) -> Result<bool, Error> {
        let item = Concept::new(self.labels.len() + 1 + pair.item);
        let question = Question::path(Concept::new(pair.label + 1), item)?;
        Ok(self.crowd.answer(Worker::new(worker as u32), question, rng) == Answer::Yes)
    }
}

/// Gives some items and some labels that have no others below them a second place, at random: whoever has that in mind says so about all that is above it.
fn divided(labels: &Tree, whole: &Tree, rng: &mut ChaCha8Rng) -> Result<Shares, Error> {
    let names: Vec<String> = whole.concepts().map(|concept| concept.index().to_string()).collect();
    let named = NamedTree::new("0", &names, whole.clone())?;
    let is_leaf = |label: &Concept| labels.parents().iter().all(|parent| parent != label);
    let mut leaves: Vec<Concept> = labels.concepts().filter(is_leaf).collect();
    leaves.shuffle(rng);
    let items = whole.concepts().skip(labels.len()).filter(|_| rng.random::<f64>() < DIVIDED_ITEMS);
    let mut torn: Vec<Concept> = items.collect();
    torn.extend(&leaves[..DIVIDED_LABELS]);
    let mut lines = String::new();
    for concept in torn {
        // A torn label must not come under another torn one: somebody might then place each below the other.
        let free =
            |place: &Concept| *place != whole.parent(concept) && !leaves[..DIVIDED_LABELS].contains(place);
        let places: Vec<Concept> = labels.concepts().filter(free).collect();
        let elsewhere = places[rng.random_range(0..places.len())];
        lines.push_str(&format!("{}\t{}\t{ELSEWHERE}\n", concept.index(), elsewhere.index()));
    }
    Ok(Shares::parse(&lines, &named)?)
}

/// The hierarchy of the labels.
pub(super) fn labels() -> Tree {
    let text = include_str!("../../../../data/figer33.tsv");
    read_tree(text).expect("the labels are read in a test").tree().clone()
}

/// An item and a label, both counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) item: usize,
    pub(super) label: usize,
}

impl Pair {
    pub(super) fn all(labels: usize) -> impl Iterator<Item = Self> {
        (0..ITEMS).flat_map(move |item| (0..labels).map(move |label| Self { item, label }))
    }
}

/// Who has answered about which pair: nobody is asked twice.
pub(super) struct Asked {
    labels: usize,
    /// A bit for every person.
    seen: Vec<u64>,
}

impl Asked {
    pub(super) fn new(labels: usize) -> Self {
        Self { labels, seen: vec![0; labels * ITEMS] }
    }

    pub(super) fn is_open(&self, pair: Pair) -> bool {
        self.seen[self.place(pair)].count_ones() < PEOPLE as u32
    }

    /// Somebody who has not answered about an open pair yet, and from now on has.
    pub(super) fn somebody(&mut self, pair: Pair, rng: &mut ChaCha8Rng) -> usize {
        let at = self.place(pair);
        loop {
            let worker = rng.random_range(0..PEOPLE);
            if self.seen[at] & (1 << worker) == 0 {
                self.seen[at] |= 1 << worker;
                return worker;
            }
        }
    }

    fn place(&self, pair: Pair) -> usize {
        pair.item * self.labels + pair.label
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn every_label_has_items_and_people_know_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let spec = CrowdSpec::one_rate(PEOPLE, 0.0).unwrap();
        let mut benchmark = Benchmark::new(&spec, Agreement::Full, &mut rng).unwrap();
        assert_eq!(benchmark.labels.len(), 33);
        for label in 0..33 {
            // The first items are the labels' own: of the label, and of all above it.
            assert!(benchmark.ask(0, Pair { item: label, label }, &mut rng).unwrap());
            let above = benchmark.labels.parent(Concept::new(label + 1)).index();
            if above > 0 {
                assert!(benchmark.ask(1, Pair { item: label, label: above - 1 }, &mut rng).unwrap());
            }
        }
        assert!(!benchmark.ask(0, Pair { item: 0, label: 32 }, &mut rng).unwrap());
    }

    #[test]
    fn some_items_and_labels_divide_people() {
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let spec = CrowdSpec::one_rate(PEOPLE, 0.0).unwrap();
            let benchmark = Benchmark::new(&spec, Agreement::Divided, &mut rng).unwrap();
            let shares = benchmark.crowd.truth_shares();
            let is_torn = |concept: &Concept| shares.parents(*concept).len() > 1;
            let torn: Vec<Concept> = Concept::all(33 + ITEMS).filter(is_torn).collect();
            let labels = torn.iter().filter(|concept| concept.index() <= 33).count();
            assert_eq!(labels, DIVIDED_LABELS);
            // 30 of 100 expected, 4.6 the standard deviation.
            assert!((12..=48).contains(&(torn.len() - labels)), "{}", torn.len());
        }
    }

    #[test]
    fn nobody_is_asked_twice() {
        let (mut asked, mut rng) = (Asked::new(2), ChaCha8Rng::seed_from_u64(2));
        let pair = Pair { item: 3, label: 1 };
        let mut people: Vec<usize> = (0..PEOPLE).map(|_| asked.somebody(pair, &mut rng)).collect();
        people.sort_unstable();
        people.dedup();
        assert_eq!(people.len(), PEOPLE);
        assert!(!asked.is_open(pair) && asked.is_open(Pair { item: 3, label: 0 }));
    }
}
