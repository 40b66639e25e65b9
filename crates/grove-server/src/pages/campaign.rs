use std::time::Duration;

use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::operations::{Access, Operation, Role, allowed};
use grove_campaign::{Edit, PastEdit, State, Status};
use grove_store::Position;
use uuid::Uuid;

use super::layout::{Layout, Notice};
use super::toast::Toast;
use crate::auth::{Account, CampaignAccess};
use crate::http_error::Result;

/// Somebody who looks at a campaign, and where.
pub(super) struct Reader<'a> {
    pub(super) access: &'a Access,
    /// The path of the campaign's pages.
    pub(super) path: String,
    /// The account; none for whoever came by a read-only link.
    pub(super) account: Option<&'a Account>,
    pub(super) id: Uuid,
    pub(super) done: Option<i64>,
}

impl Reader<'_> {
    /// Whether their role allows something.
    pub(super) fn may(&self, operation: Operation) -> bool {
        allowed(operation, self.access.caller().role)
    }

    /// Whether an edit of the past can be undone, and they may do it.
    pub(super) fn may_undo(&self, state: &State, edit: &PastEdit) -> bool {
        state.can_undo(edit) && self.access.may_edit(&Edit::Undo { edit: edit.position }, state)
    }
}

impl CampaignAccess {
    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            access: &self.access,
            path: format!("/campaigns/{}", self.id),
            account: Some(&self.account),
            id: self.id.0,
            done: self.done,
        }
    }
}

/// The pages of a campaign: the end of the path, the name on the tab, and what one must be allowed to do to see it.
const TABS: [(&str, &str, Operation); 9] = [
    ("", "Hierarchy", Operation::Read),
    ("/progress", "Progress", Operation::Read),
    ("/workers", "Workers", Operation::ReadWorkers),
    ("/invite", "Invite", Operation::Invite),
    ("/recruit", "Recruit", Operation::Recruit),
    ("/history", "History", Operation::ReadVotes),
    ("/compare", "Compare", Operation::Read),
    ("/export", "Export", Operation::Read),
    ("/settings", "Settings", Operation::ChangeSettings),
];

/// The header of all pages of a campaign.
pub(super) struct CampaignHeader {
    pub(super) id: Uuid,
    pub(super) path: String,
    pub(super) title: String,
    pub(super) status: &'static str,
    pub(super) reason: String,
    /// The name of the present tab.
    pub(super) tab: &'static str,
    pub(super) tabs: Vec<(&'static str, &'static str)>,
    pub(super) notice: Option<Notice>,
    pub(super) toast: Option<Toast>,
    pub(super) can_pause: bool,
    /// What the reader may do, if the campaign is another account's.
    pub(super) role: Option<&'static str>,
    /// The address of the stream of changes.
    pub(super) events: String,
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

/// The name of a role in a campaign that is shared with somebody.
pub(super) fn role_name(role: Role) -> Option<&'static str> {
    match role {
        Role::Editor => Some("You can edit"),
        Role::Viewer => Some("You can view"),
        _ => None,
    }
}

impl CampaignHeader {
    pub(super) async fn new(reader: &Reader<'_>, tab: &'static str, notice: Option<Notice>) -> Result<Self> {
        let toast = match reader.done {
            Some(position) => Toast::of(reader, Position(position)).await?,
            None => None,
        };
        let (reason, now) =
            reader.access.state().map(|state| (state.reason().to_owned(), status(state.status())))?;
        let is_guest = reader.account.is_none();
        let tabs = TABS.iter().filter(|tab| reader.may(tab.2) && !is_guest);
        Ok(Self {
            id: reader.id,
            path: reader.path.clone(),
            title: reader.access.title()?,
            reason,
            status: now,
            tab,
            tabs: tabs.map(|(path, name, _)| (*path, *name)).collect(),
            notice,
            toast,
            can_pause: reader.may(Operation::Pause),
            role: reader.account.and_then(|_| role_name(reader.access.caller().role)),
            events: match is_guest {
                true => format!("{}/events", reader.path),
                false => format!("/api/v1/campaigns/{}/events", reader.id),
            },
            mismatch: reader.access.snapshot()?.0.astray.map(|position| position.to_string()),
        })
    }

    pub(super) fn layout(&self, reader: &Reader<'_>) -> Layout {
        Layout::new(format!("{} · {}", self.tab, self.title), reader.account)
    }
}

/// How long a page waits for the belief to follow an edit. In a small campaign it does within that; in a large one the edit is shown as
/// pending.
const PATIENCE: Duration = Duration::from_millis(250);

/// Applies an edit as [`observed`] does.
pub(super) async fn apply(campaign: &CampaignAccess, edit: Edit) -> Result<Option<Position>> {
    observed(campaign, campaign.edit(edit)).await
}

/// Changes a campaign, waits a moment for the belief to follow, and returns the position of the edit if anything has changed.
pub(super) async fn observed(
    campaign: &CampaignAccess,
    change: impl Future<Output = std::result::Result<(), grove_campaign::Error>>,
) -> Result<Option<Position>> {
    let last = || campaign.state().map(|state| state.history().last().map(|edit| edit.position));
    let before = last()?;
    let mut changes = campaign.watch()?;
    changes.mark_unchanged();
    change.await?;
    let after = last()?.filter(|after| Some(*after) != before);
    if after.is_some() {
        let _ = tokio::time::timeout(PATIENCE, changes.changed()).await;
    }
    Ok(after)
}

/// Redirects to a page of the campaign, which says what was just done.
pub(super) fn redirect_done(campaign: &CampaignAccess, path: &str, done: Option<Position>) -> Response {
    let done = done.map(|position| format!("?done={position}")).unwrap_or_default();
    redirect(campaign, &format!("{path}{done}"))
}

/// Redirects to a page of the campaign.
pub(super) fn redirect(campaign: &CampaignAccess, path: &str) -> Response {
    Redirect::to(&format!("/campaigns/{}{path}", campaign.id)).into_response()
}
