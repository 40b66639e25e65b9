use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use grove_store::{CampaignId, Credential, CredentialId, Purpose};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::{Owned, Secret, hand_out};
use crate::fault::Fault;
use crate::read::{Body, Last};
use crate::time::written;

/// An invitation, without its secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct Invitation {
    /// Its id.
    id: Uuid,
    /// What its owner calls it.
    label: String,
    /// Since when.
    created: String,
    /// Whether it was revoked.
    revoked: bool,
}

/// An invitation to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewInvitation {
    /// What its owner calls it; may be empty.
    #[schema(max_length = 200, example = "mailing list")]
    label: String,
}

/// An invitation that was made just now.
#[derive(Serialize, ToSchema)]
pub(crate) struct MadeInvitation {
    /// Its id.
    id: Uuid,
    /// The secret that programs show; it is kept nowhere, so it cannot be seen again.
    invitation: String,
    /// The link for people.
    link: String,
}

/// The invitations to a campaign, the newest first.
#[utoipa::path(get, path = "/campaigns/{campaign}/invitations", tag = "invitations",
    params(("campaign" = Uuid, Path)), responses((status = 200, body = Vec<Invitation>)))]
pub(super) async fn list(State(app): State<App>, owned: Owned) -> Result<Json<Vec<Invitation>>, Fault> {
    let all = app.store().invitations(owned.id).await?.into_iter();
    let body = |one: Credential| Invitation {
        id: one.id.0,
        label: one.label,
        created: written(one.created),
        revoked: one.revoked.is_some(),
    };
    Ok(Json(all.map(body).collect()))
}

/// Makes an invitation: whoever has the link may answer.
#[utoipa::path(post, path = "/campaigns/{campaign}/invitations", tag = "invitations",
    params(("campaign" = Uuid, Path)), request_body = NewInvitation, responses((status = 201, body = MadeInvitation)))]
pub(super) async fn make(
    State(app): State<App>,
    owned: Owned,
    Body(new): Body<NewInvitation>,
) -> Result<(StatusCode, Json<MadeInvitation>), Fault> {
    let (id, secret) = invite(&app, owned.id, new.label).await?;
    let invitation = secret.as_str().to_owned();
    let link = format!("{}/w/{invitation}", app.public().url());
    Ok((StatusCode::CREATED, Json(MadeInvitation { id: id.0, invitation, link })))
}

/// Revokes an invitation: its link opens nothing any more.
#[utoipa::path(delete, path = "/campaigns/{campaign}/invitations/{invitation}", tag = "invitations",
    params(("campaign" = Uuid, Path), ("invitation" = Uuid, Path)), responses((status = 204)))]
pub(super) async fn revoke(
    State(app): State<App>,
    owned: Owned,
    Last(id): Last<Uuid>,
) -> Result<StatusCode, Fault> {
    revoke_invitation(&app, owned.id, CredentialId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn invite(
    app: &App,
    campaign: CampaignId,
    label: String,
) -> Result<(CredentialId, Secret), Fault> {
    hand_out(app, Purpose::Invitation(campaign), label, None).await
}

pub(crate) async fn revoke_invitation(
    app: &App,
    campaign: CampaignId,
    id: CredentialId,
) -> Result<(), Fault> {
    let all = app.store().invitations(campaign).await?;
    if !all.iter().any(|invitation| invitation.id == id && invitation.revoked.is_none()) {
        return Err(Fault::NotFound);
    }
    app.store().revoke_credential(id, app.now()).await?;
    app.invitations().forget();
    Ok(())
}
