use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use grove_campaign::Edit;
use grove_store::{Correction, CorrectionId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::campaigns::act;
use crate::app::App;
use crate::auth::Owned;
use crate::campaigns::corrections;
use crate::fault::Fault;
use crate::read::{Body, Last};
use crate::time::written;

/// A correction to be made.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewCorrection {
    /// Made by the client, so that sending it again changes nothing.
    id: Uuid,
    /// What the owner says.
    #[serde(flatten)]
    correction: Correction,
}

/// A correction in force.
#[derive(Serialize, ToSchema)]
pub(crate) struct Standing {
    /// Its id.
    id: Uuid,
    /// What the owner says.
    #[serde(flatten)]
    correction: Correction,
    /// When.
    at: String,
    /// By whom, where that is known.
    author: Option<String>,
}

/// The corrections in force, the oldest first.
#[utoipa::path(get, path = "/campaigns/{campaign}/corrections", tag = "corrections",
    params(("campaign" = Uuid, Path)), responses((status = 200, body = Vec<Standing>)))]
pub(super) async fn list(State(app): State<App>, owned: Owned) -> Result<Json<Vec<Standing>>, Fault> {
    let standing =
        corrections(&app, &owned.campaign).await?.into_iter().map(|(correction, author)| Standing {
            id: correction.id.0,
            correction: correction.correction,
            at: written(correction.at),
            author,
        });
    Ok(Json(standing.collect()))
}

/// Lays something down, whatever the votes say.
#[utoipa::path(post, path = "/campaigns/{campaign}/corrections", tag = "corrections",
    params(("campaign" = Uuid, Path)), request_body = NewCorrection, responses((status = 204)))]
pub(super) async fn make(owned: Owned, Body(new): Body<NewCorrection>) -> Result<StatusCode, Fault> {
    act(&owned, Edit::Correct { id: CorrectionId(new.id), correction: new.correction }).await
}

/// Takes the newest correction back.
#[utoipa::path(post, path = "/campaigns/{campaign}/corrections/undo", tag = "corrections",
    params(("campaign" = Uuid, Path)), responses((status = 204)))]
pub(super) async fn undo(owned: Owned) -> Result<StatusCode, Fault> {
    let newest = owned.campaign.look(|state| state.corrections().last().map(|correction| correction.id));
    let correction =
        newest.ok_or_else(|| Fault::Conflict("there is no correction to take back".to_owned()))?;
    act(&owned, Edit::TakeBack { correction }).await
}

/// Takes a correction back.
#[utoipa::path(delete, path = "/campaigns/{campaign}/corrections/{correction}", tag = "corrections",
    params(("campaign" = Uuid, Path), ("correction" = Uuid, Path)), responses((status = 204)))]
pub(super) async fn take_back(owned: Owned, Last(id): Last<Uuid>) -> Result<StatusCode, Fault> {
    let correction = CorrectionId(id);
    if !owned.campaign.look(|state| state.corrections().iter().any(|standing| standing.id == correction)) {
        return Err(Fault::NotFound);
    }
    act(&owned, Edit::TakeBack { correction }).await
}
