use std::time::Duration;

use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Edit, Status};
use uuid::Uuid;

use super::layout::{Layout, Notice};
use crate::auth::CampaignAccess;
use crate::http_error::Result;

/// The header of all pages of a campaign.
pub(super) struct CampaignHeader {
    pub(super) id: Uuid,
    pub(super) title: String,
    pub(super) status: &'static str,
    pub(super) reason: String,
    /// The name of the present tab.
    pub(super) tab: &'static str,
    pub(super) notice: Option<Notice>,
    /// The entry of the log at which the recorded belief could not be reproduced.
    pub(super) mismatch: Option<String>,
}

/// The name of a campaign's status.
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Asking => "Collecting",
        Status::Paused => "Paused",
        Status::Stopped => "Stopped",
    }
}

impl CampaignHeader {
    pub(super) fn new(campaign: &CampaignAccess, tab: &'static str, notice: Option<Notice>) -> Result<Self> {
        let state = campaign.state()?;
        let (title, reason) = (state.settings().heading().title, state.reason().to_owned());
        let mismatch = campaign.snapshot()?.0.astray.map(|position| position.to_string());
        Ok(Self { id: campaign.id.0, title, status: status(state.status()), reason, tab, notice, mismatch })
    }

    pub(super) fn layout(&self, campaign: &CampaignAccess) -> Layout {
        Layout::new(format!("{} · {}", self.tab, self.title), Some(&campaign.account))
    }
}

/// How long a page waits for the belief to follow an edit before it is shown as it was.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Applies an edit, and waits a little for the belief to follow.
pub(super) async fn apply(campaign: &CampaignAccess, edit: Edit) -> Result<()> {
    let mut changes = campaign.watch()?;
    changes.mark_unchanged();
    campaign.edit(edit).await?;
    let _ = tokio::time::timeout(PATIENCE, changes.changed()).await;
    Ok(())
}

/// Redirects to a page of the campaign.
pub(super) fn redirect(campaign: &CampaignAccess, path: &str) -> Response {
    Redirect::to(&format!("/campaigns/{}{path}", campaign.id)).into_response()
}
