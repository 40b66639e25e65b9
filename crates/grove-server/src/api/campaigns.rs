use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use grove_campaign::{Edit, Live, NewConcept, Settings, Status};
use grove_store::Campaign as Stored;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::concepts::ConceptBody;
use crate::app::App;
use crate::auth::{Caller, Owned};
use crate::fault::Fault;
use crate::read::Body;
use crate::time::written;

/// A campaign in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct Listed {
    /// Its id.
    id: Uuid,
    /// Its name, the only one among its owner's.
    name: String,
    /// Since when.
    created: String,
    /// How many concepts were ever added.
    concepts: u32,
    /// The end of its log.
    head: i64,
}

/// A campaign to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCampaign {
    /// Its name, the only one among its owner's.
    #[schema(max_length = 200, example = "food")]
    name: String,
    /// As `GET /campaigns/{campaign}/settings` shows them; what is left out has its default.
    #[serde(default)]
    #[schema(value_type = Object)]
    settings: serde_json::Map<String, Value>,
    /// What is to be put in order.
    #[serde(default)]
    #[schema(max_items = 10_000)]
    concepts: Vec<ConceptBody>,
}

/// What was made.
#[derive(Serialize, ToSchema)]
pub(crate) struct Made {
    /// Its id.
    id: Uuid,
}

/// Whether questions are asked.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StatusWord {
    /// They are.
    Asking,
    /// Not for now.
    Paused,
    /// Not any more.
    Stopped,
}

/// A campaign as it stands.
#[derive(Serialize, ToSchema)]
pub(crate) struct CampaignBody {
    /// Its title.
    title: String,
    /// Whether questions are asked.
    status: StatusWord,
    /// Why not, if they are not.
    reason: String,
    /// Concepts that are there.
    concepts: usize,
    /// Votes that count.
    votes: u64,
    /// What they cost, in hundredths of the currency.
    spent_cents: f64,
    /// How far the log is believed.
    position: i64,
    /// The end of the log.
    head: i64,
    /// Votes that are not yet believed.
    lag: usize,
    /// The expected number of concepts under their right parent.
    expected_right: Option<f64>,
    /// The sum of the concepts' parent entropies, in bits.
    entropy: Option<f64>,
    /// About how many more votes it takes to the target.
    forecast_votes: Option<f64>,
    /// What those will cost, in hundredths of the currency.
    forecast_cents: Option<f64>,
}

/// Why something is done.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Because {
    /// For people to read; may be empty.
    #[schema(max_length = 500)]
    reason: String,
}

/// The longest reason.
pub(crate) const LONGEST_REASON: usize = 500;

impl Because {
    fn checked(self) -> Result<String, Fault> {
        if self.reason.chars().count() > LONGEST_REASON {
            return Err(Fault::Bad(format!("a reason has at most {LONGEST_REASON} characters")));
        }
        Ok(self.reason)
    }
}

impl CampaignBody {
    pub(crate) fn new(live: &Live) -> Self {
        let snapshot = live.snapshot();
        let (status, title, head, concepts) = live.look(|state| {
            let title = state.settings().heading().title;
            (state.status().clone(), title, state.position(), state.concepts().count())
        });
        let (status, reason) = match status {
            Status::Asking => (StatusWord::Asking, String::new()),
            Status::Paused { reason } => (StatusWord::Paused, reason),
            Status::Stopped { reason } => (StatusWord::Stopped, reason),
        };
        Self {
            title,
            status,
            reason,
            concepts,
            votes: snapshot.spent.questions,
            spent_cents: cents(snapshot.spent.money),
            position: snapshot.position.0,
            head: head.0,
            lag: live.lag(),
            expected_right: snapshot.measures.map(|measures| measures.expected_right),
            entropy: snapshot.measures.map(|measures| measures.entropy),
            forecast_votes: snapshot.forecast.and_then(|forecast| forecast.questions),
            forecast_cents: snapshot.forecast_cost.map(cents),
        }
    }
}

/// Money in hundredths.
pub(crate) fn cents(money: grove_belief::Money) -> f64 {
    money.micros() as f64 / 1e4
}

fn listed(stored: Stored) -> Listed {
    let Stored { id, name, created, head, concepts, .. } = stored;
    Listed { id: id.0, name, created: written(created), concepts, head: head.0 }
}

/// The owner's campaigns.
#[utoipa::path(get, path = "/campaigns", tag = "campaigns", responses((status = 200, body = Vec<Listed>)))]
pub(super) async fn list(State(app): State<App>, caller: Caller) -> Result<Json<Vec<Listed>>, Fault> {
    let all = app.store().campaigns_of(caller.owner.id).await?;
    Ok(Json(all.into_iter().map(listed).collect()))
}

/// Makes a campaign.
#[utoipa::path(post, path = "/campaigns", tag = "campaigns", request_body = NewCampaign,
    responses((status = 201, body = Made)))]
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    Body(new): Body<NewCampaign>,
) -> Result<(StatusCode, Json<Made>), Fault> {
    let settings = Settings::from_json(&Value::Object(new.settings))?;
    let concepts: Vec<NewConcept> = new.concepts.into_iter().map(NewConcept::from).collect();
    let id = app.campaigns().create(caller.owner.id, &new.name, &settings, &concepts).await?;
    Ok((StatusCode::CREATED, Json(Made { id: id.0 })))
}

/// A campaign as it stands.
#[utoipa::path(get, path = "/campaigns/{campaign}", tag = "campaigns", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = CampaignBody)))]
pub(super) async fn read(owned: Owned) -> Json<CampaignBody> {
    Json(CampaignBody::new(&owned.campaign))
}

/// Deletes a campaign with all its votes, for good.
#[utoipa::path(delete, path = "/campaigns/{campaign}", tag = "campaigns", params(("campaign" = Uuid, Path)),
    responses((status = 204)))]
pub(super) async fn delete(State(app): State<App>, owned: Owned) -> Result<StatusCode, Fault> {
    app.campaigns().stop(owned.id).await;
    app.store().delete_campaign(owned.id).await?;
    app.invitations().forget();
    Ok(StatusCode::NO_CONTENT)
}

/// A campaign's settings.
#[utoipa::path(get, path = "/campaigns/{campaign}/settings", tag = "campaigns", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Object)))]
pub(super) async fn settings(owned: Owned) -> Json<Value> {
    Json(owned.campaign.look(|state| state.settings().to_json()))
}

/// Changes a campaign's settings; what is left out gets its default.
#[utoipa::path(put, path = "/campaigns/{campaign}/settings", tag = "campaigns", params(("campaign" = Uuid, Path)),
    request_body = Object, responses((status = 204)))]
pub(super) async fn set(owned: Owned, Body(settings): Body<Value>) -> Result<StatusCode, Fault> {
    let settings = Settings::from_json(&settings)?;
    act(&owned, Edit::Set(Box::new(settings))).await
}

/// Asks no more questions for now.
#[utoipa::path(post, path = "/campaigns/{campaign}/pause", tag = "campaigns", params(("campaign" = Uuid, Path)),
    request_body = Because, responses((status = 204)))]
pub(super) async fn pause(owned: Owned, Body(because): Body<Because>) -> Result<StatusCode, Fault> {
    act(&owned, Edit::Pause { reason: because.checked()? }).await
}

/// Asks again.
#[utoipa::path(post, path = "/campaigns/{campaign}/resume", tag = "campaigns", params(("campaign" = Uuid, Path)),
    responses((status = 204)))]
pub(super) async fn resume(owned: Owned) -> Result<StatusCode, Fault> {
    act(&owned, Edit::Resume).await
}

/// Ends the campaign. It can be resumed.
#[utoipa::path(post, path = "/campaigns/{campaign}/stop", tag = "campaigns", params(("campaign" = Uuid, Path)),
    request_body = Because, responses((status = 204)))]
pub(super) async fn stop(owned: Owned, Body(because): Body<Because>) -> Result<StatusCode, Fault> {
    act(&owned, Edit::Stop { reason: because.checked()? }).await
}

/// Does something to a campaign in its owner's name.
pub(super) async fn act(owned: &Owned, edit: Edit) -> Result<StatusCode, Fault> {
    owned.campaign.edit(owned.caller.actor(), edit).await?;
    Ok(StatusCode::NO_CONTENT)
}
