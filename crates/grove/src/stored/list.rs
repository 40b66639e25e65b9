//! `grove list`: the campaigns of a database.

use grove_campaign::{State, Status};
use serde_json::{Value, json};

use super::desk::{Desk, refused};
use super::words;
use crate::args::List;
use crate::{files, terminal};

/// Prints a line for every campaign.
pub(super) async fn run(options: &List, desk: &Desk) -> anyhow::Result<()> {
    let mut found = Vec::new();
    for campaign in desk.store().await?.campaigns().await.map_err(refused)? {
        let state = State::after(&desk.log(campaign.id).await?);
        found.push((campaign, state));
    }
    match options.json {
        true => {
            let campaigns: Vec<Value> =
                found.iter().map(|(campaign, state)| object(campaign, state)).collect();
            words::print_object(&json!({ "database": desk.store().await?.place(), "campaigns": campaigns }))
        }
        false if found.is_empty() => desk.remark("no campaigns; `grove new` makes one"),
        false => found.iter().try_for_each(|(campaign, state)| files::print(&(line(campaign, state) + "\n"))),
    }
}

fn line(campaign: &grove_store::Campaign, state: &State) -> String {
    let (asking, reason) = status(state.status());
    let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    format!(
        "{}: {}, {} by {}, {asking}{reason}",
        campaign.name,
        terminal::count(state.concepts().count(), "concept"),
        terminal::count(state.votes().count(), "vote"),
        terminal::count(state.votes().workers().len(), "worker"),
    )
}

fn object(campaign: &grove_store::Campaign, state: &State) -> Value {
    json!({
        "name": campaign.name,
        "id": campaign.id,
        "owner": campaign.owner,
        "created": words::time(campaign.created),
        "concepts": state.concepts().count(),
        "votes": state.votes().count(),
        "workers": state.votes().workers().len(),
        "status": status(state.status()).0,
        "position": campaign.head,
        "believed_to": campaign.advanced,
        "settings": state.settings(),
    })
}

fn status(status: &Status) -> (&'static str, &str) {
    match status {
        Status::Asking => ("asking", ""),
        Status::Paused { reason } => ("paused", reason),
        Status::Stopped { reason } => ("stopped", reason),
    }
}
