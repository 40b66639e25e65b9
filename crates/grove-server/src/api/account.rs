use axum::extract::State;
use axum::http::StatusCode;
use grove_store::{Credential, CredentialId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::{Account, Secret};
use crate::extract::{Json, LastParam};
use crate::http_error::Result;
use crate::time::rfc3339;

/// The authenticated owner.
#[derive(Serialize, ToSchema)]
pub(crate) struct Me {
    /// The id of the owner.
    id: Uuid,
    /// The name with which the owner logs in.
    name: String,
}

/// An API token, without its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = Credential)]
pub(crate) struct CredentialInfo {
    /// The id with which to revoke it.
    id: Uuid,
    /// The owner's name for it.
    label: String,
    /// When it was created (RFC 3339).
    created: String,
    /// Whether it was revoked and no longer works.
    revoked: bool,
}

impl From<Credential> for CredentialInfo {
    fn from(credential: Credential) -> Self {
        Self {
            id: credential.id.0,
            label: credential.label,
            created: rfc3339(credential.created),
            revoked: credential.revoked.is_some(),
        }
    }
}

/// An API token to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCredential {
    /// A name by which the owner recognises it; may be empty.
    #[schema(max_length = 200, example = "nightly export")]
    pub(super) label: String,
}

/// A new API token.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedToken {
    /// The id with which to revoke it.
    id: Uuid,
    /// The secret to send as `Authorization: Bearer`. Only its hash is stored, so it cannot be shown again.
    token: String,
}

/// Return the authenticated owner
#[utoipa::path(get, path = "/me", tag = "account", responses((status = 200, body = Me)))]
pub(super) async fn me(account: Account) -> Json<Me> {
    Json(Me { id: account.0.id.0, name: account.0.name })
}

/// List the owner's API tokens
#[utoipa::path(get, path = "/tokens", tag = "account", responses((status = 200, body = Vec<CredentialInfo>)))]
pub(super) async fn tokens(State(app): State<App>, account: Account) -> Result<Json<Vec<CredentialInfo>>> {
    Ok(Json(app.workspace.tokens(&account.caller()).await?.into_iter().map(CredentialInfo::from).collect()))
}

/// Create an API token
///
/// A program that sends the token may do whatever the owner may.
#[utoipa::path(post, path = "/tokens", tag = "account", request_body = NewCredential,
    responses((status = 201, body = CreatedToken)))]
pub(super) async fn create_token(
    State(app): State<App>,
    account: Account,
    Json(new): Json<NewCredential>,
) -> Result<(StatusCode, Json<CreatedToken>)> {
    let secret = Secret::new()?;
    let id = app.workspace.create_token(&account.caller(), new.label, secret.hash()).await?;
    Ok((StatusCode::CREATED, Json(CreatedToken { id: id.0, token: secret.as_str().to_owned() })))
}

/// Revoke an API token
#[utoipa::path(delete, path = "/tokens/{token}", tag = "account",
    params(("token" = Uuid, Path, description = "The id of the token, not its secret")), responses((status = 204)))]
pub(super) async fn revoke(
    State(app): State<App>,
    account: Account,
    LastParam(id): LastParam<Uuid>,
) -> Result<StatusCode> {
    app.workspace.revoke_token(&account.caller(), CredentialId(id)).await?;
    app.credentials_changed();
    Ok(StatusCode::NO_CONTENT)
}
