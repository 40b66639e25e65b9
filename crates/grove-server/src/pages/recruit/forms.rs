//! The two forms by which panels are made.

use axum::extract::State;
use axum::response::Response;
use grove_campaign::operations::recruit::{PanelSettings, StudySettings};
use grove_crowd::{Cents, Error as CrowdError, GenericPanel};
use grove_store::PanelId;
use serde::Deserialize;
use uuid::Uuid;

use super::super::campaign::redirect;
use super::super::layout::capitalised;
use super::{Typed, refused};
use crate::app::App;
use crate::auth::CampaignAccess;
use crate::extract::Form;
use crate::http_error::{HttpError, Result};

/// A panel that sends people with an id, as it was typed.
#[derive(Clone, Deserialize)]
#[serde(default)]
pub(crate) struct PanelForm {
    pub(super) name: String,
    pub(super) id_parameter: String,
    pub(super) kept: String,
    pub(super) questions: String,
    pub(super) code: String,
    pub(super) turned_away_code: String,
    pub(super) redirect: String,
    pub(super) session_parameter: String,
    pub(super) study_parameter: String,
    pub(super) reward: String,
    pub(super) most_people: String,
}

impl Default for PanelForm {
    fn default() -> Self {
        let empty = String::new;
        Self {
            name: empty(),
            id_parameter: "participantId".to_owned(),
            kept: empty(),
            questions: "20".to_owned(),
            code: empty(),
            turned_away_code: empty(),
            redirect: empty(),
            session_parameter: empty(),
            study_parameter: empty(),
            reward: empty(),
            most_people: empty(),
        }
    }
}

/// A study at a panel's service, as it was typed.
#[derive(Clone, Deserialize)]
#[serde(default)]
pub(crate) struct StudyForm {
    pub(super) connection: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) people: String,
    pub(super) most_people: String,
    pub(super) questions: String,
    pub(super) minutes: String,
    pub(super) reward: String,
    pub(super) budget: String,
    /// Present if it is ticked.
    pub(super) approve: Option<String>,
}

impl Default for StudyForm {
    fn default() -> Self {
        let text = str::to_owned;
        Self {
            connection: String::new(),
            title: String::new(),
            description: text(
                "Short questions about what is a kind of what. No special knowledge is needed.",
            ),
            people: text("20"),
            most_people: String::new(),
            questions: text("20"),
            minutes: text("5"),
            reward: text("1.00"),
            budget: text("50.00"),
            approve: None,
        }
    }
}

/// Why a field is refused.
type Refusal = (&'static str, String);

fn number(field: &'static str, text: &str) -> std::result::Result<u32, Refusal> {
    let text = text.trim();
    text.parse().map_err(|_| (field, format!("This must be a whole number, not “{text}”.")))
}

fn money(field: &'static str, text: &str) -> std::result::Result<Cents, Refusal> {
    text.parse().map_err(|problem: String| (field, capitalised(&problem)))
}

/// What was typed, unless that is nothing.
fn given(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

impl PanelForm {
    fn settings(&self) -> std::result::Result<PanelSettings, Refusal> {
        let kept = self.kept.split([',', ' ']).filter_map(given).collect();
        let entry = GenericPanel {
            id_parameter: self.id_parameter.trim().to_owned(),
            kept,
            questions: number("questions", &self.questions)?,
            code: self.code.trim().to_owned(),
            turned_away_code: given(&self.turned_away_code),
            redirect: given(&self.redirect),
            session_parameter: given(&self.session_parameter),
            study_parameter: given(&self.study_parameter),
            reward_cents: given(&self.reward).map_or(Ok(Cents::ZERO), |text| money("reward", &text))?.0,
            most_people: given(&self.most_people).map(|text| number("most_people", &text)).transpose()?,
        };
        entry.check().map_err(|error| match error {
            CrowdError::BadPanel { field, problem } => (field, capitalised(&problem)),
            other => ("name", capitalised(&other.to_string())),
        })?;
        Ok(PanelSettings { entry, study: None })
    }
}

impl StudyForm {
    fn settings(&self) -> std::result::Result<PanelSettings, Refusal> {
        let places = number("people", &self.people)?;
        let most_places = given(&self.most_people).map(|text| number("most_people", &text)).transpose()?;
        let study = StudySettings {
            name: self.title.trim().to_owned(),
            description: self.description.trim().replace("\r\n", "\n"),
            places,
            most_places: most_places.unwrap_or(places),
            minutes: number("minutes", &self.minutes)?,
            reward: money("reward", &self.reward)?,
            budget: money("budget", &self.budget)?,
            approve: self.approve.is_some(),
        };
        PanelSettings::of_study(study, number("questions", &self.questions)?).map_err(|error| match error {
            grove_campaign::Error::Crowd(CrowdError::BadPanel { field, problem }) => {
                let field = match field {
                    "name" => "title",
                    "places" => "people",
                    other => other,
                };
                (field, capitalised(&problem))
            }
            other => ("title", capitalised(&other.to_string())),
        })
    }
}

fn to_panel(campaign: &CampaignAccess, id: PanelId) -> Response {
    redirect(campaign, &format!("/recruit/{}", id.0.simple()))
}

/// Adds a panel that sends people with an id.
pub(crate) async fn add_panel(campaign: CampaignAccess, Form(form): Form<PanelForm>) -> Result<Response> {
    let settings = match form.settings() {
        Ok(settings) => settings,
        Err((field, problem)) => {
            let error = HttpError::BadRequest("the panel was not added; see below".to_owned());
            let typed =
                Typed { panel: Some(form), refused: Some(("panel", field, problem)), ..Typed::default() };
            return refused(&campaign, error, typed).await;
        }
    };
    let name = given(&form.name).unwrap_or_else(|| "Panel".to_owned());
    Ok(to_panel(&campaign, campaign.add_panel(&name, None, settings).await?))
}

/// Drafts a study: it can be looked at, and costs nothing yet.
pub(crate) async fn add_study(
    State(app): State<App>,
    campaign: CampaignAccess,
    Form(form): Form<StudyForm>,
) -> Result<Response> {
    let settings = match form.settings() {
        Ok(settings) => settings,
        Err((field, problem)) => {
            let error = HttpError::BadRequest("the study was not drafted; see below".to_owned());
            let typed =
                Typed { study: Some(form), refused: Some(("study", field, problem)), ..Typed::default() };
            return refused(&campaign, error, typed).await;
        }
    };
    let name = form.title.trim();
    let id = match campaign.add_panel(name, Some(&form.connection), settings).await {
        Ok(id) => id,
        Err(error) => {
            let typed = Typed { study: Some(form.clone()), ..Typed::default() };
            return refused(&campaign, error.into(), typed).await;
        }
    };
    // If the service does not answer, the draft can be made again from its page.
    match campaign.draft_study(id, app.public_address.url()).await {
        Ok(()) => Ok(to_panel(&campaign, id)),
        Err(error) => super::study::refused_on(&app, &campaign, id, error.into()).await,
    }
}

/// The panel of a path.
pub(super) fn panel_id(text: &str) -> Result<PanelId> {
    Uuid::try_parse(text).map(PanelId).map_err(|_| HttpError::NotFound)
}
