use axum::http::StatusCode;
use grove_campaign::Edit;
use grove_store::{Correction, CorrectionId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::campaigns::edit;
use crate::auth::CampaignAccess;
use crate::extract::{Json, LastParam};
use crate::http_error::{HttpError, Result};
use crate::time::rfc3339;

/// A correction to make.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewCorrection {
    /// An id that the client chooses. Sending the same correction again changes nothing.
    id: Uuid,
    /// The statement about the hierarchy.
    #[serde(flatten)]
    correction: Correction,
}

/// A correction in force.
#[derive(Serialize, ToSchema)]
#[schema(as = StandingCorrection)]
pub(crate) struct CorrectionInfo {
    /// The id of the correction.
    id: Uuid,
    /// The statement about the hierarchy.
    #[serde(flatten)]
    correction: Correction,
    /// When it was made (RFC 3339).
    at: String,
    /// The name of the owner who made it, if known.
    author: Option<String>,
}

/// List the corrections in force, the oldest first
#[utoipa::path(get, path = "/campaigns/{campaign}/corrections", tag = "corrections",
    params(("campaign" = Uuid, Path)), responses((status = 200, body = Vec<CorrectionInfo>)))]
pub(super) async fn list(campaign: CampaignAccess) -> Result<Json<Vec<CorrectionInfo>>> {
    let info = campaign.corrections().await?.into_iter().map(|(correction, author)| CorrectionInfo {
        id: correction.id.0,
        correction: correction.correction,
        at: rfc3339(correction.at),
        author,
    });
    Ok(Json(info.collect()))
}

/// Make a correction
///
/// A correction holds whatever the votes say. One that contradicts another correction is refused.
#[utoipa::path(post, path = "/campaigns/{campaign}/corrections", tag = "corrections",
    params(("campaign" = Uuid, Path)), request_body = NewCorrection, responses((status = 204)))]
pub(super) async fn make(campaign: CampaignAccess, Json(new): Json<NewCorrection>) -> Result<StatusCode> {
    edit(&campaign, Edit::Correct { id: CorrectionId(new.id), correction: new.correction }).await
}

/// Undo the newest correction
#[utoipa::path(post, path = "/campaigns/{campaign}/corrections/undo", tag = "corrections",
    params(("campaign" = Uuid, Path)), responses((status = 204)))]
pub(super) async fn undo_newest(campaign: CampaignAccess) -> Result<StatusCode> {
    campaign.undo_last_correction().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Undo a correction
#[utoipa::path(delete, path = "/campaigns/{campaign}/corrections/{correction}", tag = "corrections",
    params(("campaign" = Uuid, Path), ("correction" = Uuid, Path)), responses((status = 204)))]
pub(super) async fn undo(campaign: CampaignAccess, LastParam(id): LastParam<Uuid>) -> Result<StatusCode> {
    let correction = CorrectionId(id);
    if !campaign.state()?.corrections().iter().any(|standing| standing.id == correction) {
        return Err(HttpError::NotFound);
    }
    edit(&campaign, Edit::UndoCorrection { correction }).await
}
