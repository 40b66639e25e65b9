use std::collections::HashMap;

use grove_belief::{Answer, Kind, Question, Response, Vote, Worker};
use grove_tree::Tree;
use rand::{Rng, RngExt};

use crate::engine_options::CrowdNoise;
use crate::recorded_votes::RecordedVotes;

/// Recorded votes to draw from without replacement. Votes on edge questions are left out, and replies to other forms: no strategy asks those.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    votes: HashMap<Question, Vec<(Worker, Answer)>>,
    /// The questions that have votes left, in an order that does not depend on the map.
    open: Vec<Question>,
    workers: u32,
}

impl Pool {
    pub(super) fn new(recorded: &RecordedVotes) -> Self {
        let mut votes: HashMap<Question, Vec<(Worker, Answer)>> = HashMap::new();
        let said = recorded.responses.iter().filter_map(Response::vote);
        for vote in said.filter(|vote| vote.question.kind == Kind::Path) {
            votes.entry(vote.question).or_default().push((vote.worker, vote.answer));
        }
        let mut open: Vec<Question> = votes.keys().copied().collect();
        open.sort_unstable();
        Self { votes, open, workers: recorded.workers.len() as u32 }
    }

    /// A worker of whom nothing is known: whose vote it will be is drawn after the question.
    pub(super) fn stranger(&self) -> Worker {
        Worker::new(self.workers)
    }

    pub(super) fn is_open(&self, question: Question) -> bool {
        self.votes.get(&question).is_some_and(|left| !left.is_empty())
    }

    /// Any question that has votes left. One random draw.
    pub(super) fn any(&self, rng: &mut dyn Rng) -> Option<Question> {
        (!self.open.is_empty()).then(|| self.open[rng.random_range(0..self.open.len())])
    }

    /// Draws one of a question's votes. One random draw.
    pub(super) fn draw(&mut self, question: Question, rng: &mut dyn Rng) -> Option<Vote> {
        let left = self.votes.get_mut(&question).filter(|left| !left.is_empty())?;
        let (worker, answer) = left.swap_remove(rng.random_range(0..left.len()));
        if left.is_empty() {
            self.open.retain(|&open| open != question);
        }
        Some(Vote { question, worker, answer })
    }

    /// The error rates of the votes.
    pub(super) fn noise(&self, truth: &Tree) -> CrowdNoise {
        let (mut wrong, mut all) = ([0.0; 2], [0.0; 2]);
        for (question, votes) in &self.votes {
            let is_true = truth.is_above(question.upper, question.lower);
            for (_, answer) in votes.iter().filter(|(_, answer)| *answer != Answer::CantSay) {
                all[usize::from(is_true)] += 1.0;
                wrong[usize::from(is_true)] += f64::from(u8::from((*answer == Answer::Yes) != is_true));
            }
        }
        let rate = |at: usize| if all[at] > 0.0 { wrong[at] / all[at] } else { 0.0 };
        CrowdNoise { false_yes: rate(0), false_no: rate(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_tree::Concept;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn pool() -> Pool {
        let vote = |worker, upper, answer| Vote {
            question: Question::path(Concept::new(upper), Concept::new(2)).unwrap(),
            worker: Worker::new(worker),
            answer,
        };
        let votes = vec![
            vote(0, 1, Answer::Yes),
            vote(1, 1, Answer::Yes),
            vote(2, 1, Answer::No),
            vote(3, 1, Answer::CantSay),
            vote(0, 3, Answer::Yes),
            vote(1, 3, Answer::No),
        ];
        Pool::new(&RecordedVotes {
            lines: vec![0; votes.len()],
            responses: votes.into_iter().map(Into::into).collect(),
            workers: vec![String::new(); 4],
            repeated: 0,
        })
    }

    #[test]
    fn every_vote_is_drawn_once() {
        let (mut pool, mut rng) = (pool(), ChaCha8Rng::seed_from_u64(1));
        let question = Question::path(Concept::new(1), Concept::new(2)).unwrap();
        let mut workers: Vec<usize> =
            (0..4).map(|_| pool.draw(question, &mut rng).unwrap().worker.index()).collect();
        workers.sort_unstable();
        assert_eq!(workers, [0, 1, 2, 3]);
        assert!(pool.draw(question, &mut rng).is_none() && !pool.is_open(question));
        assert_eq!(pool.any(&mut rng).map(|question: Question| question.upper), Some(Concept::new(3)));
        assert_eq!(pool.stranger(), Worker::new(4));
    }

    #[test]
    fn noise_is_counted_against_the_truth() {
        let truth = Tree::from_parents(&[0, 1, 0].map(Concept::new)).unwrap();
        let noise = pool().noise(&truth);
        assert_eq!((noise.false_no, noise.false_yes), (1.0 / 3.0, 0.5));
    }
}
