//! The tree: a drawing from left to right, of what is unfolded.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use askama::Template;
use grove_formats::{Entry, Hierarchy, LaidEdge, LaidNode, Layout, LayoutOptions};
use grove_tree::Concept;
use grove_vocabulary::Reason;

use super::item::{Item, piece, reason_class, shown_reason};
use super::pieces::Pane;
use super::url::Links;
use super::visible::Visible;
use crate::http_error::Result;

/// The height of a row: as much as a finger needs, at the smallest scale that a drawing is fitted to.
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
    let hierarchy = unfolded(visible, items)?;
    let options =
        LayoutOptions { gap: GAP, row_height: ROW_HEIGHT, names_unasked: true, ..LayoutOptions::default() };
    let layout = Layout::new(&hierarchy, &options);
    let short = Links::short();
    let node = |laid: &LaidNode| {
        let item = &items[laid.concept.index()];
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

/// The unfolded part as a hierarchy of its own; concept j is `items[j]`, also where that stands for children that are left out.
fn unfolded(visible: &Visible<'_>, items: &[Item]) -> Result<Hierarchy> {
    let whole = &visible.view.hierarchy;
    let mut renumbered = vec![Concept::ROOT; whole.len() + 1];
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item.row.rest.is_none()) {
        renumbered[item.row.concept.index()] = Concept::new(at);
    }
    let entry = |item: &Item| match item.row.rest {
        // Two concepts may leave out as many, and names must differ; a character for private use keeps this one from being a concept's.
        Some((rest, _)) => Some(Entry {
            name: format!("\u{e000}{rest} more {}", item.row.number),
            parent: renumbered[item.row.concept.index()],
            reasons: vec![Reason::Unasked],
            ..Entry::default()
        }),
        None => whole.entry(item.row.concept).map(|entry| Entry {
            name: entry.name.clone(),
            parent: renumbered[entry.parent.index()],
            certainty: entry.certainty,
            reasons: vec![shown_reason(entry)],
            ..Entry::default()
        }),
    };
    Ok(Hierarchy::new(whole.heading().clone(), items.iter().filter_map(entry).collect())?)
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

#[cfg(test)]
mod tests {
    use grove_campaign::operations::View;
    use grove_formats::Heading;
    use grove_store::Position;

    use super::*;
    use crate::pages::hierarchy::item::Marks;
    use crate::pages::hierarchy::url::PageUrl;

    #[test]
    fn what_is_left_out_is_drawn_as_a_node() {
        // Two concepts, each with 130 below it.
        let parents = [0, 0].into_iter().chain((0..260).map(|at| 1 + at % 2));
        let entries =
            parents.enumerate().map(|(at, parent)| Entry::new(&format!("c{at}"), Concept::new(parent)));
        let hierarchy = Hierarchy::new(Heading::new("all"), entries.collect()).unwrap();
        let view = View { position: Position(9), hierarchy, numbers: (1..=262).collect(), votes: 0 };
        let mut url = PageUrl { depth: Some(9), ..PageUrl::default() };
        let visible = Visible::new(&view, &mut url);
        let items: Vec<Item> =
            visible.rows.iter().map(|row| Item::new(&visible, *row, &url, &Marks::default())).collect();
        let drawing = tree(&visible, &items, &url.links()).unwrap();
        let html = drawing.pane.changed_html();
        assert_eq!(html.matches("<text>30 more</text>").count(), 2, "{html}");
        assert!(html.contains("data-key=\"more-1\"") && html.contains("more=2-300"), "{html}");
        assert_eq!(html.matches("data-name=").count(), 203);
        let edges: usize = drawing.lines.iter().map(|line| line.path.matches('M').count()).sum();
        assert_eq!(edges, 3 + 204, "three trunks, and a line to every node but the root");
    }
}
