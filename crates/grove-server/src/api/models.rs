//! Language models as workers.

use axum::http::StatusCode;
use grove_campaign::operations::{ModelReport, RunStatus};
use grove_crowd::{Cents, Endpoint};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::auth::CampaignAccess;
use crate::extract::Json;
use crate::http_error::{HttpError, Result};
use crate::time::rfc3339;

/// The models that may be asked, the one that is being asked, and what all of them said.
#[derive(Serialize, ToSchema)]
pub(crate) struct Models {
    /// Those that the account may use.
    endpoints: Vec<ModelEndpoint>,
    /// The one that is being asked, or was last since the server started.
    run: Option<ModelRunInfo>,
    /// What each said, what people changed of it, and what it cost.
    reports: Vec<ModelReportInfo>,
}

/// A model that may be asked. Only the operator knows its address and key.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelEndpoint {
    /// The operator's name for it.
    name: String,
    /// The model.
    model: String,
    /// The most money for each campaign.
    most_cents: Option<u64>,
    /// The most tokens for each campaign.
    most_tokens: Option<u64>,
}

/// A model that is being asked, or was.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelRunInfo {
    /// The operator's name for it.
    endpoint: String,
    /// How many questions it is to answer.
    questions: u64,
    /// When it began.
    started: String,
    /// Whether it is being asked.
    is_running: bool,
    /// Questions that were sent.
    asked: Option<u64>,
    /// Questions whose answer was known from before.
    cached: Option<u64>,
    /// Why it ended.
    ended: Option<String>,
    /// Why it failed.
    error: Option<String>,
}

/// What a model said, what people changed of it, and what it cost.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelReportInfo {
    /// The operator's name for it.
    endpoint: String,
    /// The models that answered, as the endpoint calls them.
    models: Vec<String>,
    /// Questions that it answered.
    answers: u64,
    /// Those to which it said yes.
    yes: u64,
    /// Those to which it said no.
    no: u64,
    /// Answers that the hierarchy of today contradicts.
    changed: u64,
    /// Tokens used, including those of failed attempts.
    tokens: u64,
    /// What it cost, in cents.
    cost_cents: f64,
}

/// A model to be asked.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewModelRun {
    /// The operator's name for it.
    endpoint: String,
    /// The most questions.
    #[schema(minimum = 1, maximum = 100_000)]
    questions: u64,
    /// What it may spend on this campaign in all; without it, what the operator allows.
    #[serde(default)]
    budget_cents: Option<u64>,
    /// Find out anew what the endpoint supports, after a change there. It is remembered otherwise.
    #[serde(default)]
    probe_again: bool,
}

impl From<Endpoint> for ModelEndpoint {
    fn from(endpoint: Endpoint) -> Self {
        let Endpoint { name, model, most, most_tokens, .. } = endpoint;
        Self { name, model, most_cents: most.map(|most| most.0), most_tokens }
    }
}

impl From<RunStatus> for ModelRunInfo {
    fn from(status: RunStatus) -> Self {
        let is_running = status.ended.is_none();
        let (run, error) = match status.ended {
            Some(Ok(run)) => (Some(run), None),
            Some(Err(problem)) => (None, Some(problem)),
            None => (None, None),
        };
        Self {
            endpoint: status.endpoint,
            questions: status.questions,
            started: rfc3339(status.started),
            is_running,
            asked: run.as_ref().map(|run| run.asked),
            cached: run.as_ref().map(|run| run.cached),
            ended: run.map(|run| run.ended),
            error,
        }
    }
}

impl From<ModelReport> for ModelReportInfo {
    fn from(report: ModelReport) -> Self {
        let ModelReport { endpoint, models, answers, yes, no, changed, tokens, cost } = report;
        Self { endpoint, models, answers, yes, no, changed, tokens, cost_cents: cost as f64 / 1e6 }
    }
}

/// Return the language models, what they said, what people changed and what it cost
#[utoipa::path(get, path = "/campaigns/{campaign}/models", tag = "recruiting", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Models)))]
pub(super) async fn read(campaign: CampaignAccess) -> Result<Json<Models>> {
    Ok(Json(Models {
        endpoints: campaign.models().await?.into_iter().map(ModelEndpoint::from).collect(),
        run: campaign.model_run()?.map(ModelRunInfo::from),
        reports: campaign.model_reports().await?.into_iter().map(ModelReportInfo::from).collect(),
    }))
}

/// Ask a language model, in the background
#[utoipa::path(post, path = "/campaigns/{campaign}/models/run", tag = "recruiting", params(("campaign" = Uuid, Path)),
    request_body = NewModelRun, responses((status = 202)))]
pub(super) async fn ask(campaign: CampaignAccess, Json(new): Json<NewModelRun>) -> Result<StatusCode> {
    if !(1..=100_000).contains(&new.questions) {
        return Err(HttpError::BadRequest("the number of questions must be 1 to 100000".to_owned()));
    }
    if new.probe_again {
        campaign.probe_model_again(&new.endpoint).await?;
    }
    campaign.start_asking_model(&new.endpoint, new.budget_cents.map(Cents), new.questions).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Stop asking the model
#[utoipa::path(delete, path = "/campaigns/{campaign}/models/run", tag = "recruiting", params(("campaign" = Uuid, Path)),
    responses((status = 204)))]
pub(super) async fn stop(campaign: CampaignAccess) -> Result<StatusCode> {
    campaign.stop_asking_model()?;
    Ok(StatusCode::NO_CONTENT)
}
