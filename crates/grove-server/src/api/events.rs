use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::{Stream, stream};

use super::campaigns::CampaignInfo;
use crate::app::App;
use crate::auth::{Account, CampaignAccess};
use crate::http_error::Result;

/// The shortest time between two events, however fast votes come.
const PAUSE: Duration = Duration::from_millis(500);

/// How often a stream checks that its owner is still logged in, for those who log out at another server.
const RECHECK: Duration = Duration::from_secs(15);

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
    let mut changes = campaign.watch()?;
    changes.mark_changed();
    let (mut revoked, stopping) = (app.credentials.subscribe(), app.stopping.subscribe());
    revoked.mark_unchanged();
    let counted = app.metrics.event_stream();
    let start = (campaign.access, changes, stopping, (app, headers, revoked, campaign.id), counted);
    let events = stream::unfold(start, |(campaign, mut changes, mut stopping, login, counted)| async move {
        let (app, headers, mut revoked, id) = login;
        loop {
            tokio::select! {
                changed = changes.changed() => {
                    changed.ok()?;
                    break;
                }
                // Open streams would delay the shutdown.
                _ = stopping.wait_for(|stopping| *stopping) => return None,
                _ = revoked.changed() => {}
                () = tokio::time::sleep(RECHECK) => {}
            }
            let account = Account::authenticate(&app, &headers).await.ok()?;
            app.workspace.campaign(account.caller(), id).await.ok()?;
        }
        let login = (app, headers, revoked, id);
        let event = Event::default().event("moved").json_data(CampaignInfo::new(&campaign).ok()?).ok()?;
        tokio::time::sleep(PAUSE).await;
        Some((Ok(event), (campaign, changes, stopping, login, counted)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}
