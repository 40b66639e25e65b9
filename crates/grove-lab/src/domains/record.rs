//! Concepts in the order in which they join, and eight recorded votes on every ordered pair, as the paper collected them.

use grove_belief::{Answer, Question, Rates, Vote, Worker};
use grove_sim::Crowd;
use grove_tree::{Concept, Tree};
use indexmap::IndexMap;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::Error;

/// The concepts of a reference, renumbered in the order in which they join: a belief numbers new concepts last.
pub(super) struct Order {
    /// The concepts of the reference in the order in which they join.
    originals: Vec<Concept>,
    reference: Tree,
}

impl Order {
    /// A random order. N draws.
    pub(super) fn random(reference: &Tree, rng: &mut ChaCha8Rng) -> Self {
        let mut originals: Vec<Concept> = reference.concepts().collect();
        originals.shuffle(rng);
        Self { originals, reference: reference.clone() }
    }

    pub(super) fn len(&self) -> usize {
        self.originals.len()
    }

    /// The concept in the reference.
    pub(super) fn original(&self, concept: Concept) -> Concept {
        if concept.is_root() { Concept::ROOT } else { self.originals[concept.index() - 1] }
    }

    /// The true hierarchy of the first `present` concepts: each is under its nearest ancestor that has joined.
    pub(super) fn truth(&self, present: usize) -> Result<Tree, Error> {
        let mut joined = vec![None; self.reference.len() + 1];
        for (at, original) in self.originals[..present].iter().enumerate() {
            joined[original.index()] = Some(Concept::new(at + 1));
        }
        let parent = |original: &Concept| {
            let mut above = self.reference.ancestors(*original);
            above.find_map(|above| joined[above.index()]).unwrap_or(Concept::ROOT)
        };
        let parents: Vec<Concept> = self.originals[..present].iter().map(parent).collect();
        Ok(Tree::from_parents(&parents)?)
    }
}

/// Votes on a question.
pub(super) const BUNDLE: usize = 8;

/// Recorded votes by question, with concepts numbered in the order in which they join.
pub(super) struct Pool {
    votes: IndexMap<Question, Vec<Vote>>,
}

impl Pool {
    /// Asks eight different people about every ordered pair.
    pub(super) fn record(order: &Order, crowd: &mut Crowd, rng: &mut ChaCha8Rng) -> Result<Self, Error> {
        let mut votes = IndexMap::new();
        let mut people: Vec<Worker> = crowd.workers().collect();
        for upper in Concept::all(order.len()) {
            for lower in Concept::all(order.len()).filter(|&lower| lower != upper) {
                let question = Question::path(upper, lower)?;
                people.shuffle(rng);
                let mut recorded = Vec::new();
                for &worker in people.iter().take(BUNDLE) {
                    recorded.push(ask(order, crowd, question, worker, rng)?);
                }
                votes.insert(question, recorded);
            }
        }
        Ok(Self { votes })
    }

    pub(super) fn is_open(&self, question: Question) -> bool {
        self.votes.get(&question).is_some_and(|left| !left.is_empty())
    }

    /// Whether a worker has a vote on a question that was not used yet.
    pub(super) fn has(&self, question: Question, worker: Worker) -> bool {
        self.votes.get(&question).is_some_and(|left| left.iter().any(|vote| vote.worker == worker))
    }

    /// Removes and returns a worker's vote on a question.
    pub(super) fn draw(&mut self, question: Question, worker: Worker) -> Option<Vote> {
        let left = self.votes.get_mut(&question)?;
        let at = left.iter().position(|vote| vote.worker == worker)?;
        Some(left.swap_remove(at))
    }

    /// Removes all votes on a question and returns them as one answer: that of the majority, by a "worker" who stands for the
    /// question. A tie is "can't say".
    pub(super) fn draw_bundle(&mut self, question: Question) -> Option<Vote> {
        let (number, _, votes) = self.votes.get_full_mut(&question)?;
        let votes = std::mem::take(votes);
        let yes = yes(&votes);
        let answer = match (2 * yes).cmp(&votes.len()) {
            std::cmp::Ordering::Greater => Answer::Yes,
            std::cmp::Ordering::Less => Answer::No,
            std::cmp::Ordering::Equal => Answer::CantSay,
        };
        Some(Vote { question, worker: Worker::new(number as u32), answer })
    }

    /// The paper's noise of every question, by its number: (minority + 1) / (votes + 2) of its own votes.
    pub(super) fn noises(&self) -> Result<Vec<Rates>, Error> {
        let noise = |votes: &Vec<Vote>| {
            let minority = yes(votes).min(votes.len() - yes(votes));
            Ok(Rates::one((minority + 1) as f64 / (votes.len() + 2) as f64)?)
        };
        self.votes.values().map(noise).collect()
    }
}

fn yes(votes: &[Vote]) -> usize {
    votes.iter().filter(|vote| vote.answer == Answer::Yes).count()
}

/// Asks a person, who knows the concepts by their numbers in the reference.
pub(super) fn ask(
    order: &Order,
    crowd: &mut Crowd,
    question: Question,
    worker: Worker,
    rng: &mut ChaCha8Rng,
) -> Result<Vote, Error> {
    let there = Question::path(order.original(question.upper), order.original(question.lower))?;
    Ok(Vote { question, worker, answer: crowd.answer(worker, there, rng) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_belief::Relation;
    use grove_sim::{CrowdSpec, Shares};
    use rand::SeedableRng;

    #[test]
    fn paths_among_joined_concepts_are_those_of_the_reference() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let reference = Tree::random(12, &mut rng);
        let order = Order::random(&reference, &mut rng);
        for present in 1..=12 {
            let truth = order.truth(present).unwrap();
            for upper in truth.concepts() {
                for lower in truth.concepts() {
                    let there = reference.is_above(order.original(upper), order.original(lower));
                    assert_eq!(truth.is_above(upper, lower), there);
                }
            }
        }
    }

    #[test]
    fn bundles_give_the_majority_and_its_noise() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let reference = Tree::random(5, &mut rng);
        let order = Order::random(&reference, &mut rng);
        let spec = CrowdSpec::one_rate(10, 0.0).unwrap();
        let mut crowd = Crowd::gather(&spec, &Shares::none(&reference), &mut rng).unwrap();
        let mut pool = Pool::record(&order, &mut crowd, &mut rng).unwrap();
        // Nobody errs: one pseudo-vote of ten is against.
        assert!(
            pool.noises().unwrap().iter().all(|rates| (rates.yes(Relation::Neither) - 0.1).abs() < 1e-12)
        );
        let truth = order.truth(5).unwrap();
        let question = Question::path(Concept::new(1), Concept::new(2)).unwrap();
        let somebody = crowd.workers().find(|&worker| pool.has(question, worker)).unwrap();
        let single = pool.draw(question, somebody).unwrap();
        let bundle = pool.draw_bundle(question).unwrap();
        assert_eq!(bundle.answer, single.answer);
        assert_eq!(bundle.answer == Answer::Yes, truth.is_above(Concept::new(1), Concept::new(2)));
        assert!(!pool.is_open(question) && pool.draw(question, somebody).is_none());
    }
}
