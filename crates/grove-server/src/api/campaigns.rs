use axum::extract::State;
use axum::http::StatusCode;
use grove_campaign::operations::{Access, Role};
use grove_campaign::{Edit, NewConcept, Preset, Settings, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::{Account, CampaignAccess};
use crate::convert::cents;
use crate::extract::Json;
use crate::http_error::{HttpError, Result};
use crate::time::rfc3339;

/// A campaign in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct CampaignSummary {
    /// The id of the campaign.
    id: Uuid,
    /// The name, unique among the owner's campaigns.
    name: String,
    /// When it was created (RFC 3339).
    created: String,
    /// The number of concepts ever added, including merged and removed ones.
    concepts: u32,
    /// The position of the last entry in its log.
    head: i64,
    /// What the account may do in it: `owner`, `editor` or `viewer`.
    #[schema(example = "owner")]
    role: &'static str,
}

/// A campaign to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCampaign {
    /// The name, unique among the owner's campaigns.
    #[schema(max_length = 200, example = "food")]
    name: String,
    /// The settings, as `GET /campaigns/{campaign}/settings` returns them. Missing settings have their defaults.
    #[serde(default)]
    #[schema(value_type = Object)]
    settings: serde_json::Map<String, Value>,
    /// The concepts to arrange in a hierarchy; more can be added later.
    #[serde(default)]
    #[schema(max_items = 10_000)]
    concepts: Vec<NewConcept>,
}

/// A campaign that was created.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedCampaign {
    /// The id of the campaign.
    id: Uuid,
}

/// The present state of a campaign.
#[derive(Serialize, ToSchema)]
#[schema(as = Campaign)]
pub(crate) struct CampaignInfo {
    /// The title that workers see.
    title: String,
    /// Whether workers are asked questions.
    status: Status,
    /// Why the campaign is paused or stopped; may be empty.
    reason: String,
    /// The number of concepts.
    concepts: usize,
    /// The number of votes that count.
    votes: u64,
    /// The price of these votes, in cents.
    spent_cents: f64,
    /// The position in the log up to which the belief has read.
    position: i64,
    /// The position of the last entry in the log.
    head: i64,
    /// The number of votes that the belief has not read yet.
    lag: usize,
    /// The expected number of concepts with the correct parent.
    expected_right: Option<f64>,
    /// The sum of the concepts' parent entropies, in bits.
    entropy: Option<f64>,
    /// An estimate of the votes left until the target is reached.
    forecast_votes: Option<f64>,
    /// An estimate of what these votes will cost, in cents.
    forecast_cents: Option<f64>,
}

/// A reason for workers to read.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Reason {
    /// The reason that workers see; may be empty.
    #[schema(max_length = 500)]
    reason: String,
}

const MAX_REASON: usize = 500;

impl Reason {
    fn check(self) -> Result<String> {
        if self.reason.chars().count() > MAX_REASON {
            return Err(HttpError::BadRequest(format!("a reason has at most {MAX_REASON} characters")));
        }
        Ok(self.reason)
    }
}

impl CampaignInfo {
    pub(super) fn new(campaign: &Access) -> Result<Self> {
        let (snapshot, lag) = campaign.snapshot()?;
        let state = campaign.state()?;
        Ok(Self {
            title: state.settings().heading().title,
            status: state.status(),
            reason: state.reason().to_owned(),
            concepts: state.concepts().count(),
            votes: snapshot.spent.questions,
            spent_cents: cents(snapshot.spent.money),
            position: snapshot.position.0,
            head: state.position().0,
            lag,
            expected_right: snapshot.measures.map(|measures| measures.expected_right),
            entropy: snapshot.measures.map(|measures| measures.entropy),
            forecast_votes: snapshot.forecast.and_then(|forecast| forecast.questions),
            forecast_cents: snapshot.forecast_cost.map(cents),
        })
    }
}

/// List the account's campaigns, and those that are shared with it
#[utoipa::path(get, path = "/campaigns", tag = "campaigns", responses((status = 200, body = Vec<CampaignSummary>)))]
pub(super) async fn list(State(app): State<App>, account: Account) -> Result<Json<Vec<CampaignSummary>>> {
    let campaigns = app.workspace.campaigns(&account.caller()).await?;
    let summaries = campaigns.into_iter().map(|(campaign, role)| CampaignSummary {
        id: campaign.id.0,
        name: campaign.name,
        created: rfc3339(campaign.created),
        concepts: campaign.concepts,
        head: campaign.head.0,
        role: match role {
            Role::Editor => "editor",
            Role::Viewer => "viewer",
            _ => "owner",
        },
    });
    Ok(Json(summaries.collect()))
}

/// Create a campaign
#[utoipa::path(post, path = "/campaigns", tag = "campaigns", request_body = NewCampaign,
    responses((status = 201, body = CreatedCampaign)))]
pub(super) async fn create(
    State(app): State<App>,
    account: Account,
    Json(new): Json<NewCampaign>,
) -> Result<(StatusCode, Json<CreatedCampaign>)> {
    let settings = Settings::new(Preset::Crowd).over(&Value::Object(new.settings))?;
    let id = app.workspace.create_campaign(&account.caller(), &new.name, settings, &new.concepts).await?;
    Ok((StatusCode::CREATED, Json(CreatedCampaign { id: id.0 })))
}

/// Return the state of a campaign
#[utoipa::path(get, path = "/campaigns/{campaign}", tag = "campaigns", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = CampaignInfo)))]
pub(super) async fn read(campaign: CampaignAccess) -> Result<Json<CampaignInfo>> {
    Ok(Json(CampaignInfo::new(&campaign)?))
}

/// Delete a campaign with all its votes; this cannot be undone
#[utoipa::path(delete, path = "/campaigns/{campaign}", tag = "campaigns", params(("campaign" = Uuid, Path)),
    responses((status = 204)))]
pub(super) async fn delete(State(app): State<App>, campaign: CampaignAccess) -> Result<StatusCode> {
    campaign.access.delete().await?;
    app.invitations.clear();
    Ok(StatusCode::NO_CONTENT)
}

/// Return the settings of a campaign
#[utoipa::path(get, path = "/campaigns/{campaign}/settings", tag = "campaigns", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Object)))]
pub(super) async fn settings(campaign: CampaignAccess) -> Result<Json<Value>> {
    Ok(Json(campaign.state()?.settings().to_json()))
}

/// Replace the settings of a campaign; those left out get their defaults
///
/// The forms in which people are asked, the most options, when asking ends and what is evidence without a vote stay as they are where they are left out.
#[utoipa::path(put, path = "/campaigns/{campaign}/settings", tag = "campaigns", params(("campaign" = Uuid, Path)),
    request_body = Object, responses((status = 204)))]
pub(super) async fn set(campaign: CampaignAccess, Json(settings): Json<Value>) -> Result<StatusCode> {
    let before = campaign.state()?.settings().clone();
    let base = Settings {
        forms: before.forms,
        most_options: before.most_options,
        least_gain_per_second: before.least_gain_per_second,
        known_from: before.known_from,
        names_as_evidence: before.names_as_evidence,
        hierarchy_as_evidence: before.hierarchy_as_evidence,
        ..Settings::default()
    };
    edit(&campaign, Edit::Set(Box::new(base.over(&settings)?))).await
}

/// Pause a campaign: workers get no questions until it is resumed
#[utoipa::path(post, path = "/campaigns/{campaign}/pause", tag = "campaigns", params(("campaign" = Uuid, Path)),
    request_body = Reason, responses((status = 204)))]
pub(super) async fn pause(campaign: CampaignAccess, Json(reason): Json<Reason>) -> Result<StatusCode> {
    edit(&campaign, Edit::Pause { reason: reason.check()? }).await
}

/// Resume a paused or stopped campaign
#[utoipa::path(post, path = "/campaigns/{campaign}/resume", tag = "campaigns", params(("campaign" = Uuid, Path)),
    responses((status = 204)))]
pub(super) async fn resume(campaign: CampaignAccess) -> Result<StatusCode> {
    edit(&campaign, Edit::Resume).await
}

/// Stop a campaign: workers are told that it has ended. It can be resumed
#[utoipa::path(post, path = "/campaigns/{campaign}/stop", tag = "campaigns", params(("campaign" = Uuid, Path)),
    request_body = Reason, responses((status = 204)))]
pub(super) async fn stop(campaign: CampaignAccess, Json(reason): Json<Reason>) -> Result<StatusCode> {
    edit(&campaign, Edit::Stop { reason: reason.check()? }).await
}

pub(super) async fn edit(campaign: &Access, edit: Edit) -> Result<StatusCode> {
    campaign.edit(edit).await?;
    Ok(StatusCode::NO_CONTENT)
}
