//! `grove list`: the campaigns of a database.

use grove_campaign::{State, Status, read_log};
use grove_store::Position;
use serde_json::{Value, json};

use crate::context::Context;
use crate::files;
use crate::text::{because, count, time};

/// List the campaigns of the database.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove list
  grove list --database postgres://grove@db.example.org/grove --json")]
pub(crate) struct List {
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let store = context.store().await?;
        let mut campaigns = Vec::new();
        for campaign in store.campaigns().await? {
            let state = State::after(&read_log(store, campaign.id, Position::START).await?);
            campaigns.push((campaign, state));
        }
        if self.json {
            let campaigns: Vec<Value> =
                campaigns.iter().map(|(campaign, state)| object(campaign, state)).collect();
            return files::print_json(&json!({ "database": store.place(), "campaigns": campaigns }));
        }
        if campaigns.is_empty() {
            return context.remark("no campaigns; `grove new` creates one");
        }
        files::print(&campaigns.iter().map(|(campaign, state)| line(campaign, state)).collect::<String>())
    }
}

fn line(campaign: &grove_store::Campaign, state: &State) -> String {
    let status = match state.status() {
        Status::Asking => "collecting",
        Status::Paused => "paused",
        Status::Stopped => "stopped",
    };
    format!(
        "{}: {}, {} by {}, {status}{}\n",
        campaign.name,
        count(state.concepts().count(), "concept"),
        count(state.votes().count(), "vote"),
        count(state.votes().workers().len(), "worker"),
        because(state.reason()),
    )
}

/// Field names are documented in docs/cli.md and do not change.
fn object(campaign: &grove_store::Campaign, state: &State) -> Value {
    json!({
        "name": campaign.name,
        "id": campaign.id,
        "owner": campaign.owner,
        "created": time(campaign.created),
        "concepts": state.concepts().count(),
        "votes": state.votes().count(),
        "workers": state.votes().workers().len(),
        "status": state.status(),
        "position": campaign.head,
        "believed_to": campaign.advanced,
        "settings": state.settings(),
    })
}
