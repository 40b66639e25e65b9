use axum::extract::State;
use axum::http::StatusCode;
use grove_campaign::operations::{LinkSummary, NewLink};
use grove_store::{CredentialId, LinkLimits, VoteSource};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::{CampaignAccess, Secret};
use crate::extract::{Json, LastParam};
use crate::http_error::Result;
use crate::time::rfc3339;

/// An invitation, without its secret, and what came through it.
#[derive(Serialize, ToSchema)]
#[schema(as = Invitation)]
pub(crate) struct InvitationInfo {
    /// The id with which to revoke or exclude it.
    id: Uuid,
    /// The owner's name for it.
    label: String,
    /// When it was created (RFC 3339).
    created: String,
    /// When it expires (RFC 3339), if it does.
    expires: Option<String>,
    /// Whether it was revoked and no longer works.
    revoked: bool,
    /// Whether the votes that came through it are excluded from the evidence.
    excluded: bool,
    /// The most people that it is for, if that is limited.
    most_workers: Option<u32>,
    /// The most votes that it is for, if that is limited.
    most_votes: Option<u32>,
    /// How many people have voted through it.
    workers: u32,
    /// How many votes came through it and were not withdrawn.
    votes: u32,
}

impl From<LinkSummary> for InvitationInfo {
    fn from(link: LinkSummary) -> Self {
        Self {
            id: link.credential.id.0,
            label: link.credential.label,
            created: rfc3339(link.credential.created),
            expires: link.credential.until.map(rfc3339),
            revoked: link.credential.revoked.is_some(),
            excluded: link.is_excluded,
            most_workers: link.limits.most_workers,
            most_votes: link.limits.most_votes,
            workers: link.tally.workers,
            votes: link.tally.votes,
        }
    }
}

/// An invitation to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewInvitation {
    /// A name by which the owner recognises it; may be empty.
    #[schema(max_length = 200, example = "mailing list")]
    label: String,
    /// For how many hours it works; forever if not given.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 87599)]
    hours: Option<u32>,
    /// For how many people it is; 1 makes a link for a single person.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 4_294_967_295u32, value_type = Option<u64>)]
    most_workers: Option<u32>,
    /// For how many votes it is, by all who have it together.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 4_294_967_295u32, value_type = Option<u64>)]
    most_votes: Option<u32>,
}

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
    params(("campaign" = Uuid, Path)), responses((status = 200, body = Vec<InvitationInfo>)))]
pub(super) async fn list(campaign: CampaignAccess) -> Result<Json<Vec<InvitationInfo>>> {
    Ok(Json(campaign.links().await?.into_iter().map(InvitationInfo::from).collect()))
}

/// Create an invitation: anybody who has its link may answer questions, within its limits
#[utoipa::path(post, path = "/campaigns/{campaign}/invitations", tag = "invitations",
    params(("campaign" = Uuid, Path)), request_body = NewInvitation, responses((status = 201, body = CreatedInvitation)))]
pub(super) async fn create(
    State(app): State<App>,
    campaign: CampaignAccess,
    Json(new): Json<NewInvitation>,
) -> Result<(StatusCode, Json<CreatedInvitation>)> {
    let secret = Secret::new()?;
    let NewInvitation { label, hours, most_workers, most_votes } = new;
    let link = NewLink { label, hours, limits: LinkLimits { most_workers, most_votes } };
    let id = campaign.invite_with(link, secret.hash()).await?;
    let invitation = secret.as_str().to_owned();
    let link = format!("{}/w/{invitation}", app.public_address.url());
    Ok((StatusCode::CREATED, Json(CreatedInvitation { id: id.0, invitation, link })))
}

/// Revoke an invitation
///
/// Its link stops working. Votes that were cast with it stay, unless they are excluded.
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

/// Exclude all votes that came through an invitation from the evidence
///
/// Those of the past and those that are still to come. They stay in the log, and can be included again. The link works on until it is revoked, but nobody
/// who has it is asked anything.
#[utoipa::path(post, path = "/campaigns/{campaign}/invitations/{invitation}/exclude", tag = "invitations",
    params(("campaign" = Uuid, Path), ("invitation" = Uuid, Path, description = "The id of the invitation, not its secret")),
    responses((status = 204)))]
pub(super) async fn exclude(campaign: CampaignAccess, LastParam(id): LastParam<Uuid>) -> Result<StatusCode> {
    campaign.exclude(VoteSource::Link(CredentialId(id))).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Include the votes that came through an invitation again
#[utoipa::path(post, path = "/campaigns/{campaign}/invitations/{invitation}/include", tag = "invitations",
    params(("campaign" = Uuid, Path), ("invitation" = Uuid, Path, description = "The id of the invitation, not its secret")),
    responses((status = 204)))]
pub(super) async fn include(campaign: CampaignAccess, LastParam(id): LastParam<Uuid>) -> Result<StatusCode> {
    campaign.include(VoteSource::Link(CredentialId(id))).await?;
    Ok(StatusCode::NO_CONTENT)
}
