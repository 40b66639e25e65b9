use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Edit, Status};
use uuid::Uuid;

use super::shell::{Note, Shell};
use crate::auth::Owned;
use crate::campaigns::PATIENCE;
use crate::fault::Fault;

/// What stands above all pages of a campaign.
pub(super) struct Bar {
    pub(super) id: Uuid,
    pub(super) title: String,
    pub(super) status: &'static str,
    pub(super) reason: String,
    pub(super) tab: &'static str,
    pub(super) note: Option<Note>,
}

/// The word for a campaign's status, and why.
pub(super) fn status(status: &Status) -> (&'static str, &str) {
    match status {
        Status::Asking => ("asking", ""),
        Status::Paused { reason } => ("paused", reason),
        Status::Stopped { reason } => ("stopped", reason),
    }
}

impl Bar {
    pub(super) fn new(owned: &Owned, tab: &'static str, note: Option<Note>) -> Self {
        owned.campaign.look(|state| {
            let (status, reason) = status(state.status());
            Self {
                id: owned.id.0,
                title: state.settings().heading().title,
                status,
                reason: reason.to_owned(),
                tab,
                note,
            }
        })
    }

    pub(super) fn shell(&self, owned: &Owned) -> Shell {
        Shell::new(format!("{} · {}", self.tab, self.title), Some(&owned.caller))
    }
}

/// Does something to a campaign in its owner's name, and lets the belief follow if it is quick.
pub(super) async fn act(owned: &Owned, edit: Edit) -> Result<(), Fault> {
    let mut moves = owned.campaign.watch();
    moves.mark_unchanged();
    owned.campaign.edit(owned.caller.actor(), edit).await?;
    let _ = tokio::time::timeout(PATIENCE, moves.changed()).await;
    Ok(())
}

/// Back to a page of the campaign.
pub(super) fn back(owned: &Owned, behind: &str) -> Response {
    Redirect::to(&format!("/campaigns/{}{behind}", owned.id)).into_response()
}
