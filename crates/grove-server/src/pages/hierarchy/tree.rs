//! The tree: a drawing from left to right, of what is unfolded.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use askama::Template;
use grove_formats::{Entry, Hierarchy, LaidEdge, LaidNode, Layout, LayoutOptions};
use grove_tree::Concept;

use super::item::{Item, piece, reason_class, shown_reason};
use super::pieces::Pane;
use super::url::Links;
use super::visible::Visible;
use crate::http_error::Result;

/// The height of a row: as much as a finger needs.
const ROW_HEIGHT: f64 = 26.0;
/// The room between two columns, in which the button that folds stands.
const GAP: f64 = 72.0;

/// A drawing of many pieces.
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) pane: Pane,
    /// What is drawn behind the pieces: the class, the width and the path of each line.
    pub(super) lines: Vec<Line>,
}

/// One line, or many of the same look.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line {
    pub(super) class: String,
    pub(super) width: String,
    pub(super) opacity: Option<String>,
    pub(super) path: String,
}

#[derive(Template)]
#[template(path = "hierarchy/tree_node.svg", escape = "html")]
struct TreeNode<'a> {
    item: &'a Item,
    links: &'a Links,
    label: &'a str,
    width: f64,
}

pub(super) fn tree(visible: &Visible<'_>, items: &[Item], links: &Links) -> Result<Drawing> {
    let shown: Vec<&Item> = items.iter().filter(|item| item.row.rest.is_none()).collect();
    let hierarchy = unfolded(visible, &shown)?;
    let options =
        LayoutOptions { gap: GAP, row_height: ROW_HEIGHT, names_unasked: true, ..LayoutOptions::default() };
    let layout = Layout::new(&hierarchy, &options);
    let short = Links::short();
    let node = |laid: &LaidNode| {
        let item = shown[laid.concept.index()];
        let node = piece(item, links, &short, |item, links| TreeNode {
            item,
            links,
            label: &laid.label,
            width: laid.width.round(),
        })?;
        Ok(node.at(laid.x, laid.y))
    };
    let pieces = layout.nodes.iter().map(node).collect::<Result<_>>()?;
    Ok(Drawing {
        width: (layout.width + GAP).round(),
        height: layout.height.round(),
        pane: Pane { pieces },
        lines: lines(&layout.trunks, &layout.edges),
    })
}

/// The unfolded part as a hierarchy of its own; concept j is `shown[j]`.
fn unfolded(visible: &Visible<'_>, shown: &[&Item]) -> Result<Hierarchy> {
    let whole = &visible.view.hierarchy;
    let mut renumbered = vec![Concept::ROOT; whole.len() + 1];
    for (at, item) in shown.iter().enumerate() {
        renumbered[item.row.concept.index()] = Concept::new(at);
    }
    let entries = shown.iter().filter_map(|item| whole.entry(item.row.concept)).map(|entry| Entry {
        name: entry.name.clone(),
        parent: renumbered[entry.parent.index()],
        certainty: entry.certainty,
        reasons: vec![shown_reason(entry)],
        ..Entry::default()
    });
    Ok(Hierarchy::new(whole.heading().clone(), entries.collect())?)
}

/// The edges, those of one look together, since most of a drawing's size is in its lines.
fn lines(trunks: &[String], edges: &[LaidEdge]) -> Vec<Line> {
    let mut paths: BTreeMap<(String, String), String> = BTreeMap::new();
    paths.insert(("edge".to_owned(), "1.5".to_owned()), trunks.concat());
    for edge in edges {
        let class = format!("edge{}", reason_class(edge.reason));
        let _ = write!(paths.entry((class, format!("{:.1}", edge.thickness))).or_default(), "{}", edge.path);
    }
    paths.into_iter().map(|((class, width), path)| Line { class, width, opacity: None, path }).collect()
}
