use grove_belief::{Answer, Belief, Certainties, Choice, Strategy, Vote, Worker, choose};
use grove_tree::Tree;
use rand::{Rng, RngExt};

use crate::{Crowd, Error};

/// The whole loop with simulated people in it: somebody comes, gets the best question for them, and their answer is believed or not.
pub struct Interview<'a> {
    /// What is believed of the hierarchy.
    pub belief: &'a mut dyn Belief,
    /// Who answers.
    pub crowd: &'a mut Crowd,
    /// How questions are chosen.
    pub strategy: Strategy,
}

/// A question that was asked, and what came of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Asked {
    /// The question, with its expected gain.
    pub choice: Choice,
    /// Who was asked.
    pub worker: Worker,
    /// What they said.
    pub answer: Answer,
}

impl Interview<'_> {
    /// Asks one person, drawn at random. None if there is nothing left to ask them.
    ///
    /// # Errors
    /// What the belief says of the vote.
    pub fn ask(&mut self, rng: &mut dyn Rng) -> Result<Option<Asked>, Error> {
        let worker = Worker::new(rng.random_range(0..self.crowd.people().len() as u32));
        let Some(choice) = choose(self.belief, self.strategy, worker, &|_| false, rng) else {
            return Ok(None);
        };
        let answer = self.crowd.answer(worker, choice.question, rng);
        self.belief.record(Vote { question: choice.question, worker, answer })?;
        Ok(Some(Asked { choice, worker, answer }))
    }
}

/// Notices when a hierarchy is settled: since which vote the most probable parent of every concept has been right, a tie being
/// wrong.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Settling {
    votes: usize,
    since: Option<usize>,
}

impl Settling {
    /// Looks at the belief after one more vote.
    ///
    /// # Errors
    /// [`grove_belief::Error::BadCertainties`] should the belief's probabilities be none.
    pub fn look(&mut self, belief: &dyn Belief, truth: &Tree) -> Result<(), Error> {
        self.votes += 1;
        if Certainties::of(belief)?.parents_right(truth) < 1.0 {
            self.since = None;
        } else {
            self.since.get_or_insert(self.votes);
        }
        Ok(())
    }

    /// The first vote after which all has been right until now; none if it is not.
    #[must_use]
    pub fn since(&self) -> Option<usize> {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CrowdSpec, Shares};
    use grove_belief::{Evidence, Exact, Settings};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn an_honest_crowd_settles_a_small_tree() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let truth = Tree::random(5, &mut rng);
        let spec = CrowdSpec::one_rate(50, 0.0).unwrap();
        let mut crowd = Crowd::gather(&spec, &Shares::none(&truth), &mut rng).unwrap();
        let evidence = Evidence::new(5, Settings::one_rate(0.0).unwrap()).unwrap();
        let mut belief = Exact::new(evidence).unwrap();
        let mut settling = Settling::default();
        for _ in 0..25 {
            let mut interview =
                Interview { belief: &mut belief, crowd: &mut crowd, strategy: Strategy::Gain };
            interview.ask(&mut rng).unwrap().unwrap();
            settling.look(&belief, &truth).unwrap();
        }
        // 4 log2(6) = 10.3 bits at least; 25 = N^2 is what the paper promises.
        assert!(settling.since().is_some_and(|since| (6..25).contains(&since)), "{settling:?}");
    }
}
