use grove_campaign::operations::CurvePoint;
use grove_store::{Actor, Position};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::auth::CampaignAccess;
use crate::extract::{Json, QueryParams};
use crate::http_error::{HttpError, Result};
use crate::time::rfc3339;

/// An entry of a campaign's log.
#[derive(Serialize, ToSchema)]
#[schema(as = LogEntry)]
pub(crate) struct EntryInfo {
    /// The position of the entry in the log.
    position: i64,
    /// When it was written (RFC 3339).
    at: String,
    /// Who caused it: the id of an owner or of a worker, or `grove`.
    actor: String,
    /// What happened. The member `event` gives the kind of event; the other members depend on it.
    #[schema(value_type = Object)]
    event: Value,
}

/// The quality of the hierarchy at some time.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProgressPoint {
    /// The position in the log.
    position: i64,
    /// The time, in microseconds since 1970.
    at: i64,
    /// The number of votes that counted.
    votes: u64,
    /// The number of concepts.
    concepts: u32,
    /// The expected number of concepts with the correct parent.
    expected_right: f64,
    /// The sum of the concepts' parent entropies, in bits.
    entropy: f64,
    /// The probability of the least certain concept's most probable parent.
    least_certain: f64,
}

/// A page of a long list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    /// Return only what comes after this position in the log.
    #[serde(default)]
    #[param(minimum = 0, maximum = 4_294_967_295u32, value_type = u64)]
    pub(super) after: u32,
    /// The greatest number of items to return.
    #[serde(default = "default_limit")]
    #[param(minimum = 1, maximum = 1000)]
    pub(super) limit: u16,
}

fn default_limit() -> u16 {
    200
}

impl Page {
    pub(super) fn check(self) -> Result<Self> {
        if (1..=1_000).contains(&self.limit) {
            return Ok(self);
        }
        Err(HttpError::BadRequest("limit must be between 1 and 1000".to_owned()))
    }
}

/// List the entries of a campaign's log, the oldest first
#[utoipa::path(get, path = "/campaigns/{campaign}/history", tag = "history", params(("campaign" = Uuid, Path), Page),
    responses((status = 200, body = Vec<EntryInfo>)))]
pub(super) async fn history(
    campaign: CampaignAccess,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<Vec<EntryInfo>>> {
    let page = page.check()?;
    let entries = campaign.history(Position(page.after.into()), page.limit.into()).await?;
    let info = entries.into_iter().map(|entry| {
        Ok(EntryInfo {
            position: entry.position.0,
            at: rfc3339(entry.at),
            actor: match entry.actor {
                Actor::Owner(owner) => owner.0.to_string(),
                Actor::Worker(worker) => worker.as_str().to_owned(),
                _ => "grove".to_owned(),
            },
            event: serde_json::to_value(&entry.event).map_err(|_| HttpError::Internal)?,
        })
    });
    Ok(Json(info.collect::<Result<_>>()?))
}

/// Return the quality of the hierarchy over time
///
/// One point for every time the belief read new votes, the oldest first.
#[utoipa::path(get, path = "/campaigns/{campaign}/curve", tag = "history", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<ProgressPoint>)))]
pub(super) async fn curve(campaign: CampaignAccess) -> Result<Json<Vec<ProgressPoint>>> {
    let point = |point: CurvePoint| ProgressPoint {
        position: point.position.0,
        at: point.at.0,
        votes: point.measures.votes,
        concepts: point.measures.concepts,
        expected_right: point.measures.expected_right,
        entropy: point.measures.entropy,
        least_certain: point.measures.least_certain,
    };
    Ok(Json(campaign.curve()?.into_iter().map(point).collect()))
}
