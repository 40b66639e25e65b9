use axum::http::StatusCode;
use grove_campaign::operations::PersonalData;
use grove_store::{VoteSource, WorkerId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::CampaignAccess;
use crate::convert::cents;
use crate::extract::{Json, LastParam};
use crate::http_error::{HttpError, Result};
use crate::workers::{Worker, workers_of};

/// What a worker has earned.
#[derive(Serialize, ToSchema)]
pub(crate) struct Payment {
    /// The id of the worker.
    worker: String,
    /// The number of votes that were not withdrawn, excluded ones too.
    votes: u64,
    /// The price of these votes, in cents.
    cents: f64,
}

/// A worker who was anonymised.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErasedWorker {
    /// The new id of the worker, which is not linked to the old one.
    stand_in: String,
}

/// List all workers who ever voted
#[utoipa::path(get, path = "/campaigns/{campaign}/workers", tag = "workers", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<Worker>)))]
pub(super) async fn list(campaign: CampaignAccess) -> Result<Json<Vec<Worker>>> {
    Ok(Json(workers_of(&campaign).await?))
}

/// Anonymise a worker
///
/// Replaces the worker's id with a random one everywhere, including the log. The votes stay. This cannot be undone.
#[utoipa::path(delete, path = "/campaigns/{campaign}/workers/{worker}", tag = "workers",
    params(("campaign" = Uuid, Path), ("worker" = String, Path)), responses((status = 200, body = ErasedWorker)))]
pub(super) async fn erase(
    campaign: CampaignAccess,
    LastParam(worker): LastParam<String>,
) -> Result<Json<ErasedWorker>> {
    let worker = WorkerId::new(worker).map_err(|_| HttpError::NotFound)?;
    let stand_in = campaign.erase_worker(&worker).await?;
    Ok(Json(ErasedWorker { stand_in: stand_in.as_str().to_owned() }))
}

/// Exclude a worker's votes from the evidence
///
/// Those of the past and those that are still to come. They stay in the log, and can be included again.
#[utoipa::path(post, path = "/campaigns/{campaign}/workers/{worker}/exclude", tag = "workers",
    params(("campaign" = Uuid, Path), ("worker" = String, Path)), responses((status = 204)))]
pub(super) async fn exclude(
    campaign: CampaignAccess,
    LastParam(worker): LastParam<String>,
) -> Result<StatusCode> {
    campaign.exclude(source(worker)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Include a worker's votes again
#[utoipa::path(post, path = "/campaigns/{campaign}/workers/{worker}/include", tag = "workers",
    params(("campaign" = Uuid, Path), ("worker" = String, Path)), responses((status = 204)))]
pub(super) async fn include(
    campaign: CampaignAccess,
    LastParam(worker): LastParam<String>,
) -> Result<StatusCode> {
    let source = source(worker)?;
    if let VoteSource::Worker(worker) = &source
        && !campaign.state()?.is_excluded(worker, None)
    {
        return Err(HttpError::NotFound);
    }
    campaign.include(source).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn source(worker: String) -> Result<VoteSource> {
    WorkerId::new(worker).map(VoteSource::Worker).map_err(|_| HttpError::NotFound)
}

/// List what workers have earned
#[utoipa::path(get, path = "/campaigns/{campaign}/payments", tag = "workers", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<Payment>)))]
pub(super) async fn payments(campaign: CampaignAccess) -> Result<Json<Vec<Payment>>> {
    let payments = campaign.payments().await?.into_iter().map(|(worker, votes, price)| Payment {
        worker: worker.as_str().to_owned(),
        votes,
        cents: cents(price),
    });
    Ok(Json(payments.collect()))
}

/// Return everything that is stored about a worker
///
/// Answers in words with their times, and who they were at the panels that sent them: for a worker who asks for it.
#[utoipa::path(get, path = "/campaigns/{campaign}/workers/{worker}/data", tag = "workers",
    params(("campaign" = Uuid, Path), ("worker" = String, Path)), responses((status = 200, body = Object)))]
pub(super) async fn data(
    campaign: CampaignAccess,
    LastParam(worker): LastParam<String>,
) -> Result<Json<PersonalData>> {
    let worker = WorkerId::new(worker).map_err(|_| HttpError::NotFound)?;
    let data = campaign.personal_data(&worker).await?;
    if data.answers.is_empty() && data.panels.is_empty() {
        return Err(HttpError::NotFound);
    }
    Ok(Json(data))
}
