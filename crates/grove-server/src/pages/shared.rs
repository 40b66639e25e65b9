//! The hierarchy for whoever has a read-only link. They see what a viewer sees of it, live, and can change nothing.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::sse::Event;
use axum::response::{Response, Sse};
use futures_util::Stream;
use grove_campaign::operations::Access;
use grove_store::CampaignId;

use super::campaign::Reader;
use super::hierarchy::{self, HierarchyParams};
use crate::app::App;
use crate::auth::hash_secret;
use crate::changes::{Subscriber, event_stream};
use crate::extract::QueryParams;
use crate::http_error::{HttpError, Result};

/// Somebody with a read-only link.
pub(super) struct Guest {
    access: Access,
    id: CampaignId,
    secret: String,
}

impl FromRequestParts<App> for Guest {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let params = RawPathParams::from_request_parts(parts, app).await.map_err(|_| HttpError::NotFound)?;
        let secret = params.iter().find(|(name, _)| *name == "secret").map(|(_, value)| value.to_owned());
        let secret = secret.ok_or(HttpError::NotFound)?;
        let shared = app.workspace.shared_campaign(&hash_secret(&secret)).await?;
        let (id, access) = shared.ok_or(HttpError::NotFound)?;
        Ok(Self { access, id, secret })
    }
}

impl Guest {
    fn reader(&self) -> Reader<'_> {
        let path = format!("/s/{}", self.secret);
        Reader { access: &self.access, path, account: None, id: self.id.0, done: None }
    }
}

pub(super) async fn show(
    guest: Guest,
    headers: HeaderMap,
    QueryParams(params): QueryParams<HierarchyParams>,
) -> Result<Response> {
    hierarchy::page_of(&guest.reader(), &headers, params).await
}

pub(super) async fn changes(
    guest: Guest,
    headers: HeaderMap,
    QueryParams(params): QueryParams<HierarchyParams>,
    known: String,
) -> Result<Response> {
    hierarchy::changes_of(&guest.reader(), &headers, params, &known).await
}

/// A stream that says when the hierarchy has changed, and nothing else; browsers ignore events without data. It ends when the link is revoked.
pub(super) async fn events(
    State(app): State<App>,
    guest: Guest,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    Ok(event_stream(app.clone(), guest.access.watch()?, LinkHolder { app, guest }))
}

struct LinkHolder {
    app: App,
    guest: Guest,
}

impl Subscriber for LinkHolder {
    async fn may_read(&self) -> bool {
        let shared = self.app.workspace.shared_campaign(&hash_secret(&self.guest.secret)).await;
        shared.is_ok_and(|campaign| campaign.is_some())
    }

    fn event(&self) -> Option<Event> {
        Some(Event::default().event("moved").data("hierarchy"))
    }
}
