use std::ops::Deref;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use grove_campaign::operations::{Access, Caller};
use grove_store::{CampaignId, Owner, Purpose};

use super::{hash_secret, session_secret};
use crate::app::{App, AppState};
use crate::http_error::{HttpError, Result};

/// The bearer token of a request with an `Authorization` header; empty if it cannot be read.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(axum::http::header::AUTHORIZATION)?;
    Some(value.to_str().ok().and_then(|value| value.strip_prefix("Bearer ")).unwrap_or(""))
}

/// The account that sends a request, by session or token.
pub(crate) struct Account(pub(crate) Owner);

impl Account {
    /// Authenticates a request. A token takes precedence over a session, because the origin of a request with a token is not checked.
    pub(crate) async fn authenticate(app: &AppState, headers: &HeaderMap) -> Result<Self> {
        let token = bearer(headers).map(str::to_owned);
        let by_token = token.is_some();
        let secret = token.or_else(|| session_secret(app, headers)).ok_or(HttpError::Unauthorized)?;
        let credential = app.store().credential(&hash_secret(&secret), app.now()).await?;
        let owner = match (credential.ok_or(HttpError::Unauthorized)?.purpose, by_token) {
            (Purpose::Token(owner), true) | (Purpose::Session(owner), false) => owner,
            _ => return Err(HttpError::Unauthorized),
        };
        app.store().owner(owner).await?.map(Self).ok_or(HttpError::Unauthorized)
    }

    /// The account as the operations know it.
    pub(crate) fn caller(&self) -> Caller {
        Caller::account(self.0.id)
    }
}

impl FromRequestParts<App> for Account {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        Self::authenticate(app, &parts.headers).await
    }
}

/// The campaign in the path, as the account may use it. Campaigns of other accounts are not found.
pub(crate) struct CampaignAccess {
    pub(crate) account: Account,
    pub(crate) id: CampaignId,
    pub(crate) access: Access,
    /// The edit that was just made on a page, by its position in the log.
    pub(crate) done: Option<i64>,
}

impl Deref for CampaignAccess {
    type Target = Access;

    fn deref(&self) -> &Access {
        &self.access
    }
}

impl FromRequestParts<App> for CampaignAccess {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let account = Account::authenticate(app, &parts.headers).await?;
        let params = RawPathParams::from_request_parts(parts, app).await.map_err(|_| HttpError::NotFound)?;
        let id = params.iter().find(|(name, _)| *name == "campaign").map(|(_, id)| id);
        let id = id.and_then(|id| id.parse().ok()).map(CampaignId).ok_or(HttpError::NotFound)?;
        let access = app.workspace.campaign(account.caller(), id).await?;
        Ok(Self { account, id, access, done: just_done(parts) })
    }
}

/// The parameter `done` of a page to which an edit redirected.
fn just_done(parts: &Parts) -> Option<i64> {
    parts.uri.query()?.split('&').find_map(|pair| pair.strip_prefix("done=")?.parse().ok())
}
