use askama::Template;
use axum::response::Response;
use grove_store::Position;
use serde::Deserialize;

use super::campaign::CampaignHeader;
use super::concept::ConceptPanel;
use super::layout::{Layout, Notice, render};
use super::overview::Overview;
use super::tree::{Tree, TreeUrl};
use crate::auth::CampaignAccess;
use crate::extract::QueryParams;
use crate::http_error::Result;

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct HierarchyParams {
    /// The numbers of folded concepts, separated by dots.
    closed: String,
    at: Option<u32>,
    select: Option<u32>,
    /// The parent whose votes are shown.
    parent: Option<u32>,
    find: String,
}

impl HierarchyParams {
    pub(super) fn selecting(select: Option<u32>) -> Self {
        Self { select, ..Self::default() }
    }
}

#[derive(Template)]
#[template(path = "campaign/hierarchy.html")]
struct HierarchyPage {
    layout: Layout,
    header: CampaignHeader,
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
    campaign: CampaignAccess,
    QueryParams(params): QueryParams<HierarchyParams>,
) -> Result<Response> {
    page(&campaign, params, None).await
}

pub(super) async fn page(
    campaign: &CampaignAccess,
    params: HierarchyParams,
    notice: Option<Notice>,
) -> Result<Response> {
    let head = campaign.state()?.position().0;
    let at = params.at.filter(|at| i64::from(*at) < head);
    let url = TreeUrl {
        path: format!("/campaigns/{}", campaign.id),
        closed: params.closed.split('.').filter_map(|number| number.parse().ok()).collect(),
        at,
        select: params.select,
        find: params.find.trim().to_owned(),
    };
    let view = campaign.hierarchy(at.map(|at| Position(at.into()))).await?;
    let concept = match params.select {
        Some(number) => ConceptPanel::new(campaign, &view, &url, number, params.parent).await?,
        None => None,
    };
    let header = CampaignHeader::new(campaign, "Hierarchy", notice)?;
    render(&HierarchyPage {
        layout: header.layout(campaign),
        tree: Tree::new(&view, &url)?,
        closed: url.closed_param(),
        head,
        at: at.map_or(head, i64::from),
        replaying: at.is_some(),
        concept,
        overview: Overview::new(campaign, &view, &url).await?,
        find: params.find,
        header,
    })
}
