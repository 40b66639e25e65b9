use std::convert::Infallible;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::Event;
use futures_util::Stream;

use super::campaigns::CampaignInfo;
use crate::app::App;
use crate::auth::{Account, CampaignAccess};
use crate::changes::{Subscriber, event_stream};
use crate::http_error::Result;

/// Stream changes of the belief
///
/// Server-sent events named `moved`, each with the state of the campaign as `GET /campaigns/{campaign}` returns it. The first one is
/// sent at once. The stream ends when the account logs out, the token is revoked or the campaign is no longer shared
/// with it.
#[utoipa::path(get, path = "/campaigns/{campaign}/events", tag = "history", params(("campaign" = Uuid, Path)),
    responses((status = 200, content_type = "text/event-stream", body = String)))]
pub(super) async fn events(
    State(app): State<App>,
    headers: HeaderMap,
    campaign: CampaignAccess,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    Ok(event_stream(app.clone(), campaign.watch()?, LoggedIn { app, headers, campaign }))
}

/// An account, by the headers of the request that opened the stream.
struct LoggedIn {
    app: App,
    headers: HeaderMap,
    campaign: CampaignAccess,
}

impl Subscriber for LoggedIn {
    async fn may_read(&self) -> bool {
        let Ok(account) = Account::authenticate(&self.app, &self.headers).await else { return false };
        self.app.workspace.campaign(account.caller(), self.campaign.id).await.is_ok()
    }

    fn event(&self) -> Option<Event> {
        Event::default().event("moved").json_data(CampaignInfo::new(&self.campaign).ok()?).ok()
    }
}
