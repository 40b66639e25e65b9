//! Asks one person screen after screen, each chosen from all answers so far.

use std::collections::HashSet;
use std::time::Instant;

use grove_belief::StopReason;
use grove_campaign::{Asked, Campaign, Estimate, Offer, State, Status};
use grove_formats::Hierarchy;
use grove_store::{Form, Response, Screen, SubmittedVote, VoteId, WorkerId};
use grove_tree::Concept;
use uuid::Uuid;

use super::entry::{Entry, Named, Reply};
use crate::text::{answer, because, time_left};

/// What a person is shown.
pub(super) struct Shown {
    /// The number of the screen in this session, from 1.
    pub(super) number: u64,
    /// The hierarchy so far.
    pub(super) hierarchy: Hierarchy,
    /// How far it has come, and how long it will take.
    pub(super) progress: String,
    /// The screen in words.
    pub(super) asked: Asked,
    /// The answer that is being given.
    pub(super) entry: Entry,
    /// A message about the last reply.
    pub(super) note: Option<String>,
}

/// A way to show a screen and to read the reply.
pub(super) trait Prompt {
    /// Shows the screen and waits for a reply. The end of the input is [`Reply::Quit`].
    fn ask(&mut self, shown: &mut Shown) -> anyhow::Result<Reply>;
}

/// How an interview ended.
pub(super) struct Ending {
    /// The form of every answer of this session that was not withdrawn.
    pub(super) forms: Vec<Form>,
    /// Why it ended.
    pub(super) reason: String,
}

/// Who is asked, about what, and for how long.
pub(super) struct Interview<'a> {
    pub(super) campaign: &'a Campaign,
    pub(super) worker: &'a WorkerId,
    /// Stop when every parent is this certain.
    pub(super) until: Option<f64>,
    /// Stop after this many answers.
    pub(super) most: Option<u64>,
    /// Keep asking when nothing worth the time is left.
    pub(super) go_on: bool,
}

impl Interview<'_> {
    /// Asks until there is a reason to stop. Every answer is on disk before the next screen.
    pub(super) async fn run(self, prompt: &mut impl Prompt) -> anyhow::Result<Ending> {
        let (mut forms, mut note, mut again) = (Vec::new(), None, None);
        loop {
            self.campaign.advance().await?;
            let answers = forms.len() as u64;
            let (screen, best) = match self.next(answers, again.take()).await? {
                Ok(next) => next,
                Err(reason) => return Ok(Ending { forms, reason }),
            };
            let mut shown = self.shown(answers + 1, screen.clone(), best.as_ref(), note.take()).await?;
            let start = Instant::now();
            match prompt.ask(&mut shown)? {
                Reply::Quit => return Ok(Ending { forms, reason: "stopped by you".to_owned() }),
                Reply::Answer(reply) => {
                    let form = screen.form();
                    let response = Response { worker: self.worker.clone(), screen, reply };
                    let took_ms = u32::try_from(start.elapsed().as_millis()).ok();
                    let id = VoteId(Uuid::now_v7());
                    self.campaign.vote(SubmittedVote { took_ms, ..SubmittedVote::new(id, response) }).await?;
                    forms.push(form);
                }
                Reply::Undo if answers == 0 => {
                    note = Some("there is nothing to undo".to_owned());
                    again = Some(screen);
                }
                Reply::Undo => {
                    let SubmittedVote { response, .. } = self.campaign.undo(self.worker).await?;
                    forms.pop();
                    let said = answer(&self.campaign.state(), &response.reply);
                    let is_yes_no = response.screen.question().is_some();
                    note = Some(format!("withdrew your {}{said}", if is_yes_no { "" } else { "answer: " }));
                    again = Some(response.screen);
                }
            }
        }
    }

    /// The next screen, with what it is expected to tell unless it is shown again; or the reason to stop.
    async fn next(
        &self,
        answers: u64,
        again: Option<Screen>,
    ) -> anyhow::Result<Result<(Screen, Option<Offer>), String>> {
        let (status, reason, concepts) = self
            .campaign
            .with_state(|state| (state.status(), because(state.reason()), state.concepts().count()));
        match status {
            Status::Asking => {}
            Status::Paused => return Ok(Err(format!("the campaign is paused{reason}"))),
            Status::Stopped => return Ok(Err(format!("the campaign has stopped{reason}"))),
        }
        if let Some(screen) = again {
            return Ok(Ok((screen, None)));
        }
        if concepts < 2 {
            return Ok(Err("a hierarchy needs two concepts; `grove add` adds some".to_owned()));
        }
        if self.most.is_some_and(|most| answers >= most) {
            return Ok(Err("the limit of --questions is reached".to_owned()));
        }
        if let Some(until) = self.until
            && self.is_certain(until).await?
        {
            return Ok(Err(format!("every parent is at least {until} certain; raise --until to continue")));
        }
        let mut offer = self.campaign.next_screen(self.worker).await?;
        if self.go_on && self.is_worthless(offer.as_ref()).await? {
            offer = self.campaign.next_screen_beyond(self.worker).await?;
        } else if let Some(reason) = self.campaign.should_stop(offer.as_ref()).await? {
            return Ok(Err(reason));
        }
        Ok(offer.map(|offer| (offer.screen.clone(), Some(offer))).ok_or_else(|| {
            format!("nothing left to learn from {}: they have answered every question there is", self.worker)
        }))
    }

    /// Whether asking ended because nothing worth the time is left, which `--go-on` ignores.
    async fn is_worthless(&self, best: Option<&Offer>) -> anyhow::Result<bool> {
        let follower = self.campaign.follower().await?;
        let reason = follower.belief().map(|belief| follower.stop_reason(belief, best)).transpose()?;
        Ok(matches!(reason.flatten(), Some(StopReason::RateTooSmall { .. } | StopReason::NothingLeft)))
    }

    /// Whether every parent is certain enough. A concept that nobody was asked about is not, however sure the prior is.
    async fn is_certain(&self, until: f64) -> anyhow::Result<bool> {
        let measures = self.campaign.follower().await?.measures();
        let state = self.campaign.state();
        let asked = state.votes().alive().flat_map(|vote| vote.response.screen.concepts().copied());
        let asked: HashSet<_> = asked.filter_map(|number| state.concepts().belief_number(number)).collect();
        let certain = measures.is_some_and(|now| now.least_certain >= until);
        Ok(certain && asked.len() == state.concepts().count())
    }

    async fn shown(
        &self,
        number: u64,
        screen: Screen,
        best: Option<&Offer>,
        note: Option<String>,
    ) -> anyhow::Result<Shown> {
        let follower = self.campaign.follower().await?;
        let hierarchy = follower.hierarchy()?;
        let progress = progress(&hierarchy, follower.estimate(best));
        let state = self.campaign.state();
        let asked = state.ask(screen.clone())?;
        let choices = match &screen {
            Screen::YesNo(_) => Vec::new(),
            Screen::Pick { .. } | Screen::Tick { .. } => {
                let named = asked.options().iter();
                named.map(|option| Named { number: option.number, name: option.name.clone() }).collect()
            }
            Screen::Place { lower } => places(&state, &hierarchy, *lower),
        };
        let entry = Entry::new(screen, choices);
        Ok(Shown { number, hierarchy, progress, asked, entry, note })
    }
}

/// How many concepts have a settled place, and what is left.
fn progress(hierarchy: &Hierarchy, left: Option<Estimate>) -> String {
    let settled = hierarchy
        .entries()
        .iter()
        .filter(|entry| entry.shown_reason(grove_belief::DOUBTFUL_BELOW) == grove_formats::Reason::Settled);
    let mut text = format!("{} of {} placed", settled.count(), hierarchy.len());
    if let Some(left) = left.filter(|left| left.screens > 0.0) {
        text += &format!("; {}", time_left(left));
    }
    text
}

/// All that a concept can be placed under: the top level, then concepts that have others below them, those with most
/// first, then all others by name. The order does not depend on what is believed about this concept, so that it does
/// not bias the answer.
fn places(state: &State, hierarchy: &Hierarchy, lower: u32) -> Vec<Named> {
    let mut below = vec![0_usize; hierarchy.len() + 1];
    for entry in hierarchy.entries() {
        below[entry.parent.index()] += 1;
    }
    let number = |concept: Concept| grove_campaign::number(state.concepts().numbers(), concept);
    let mut others: Vec<(usize, Named)> = hierarchy
        .concepts()
        .map(|(concept, entry)| {
            (below[concept.index()], Named { number: number(concept), name: entry.name.clone() })
        })
        .filter(|(_, named)| named.number != lower)
        .collect();
    others.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    let root = Named { number: 0, name: hierarchy.name(Concept::ROOT).to_owned() };
    std::iter::once(root).chain(others.into_iter().map(|(_, named)| named)).collect()
}
