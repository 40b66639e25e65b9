use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::{Stream, stream};

use super::campaigns::CampaignBody;
use crate::app::App;
use crate::auth::Owned;
use crate::metrics::Metrics;

/// However quickly votes come, a page is not told more often.
const PAUSE: Duration = Duration::from_millis(500);

/// Tells a page whenever the belief has moved: events named `moved`, each with the campaign as it stands.
#[utoipa::path(get, path = "/campaigns/{campaign}/events", tag = "history", params(("campaign" = Uuid, Path)),
    responses((status = 200, content_type = "text/event-stream", body = String)))]
pub(super) async fn events(
    State(app): State<App>,
    owned: Owned,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut changes = owned.campaign.watch();
    changes.mark_changed();
    let start = (owned.campaign, changes, app.stopping(), Metrics::stream(&app));
    let moves = stream::unfold(start, |(live, mut changes, mut stopping, counted)| async move {
        // Open streams would hold up the end of the server.
        tokio::select! {
            changed = changes.changed() => changed.ok()?,
            _ = stopping.wait_for(|stopping| *stopping) => return None,
        }
        let event = Event::default().event("moved").json_data(CampaignBody::new(&live)).ok()?;
        tokio::time::sleep(PAUSE).await;
        Some((Ok(event), (live, changes, stopping, counted)))
    });
    Sse::new(moves).keep_alive(KeepAlive::default())
}
