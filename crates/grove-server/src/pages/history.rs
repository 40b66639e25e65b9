//! All edits of the past, with Undo where it is still possible.

use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use grove_store::{Actor, OwnerId, Position};
use serde::Deserialize;

use super::campaign::CampaignHeader;
use super::layout::{Layout, render};
use super::words::edit_in_words;
use crate::app::App;
use crate::auth::CampaignAccess;
use crate::extract::QueryParams;
use crate::http_error::Result;
use crate::time::Stamp;

/// The edits on one page.
const PAGE: usize = 100;

struct EditRow {
    position: Position,
    text: String,
    author: String,
    at: Stamp,
    can_undo: bool,
}

#[derive(Template)]
#[template(path = "campaign/history.html")]
struct HistoryPage {
    layout: Layout,
    header: CampaignHeader,
    rows: Vec<EditRow>,
    /// The page with older edits, if there are any.
    older: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct HistoryQuery {
    #[serde(default)]
    page: usize,
}

pub(super) async fn show(
    State(app): State<App>,
    campaign: CampaignAccess,
    QueryParams(query): QueryParams<HistoryQuery>,
) -> Result<Response> {
    let reader = campaign.reader();
    let links = campaign.link_names().await?;
    let (mut rows, actors, count) = campaign.state().map(|state| {
        let all = state.history();
        let shown: Vec<_> = all.iter().rev().skip(query.page * PAGE).take(PAGE).collect();
        let row = |edit: &&grove_campaign::PastEdit| EditRow {
            position: edit.position,
            text: edit_in_words(&state, &links, &edit.what),
            author: String::new(),
            at: Stamp(edit.at),
            can_undo: reader.may_undo(&state, edit),
        };
        let actors: Vec<Actor> = shown.iter().map(|edit| edit.actor.clone()).collect();
        (shown.iter().map(row).collect::<Vec<_>>(), actors, all.len())
    })?;
    let mut names: HashMap<OwnerId, String> = HashMap::new();
    for (row, actor) in rows.iter_mut().zip(actors) {
        row.author = match actor {
            Actor::Owner(owner) => {
                if let std::collections::hash_map::Entry::Vacant(unknown) = names.entry(owner) {
                    let found = app.store().owner(owner).await?;
                    unknown.insert(found.map_or_else(|| "a former account".to_owned(), |owner| owner.name));
                }
                names.get(&owner).cloned().unwrap_or_default()
            }
            Actor::Worker(_) => "a worker".to_owned(),
            _ => "the command line".to_owned(),
        };
    }
    let header = CampaignHeader::new(&reader, "History", None).await?;
    render(&HistoryPage {
        layout: header.layout(&reader),
        header,
        rows,
        older: ((query.page + 1) * PAGE < count).then_some(query.page + 1),
    })
}
