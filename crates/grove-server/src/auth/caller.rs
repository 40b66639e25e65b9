use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use grove_campaign::Live;
use grove_store::{Actor, CampaignId, Owner, Purpose};

use super::{hash_secret, session_secret};
use crate::app::App;
use crate::fault::Fault;

/// The bearer token of a request, if it has an `Authorization` at all; an unreadable one is an empty token.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(axum::http::header::AUTHORIZATION)?;
    Some(value.to_str().ok().and_then(|value| value.strip_prefix("Bearer ")).unwrap_or(""))
}

/// An owner who asks, by session or token.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) owner: Owner,
}

impl Caller {
    /// Who shows these headers. A token goes before a session: a request with one needs no check of its origin.
    pub(crate) async fn of(app: &App, headers: &HeaderMap) -> Result<Self, Fault> {
        let token = bearer(headers).map(str::to_owned);
        let by_token = token.is_some();
        let secret = token.or_else(|| session_secret(app, headers)).ok_or(Fault::Unauthorized)?;
        let known = app.store().credential(&hash_secret(&secret), app.now()).await?;
        let credential = known.ok_or(Fault::Unauthorized)?;
        let owner = match (credential.purpose, by_token) {
            (Purpose::Token(owner), true) | (Purpose::Session(owner), false) => owner,
            _ => return Err(Fault::Unauthorized),
        };
        let owner = app.store().owner(owner).await?.ok_or(Fault::Unauthorized)?;
        Ok(Self { owner })
    }

    pub(crate) fn actor(&self) -> Actor {
        Actor::Owner(self.owner.id)
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        Self::of(app, &parts.headers).await
    }
}

/// A campaign of the owner who asks. Campaigns of others are as unknown as those that never were.
#[derive(Clone)]
pub(crate) struct Owned {
    pub(crate) caller: Caller,
    pub(crate) id: CampaignId,
    pub(crate) campaign: Live,
}

impl FromRequestParts<App> for Owned {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let caller = Caller::of(app, &parts.headers).await?;
        let params = RawPathParams::from_request_parts(parts, app).await.map_err(|_| Fault::NotFound)?;
        let id = params.iter().find(|(name, _)| *name == "campaign").map(|(_, id)| id);
        let id = id.and_then(|id| id.parse().ok()).map(CampaignId).ok_or(Fault::NotFound)?;
        let stored = app.store().campaign(id).await?;
        if stored.owner != Some(caller.owner.id) {
            return Err(Fault::NotFound);
        }
        let campaign = app.campaigns().get(id).await?;
        Ok(Self { caller, id, campaign })
    }
}
