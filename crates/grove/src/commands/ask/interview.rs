//! Asks one person question after question, each chosen from all answers so far.

use std::collections::HashSet;

use grove_campaign::{Asked, Campaign, Status};
use grove_formats::Hierarchy;
use grove_store::{Answer, Question, SubmittedVote, Vote, VoteId, WorkerId};
use uuid::Uuid;

use crate::text::{answer, because};

/// What a person replies to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    Answer(Answer),
    Undo,
    Quit,
}

/// What a person is shown.
pub(super) struct Screen {
    /// The number of the question in this session, from 1.
    pub(super) number: u64,
    /// The hierarchy so far.
    pub(super) hierarchy: Hierarchy,
    /// How good it is.
    pub(super) progress: String,
    /// The question.
    pub(super) asked: Asked,
    /// A message about the last reply.
    pub(super) note: Option<String>,
}

/// A way to show a question and to read the reply.
pub(super) trait Prompt {
    /// Shows the screen and waits for a reply. The end of the input is [`Reply::Quit`].
    fn ask(&mut self, screen: &Screen) -> anyhow::Result<Reply>;
}

/// How an interview ended.
pub(super) struct Ending {
    /// The answers of this session that were not withdrawn.
    pub(super) answers: u64,
    /// Why it ended.
    pub(super) reason: String,
}

/// Who is asked, about what, and for how long.
pub(super) struct Interview<'a> {
    pub(super) campaign: &'a Campaign,
    pub(super) worker: &'a WorkerId,
    /// Stop when every parent is this certain.
    pub(super) until: f64,
    /// Stop after this many answers.
    pub(super) most: Option<u64>,
}

impl Interview<'_> {
    /// Asks until there is a reason to stop. Every answer is on disk before the next question.
    pub(super) async fn run(self, prompt: &mut impl Prompt) -> anyhow::Result<Ending> {
        let (mut answers, mut note, mut again) = (0_u64, None, None);
        loop {
            self.campaign.advance().await?;
            let question = match self.next(answers, again.take()).await? {
                Ok(question) => question,
                Err(reason) => return Ok(Ending { answers, reason }),
            };
            let screen = self.screen(answers + 1, question, note.take()).await?;
            match prompt.ask(&screen)? {
                Reply::Quit => return Ok(Ending { answers, reason: "stopped by you".to_owned() }),
                Reply::Answer(given) => {
                    let vote = Vote { worker: self.worker.clone(), question, answer: given };
                    self.campaign.vote(SubmittedVote { id: VoteId(Uuid::now_v7()), vote }).await?;
                    answers += 1;
                }
                Reply::Undo if answers == 0 => {
                    note = Some("there is nothing to undo".to_owned());
                    again = Some(question);
                }
                Reply::Undo => {
                    let SubmittedVote { vote, .. } = self.campaign.undo(self.worker).await?;
                    answers -= 1;
                    note = Some(format!("withdrew your {}", answer(vote.answer)));
                    again = Some(vote.question);
                }
            }
        }
    }

    /// The next question, or the reason to stop.
    async fn next(&self, answers: u64, again: Option<Question>) -> anyhow::Result<Result<Question, String>> {
        let (status, reason, concepts) = self
            .campaign
            .with_state(|state| (state.status(), because(state.reason()), state.concepts().count()));
        match status {
            Status::Asking => {}
            Status::Paused => return Ok(Err(format!("the campaign is paused{reason}"))),
            Status::Stopped => return Ok(Err(format!("the campaign has stopped{reason}"))),
        }
        if let Some(question) = again {
            return Ok(Ok(question));
        }
        if concepts < 2 {
            return Ok(Err("a hierarchy needs two concepts; `grove add` adds some".to_owned()));
        }
        if self.most.is_some_and(|most| answers >= most) {
            return Ok(Err("the limit of --questions is reached".to_owned()));
        }
        if self.is_certain().await? {
            let until = self.until;
            return Ok(Err(format!("every parent is at least {until} certain; raise --until to continue")));
        }
        let Some(offer) = self.campaign.next_question(self.worker).await? else {
            return Ok(Err(format!("{} has answered every question there is", self.worker)));
        };
        let stop = self.campaign.should_stop(Some(offer.gain)).await?;
        Ok(stop.map_or(Ok(offer.question), Err))
    }

    /// Whether every parent is certain enough. A concept that nobody was asked about is not, however sure the prior is.
    async fn is_certain(&self) -> anyhow::Result<bool> {
        let measures = self.campaign.follower().await?.measures();
        let state = self.campaign.state();
        let asked =
            state.votes().alive().flat_map(|vote| [vote.vote.question.upper, vote.vote.question.lower]);
        let asked: HashSet<_> = asked.filter_map(|number| state.concepts().belief_number(number)).collect();
        let certain = measures.is_some_and(|now| now.least_certain >= self.until);
        Ok(certain && asked.len() == state.concepts().count())
    }

    async fn screen(&self, number: u64, question: Question, note: Option<String>) -> anyhow::Result<Screen> {
        let follower = self.campaign.follower().await?;
        let progress = follower.measures().map_or_else(String::new, |measures| {
            format!(
                "{} votes, {:.1} of {} parents expected to be right, the least certain {:.2}",
                measures.votes, measures.expected_right, measures.concepts, measures.least_certain
            )
        });
        let hierarchy = follower.hierarchy()?;
        let asked = self.campaign.state().ask(question)?;
        Ok(Screen { number, hierarchy, progress, asked, note })
    }
}
