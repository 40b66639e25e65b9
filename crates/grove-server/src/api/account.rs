use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use grove_store::{Credential, CredentialId, OwnerId, Purpose};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::{Caller, Secret, hand_out};
use crate::fault::Fault;
use crate::read::{Body, Last};
use crate::time::written;

/// An owner.
#[derive(Serialize, ToSchema)]
pub(crate) struct Me {
    /// Their id.
    id: Uuid,
    /// Their name.
    name: String,
}

/// An API token, without its secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct Token {
    /// Its id.
    id: Uuid,
    /// What its owner calls it.
    label: String,
    /// Since when.
    created: String,
    /// Whether it was revoked.
    revoked: bool,
}

/// A token to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewToken {
    /// What its owner calls it.
    #[schema(max_length = 200, example = "nightly export")]
    label: String,
}

/// A token that was made just now.
#[derive(Serialize, ToSchema)]
pub(crate) struct MadeToken {
    /// Its id.
    id: Uuid,
    /// The secret to show; it is kept nowhere, so it cannot be seen again.
    token: String,
}

/// Who asks.
#[utoipa::path(get, path = "/me", tag = "account", responses((status = 200, body = Me)))]
pub(super) async fn me(caller: Caller) -> Json<Me> {
    Json(Me { id: caller.owner.id.0, name: caller.owner.name })
}

/// The owner's API tokens.
#[utoipa::path(get, path = "/tokens", tag = "account", responses((status = 200, body = Vec<Token>)))]
pub(super) async fn tokens(State(app): State<App>, caller: Caller) -> Result<Json<Vec<Token>>, Fault> {
    let all = tokens_of(&app, caller.owner.id).await?.into_iter();
    let token = |one: Credential| Token {
        id: one.id.0,
        label: one.label,
        created: written(one.created),
        revoked: one.revoked.is_some(),
    };
    Ok(Json(all.map(token).collect()))
}

/// Makes an API token.
#[utoipa::path(post, path = "/tokens", tag = "account", request_body = NewToken,
    responses((status = 201, body = MadeToken)))]
pub(super) async fn make_token(
    State(app): State<App>,
    caller: Caller,
    Body(new): Body<NewToken>,
) -> Result<(StatusCode, Json<MadeToken>), Fault> {
    let (id, secret) = token_for(&app, caller.owner.id, new.label).await?;
    Ok((StatusCode::CREATED, Json(MadeToken { id: id.0, token: secret.as_str().to_owned() })))
}

/// Revokes an API token.
#[utoipa::path(delete, path = "/tokens/{token}", tag = "account", params(("token" = Uuid, Path, description = "Its id")),
    responses((status = 204)))]
pub(super) async fn revoke_token(
    State(app): State<App>,
    caller: Caller,
    Last(id): Last<Uuid>,
) -> Result<StatusCode, Fault> {
    revoke_own(&app, caller.owner.id, CredentialId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn tokens_of(app: &App, owner: OwnerId) -> Result<Vec<Credential>, Fault> {
    let mut all = app.store().credentials_of(owner).await?;
    all.retain(|credential| matches!(credential.purpose, Purpose::Token(_)));
    Ok(all)
}

pub(crate) async fn token_for(
    app: &App,
    owner: OwnerId,
    label: String,
) -> Result<(CredentialId, Secret), Fault> {
    hand_out(app, Purpose::Token(owner), label, None).await
}

pub(crate) async fn revoke_own(app: &App, owner: OwnerId, id: CredentialId) -> Result<(), Fault> {
    if !tokens_of(app, owner).await?.iter().any(|token| token.id == id && token.revoked.is_none()) {
        return Err(Fault::NotFound);
    }
    app.store().revoke_credential(id, app.now()).await?;
    Ok(())
}
