use std::time::Duration;

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Asked, Error, Next, Settings};
use grove_store::{Form as ScreenForm, Reply, Screen, SubmittedVote, VoteId, WorkerId};
use serde::Deserialize;
use uuid::Uuid;

use super::layout::render;
use super::panel::{self, Step};
use super::panel_texts::PanelTexts;
use super::translations::Texts;
use crate::app::App;
use crate::auth::{InvitedWorker, worker_cookie};
use crate::extract::{Form, Json, QueryParams};
use crate::http_error::{HttpError, Result};

/// The size of a set where the settings put a single question into a task.
const SET: u32 = 10;

/// How often to look again for a question for somebody from a panel while there is none, and how long to wait in between.
const TRIES: u32 = 10;
const BETWEEN_TRIES: Duration = Duration::from_millis(500);

/// The header with which the page's script asks for the next page in the response, instead of a redirect to it.
const SCRIPT: &str = "grove-script";

/// What all worker pages have.
struct WorkLayout {
    texts: &'static Texts,
    title: String,
    /// The language of the campaign, which need not be that of the texts.
    language: String,
    invitation: String,
    /// The number of votes of the worker that count.
    answered: u64,
    /// The forms of question that are allowed: a screen of another form that was sent ahead does not stay.
    forms: String,
    /// Whether it is shown to the owner, who cannot answer.
    is_preview: bool,
}

#[derive(Template)]
#[template(path = "work/welcome.html")]
struct WelcomePage {
    layout: WorkLayout,
    consent: String,
    /// Further texts for those who come from a panel.
    panel: Option<&'static PanelTexts>,
}

#[derive(Template)]
#[template(path = "work/question.html")]
struct QuestionPage {
    layout: WorkLayout,
    screen: ScreenPart,
    /// What will probably be shown next; not reserved.
    ahead: Option<ScreenPart>,
    set: u32,
    done_in_set: u32,
    /// A message about the last answer, or about the set.
    notice: String,
}

/// One screen: the question and its answers.
#[derive(Template)]
#[template(path = "work/screen.html")]
struct ScreenPart {
    texts: &'static Texts,
    language: String,
    invitation: String,
    /// The question in parts, and whether each is the name of a concept.
    text: Vec<(String, bool)>,
    asked: Asked,
    /// The screen as JSON, to be sent back with the answer.
    json: String,
    /// The id of the vote, made here so that sending the form twice casts one vote.
    id: Uuid,
    /// The place directly under the root, in words.
    top_level: String,
    /// The names of the other concepts, where no script can fetch them.
    places: Vec<String>,
}

impl ScreenPart {
    fn new(layout: &WorkLayout, root: &str, asked: Asked) -> Self {
        Self {
            texts: layout.texts,
            language: layout.language.clone(),
            invitation: layout.invitation.clone(),
            text: asked.phrase.parts().map(|(part, is_name)| (part.to_owned(), is_name)).collect(),
            json: serde_json::to_string(&asked.screen).unwrap_or_default(),
            asked,
            id: Uuid::now_v7(),
            top_level: layout.texts.top_level.replace("{}", root),
            places: Vec::new(),
        }
    }

    fn form(&self) -> &'static str {
        self.asked.screen.form().as_str()
    }
}

#[derive(Template)]
#[template(path = "work/message.html")]
struct MessagePage {
    layout: WorkLayout,
    heading: &'static str,
    message: &'static str,
    reason: String,
    notice: String,
}

#[derive(Template)]
#[template(path = "work/places.html")]
struct PlacesPage {
    layout: WorkLayout,
    screen: ScreenPart,
    places: Vec<(u32, usize, String)>,
}

/// What a redirect says about the last answer.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Notice {
    notice: String,
}

impl Notice {
    fn text(&self, texts: &Texts) -> String {
        let text = match self.notice.as_str() {
            "undone" => texts.undone,
            "withdrawn" => texts.withdrawn,
            "late" => texts.late,
            "full" => texts.full,
            "used_up" => texts.used_up,
            "tick" => texts.tick_one,
            "unknown" => texts.unknown,
            _ => "",
        };
        text.to_owned()
    }
}

/// Shows the next question, or why there is none. New workers see an introduction first.
pub(super) async fn show(
    State(app): State<App>,
    invited: InvitedWorker,
    QueryParams(notice): QueryParams<Notice>,
) -> Result<Response> {
    page(&app, &invited, &notice, None).await
}

fn form_names(settings: &Settings) -> String {
    settings.forms.iter().map(|form| form.as_str()).collect::<Vec<_>>().join(" ")
}

async fn layout(app: &App, invited: &InvitedWorker) -> Result<WorkLayout> {
    let settings = invited.access.task_settings()?;
    let heading = settings.heading();
    Ok(WorkLayout {
        forms: form_names(&settings),
        texts: Texts::of(&heading.language),
        title: heading.title,
        language: heading.language,
        invitation: invited.invitation.clone(),
        answered: app.store().count_votes_of(invited.id, &invited.worker).await?,
        is_preview: false,
    })
}

/// The page for a worker; `sent` is the screen that they are shown already, if one was sent ahead.
async fn page(
    app: &App,
    invited: &InvitedWorker,
    notice: &Notice,
    sent: Option<&Screen>,
) -> Result<Response> {
    let settings = invited.access.task_settings()?;
    let layout = layout(app, invited).await?;
    let from_panel = panel::entered(app, invited).await?;
    let is_new = match &from_panel {
        None => invited.new_secret.is_some(),
        Some(entered) => match panel::step(app, invited, entered, layout.answered).await? {
            Step::Leave(page) => return Ok(page),
            Step::Welcome => true,
            Step::Question => false,
        },
    };
    let texts = layout.texts;
    // Nobody is asked to agree to what they cannot take part in.
    if is_new && from_panel.is_none() && !invited.access.link_has_room(&invited.worker).await? {
        let (heading, message) = (texts.used_up, texts.ask_for_another);
        return render(&MessagePage {
            layout,
            heading,
            message,
            reason: String::new(),
            notice: String::new(),
        });
    }
    if is_new {
        let panel = from_panel.map(|_| PanelTexts::of(&layout.language));
        return render(&WelcomePage { layout, consent: settings.consent, panel });
    }
    let notice = notice.text(texts);
    let mut next = invited.access.next_or(&invited.worker, sent).await?;
    if from_panel.is_some() {
        // Others have all questions, or the belief is behind: that passes, and people from a panel do not come back.
        for _ in 0..TRIES {
            if !matches!(next, Next::AllHandedOut) {
                break;
            }
            tokio::time::sleep(BETWEEN_TRIES).await;
            next = invited.access.next(&invited.worker).await?;
        }
    }
    let (heading, message, reason) = match next {
        Next::Ask { mut screens } if !screens.is_empty() => {
            let (left, task) = (screens.len() as u32, settings.questions_per_task);
            let held: Vec<Screen> = screens.iter().map(|asked| asked.screen.clone()).collect();
            // Nothing comes after the last question of a panel's set.
            let is_last = from_panel.as_ref().is_some_and(|entered| entered.is_last(layout.answered));
            let ahead = if is_last { None } else { invited.access.upcoming(&invited.worker, &held).await? };
            let answered = layout.answered as u32;
            let (set, done_in_set) =
                if task > 1 { (task, task.saturating_sub(left)) } else { (SET, answered % SET) };
            let set_complete = notice.is_empty() && done_in_set == 0 && answered > 0;
            let part = |asked| ScreenPart::new(&layout, &settings.root, asked);
            let (screen, ahead) = (part(screens.swap_remove(0)), ahead.map(part));
            let notice = if set_complete { texts.thanks.replace("{}", &set.to_string()) } else { notice };
            return render(&QuestionPage { layout, screen, ahead, set, done_in_set, notice });
        }
        Next::Ask { .. } | Next::AllAnswered => (texts.done, texts.nothing_left, String::new()),
        Next::AllHandedOut => (texts.wait, texts.handed_out, String::new()),
        Next::Full => (texts.full, texts.no_room, String::new()),
        Next::LinkUsedUp => (texts.used_up, texts.ask_for_another, String::new()),
        Next::Paused { reason } => (texts.paused, texts.come_back, reason),
        Next::Stopped { reason } => (texts.over, texts.enough, reason),
    };
    if let Some(entered) = &from_panel {
        return panel::leave(app, invited, entered, layout.answered > 0).await;
    }
    render(&MessagePage { layout, heading, message, reason, notice })
}

/// The page of a question as a new worker of a campaign with these settings sees it, for its owner: nothing on it can be used.
pub(super) fn preview(settings: &Settings, asked: Asked, places: Vec<String>) -> Result<String> {
    let heading = settings.heading();
    let layout = WorkLayout {
        forms: form_names(settings),
        texts: Texts::of(&heading.language),
        title: heading.title,
        language: heading.language,
        invitation: String::new(),
        answered: 0,
        is_preview: true,
    };
    // The same id each time, so that a preview changes only where the page does.
    let part = ScreenPart::new(&layout, &settings.root, asked);
    let screen = ScreenPart { id: Uuid::nil(), places, ..part };
    let page = QuestionPage { layout, screen, ahead: None, set: SET, done_in_set: 0, notice: String::new() };
    page.render().map_err(|error| {
        tracing::error!(%error, "cannot render a preview");
        HttpError::Internal
    })
}

/// After an answer: the next page at once for a script, one request per answer; otherwise a redirect, so that reloading sends nothing again.
async fn reply(
    app: &App,
    invited: &InvitedWorker,
    headers: &HeaderMap,
    notice: &'static str,
    sent: Option<&Screen>,
) -> Result<Response> {
    if headers.contains_key(SCRIPT) {
        return page(app, invited, &Notice { notice: notice.to_owned() }, sent).await;
    }
    Ok(reload(invited, notice))
}

fn reload(invited: &InvitedWorker, notice: &str) -> Response {
    let query = if notice.is_empty() { String::new() } else { format!("?notice={notice}") };
    Redirect::to(&format!("/w/{}{query}", invited.invitation)).into_response()
}

/// Gives a new worker a cookie that identifies them from now on.
pub(super) async fn start(State(app): State<App>, invited: InvitedWorker) -> Result<Response> {
    if let Some(entered) = panel::entered(&app, &invited).await? {
        app.workspace.consent(&entered).await?;
    }
    Ok(match &invited.new_secret {
        Some(secret) => (worker_cookie(&app, secret), reload(&invited, "")).into_response(),
        None => reload(&invited, ""),
    })
}

/// The fields of an answered question, as browsers send them. Every box that is ticked is a field of its own.
type Fields = Vec<(String, String)>;

fn field<'f>(fields: &'f Fields, name: &str) -> Option<&'f str> {
    fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
}

/// Reads an answered question. `named` finds a concept that was typed.
fn parse(
    fields: &Fields,
    worker: &WorkerId,
    named: impl FnOnce(&str) -> Result<u32, Error>,
) -> Result<SubmittedVote> {
    let bad = |what: &str| {
        HttpError::BadRequest(format!("the {what} of the answer cannot be read; reload the page"))
    };
    let id = field(fields, "id").and_then(|id| id.parse().ok()).ok_or_else(|| bad("id"))?;
    let screen: Screen = field(fields, "screen")
        .and_then(|text| serde_json::from_str(text).ok())
        .ok_or_else(|| bad("question"))?;
    let number = |text: &str| text.parse::<u32>().map_err(|_| bad("concept"));
    let ticked = fields.iter().filter(|(name, _)| name == "tick").map(|(_, value)| number(value));
    let reply = match (screen.form(), field(fields, "answer").ok_or_else(|| bad("answer"))?) {
        (_, "cant_say") => Reply::CantSay,
        (_, "none") => Reply::None,
        (ScreenForm::YesNo, "yes") => Reply::Yes,
        (ScreenForm::YesNo, "no") => Reply::No,
        (ScreenForm::Tick, "ticked") => Reply::Ticked(ticked.collect::<Result<_>>()?),
        (ScreenForm::Place, "top") => Reply::Top,
        (ScreenForm::Place, "under") => Reply::Under(named(field(fields, "under").unwrap_or_default())?),
        (ScreenForm::Place, concept) => Reply::Under(number(concept)?),
        (ScreenForm::Pick, option) => Reply::Picked(number(option)?),
        _ => return Err(bad("answer")),
    };
    let response = grove_store::Response { worker: worker.clone(), screen, reply };
    let took_ms = field(fields, "took_ms").and_then(|took| took.parse().ok());
    Ok(SubmittedVote { took_ms, ..SubmittedVote::new(VoteId(id), response) })
}

/// Casts a vote. A vote that the campaign no longer needs does not stop the worker.
pub(super) async fn vote(
    State(app): State<App>,
    invited: InvitedWorker,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response> {
    if invited.new_secret.is_some() || !panel::may_vote(&app, &invited).await? {
        return Ok(reload(&invited, ""));
    }
    app.vote_rates.check(invited.worker.as_str())?;
    let mut is_unknown = false;
    let parsed = parse(&fields, &invited.worker, |name| {
        invited.access.place_named(name).inspect_err(|_| is_unknown = true)
    });
    if is_unknown {
        return reply(&app, &invited, &headers, "unknown", None).await;
    }
    let sent: Option<Screen> = field(&fields, "ahead").and_then(|text| serde_json::from_str(text).ok());
    match invited.access.cast(parsed?, field(&fields, "ticket").unwrap_or_default()).await {
        Err(Error::BadAnswer(grove_vocabulary::Error::NothingTicked)) => {
            reply(&app, &invited, &headers, "tick", None).await
        }
        Ok(_)
        | Err(Error::NotAsking(_) | Error::Excluded)
        | Err(Error::Store(grove_store::Error::AlreadyAnswered { .. })) => {
            reply(&app, &invited, &headers, "", sent.as_ref()).await
        }
        Err(Error::BadTicket(_)) => reply(&app, &invited, &headers, "late", None).await,
        Err(Error::Store(full @ (grove_store::Error::Full | grove_store::Error::LinkFull))) => {
            // They have answered, though there was no room for it any more.
            if let Some(entered) = panel::entered(&app, &invited).await? {
                return panel::leave(&app, &invited, &entered, true).await;
            }
            let notice = if matches!(full, grove_store::Error::Full) { "full" } else { "used_up" };
            reply(&app, &invited, &headers, notice, None).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Withdraws the worker's last vote, and asks its question again, unless such questions are no longer asked.
pub(super) async fn undo(
    State(app): State<App>,
    invited: InvitedWorker,
    headers: HeaderMap,
) -> Result<Response> {
    // Who has left with a code has been paid for what they said.
    if !panel::may_vote(&app, &invited).await? {
        return Ok(reload(&invited, ""));
    }
    app.vote_rates.check(invited.worker.as_str())?;
    match invited.access.undo(&invited.worker).await {
        Ok((vote, _)) => {
            let is_asked = invited.access.task_settings()?.allows(&vote.response.screen);
            let notice = if is_asked { "undone" } else { "withdrawn" };
            reply(&app, &invited, &headers, notice, None).await
        }
        Err(Error::NothingToUndo) => reply(&app, &invited, &headers, "", None).await,
        Err(error) => Err(error.into()),
    }
}

/// All places for the concept that the worker is asked to place, as a page of buttons: for browsers without a script.
pub(super) async fn places(State(app): State<App>, invited: InvitedWorker) -> Result<Response> {
    let mut places = invited.access.places()?;
    let is_place = |asked: &Asked| asked.screen.form() == ScreenForm::Place;
    let asked = match invited.access.next(&invited.worker).await? {
        Next::Ask { screens } => screens.into_iter().find(is_place),
        _ => None,
    };
    let Some(asked) = asked else { return Ok(reload(&invited, "")) };
    places.retain(|(number, ..)| Some(number) != asked.screen.concepts().next());
    let layout = layout(&app, &invited).await?;
    let screen = ScreenPart::new(&layout, &invited.access.task_settings()?.root, asked);
    render(&PlacesPage { layout, screen, places })
}

/// The same for the script: number, depth and name of every concept, in the order of the tree. A list of some minutes ago is shown at once while
/// a new one is fetched.
pub(super) async fn place_list(invited: InvitedWorker) -> Result<Response> {
    let cache = "private, max-age=20, stale-while-revalidate=600";
    Ok(([(header::CACHE_CONTROL, cache)], Json(invited.access.places()?)).into_response())
}
