use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::{Stream, stream};

use super::campaigns::CampaignInfo;
use crate::app::App;
use crate::auth::CampaignAccess;
use crate::http_error::Result;

/// The shortest time between two events, however fast votes come.
const PAUSE: Duration = Duration::from_millis(500);

/// Stream changes of the belief
///
/// Server-sent events named `moved`, each with the state of the campaign as `GET /campaigns/{campaign}` returns it. The first one is
/// sent at once.
#[utoipa::path(get, path = "/campaigns/{campaign}/events", tag = "history", params(("campaign" = Uuid, Path)),
    responses((status = 200, content_type = "text/event-stream", body = String)))]
pub(super) async fn events(
    State(app): State<App>,
    campaign: CampaignAccess,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let mut changes = campaign.watch()?;
    changes.mark_changed();
    let start = (campaign.access, changes, app.stopping.subscribe(), app.metrics.event_stream());
    let events = stream::unfold(start, |(campaign, mut changes, mut stopping, counted)| async move {
        // Open streams would delay the shutdown.
        tokio::select! {
            changed = changes.changed() => changed.ok()?,
            _ = stopping.wait_for(|stopping| *stopping) => return None,
        }
        let event = Event::default().event("moved").json_data(CampaignInfo::new(&campaign).ok()?).ok()?;
        tokio::time::sleep(PAUSE).await;
        Some((Ok(event), (campaign, changes, stopping, counted)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}
