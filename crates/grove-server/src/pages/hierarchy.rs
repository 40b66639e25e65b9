use askama::Template;
use axum::extract::State;
use axum::response::Response;
use grove_store::Position;
use serde::Deserialize;

use super::campaign::Bar;
use super::overview::Overview;
use super::shell::{Note, Shell, page};
use super::tree::{Place, Tree};
use super::why::ConceptPanel;
use crate::app::App;
use crate::auth::Owned;
use crate::campaigns::view;
use crate::fault::Fault;
use crate::read::Asks;

/// What the address says.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Query {
    /// Numbers of folded concepts, with dots between.
    closed: String,
    at: Option<u32>,
    select: Option<u32>,
    /// The parent that is asked about.
    parent: Option<u32>,
    find: String,
}

impl Query {
    pub(super) fn selecting(concept: u32) -> Self {
        Self { select: Some(concept), ..Self::default() }
    }
}

#[derive(Template)]
#[template(path = "campaign/hierarchy.html")]
struct HierarchyPage {
    shell: Shell,
    bar: Bar,
    tree: Tree,
    find: String,
    closed: String,
    head: i64,
    at: i64,
    replaying: bool,
    concept: Option<ConceptPanel>,
    overview: Overview,
}

pub(super) async fn show(
    State(app): State<App>,
    owned: Owned,
    Asks(query): Asks<Query>,
) -> Result<Response, Fault> {
    render(&app, &owned, query, None).await
}

/// The page, with what came of the last thing that was done.
pub(super) async fn render(
    app: &App,
    owned: &Owned,
    query: Query,
    note: Option<Note>,
) -> Result<Response, Fault> {
    let head = owned.campaign.look(|state| state.position().0);
    let at = query.at.filter(|at| i64::from(*at) < head);
    let place = Place {
        path: format!("/campaigns/{}", owned.id),
        closed: query.closed.split('.').filter_map(|number| number.parse().ok()).collect(),
        at,
        select: query.select,
        find: query.find.trim().to_owned(),
    };
    let view = match at {
        Some(at) => app.campaigns().view_at(owned.id, Position(at.into())).await?,
        None => view(&owned.campaign),
    };
    let concept = match query.select {
        Some(number) => ConceptPanel::new(owned, &view, &place, number, query.parent).await?,
        None => None,
    };
    let bar = Bar::new(owned, "Hierarchy", note);
    page(&HierarchyPage {
        shell: bar.shell(owned),
        tree: Tree::new(&view, &place)?,
        closed: place.closed_text(),
        head,
        at: at.map_or(head, i64::from),
        replaying: at.is_some(),
        concept,
        overview: Overview::new(app, owned, &view, &place).await?,
        find: query.find,
        bar,
    })
}
