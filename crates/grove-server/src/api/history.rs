use axum::Json;
use axum::extract::State;
use grove_campaign::Work;
use grove_store::{Actor, CampaignId, Event, Position, Store};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::votes::Page;
use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::read::Asks;
use crate::time::written;

/// Something that happened to a campaign.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntryBody {
    /// Where it stands in the log.
    position: i64,
    /// When.
    at: String,
    /// Who did it: an owner's or worker's id, or `grove`.
    actor: String,
    /// What: the member `event` says which kind of thing.
    #[schema(value_type = Object)]
    event: Value,
}

/// How good the hierarchy was at some time, and what it had cost.
#[derive(Clone, Copy, Serialize, ToSchema)]
pub(crate) struct CurvePoint {
    /// The position in the log.
    pub(crate) position: i64,
    /// When, in microseconds since 1970.
    pub(crate) at: i64,
    /// Votes that counted.
    pub(crate) votes: u64,
    /// Concepts.
    pub(crate) concepts: u32,
    /// The expected number of concepts under their right parent.
    pub(crate) expected_right: f64,
    /// The sum of the concepts' parent entropies, in bits.
    pub(crate) entropy: f64,
    /// The chance of the least certain concept's likeliest parent.
    pub(crate) least_certain: f64,
}

/// What happened, the oldest first.
#[utoipa::path(get, path = "/campaigns/{campaign}/history", tag = "history", params(("campaign" = Uuid, Path), Page),
    responses((status = 200, body = Vec<EntryBody>)))]
pub(super) async fn history(
    State(app): State<App>,
    owned: Owned,
    Asks(page): Asks<Page>,
) -> Result<Json<Vec<EntryBody>>, Fault> {
    let page = page.checked()?;
    let entries = app.store().log(owned.id, Position(page.after.into()), page.limit.into()).await?;
    let body = entries.into_iter().map(|entry| {
        Ok(EntryBody {
            position: entry.position.0,
            at: written(entry.at),
            actor: match entry.actor {
                Actor::Owner(owner) => owner.0.to_string(),
                Actor::Worker(worker) => worker.as_str().to_owned(),
                _ => "grove".to_owned(),
            },
            event: serde_json::to_value(&entry.event).map_err(|_| Fault::Internal)?,
        })
    });
    Ok(Json(body.collect::<Result<_, Fault>>()?))
}

/// How good the hierarchy has been over time.
#[utoipa::path(get, path = "/campaigns/{campaign}/curve", tag = "history", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<CurvePoint>)))]
pub(super) async fn curve(State(app): State<App>, owned: Owned) -> Result<Json<Vec<CurvePoint>>, Fault> {
    Ok(Json(curve_of(app.store(), owned.id).await?))
}

/// Entries read at a time.
const PAGE: u32 = 5_000;

/// The measures that the belief's own records hold.
pub(crate) async fn curve_of(store: &Store, campaign: CampaignId) -> Result<Vec<CurvePoint>, Fault> {
    let (mut points, mut after) = (Vec::new(), Position::START);
    loop {
        let entries = store.log(campaign, after, PAGE).await?;
        let Some(last) = entries.last() else { return Ok(points) };
        after = last.position;
        points.extend(entries.iter().filter_map(|entry| {
            let Event::Advanced { work, .. } = &entry.event else { return None };
            let measures = Work::from_json(work)?.measures?;
            Some(CurvePoint {
                position: entry.position.0,
                at: entry.at.0,
                votes: measures.votes,
                concepts: measures.concepts,
                expected_right: measures.expected_right,
                entropy: measures.entropy,
                least_certain: measures.least_certain,
            })
        }));
    }
}
