//! The hierarchy, and beside it either the overview or one concept with the reasons for its place.

mod cloud;
mod concept;
mod edits;
mod icicle;
mod item;
mod outline;
mod overview;
mod pending;
mod pieces;
mod preview;
mod tree;
mod url;
mod visible;

use askama::Template;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use grove_store::Position;

use super::campaign::{CampaignHeader, Reader};
use super::layout::{Layout, Notice, render};
use crate::auth::CampaignAccess;
use crate::extract::QueryParams;
use crate::http_error::{HttpError, Result};
use concept::{ConceptPanel, Refused};
use item::{Item, Marks};
use overview::Overview;
use pieces::{Known, Pane, version};
use tree::Drawing;
use url::{PageUrl, ViewKind};
use visible::{UNFOLDED, Visible};

pub(super) use edits::{
    add, correct, describe, merge, names, pause, remove, rename, resume, set_article, undo, undo_correction,
};
pub(super) use item::shown_reason;
pub(super) use overview::KeyFigures;
pub(super) use preview::TreePreview;
pub(super) use url::HierarchyParams;

/// What is beside the hierarchy.
#[derive(Template)]
#[template(path = "hierarchy/side.html")]
struct Side {
    path: String,
    concept: Option<ConceptPanel>,
    overview: Option<Overview>,
    /// Why no concepts were added, where somebody tried that.
    refused: Option<Refused>,
    replaying: bool,
    can_correct: bool,
    can_edit: bool,
    can_invite: bool,
}

/// The rows, in one of the views.
enum Rows {
    Outline(Pane),
    Drawing(Drawing),
    /// There is nothing to draw, and why.
    Nothing(&'static str),
}

/// All that the page shows of a campaign, apart from its frame.
struct Body {
    path: String,
    kind: ViewKind,
    views: Vec<(&'static str, String, bool)>,
    rows: Rows,
    label: String,
    find: String,
    /// What a search found, in words, and the links to the previous and the next.
    found: Option<(String, String, String)>,
    /// The parameters that the search and the slider send along.
    hidden: Vec<(&'static str, String)>,
    /// Links that fold all, and unfold all or one level more.
    fold_all: String,
    unfold: Option<(String, String)>,
    head: i64,
    at: i64,
    replaying: bool,
    now: String,
    side: Option<String>,
    side_version: String,
    is_concept: bool,
}

#[derive(Template)]
#[template(path = "hierarchy/page.html")]
struct HierarchyPage {
    layout: Layout,
    header: CampaignHeader,
    body: Body,
}

#[derive(Template)]
#[template(path = "hierarchy/changes.html")]
struct Changes {
    header: CampaignHeader,
    body: Body,
}

pub(super) async fn show(
    campaign: CampaignAccess,
    headers: HeaderMap,
    QueryParams(params): QueryParams<HierarchyParams>,
) -> Result<Response> {
    page_of(&campaign.reader(), &headers, params).await
}

/// What has changed in the page since a script got it.
pub(super) async fn changes(
    campaign: CampaignAccess,
    headers: HeaderMap,
    QueryParams(params): QueryParams<HierarchyParams>,
    known: String,
) -> Result<Response> {
    changes_of(&campaign.reader(), &headers, params, &known).await
}

pub(super) async fn changes_of(
    reader: &Reader<'_>,
    headers: &HeaderMap,
    params: HierarchyParams,
    known: &str,
) -> Result<Response> {
    let known = Known::read(known);
    let body = Body::new(reader, headers, params, None, Some(&known)).await?;
    let header = CampaignHeader::new(reader, "Hierarchy", None).await?;
    render(&Changes { header, body })
}

pub(super) async fn page_of(
    reader: &Reader<'_>,
    headers: &HeaderMap,
    params: HierarchyParams,
) -> Result<Response> {
    page(reader, headers, params, None, None).await
}

/// The page, perhaps with a correction that was refused.
async fn page(
    reader: &Reader<'_>,
    headers: &HeaderMap,
    params: HierarchyParams,
    notice: Option<Notice>,
    refused: Option<Refused>,
) -> Result<Response> {
    let body = Body::new(reader, headers, params, refused, None).await?;
    let header = CampaignHeader::new(reader, "Hierarchy", notice).await?;
    render(&HierarchyPage { layout: header.layout(reader), header, body })
}

/// Trees of the cloud.
const TREES: usize = 120;

impl Body {
    async fn new(
        reader: &Reader<'_>,
        headers: &HeaderMap,
        params: HierarchyParams,
        refused: Option<Refused>,
        known: Option<&Known>,
    ) -> Result<Self> {
        let access = reader.access;
        let head = access.state()?.position().0;
        let mut url = PageUrl::new(reader.path.clone(), params);
        url.at = url.at.filter(|at| i64::from(*at) < head);
        let view = access.hierarchy(url.at.map(|at| Position(at.into()))).await?;
        let (view, marks) = match url.at {
            None => pending::with_pending(view, &*access.state()?)?,
            Some(_) => (view, Marks::default()),
        };
        let kind = url.view.unwrap_or_else(|| usual_view(headers, view.hierarchy.len()));
        let visible = Visible::new(&view, &mut url);
        let items: Vec<Item> =
            visible.rows.iter().map(|row| Item::new(&visible, *row, &url, &marks)).collect();
        let links = if known.is_some() { url::Links::short() } else { url.links() };
        let mut rows = match kind {
            ViewKind::Outline => Rows::Outline(outline::outline(&items, &links)?),
            ViewKind::Tree => Rows::Drawing(tree::tree(&visible, &items, &links)?),
            ViewKind::Icicle => Rows::Drawing(icicle::icicle(&items, &links)?),
            ViewKind::Cloud if url.at.is_some() => {
                Rows::Nothing("The cloud shows the present only. Choose another view to look at the past.")
            }
            ViewKind::Cloud => match access.samples(TREES).await? {
                // The belief may know fewer concepts than the state.
                Some(samples) if samples.numbers == view.numbers => {
                    Rows::Drawing(cloud::cloud(&items, &samples.trees, &links)?)
                }
                _ => Rows::Nothing("The cloud appears when the belief has been computed."),
            },
        };
        if let Some(known) = known {
            rows.keep_unknown(known);
        }
        let concept = match url.select.filter(|number| *number != 0) {
            Some(number) => ConceptPanel::new(reader, &view, &url, &marks, number, refused.clone()).await?,
            None => None,
        };
        let is_concept = concept.is_some();
        let overview = match &concept {
            Some(_) => None,
            None => Some(Overview::new(access, &view, &url)?),
        };
        let side = Side {
            path: reader.path.clone(),
            replaying: url.at.is_some(),
            can_correct: reader.may(grove_campaign::operations::Operation::Correct),
            can_edit: reader.may(grove_campaign::operations::Operation::EditConcepts),
            can_invite: reader.may(grove_campaign::operations::Operation::Invite),
            refused: refused.filter(|refused| refused.form == "add"),
            concept,
            overview,
        };
        let side = side.render().map_err(|_| HttpError::Internal)?;
        let side_version = format!("side:{}", version(&side));
        let is_known = known.is_some_and(|known| known.has("side", &side_version));
        Ok(Self {
            path: reader.path.clone(),
            kind,
            views: ViewKind::ALL.map(|(view, _, label)| (label, url.viewing(view), view == kind)).to_vec(),
            label: format!("Hierarchy of {} concepts", view.hierarchy.len()),
            found: found(&visible, &url),
            fold_all: url.unfolding(Some(1)),
            unfold: unfold(&visible, &url),
            hidden: url.hidden(&["at"]),
            head,
            at: url.at.map_or(head, i64::from),
            replaying: url.at.is_some(),
            now: PageUrl { at: None, ..url.clone() }.selecting(url.select),
            side: (!is_known).then_some(side),
            side_version,
            is_concept,
            rows,
            find: url.find,
        })
    }
}

impl Rows {
    fn keep_unknown(&mut self, known: &Known) {
        match self {
            Self::Outline(pane) => pane.keep_unknown("rows", known),
            Self::Drawing(drawing) => drawing.pane.keep_unknown("rows", known),
            Self::Nothing(_) => {}
        }
    }
}

/// A large hierarchy is an outline at first, and so is any on a phone.
fn usual_view(headers: &HeaderMap, concepts: usize) -> ViewKind {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_phone = text("sec-ch-ua-mobile") == "?1" || text(header::USER_AGENT.as_str()).contains("Mobi");
    if concepts > UNFOLDED || is_phone { ViewKind::Outline } else { ViewKind::Tree }
}

/// How many concepts were found, and the links to the one before and the one after.
fn found(visible: &Visible<'_>, url: &PageUrl) -> Option<(String, String, String)> {
    if url.find.is_empty() {
        return None;
    }
    let count = visible.found.len();
    if count == 0 {
        return Some(("No match".to_owned(), String::new(), String::new()));
    }
    let at = url.hit % count;
    let [before, after] = [at + count - 1, at + 1].map(|hit| url.finding(hit % count));
    Some((format!("{} of {count}", at + 1), before, after))
}

/// Levels beyond which "unfold all" goes one level at a time, since all would not fit into a page.
fn unfold(visible: &Visible<'_>, url: &PageUrl) -> Option<(String, String)> {
    let is_folded = visible.rows.iter().any(|row| row.open == Some(false));
    let depth = visible.depth.saturating_add(1);
    let small = visible.view.hierarchy.len() <= 10 * UNFOLDED;
    is_folded.then(|| match small {
        true => ("Unfold all".to_owned(), url.unfolding(Some(1_000))),
        false => ("Unfold one level".to_owned(), url.unfolding(Some(depth))),
    })
}
