use axum::extract::State;
use axum::http::StatusCode;
use grove_campaign::operations::MemberName;
use grove_store::{MemberRole, OwnerId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::CampaignAccess;
use crate::extract::{Json, LastParam};
use crate::http_error::Result;
use crate::time::rfc3339;

/// What an account may do in a campaign of another.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MemberRole)]
pub(crate) enum ApiRole {
    /// Change everything but money, invitations and who takes part.
    Editor,
    /// Look at everything but payments.
    Viewer,
}

impl From<ApiRole> for MemberRole {
    fn from(role: ApiRole) -> Self {
        match role {
            ApiRole::Editor => Self::Editor,
            ApiRole::Viewer => Self::Viewer,
        }
    }
}

/// An account with which a campaign is shared.
#[derive(Serialize, ToSchema)]
#[schema(as = Member)]
pub(crate) struct MemberInfo {
    /// The id of the account.
    account: Uuid,
    /// Its name.
    name: String,
    /// What it may do.
    role: ApiRole,
    /// Since when (RFC 3339).
    since: String,
}

impl From<MemberName> for MemberInfo {
    fn from(member: MemberName) -> Self {
        let role = match member.role {
            MemberRole::Editor => ApiRole::Editor,
            MemberRole::Viewer => ApiRole::Viewer,
        };
        Self { account: member.account.0, name: member.name, role, since: rfc3339(member.since) }
    }
}

/// The account to share a campaign with.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMember {
    /// The name of the account.
    #[schema(max_length = 200)]
    name: String,
    /// What it may do.
    role: ApiRole,
}

/// The account that gets a campaign.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewOwner {
    /// The name of the account.
    #[schema(max_length = 200)]
    name: String,
}

/// List the accounts with which a campaign is shared
#[utoipa::path(get, path = "/campaigns/{campaign}/members", tag = "members",
    params(("campaign" = Uuid, Path)), responses((status = 200, body = Vec<MemberInfo>)))]
pub(super) async fn list(campaign: CampaignAccess) -> Result<Json<Vec<MemberInfo>>> {
    Ok(Json(campaign.members().await?.into_iter().map(MemberInfo::from).collect()))
}

/// Share a campaign with an account, or change its role
#[utoipa::path(put, path = "/campaigns/{campaign}/members", tag = "members",
    params(("campaign" = Uuid, Path)), request_body = NewMember, responses((status = 204)))]
pub(super) async fn set(
    State(app): State<App>,
    campaign: CampaignAccess,
    Json(new): Json<NewMember>,
) -> Result<StatusCode> {
    campaign.set_member(&new.name, new.role.into()).await?;
    app.credentials_changed();
    Ok(StatusCode::NO_CONTENT)
}

/// End the sharing with an account
#[utoipa::path(delete, path = "/campaigns/{campaign}/members/{account}", tag = "members",
    params(("campaign" = Uuid, Path), ("account" = Uuid, Path)), responses((status = 204)))]
pub(super) async fn remove(
    State(app): State<App>,
    campaign: CampaignAccess,
    LastParam(account): LastParam<Uuid>,
) -> Result<StatusCode> {
    campaign.remove_member(OwnerId(account)).await?;
    app.credentials_changed();
    Ok(StatusCode::NO_CONTENT)
}

/// Hand a campaign over to another account
///
/// The former owner stays as an editor.
#[utoipa::path(put, path = "/campaigns/{campaign}/owner", tag = "members",
    params(("campaign" = Uuid, Path)), request_body = NewOwner, responses((status = 204)))]
pub(super) async fn hand_over(campaign: CampaignAccess, Json(new): Json<NewOwner>) -> Result<StatusCode> {
    campaign.hand_over(&new.name).await?;
    Ok(StatusCode::NO_CONTENT)
}
