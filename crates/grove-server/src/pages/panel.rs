//! How people come from a panel and leave again: an id in the address, a code in the end.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::operations::recruit::{Departure, Entered};
use grove_crowd::LAUNCH_PARAMETER;
use grove_store::{Panel, PanelId, PanelPerson, Purpose};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::layout::render;
use super::panel_texts::PanelTexts;
use crate::app::{App, AppState};
use crate::auth::{InvitedWorker, Secret, hash_secret, panel_cookie, worker_id};
use crate::extract::QueryParams;
use crate::http_error::{HttpError, Result};

/// How many people are verified by the tokens of their links at the same time.
static VERIFYING: Semaphore = Semaphore::const_new(64);

/// The page that a person leaves by: it sends them on at once, and shows the code for where that does not work.
#[derive(Template)]
#[template(path = "work/leave.html")]
struct LeavePage {
    texts: &'static PanelTexts,
    title: String,
    code: String,
    /// Empty if the panel has no page to go to.
    url: String,
    has_finished: bool,
}

/// What somebody from a panel is to be shown.
pub(super) enum Step {
    /// The introduction, with what they agree to.
    Welcome,
    /// The next question.
    Question,
    /// The page that they leave by.
    Leave(Response),
}

/// The panel that a link belongs to: its id is the secret of an invitation, which is longer.
pub(crate) fn panel_of(invitation: &str) -> Option<PanelId> {
    let is_plain =
        invitation.len() == 32 && invitation.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_plain.then(|| Uuid::try_parse(invitation).ok()).flatten().map(PanelId)
}

/// Admits somebody who comes from a panel, as the same worker in every browser.
pub(super) async fn enter(
    State(app): State<App>,
    Path(panel): Path<String>,
    QueryParams(parameters): QueryParams<Vec<(String, String)>>,
) -> Result<Response> {
    let id = panel_of(&panel).ok_or(HttpError::NotFound)?;
    let (panel, settings) = app.workspace.panel(id).await?;
    let Some(visit) = settings.entry.visit(&parameters) else {
        let message = format!(
            "the link has no {}; open the study from the panel's own page, which adds it",
            settings.entry.id_parameter
        );
        return Err(HttpError::BadRequest(message));
    };
    let link = app.store().credential(&hash_secret(&id.0.simple().to_string()), app.now()).await?;
    if !matches!(link.map(|link| link.purpose), Some(Purpose::Invitation(campaign)) if campaign == panel.campaign)
    {
        return Err(HttpError::NotFound);
    }
    let secret = grove_campaign::operations::Workspace::person_secret(&panel, &visit.person);
    let worker = worker_id(panel.campaign, &secret)?;
    let (person, session, study) = (visit.person.clone(), visit.session.clone(), visit.study.clone());
    let Some(entered) = app.workspace.enter_panel(&panel, visit, worker).await? else {
        let completion = settings.entry.leave(&person, session.as_deref(), study.as_deref(), false);
        let title = app.workspace.title_of(panel.campaign).await?;
        return leave_page(title, &Departure { completion, has_finished: false });
    };
    if let Some((_, token)) = parameters.into_iter().find(|(name, _)| name == LAUNCH_PARAMETER) {
        verify_launch(&app, panel, entered, token);
    }
    let to = Redirect::to(&format!("/w/{}", id.0.simple()));
    Ok((panel_cookie(&app, id, &Secret::from(secret)), to).into_response())
}

/// Verifies somebody by the token of their link, in the background: the keys of the panel may have to be read first.
fn verify_launch(app: &App, panel: Panel, person: PanelPerson, token: String) {
    // Anybody can send tokens. Whoever is left out here is asked about later, as those without a token.
    let Ok(place) = VERIFYING.try_acquire() else { return };
    let (app, came) = (app.clone(), app.now());
    tokio::spawn(async move {
        let _place = place;
        let address = app.public_address.url();
        if let Err(error) = app.workspace.verify_launch(&panel, &person, &token, address, came).await {
            // The panel is asked about them later, as about those without a token.
            tracing::debug!(%error, "a signed link could not be verified");
        }
    });
}

/// Somebody does not want to take part.
pub(super) async fn decline(State(app): State<App>, invited: InvitedWorker) -> Result<Response> {
    let entered = entered(&app, &invited).await?.ok_or(HttpError::NotFound)?;
    let answered = app.store().count_votes_of(invited.id, &invited.worker).await?;
    let has_finished = answered >= u64::from(entered.settings.entry.questions);
    leave(&app, &invited, &entered, has_finished).await
}

/// The person behind a worker who came through a panel's link. None for the link of an invitation.
pub(super) async fn entered(app: &AppState, invited: &InvitedWorker) -> Result<Option<Entered>> {
    let Some(id) = panel_of(&invited.invitation) else { return Ok(None) };
    let entered = app.workspace.entered(id, &invited.worker).await?;
    let why = "open the study from the panel's own page, whose link carries your id";
    entered.map(Some).ok_or_else(|| HttpError::Forbidden(why.to_owned()))
}

/// Whether a vote counts: of those who come from a panel, only between consent and code.
pub(super) async fn may_vote(app: &AppState, invited: &InvitedWorker) -> Result<bool> {
    let entered = entered(app, invited).await?;
    Ok(entered.is_none_or(|entered| entered.person.consented.is_some() && entered.person.finished.is_none()))
}

/// What to show next to somebody from a panel, who has answered so many questions.
pub(super) async fn step(
    app: &AppState,
    invited: &InvitedWorker,
    entered: &Entered,
    answered: u64,
) -> Result<Step> {
    if let Some(left) = entered.departure() {
        return leave_page(title(invited)?, &left).map(Step::Leave);
    }
    if answered >= u64::from(entered.settings.entry.questions) {
        return leave(app, invited, entered, true).await.map(Step::Leave);
    }
    Ok(if entered.person.consented.is_none() { Step::Welcome } else { Step::Question })
}

/// Ends the visit with a code, whatever the reason.
pub(super) async fn leave(
    app: &AppState,
    invited: &InvitedWorker,
    entered: &Entered,
    has_answered: bool,
) -> Result<Response> {
    let left = app.workspace.leave_panel(entered, has_answered).await?;
    leave_page(title(invited)?, &left)
}

fn title(invited: &InvitedWorker) -> Result<(String, String)> {
    let heading = invited.access.task_settings()?.heading();
    Ok((heading.title, heading.language))
}

fn leave_page((title, language): (String, String), left: &Departure) -> Result<Response> {
    let Departure { completion, has_finished } = left;
    render(&LeavePage {
        texts: PanelTexts::of(&language),
        title,
        code: completion.code.clone(),
        url: completion.url.clone().unwrap_or_default(),
        has_finished: *has_finished,
    })
}

#[cfg(test)]
mod tests {
    use axum::extract::Query;

    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let uri = "/p/1?a=1&b=x%20y+z&c&%41=%zz&d=%C3%A9&&e=%ff".parse().unwrap();
        let Query(read) = Query::<Vec<(String, String)>>::try_from_uri(&uri).unwrap();
        let expected = [("a", "1"), ("b", "x y z"), ("c", ""), ("A", "%zz"), ("d", "é"), ("e", "\u{fffd}")];
        assert_eq!(read, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn the_id_of_a_panel_is_told_from_an_invitation() {
        assert!(panel_of(&Uuid::from_u128(7).simple().to_string()).is_some());
        assert!(panel_of(Secret::new().unwrap().as_str()).is_none());
        assert!(panel_of("{00000000-0000-0000-0000-000000}").is_none());
        assert!(panel_of(&"A".repeat(32)).is_none());
    }
}
