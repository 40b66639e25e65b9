//! Question after question to one person, each chosen with all that was said before.

use std::collections::HashSet;

use grove_campaign::{Asked, Campaign, Status};
use grove_formats::Hierarchy;
use grove_store::{Answer, Question, WorkerId};

use super::desk::refused;
use super::words;

/// What a person may say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Said {
    Answer(Answer),
    Undo,
    Quit,
}

/// What a person is shown.
pub(super) struct Scene {
    /// Counts the answers of this sitting, from 1.
    pub(super) number: u64,
    /// What is believed so far.
    pub(super) hierarchy: Hierarchy,
    /// How good that is.
    pub(super) progress: String,
    /// What is asked.
    pub(super) asked: Asked,
    /// What became of the last key, where that needs saying.
    pub(super) note: Option<String>,
}

/// Somebody who answers, through whatever device.
pub(super) trait Person {
    /// Shows the scene and waits for a word. The end of all input is `Quit`.
    fn ask(&mut self, scene: &Scene) -> anyhow::Result<Said>;
}

/// How an interview ended.
pub(super) struct Ending {
    /// Answers that stand, of this sitting.
    pub(super) answers: u64,
    /// Why no more were asked.
    pub(super) reason: String,
}

/// Who is asked, about what, and for how long.
pub(super) struct Interview<'a> {
    pub(super) campaign: &'a mut Campaign,
    pub(super) worker: &'a WorkerId,
    /// Enough is when every parent is this certain.
    pub(super) until: f64,
    /// Or after so many answers.
    pub(super) most: Option<u64>,
}

impl Interview<'_> {
    /// Asks until there is a reason to stop. Every answer is on disk before the next question.
    pub(super) async fn hold(self, person: &mut impl Person) -> anyhow::Result<Ending> {
        let (mut answers, mut note, mut again) = (0_u64, None, None);
        loop {
            self.campaign.advance().await.map_err(refused)?;
            let question = match self.next(answers, again.take())? {
                Ok(question) => question,
                Err(reason) => return Ok(Ending { answers, reason }),
            };
            let scene = self.scene(answers + 1, question, note.take())?;
            match person.ask(&scene)? {
                Said::Quit => return Ok(Ending { answers, reason: "ended by you".to_owned() }),
                Said::Answer(answer) => {
                    self.campaign.vote(self.worker, question, answer).await.map_err(refused)?;
                    answers += 1;
                }
                Said::Undo if answers == 0 => {
                    note = Some("there is nothing to undo".to_owned());
                    again = Some(question);
                }
                Said::Undo => {
                    let vote = self.campaign.undo(self.worker).await.map_err(refused)?;
                    answers -= 1;
                    note = Some(format!("took back your {}", words::answer(vote.answer)));
                    again = Some(vote.question);
                }
            }
        }
    }

    /// What to ask now, or why nothing more.
    fn next(&self, answers: u64, again: Option<Question>) -> anyhow::Result<Result<Question, String>> {
        let state = self.campaign.state();
        match state.status() {
            Status::Asking => {}
            Status::Paused { reason } => {
                return Ok(Err(format!("the campaign is paused{}", because(reason))));
            }
            Status::Stopped { reason } => {
                return Ok(Err(format!("the campaign has ended{}", because(reason))));
            }
        }
        if let Some(question) = again {
            return Ok(Ok(question));
        }
        if state.concepts().count() < 2 {
            return Ok(Err("a hierarchy needs two concepts; `grove add` adds some".to_owned()));
        }
        if self.most.is_some_and(|most| answers >= most) {
            return Ok(Err("that was as many as you wanted".to_owned()));
        }
        if self.is_certain() {
            return Ok(Err(format!(
                "every parent is at least {} certain; --until takes it further",
                self.until
            )));
        }
        let Some(offer) = self.campaign.next_question(self.worker) else {
            return Ok(Err(format!("{} has answered every question there is", self.worker)));
        };
        let stop = self.campaign.should_stop(Some(offer.gain)).map_err(refused)?;
        Ok(stop.map_or(Ok(offer.question), Err))
    }

    /// Whether every parent is certain enough, and not by what was believed before anybody was asked.
    fn is_certain(&self) -> bool {
        let state = self.campaign.state();
        let asked =
            state.votes().alive().flat_map(|vote| [vote.vote.question.upper, vote.vote.question.lower]);
        let asked: HashSet<_> = asked.filter_map(|number| state.concepts().belief_number(number)).collect();
        let measures = self.campaign.follower().measures();
        asked.len() == state.concepts().count() && measures.is_some_and(|now| now.least_certain >= self.until)
    }

    fn scene(&self, number: u64, question: Question, note: Option<String>) -> anyhow::Result<Scene> {
        let follower = self.campaign.follower();
        let progress = follower.measures().map_or_else(String::new, |measures| {
            format!(
                "{} votes, {:.1} of {} parents expected right, the least certain {:.2}",
                measures.votes, measures.expected_right, measures.concepts, measures.least_certain
            )
        });
        let hierarchy = follower.hierarchy().map_err(refused)?;
        let asked = self.campaign.ask(question).map_err(refused)?;
        Ok(Scene { number, hierarchy, progress, asked, note })
    }
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

impl Scene {
    /// What the two concepts mean, as far as somebody has said.
    pub(super) fn definitions(&self) -> impl Iterator<Item = String> {
        let concepts = [&self.asked.child, &self.asked.parent];
        let defined = concepts.into_iter().filter(|concept| !concept.definition.is_empty());
        defined.map(|concept| format!("{}: {}", concept.name, concept.definition))
    }
}
