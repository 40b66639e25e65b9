//! Everything that is stored about a worker, as a file to keep.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use grove_campaign::operations::Access;
use grove_store::WorkerId;
use serde::Deserialize;

use crate::auth::{CampaignAccess, InvitedWorker};
use crate::extract::{Json, QueryParams};
use crate::http_error::{HttpError, Result};

#[derive(Deserialize)]
pub(super) struct WorkerQuery {
    worker: String,
}

/// For the owner, whom a worker has asked for it.
pub(super) async fn of_worker(
    campaign: CampaignAccess,
    QueryParams(query): QueryParams<WorkerQuery>,
) -> Result<Response> {
    let worker = WorkerId::new(query.worker).map_err(|_| HttpError::NotFound)?;
    file(&campaign, &worker).await
}

/// For the worker, in the browser in which they answered.
pub(super) async fn own(invited: InvitedWorker) -> Result<Response> {
    file(&invited.access, &invited.worker).await
}

async fn file(access: &Access, worker: &WorkerId) -> Result<Response> {
    let data = access.personal_data(worker).await?;
    let headers = [(header::CONTENT_DISPOSITION, "attachment; filename=\"grove-my-data.json\"")];
    Ok((headers, Json(data)).into_response())
}
