use grove_vocabulary::Reason;

use super::WriteOptions;
use crate::escape::xml as escape;
use crate::layout::{LaidEdge, LaidNode};
use crate::{Hierarchy, Layout, LayoutOptions};

/// Light and dark colours, in the drawing itself, so that it looks the same alone and in a page. They are those of the server's pages: one
/// hue for certainty, amber where people differ, grey where nobody was asked. Each has a pattern of its own, since not everybody tells the
/// colours apart.
const STYLE: &str = "\
.grove{--ink:#1c2127;--soft:#5f6b76;--certain:#17653d;--differ:#8a4b00;--paper:#fff;background:var(--paper);\
font:13px system-ui,sans-serif}\
.grove text{fill:var(--ink);dominant-baseline:central;paint-order:stroke;stroke:var(--paper);stroke-width:3px}\
.grove text.root{font-weight:600}\
.grove tspan.sure{font-size:11px;fill:var(--soft)}\
.grove tspan.doubt{font-size:11px;font-weight:600;fill:var(--certain)}\
.grove tspan.differ{font-size:11px;font-weight:600;fill:var(--differ)}\
.grove tspan.unasked{font-size:11px;font-style:italic;fill:var(--soft)}\
.grove path{fill:none;stroke:var(--certain)}\
.grove path.doubt{stroke-dasharray:5 4}\
.grove path.differ{stroke:var(--differ);stroke-dasharray:10 3 2 3}\
.grove path.unasked{stroke:var(--soft);stroke-dasharray:3 3}\
.grove path.other{stroke:var(--soft);stroke-dasharray:2 4;opacity:.8}\
@media(prefers-color-scheme:dark){\
.grove{--ink:#e8ebee;--soft:#9aa6b1;--certain:#7fd0a3;--differ:#f2bd5b;--paper:#15191e}}";

/// Writes the drawing as a file.
pub(crate) fn write(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", element(hierarchy, options))
}

/// Writes the drawing as an element of a page.
pub(crate) fn element(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let measures = LayoutOptions { doubtful_below: options.doubtful_below, ..LayoutOptions::default() };
    let layout = Layout::new(hierarchy, &measures);
    let (width, height) = (layout.width.ceil(), layout.height.ceil());
    let heading = hierarchy.heading();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"grove\" role=\"img\" lang=\"{}\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n<style>{STYLE}</style>\n",
        escape(&heading.language),
        escape(&heading.title),
    );
    // Lines first: names are drawn over them.
    layout.alternatives.iter().for_each(|link| out.push_str(&alternative(hierarchy, link)));
    layout.trunks.iter().for_each(|path| out.push_str(&format!("<path stroke-width=\"2\" d=\"{path}\"/>\n")));
    layout.edges.iter().for_each(|edge| out.push_str(&line(edge)));
    layout.nodes.iter().for_each(|node| out.push_str(&text(hierarchy, node)));
    out.push_str("</svg>\n");
    out
}

/// The class of names and lines; none where nothing is to be told apart.
fn class(reason: Reason) -> Option<&'static str> {
    match reason {
        Reason::Settled => None,
        Reason::Differ => Some("differ"),
        Reason::Open => Some("doubt"),
        Reason::Unasked => Some("unasked"),
    }
}

fn line(edge: &LaidEdge) -> String {
    let class = class(edge.reason).map_or_else(String::new, |class| format!(" class=\"{class}\""));
    format!("<path{class} stroke-width=\"{:.2}\" d=\"{}\"/>\n", edge.thickness, edge.path)
}

fn alternative(hierarchy: &Hierarchy, link: &LaidEdge) -> String {
    let certainty = link.certainty.unwrap_or_default();
    let (class, words) = match link.reason {
        Reason::Differ => (format!("differ\" stroke-width=\"{:.2}", link.thickness), " (people differ)"),
        _ => ("other".to_owned(), ""),
    };
    format!(
        "<path class=\"{class}\" d=\"{}\"><title>{} under {}: {certainty:.2}{words}</title></path>\n",
        link.path,
        escape(hierarchy.name(link.child)),
        escape(hierarchy.name(link.parent)),
    )
}

fn text(hierarchy: &Hierarchy, node: &LaidNode) -> String {
    let root = if node.concept.is_root() { " class=\"root\"" } else { "" };
    let certainty = node.certainty.as_ref().map_or_else(String::new, |certainty| {
        let class = class(node.reason).unwrap_or("sure");
        format!(" <tspan class=\"{class}\">{certainty}</tspan>")
    });
    // Isolated, so that a right-to-left name does not move its certainty to the other side.
    format!(
        "<g><title>{}</title><text{root} x=\"{:.1}\" y=\"{:.1}\">\u{2068}{}\u{2069}{certainty}</text></g>\n",
        escape(&tooltip(hierarchy, node)),
        node.x,
        node.y,
        escape(&node.label),
    )
}

/// The maximum number of alternative parents in a tooltip.
const TOOLTIP_PARENTS: usize = 3;

/// The tooltip of a name: the whole name, its definition, its alternative parents, and why its place is not settled.
fn tooltip(hierarchy: &Hierarchy, node: &LaidNode) -> String {
    let Some(entry) = hierarchy.entry(node.concept) else { return hierarchy.name(node.concept).to_owned() };
    let mut tooltip = entry.name.clone();
    if let Some(definition) = &entry.definition {
        tooltip.push_str(&format!(": {definition}"));
    }
    for &(parent, certainty) in entry.alternatives.iter().take(TOOLTIP_PARENTS) {
        tooltip.push_str(&format!("; under {}: {certainty:.2}", hierarchy.name(parent)));
    }
    let why = hierarchy.explanation(node.concept);
    if !why.is_empty() {
        tooltip.push_str(&format!(". {why}"));
    }
    tooltip
}
