use grove_belief::{
    Answer, Asking, Belief, Certainties, Choice, Response, ScreenChoice, Strategy, Vote, Worker, choose,
    choose_screen,
};
use grove_tree::Tree;
use rand::{Rng, RngExt};

use crate::{Crowd, Error};

/// A belief that asks simulated people: each is asked the best question for them, and the belief takes in the answer.
pub struct Interview<'a> {
    /// What is believed of the hierarchy.
    pub belief: &'a mut dyn Belief,
    /// The people who answer.
    pub crowd: &'a mut Crowd,
    /// How questions are chosen.
    pub strategy: Strategy,
}

/// A question that was asked, with its answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Asked {
    /// The question, with its expected gain.
    pub choice: Choice,
    /// Who was asked.
    pub worker: Worker,
    /// The answer.
    pub answer: Answer,
}

impl Interview<'_> {
    /// Asks one person, drawn at random. None if there is nothing left to ask them.
    ///
    /// # Errors
    /// If the belief refuses the vote.
    pub fn ask(&mut self, rng: &mut dyn Rng) -> Result<Option<Asked>, Error> {
        let worker = Worker::new(rng.random_range(0..self.crowd.people().len() as u32));
        let Some(choice) = choose(self.belief, self.strategy, worker, &|_| false, rng) else {
            return Ok(None);
        };
        let answer = self.crowd.answer(worker, choice.question, rng);
        self.belief.record(Vote { question: choice.question, worker, answer })?;
        Ok(Some(Asked { choice, worker, answer }))
    }

    /// Asks one person after the other, as [`settle`] describes.
    ///
    /// # Errors
    /// If the belief refuses a vote.
    pub fn settle(&mut self, truth: &Tree, schedule: Schedule, rng: &mut dyn Rng) -> Result<Course, Error> {
        let Self { belief, crowd, strategy } = self;
        let ask = |belief: &mut dyn Belief| -> Result<usize, Error> {
            let asked = Interview { belief, crowd, strategy: *strategy }.ask(rng)?;
            Ok(usize::from(asked.is_some()))
        };
        settle(&mut **belief, truth, schedule, ask)
    }
}

/// Shows one person, drawn at random, the screen of any allowed form that gains most per second, and lets the belief take in the reply. None if nothing is left
/// to show them, or nothing that gains at least so many bits per second.
///
/// # Errors
/// If the belief refuses the reply.
pub fn ask_screen(
    belief: &mut dyn Belief,
    crowd: &mut Crowd,
    asking: &Asking,
    least_rate: f64,
    rng: &mut dyn Rng,
) -> Result<Option<ScreenChoice>, Error> {
    let worker = Worker::new(rng.random_range(0..crowd.people().len() as u32));
    let Some(choice) = choose_screen(belief, asking, worker, &|_| false, rng) else { return Ok(None) };
    if choice.rate() < least_rate {
        return Ok(None);
    }
    let reply = crowd.reply(worker, &choice.screen, rng);
    belief.respond(Response { worker, screen: choice.screen.clone(), reply })?;
    Ok(Some(choice))
}

/// How long people are asked, and how often the belief is compared with the truth meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The number of votes after which to stop.
    pub votes: usize,
    /// The votes between two checks whether all parents are right.
    pub check_every: usize,
    /// The votes between two points of the AUC curve.
    pub auc_every: usize,
}

impl Schedule {
    /// Checks the parents and the AUC at the same time.
    #[must_use]
    pub const fn every(every: usize, votes: usize) -> Self {
        Self { votes, check_every: every, auc_every: every }
    }
}

/// How a belief approached the truth.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Course {
    /// The number of votes.
    pub votes: usize,
    /// The vote since which the most probable parent of every concept has been right at every check; a tie is wrong.
    pub settled: Option<usize>,
    /// The area under the ROC curve of the edges after some votes: (votes, area). Empty for a single concept.
    pub curve: Vec<(usize, f64)>,
}

/// Calls `ask` until enough votes have come or nothing is left to ask, and compares the belief with the truth on the way.
///
/// `ask` records one or more votes and returns their number; 0 ends the run.
///
/// # Errors
/// The errors of `ask`, and [`grove_belief::Error::BadCertainties`] if the belief has invalid probabilities.
pub fn settle<E: From<grove_belief::Error>>(
    belief: &mut dyn Belief,
    truth: &Tree,
    schedule: Schedule,
    mut ask: impl FnMut(&mut dyn Belief) -> Result<usize, E>,
) -> Result<Course, E> {
    let mut course = Course::default();
    while course.votes < schedule.votes {
        let before = course.votes;
        course.votes += ask(belief)?;
        if course.votes == before {
            break;
        }
        let votes = course.votes;
        let [check, auc] =
            [schedule.check_every, schedule.auc_every].map(|every| votes / every > before / every);
        if !(check || auc) {
            continue;
        }
        if check {
            let right = Certainties::of(belief)?.parents_right(truth) >= 1.0;
            course.settled = right.then(|| course.settled.unwrap_or(votes));
        }
        if auc {
            course.curve.extend(Certainties::expected(belief)?.edge_auc(truth).map(|auc| (votes, auc)));
        }
    }
    Ok(course)
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
        let mut interview = Interview { belief: &mut belief, crowd: &mut crowd, strategy: Strategy::Gain };
        let course = interview.settle(&truth, Schedule::every(1, 25), &mut rng).unwrap();
        // 4 log2(6) = 10.3 bits at least; 25 = N^2 is what the paper promises.
        assert!(course.settled.is_some_and(|since| (6..25).contains(&since)), "{course:?}");
        assert_eq!((course.votes, course.curve.len(), course.curve[24]), (25, 25, (25, 1.0)));
    }

    #[test]
    fn batches_are_compared_when_they_pass_a_multiple() {
        let evidence = Evidence::new(2, Settings::one_rate(0.1).unwrap()).unwrap();
        let mut belief = Exact::new(evidence).unwrap();
        let mut batches = [3, 3, 3, 0].into_iter();
        let ask = |_: &mut dyn Belief| Ok::<_, Error>(batches.next().unwrap());
        let course = settle(&mut belief, &Tree::flat(2), Schedule::every(5, 100), ask).unwrap();
        assert_eq!((course.votes, course.curve.len(), course.curve[0].0), (9, 1, 6));
    }
}
