//! Recruiting: panels of people, studies at a panel's service, and language models.

mod forms;
mod models;
mod study;

use askama::Template;
use axum::response::Response;
use grove_campaign::operations::recruit::{PanelView, Quote};
use grove_campaign::operations::{MODEL_QUESTIONS, ModelReport, RunStatus};
use grove_crowd::Cents;

use super::campaign::CampaignHeader;
use super::layout::{Layout, Notice, capitalised, render, with_error};
use crate::auth::CampaignAccess;
use crate::http_error::{HttpError, Result};
use crate::time::Stamp;
pub(super) use forms::{add_panel, add_study};
pub(super) use models::{ask, stop as stop_asking};
pub(super) use study::{act, approve_all, decide, limits, show as show_panel, sync};

use forms::{PanelForm, StudyForm};

#[derive(Template)]
#[template(path = "campaign/recruit.html")]
struct RecruitPage {
    layout: Layout,
    header: CampaignHeader,
    panels: Vec<PanelCard>,
    /// The services that the account may use.
    connections: Vec<String>,
    panel: PanelForm,
    study: StudyForm,
    /// The form that was refused, and the field of it.
    refused: Option<(&'static str, &'static str, String)>,
    models: Vec<ModelOption>,
    model: ModelForm,
    run: Option<RunLine>,
    reports: Vec<ReportRow>,
    /// The methods paragraph, once there are votes.
    methods: Option<String>,
    /// Why it does not say what some studies have cost.
    problems: Vec<String>,
}

impl RecruitPage {
    fn problem(&self, form: &str, field: &str) -> Option<&str> {
        let refused = self.refused.as_ref().filter(|refused| refused.0 == form && refused.1 == field);
        refused.map(|refused| refused.2.as_str())
    }
}

/// A panel in the list.
struct PanelCard {
    id: String,
    name: String,
    status: &'static str,
    is_study: bool,
    came: u64,
    finished: u64,
    to_review: u64,
    owed: Option<Cents>,
}

impl PanelCard {
    fn new(view: &PanelView) -> Self {
        let tally = &view.tally;
        Self {
            id: view.panel.id.0.simple().to_string(),
            name: view.panel.name.clone(),
            status: status_in_words(&view.panel.status),
            is_study: view.panel.connection.is_some(),
            came: tally.came,
            finished: tally.finished,
            to_review: tally.to_review,
            owed: Some(tally.owed).filter(|owed| *owed != Cents::ZERO),
        }
    }
}

/// A model to choose from.
struct ModelOption {
    name: String,
    model: String,
    most: Option<Cents>,
}

/// The fields of asking a model as they were typed.
#[derive(Clone, serde::Deserialize)]
#[serde(default)]
pub(crate) struct ModelForm {
    endpoint: String,
    questions: String,
    budget: String,
    /// Present if it is ticked.
    probe_again: Option<String>,
}

impl Default for ModelForm {
    fn default() -> Self {
        Self {
            endpoint: String::new(),
            questions: MODEL_QUESTIONS.to_string(),
            budget: String::new(),
            probe_again: None,
        }
    }
}

/// The model that is being asked, or was last.
struct RunLine {
    endpoint: String,
    is_running: bool,
    has_failed: bool,
    started: Stamp,
    text: String,
}

impl RunLine {
    fn new(status: RunStatus) -> Self {
        let (is_running, has_failed, text) = match status.ended {
            None => (true, false, format!("Up to {} questions are being asked.", status.questions)),
            Some(Ok(run)) => {
                let text =
                    format!("{} answered, {} known from before; {}.", run.asked, run.cached, run.ended);
                (false, false, text)
            }
            Some(Err(problem)) => (false, true, capitalised(&problem)),
        };
        Self { endpoint: status.endpoint, is_running, has_failed, started: Stamp(status.started), text }
    }
}

/// What a model said, what people changed, what it cost.
struct ReportRow {
    endpoint: String,
    models: String,
    answers: u64,
    yes: u64,
    no: u64,
    changed: u64,
    tokens: u64,
    cents: String,
}

impl From<ModelReport> for ReportRow {
    fn from(report: ModelReport) -> Self {
        let ModelReport { endpoint, models, answers, yes, no, changed, tokens, cost } = report;
        let cents = format!("{:.4}", cost as f64 / 1e8);
        Self { endpoint, models: models.join(", "), answers, yes, no, changed, tokens, cents }
    }
}

/// The status of a panel or a study in words.
fn status_in_words(status: &str) -> &'static str {
    match status {
        "UNPUBLISHED" => "Draft",
        "SCHEDULED" | "PUBLISHING" => "Being published",
        "ACTIVE" => "Published",
        "PAUSED" => "Paused",
        "AWAITING REVIEW" => "All places taken",
        "COMPLETED" => "Ended",
        "open" => "Open",
        _ => "Unknown",
    }
}

/// What was typed into a form that was refused.
#[derive(Default)]
struct Typed {
    panel: Option<PanelForm>,
    study: Option<StudyForm>,
    model: Option<ModelForm>,
    refused: Option<(&'static str, &'static str, String)>,
}

pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    page(&campaign, None, Typed::default()).await
}

async fn page(campaign: &CampaignAccess, notice: Option<Notice>, typed: Typed) -> Result<Response> {
    let views = campaign.panels().await?;
    let connections = campaign.connections().await?;
    let models = campaign.models().await?.into_iter();
    let models = models.map(|one| ModelOption { name: one.name, model: one.model, most: one.most }).collect();
    let reports = campaign.model_reports().await?;
    let run = campaign.model_run()?.map(RunLine::new);
    let methods = campaign.methods_of(&views, &reports).await?;
    let reader = campaign.reader();
    let header = CampaignHeader::new(&reader, "Recruit", notice).await?;
    render(&RecruitPage {
        layout: header.layout(&reader),
        header,
        panels: views.iter().map(PanelCard::new).collect(),
        study: typed.study.unwrap_or_default(),
        panel: typed.panel.unwrap_or_default(),
        connections,
        refused: typed.refused,
        models,
        model: typed.model.unwrap_or_default(),
        run,
        reports: reports.into_iter().map(ReportRow::from).collect(),
        methods: (methods.votes > 0).then(|| methods.to_string()),
        problems: methods.problems.iter().map(|problem| capitalised(problem)).collect(),
    })
}

/// The page once more, with what was typed and why it was refused.
async fn refused(campaign: &CampaignAccess, error: HttpError, typed: Typed) -> Result<Response> {
    let notice = Some(Notice::from(&error));
    with_error(page(campaign, notice, typed).await?, error)
}

/// The wage of a study beside what is asked for, in words.
fn wage_in_words(quote: &Quote) -> (&'static str, bool) {
    if quote.hourly < quote.least_hourly {
        ("Below what the panel accepts", true)
    } else if quote.hourly < quote.recommended_hourly {
        ("Below what the panel recommends", true)
    } else {
        ("At least what the panel recommends", false)
    }
}
