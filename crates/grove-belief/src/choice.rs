//! Which question to ask next.

mod batch;
mod gain;
mod screen_batch;
mod screens;
mod seconds;
mod worst_case;

use grove_tree::Concept;
use rand::{Rng, RngExt};

use crate::belief::all_questions;
use crate::{Belief, Candidate, Question, Worker};
pub use batch::choose_batch;
pub use screen_batch::choose_screen_batch;
pub use screens::{Asking, KNOWN_TO_OWNER, ScreenChoice, View, choose_screen, choose_screens};
pub use seconds::Seconds;

/// The rule by which the next question is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// The greatest expected information gain about the hierarchy.
    Gain,
    /// The paper's rule: the question whose *less* informative answer leaves the least entropy,
    /// argmin over questions of max(H after yes, H after no). (The printed argmax is a misprint.)
    WorstCase,
    /// Any question, all equally likely.
    Random,
}

/// The question chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// What to ask.
    pub question: Question,
    /// The expected information gain of the answer, in bits.
    pub gain: f64,
    /// P(upper above lower) before asking.
    pub above: f64,
}

/// Chooses the next question for a worker: one they have not answered, and that is not excluded. `None` if there is no such question.
///
/// `Gain` draws nothing at random; `Random` draws until a question is allowed; `WorstCase` draws the trees that it compares.
pub fn choose(
    belief: &dyn Belief,
    strategy: Strategy,
    worker: Worker,
    excluded: &dyn Fn(Question) -> bool,
    rng: &mut dyn Rng,
) -> Option<Choice> {
    let allowed =
        |question: Question| !belief.evidence().has_answered(worker, question) && !excluded(question);
    let mut candidates = if strategy == Strategy::Random { Vec::new() } else { belief.candidates() };
    candidates.retain(|candidate| allowed(candidate.question));
    let rates = belief.rates(worker);
    let candidate = match strategy {
        Strategy::Gain => largest(&candidates, |candidate| candidate.gain(&rates)),
        Strategy::WorstCase => {
            let rule = worst_case::WorstCase::new(belief, rng);
            largest(&candidates, |candidate| -rule.entropy_left(candidate, &rates))
        }
        Strategy::Random => any_question(belief, &allowed, rng),
    }?;
    Some(Choice { question: candidate.question, gain: candidate.gain(&rates), above: candidate.above })
}

/// Draws one of the N(N-1) path questions: again and again until it is allowed, and from a list of those allowed where few are.
fn any_question(
    belief: &dyn Belief,
    allowed: &dyn Fn(Question) -> bool,
    rng: &mut dyn Rng,
) -> Option<Candidate> {
    let count = belief.evidence().count();
    let mut any = || Concept::new(rng.random_range(1..=count));
    let drawn =
        (0..MOST_DRAWS).find_map(|_| Question::path(any(), any()).ok().filter(|&question| allowed(question)));
    let question = drawn.or_else(|| {
        let left: Vec<Question> = all_questions(count).filter(|&question| allowed(question)).collect();
        (!left.is_empty()).then(|| left[rng.random_range(0..left.len())])
    })?;
    Some(Candidate::new(belief, question))
}

/// Draws of a random question before those allowed are listed.
const MOST_DRAWS: usize = 100;

/// The candidate of the largest value, the first of several.
fn largest(candidates: &[Candidate], value: impl Fn(&Candidate) -> f64) -> Option<Candidate> {
    let mut best: Option<(f64, Candidate)> = None;
    for candidate in candidates {
        let value = value(candidate);
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, *candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}
