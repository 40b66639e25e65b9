use askama::Template;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Asked, Error, Next};
use grove_store::{Answer, Kind, Question, SubmittedVote, Vote, VoteId};
use serde::Deserialize;
use uuid::Uuid;

use super::shell::page;
use super::words::Words;
use crate::app::App;
use crate::auth::{Invited, Secret, keep_worker};
use crate::fault::Fault;
use crate::read::Form;

/// After as many answers a set is complete, where the campaign has no sets of its own.
const SET: u32 = 10;

#[derive(Template)]
#[template(path = "work/welcome.html")]
struct WelcomePage {
    words: &'static Words,
    title: String,
    language: String,
    consent: String,
    invitation: String,
}

#[derive(Template)]
#[template(path = "work/question.html")]
struct QuestionPage {
    words: &'static Words,
    title: String,
    language: String,
    invitation: String,
    /// The question in parts, with whether each is a concept's name.
    text: Vec<(String, bool)>,
    /// Names with what they mean, where that is known.
    definitions: Vec<(String, String)>,
    /// Made here, so that sending the form twice casts one vote.
    id: Uuid,
    kind: &'static str,
    upper: u32,
    lower: u32,
    answered: String,
    can_undo: bool,
    set: u32,
    done_in_set: u32,
    thanks: Option<&'static str>,
}

#[derive(Template)]
#[template(path = "work/rest.html")]
struct RestPage {
    words: &'static Words,
    title: String,
    invitation: String,
    heading: &'static str,
    message: &'static str,
    reason: String,
    answered: String,
    can_undo: bool,
}

#[derive(Deserialize)]
pub(super) struct VoteForm {
    id: Uuid,
    kind: String,
    upper: u32,
    lower: u32,
    answer: String,
}

/// The next question, or why there is none. Who comes for the first time is told what this is about.
pub(super) async fn show(State(app): State<App>, invited: Invited) -> Result<Response, Fault> {
    let (title, language, consent, task) = invited.campaign.look(|state| {
        let settings = state.settings();
        let heading = settings.heading();
        (heading.title, heading.language, settings.consent.clone(), settings.questions_per_task)
    });
    let words = Words::of(&language);
    let invitation = invited.invitation.clone();
    if invited.newcomer.is_some() {
        return page(&WelcomePage { words, title, language, consent, invitation });
    }
    let votes = app.store().votes_of(invited.id, &invited.worker).await?;
    let count = votes.iter().filter(|vote| vote.withdrawn.is_none()).count();
    let (answered, can_undo) = (format!("{} {count}", words.answered), count > 0);
    let rest = |heading, message, reason| {
        page(&RestPage {
            words,
            title: title.clone(),
            invitation: invitation.clone(),
            heading,
            message,
            reason,
            answered: answered.clone(),
            can_undo,
        })
    };
    match invited.campaign.next(&invited.worker).await? {
        Next::Questions(mut leased) if !leased.is_empty() => {
            let left = leased.len() as u32;
            let asked = leased.swap_remove(0).asked;
            // Where questions come one by one, people are thanked after some all the same.
            let (set, done_in_set) =
                if task > 1 { (task, task.saturating_sub(left)) } else { (SET, count as u32 % SET) };
            let is_new_set = done_in_set == 0 && count > 0;
            page(&QuestionPage {
                words,
                title,
                language,
                invitation,
                definitions: definitions(&asked),
                text: marked(&asked.text, [&asked.child.name, &asked.parent.name]),
                id: Uuid::now_v7(),
                kind: asked.question.kind.as_str(),
                upper: asked.question.upper,
                lower: asked.question.lower,
                answered,
                can_undo,
                set,
                done_in_set,
                thanks: is_new_set.then_some(words.thanks),
            })
        }
        Next::Questions(_) | Next::AllAnswered => rest(words.done, words.nothing_left, String::new()),
        Next::AllHandedOut => rest(words.wait, words.handed_out, String::new()),
        Next::Paused { reason } => rest(words.paused, words.come_back, reason),
        Next::Stopped { reason } => rest(words.over, words.enough, reason),
    }
}

/// Cuts a question at the names in it. A name that stands in the other one is not looked for there.
fn marked(text: &str, names: [&str; 2]) -> Vec<(String, bool)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut longest_first = names;
    longest_first.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in longest_first.into_iter().filter(|name| !name.is_empty()) {
        let free = |at: usize| found.iter().all(|&(start, end)| at + name.len() <= start || end <= at);
        if let Some(at) = text.match_indices(name).map(|(at, _)| at).find(|&at| free(at)) {
            found.push((at, at + name.len()));
        }
    }
    found.sort_unstable();
    let (mut parts, mut after) = (Vec::new(), 0);
    for (start, end) in found {
        parts.push((text[after..start].to_owned(), false));
        parts.push((text[start..end].to_owned(), true));
        after = end;
    }
    parts.push((text[after..].to_owned(), false));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

fn definitions(asked: &Asked) -> Vec<(String, String)> {
    let both = [&asked.child, &asked.parent].into_iter();
    let known = both.filter(|concept| !concept.definition.trim().is_empty());
    known.map(|concept| (concept.name.clone(), concept.definition.clone())).collect()
}

fn again(invited: &Invited) -> Response {
    Redirect::to(&format!("/w/{}", invited.invitation)).into_response()
}

/// Whoever starts is given a name to be known by.
pub(super) async fn start(State(app): State<App>, invited: Invited) -> Result<Response, Fault> {
    Ok(match &invited.newcomer {
        Some(secret) => {
            let secret: &Secret = secret;
            ([(header::SET_COOKIE, keep_worker(&app, secret))], again(&invited)).into_response()
        }
        None => again(&invited),
    })
}

/// Casts a vote. One that the campaign has no use for any more does not stop the worker.
pub(super) async fn vote(
    State(app): State<App>,
    invited: Invited,
    Form(form): Form<VoteForm>,
) -> Result<Response, Fault> {
    if invited.newcomer.is_some() {
        return Ok(again(&invited));
    }
    app.votes().count(invited.worker.as_str(), app.now())?;
    let unreadable = || Fault::Bad("this is no answer".to_owned());
    let kind = Kind::parse(&form.kind).ok_or_else(unreadable)?;
    let answer = Answer::parse(&form.answer).ok_or_else(unreadable)?;
    let question = Question { kind, upper: form.upper, lower: form.lower };
    let vote = Vote { worker: invited.worker.clone(), question, answer };
    let vote = SubmittedVote { id: VoteId(form.id), vote };
    match invited.campaign.vote(vote).await {
        Ok(_) | Err(Error::NotAsking(_)) => Ok(again(&invited)),
        Err(Error::Store(grove_store::Error::AlreadyAnswered { .. })) => Ok(again(&invited)),
        Err(error) => Err(error.into()),
    }
}

/// Takes the last vote back.
pub(super) async fn undo(State(app): State<App>, invited: Invited) -> Result<Response, Fault> {
    app.votes().count(invited.worker.as_str(), app.now())?;
    match invited.campaign.undo(&invited.worker).await {
        Ok(_) | Err(Error::NothingToUndo) => Ok(again(&invited)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::marked;

    /// The parts with the names in brackets.
    fn bracketed(text: &str, names: [&str; 2]) -> String {
        let part = |(part, is_name)| if is_name { format!("[{part}]") } else { part };
        marked(text, names).into_iter().map(part).collect()
    }

    #[test]
    fn names_are_found_in_a_question() {
        assert_eq!(
            bracketed("Is tomato a kind of fruit?", ["tomato", "fruit"]),
            "Is [tomato] a kind of [fruit]?"
        );
        assert_eq!(
            bracketed("Is fruit salad a kind of fruit?", ["fruit salad", "fruit"]),
            "Is [fruit salad] a kind of [fruit]?"
        );
        assert_eq!(bracketed("Is a a kind of b?", ["a", "b"]), "Is [a] a kind of [b]?");
        assert_eq!(bracketed("果物はりんごを含む？", ["りんご", "果物"]), "[果物]は[りんご]を含む？");
        assert_eq!(bracketed("no name here", ["x", ""]), "no name here");
    }
}
