use axum::extract::State;
use axum::http::StatusCode;
use grove_store::CredentialId;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::account::{CredentialInfo, NewCredential};
use crate::app::App;
use crate::auth::{CampaignAccess, Secret};
use crate::extract::{Json, LastParam};
use crate::http_error::Result;

/// A new invitation.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedInvitation {
    /// The id with which to revoke it.
    id: Uuid,
    /// The secret that a worker's program sends as `Authorization: Bearer`. Only its hash is stored, so it cannot be shown again.
    invitation: String,
    /// The link for people: the worker page of the campaign.
    link: String,
}

/// List the invitations to a campaign, the newest first
#[utoipa::path(get, path = "/campaigns/{campaign}/invitations", tag = "invitations",
    params(("campaign" = Uuid, Path)), responses((status = 200, body = Vec<CredentialInfo>)))]
pub(super) async fn list(campaign: CampaignAccess) -> Result<Json<Vec<CredentialInfo>>> {
    Ok(Json(campaign.invitations().await?.into_iter().map(CredentialInfo::from).collect()))
}

/// Create an invitation: anybody who has its link may answer questions
#[utoipa::path(post, path = "/campaigns/{campaign}/invitations", tag = "invitations",
    params(("campaign" = Uuid, Path)), request_body = NewCredential, responses((status = 201, body = CreatedInvitation)))]
pub(super) async fn create(
    State(app): State<App>,
    campaign: CampaignAccess,
    Json(new): Json<NewCredential>,
) -> Result<(StatusCode, Json<CreatedInvitation>)> {
    let secret = Secret::new()?;
    let id = campaign.invite(new.label, secret.hash()).await?;
    let invitation = secret.as_str().to_owned();
    let link = format!("{}/w/{invitation}", app.public_address.url());
    Ok((StatusCode::CREATED, Json(CreatedInvitation { id: id.0, invitation, link })))
}

/// Revoke an invitation
///
/// Its link stops working. Votes that were cast with it stay.
#[utoipa::path(delete, path = "/campaigns/{campaign}/invitations/{invitation}", tag = "invitations",
    params(("campaign" = Uuid, Path), ("invitation" = Uuid, Path, description = "The id of the invitation, not its secret")),
    responses((status = 204)))]
pub(super) async fn revoke(
    State(app): State<App>,
    campaign: CampaignAccess,
    LastParam(id): LastParam<Uuid>,
) -> Result<StatusCode> {
    campaign.revoke_invitation(CredentialId(id)).await?;
    app.invitations.clear();
    Ok(StatusCode::NO_CONTENT)
}
