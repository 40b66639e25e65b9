use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Asked, Error, Next};
use grove_store::{Answer, Kind, Question, SubmittedVote, Vote, VoteId};
use serde::Deserialize;
use uuid::Uuid;

use super::layout::render;
use super::translations::Texts;
use crate::app::App;
use crate::auth::{InvitedWorker, worker_cookie};
use crate::extract::Form;
use crate::http_error::Result;

/// The size of a set where the settings put a single question into a task.
const SET: u32 = 10;

/// What all worker pages have.
struct WorkLayout {
    texts: &'static Texts,
    title: String,
    /// The language of the campaign, which need not be that of the texts.
    language: String,
    invitation: String,
    /// The number of votes of the worker that count.
    answered: usize,
}

#[derive(Template)]
#[template(path = "work/welcome.html")]
struct WelcomePage {
    layout: WorkLayout,
    consent: String,
}

#[derive(Template)]
#[template(path = "work/question.html")]
struct QuestionPage {
    layout: WorkLayout,
    /// The question in parts, and whether each is the name of a concept.
    text: Vec<(String, bool)>,
    asked: Asked,
    /// The id of the vote, made here so that sending the form twice casts one vote.
    id: Uuid,
    set: u32,
    done_in_set: u32,
    thanks: String,
}

#[derive(Template)]
#[template(path = "work/message.html")]
struct MessagePage {
    layout: WorkLayout,
    heading: &'static str,
    message: &'static str,
    reason: String,
}

#[derive(Deserialize)]
pub(super) struct VoteForm {
    id: Uuid,
    kind: Kind,
    upper: u32,
    lower: u32,
    answer: Answer,
}

/// Shows the next question, or why there is none. New workers see an introduction first.
pub(super) async fn show(State(app): State<App>, invited: InvitedWorker) -> Result<Response> {
    let settings = invited.access.task_settings()?;
    let (heading, task) = (settings.heading(), settings.questions_per_task);
    let votes = app.store().votes_of(invited.id, &invited.worker).await?;
    let answered = votes.iter().filter(|vote| vote.withdrawn.is_none()).count();
    let texts = Texts::of(&heading.language);
    let layout = WorkLayout {
        texts,
        title: heading.title,
        language: heading.language,
        invitation: invited.invitation,
        answered,
    };
    if invited.new_secret.is_some() {
        return render(&WelcomePage { layout, consent: settings.consent });
    }
    let (heading, message, reason) = match invited.access.next(&invited.worker).await? {
        Next::Ask { mut questions } if !questions.is_empty() => {
            let left = questions.len() as u32;
            let asked = questions.swap_remove(0);
            let (set, done_in_set) =
                if task > 1 { (task, task.saturating_sub(left)) } else { (SET, answered as u32 % SET) };
            let set_complete = done_in_set == 0 && answered > 0;
            let thanks = texts.thanks.replace("{}", &set.to_string());
            return render(&QuestionPage {
                layout,
                text: asked.phrase.parts().map(|(part, is_name)| (part.to_owned(), is_name)).collect(),
                id: Uuid::now_v7(),
                asked,
                set,
                done_in_set,
                thanks: if set_complete { thanks } else { String::new() },
            });
        }
        Next::Ask { .. } | Next::AllAnswered => (texts.done, texts.nothing_left, String::new()),
        Next::AllHandedOut => (texts.wait, texts.handed_out, String::new()),
        Next::Paused { reason } => (texts.paused, texts.come_back, reason),
        Next::Stopped { reason } => (texts.over, texts.enough, reason),
    };
    render(&MessagePage { layout, heading, message, reason })
}

fn reload(invited: &InvitedWorker) -> Response {
    Redirect::to(&format!("/w/{}", invited.invitation)).into_response()
}

/// Gives a new worker a cookie that identifies them from now on.
pub(super) async fn start(State(app): State<App>, invited: InvitedWorker) -> Result<Response> {
    Ok(match &invited.new_secret {
        Some(secret) => (worker_cookie(&app, secret), reload(&invited)).into_response(),
        None => reload(&invited),
    })
}

/// Casts a vote. A vote that the campaign no longer needs does not stop the worker.
pub(super) async fn vote(
    State(app): State<App>,
    invited: InvitedWorker,
    Form(form): Form<VoteForm>,
) -> Result<Response> {
    if invited.new_secret.is_some() {
        return Ok(reload(&invited));
    }
    app.vote_rates.check(invited.worker.as_str())?;
    let question = Question { kind: form.kind, upper: form.upper, lower: form.lower };
    let vote = Vote { worker: invited.worker.clone(), question, answer: form.answer };
    match invited.access.cast(SubmittedVote { id: VoteId(form.id), vote }).await {
        Ok(_) | Err(Error::NotAsking(_)) | Err(Error::Store(grove_store::Error::AlreadyAnswered { .. })) => {
            Ok(reload(&invited))
        }
        Err(error) => Err(error.into()),
    }
}

/// Withdraws the worker's last vote.
pub(super) async fn undo(State(app): State<App>, invited: InvitedWorker) -> Result<Response> {
    app.vote_rates.check(invited.worker.as_str())?;
    match invited.access.undo(&invited.worker).await {
        Ok(_) | Err(Error::NothingToUndo) => Ok(reload(&invited)),
        Err(error) => Err(error.into()),
    }
}
