//! The positions of names and lines in a drawing of a hierarchy, for the SVG, the report and the pages.

mod rows;

use grove_tree::{Concept, Outline};
use grove_vocabulary::{DOUBTFUL_BELOW, Reason};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{Entry, Hierarchy};
use rows::rows;

/// What callers choose about a drawing.
#[derive(Clone, PartialEq, Debug)]
pub struct LayoutOptions {
    /// The space for the edges between two columns, in pixels.
    pub gap: f64,
    /// The distance between names in one column, in pixels.
    pub row_height: f64,
    /// A parent less certain than this is doubtful.
    pub doubtful_below: f64,
    /// Where nobody was asked, say so instead of how certain the guess is.
    pub names_unasked: bool,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        Self { gap: 44.0, row_height: 22.0, doubtful_below: DOUBTFUL_BELOW, names_unasked: false }
    }
}

/// A concept, or the root, in a drawing.
#[derive(Clone, PartialEq, Debug)]
pub struct LaidNode {
    /// The concept or the root.
    pub concept: Concept,
    /// The left end of its name.
    pub x: f64,
    /// The middle of its name.
    pub y: f64,
    /// The approximate width of the name and its certainty.
    pub width: f64,
    /// The name, cut if it is too long.
    pub label: String,
    /// The certainty of its parent, as printed after the name: "0.93"; "0.61 people differ" where they do.
    pub certainty: Option<String>,
    /// The reason that colours it: see [`Entry::shown_reason`].
    pub reason: Reason,
}

/// A line from a parent to its child.
#[derive(Clone, PartialEq, Debug)]
pub struct LaidEdge {
    /// The upper end.
    pub parent: Concept,
    /// The lower end.
    pub child: Concept,
    /// The line as the `d` of an SVG path.
    pub path: String,
    /// Its thickness, from 1 for a certainty of 0 to 3 for 1; 1.5 where none is known.
    pub thickness: f64,
    /// The certainty of the parent or of the alternative.
    pub certainty: Option<f64>,
    /// The reason that colours the line and gives it its pattern. For an alternative, whether it is one of the places between which
    /// people differ.
    pub reason: Reason,
}

/// The layout of a hierarchy from left to right: one column per level, children close together beside their parent.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// The width of the drawing.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The root and all concepts, in depth-first order.
    pub nodes: Vec<LaidNode>,
    /// The line from every parent's name to the point where the edges to its children begin, as an SVG path.
    pub trunks: Vec<String>,
    /// The edges of the hierarchy, in the order of the nodes.
    pub edges: Vec<LaidEdge>,
    /// Links to alternative parents.
    pub alternatives: Vec<LaidEdge>,
}

/// The size of the names, as in the style of the drawing, in pixels.
const FONT_SIZE: f64 = 13.0;
/// The maximum width of a name in characters, beyond which it is cut; a wide character counts as two.
const LABEL_COLUMNS: usize = 40;
/// An alternative parent less certain than this has no line.
const ALTERNATIVES_FROM: f64 = 0.1;
/// The margin around the drawing.
const MARGIN: f64 = 12.0;
/// The distance between a name and the lines at its ends.
const PAD: f64 = 5.0;

impl Layout {
    /// Lays a hierarchy out. Subtrees slide together until they touch, level by level (after Reingold and Tilford,
    /// "Tidier drawings of trees", 1981), so shallow branches fill the space beside deep ones. O(N).
    #[must_use]
    pub fn new(hierarchy: &Hierarchy, options: &LayoutOptions) -> Self {
        let outline = hierarchy.outline();
        let rows = rows(hierarchy.tree(), &outline);
        let top = rows.iter().copied().fold(f64::INFINITY, f64::min);
        let bottom = rows.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut nodes: Vec<LaidNode> =
            outline.order().iter().map(|&concept| node(hierarchy, concept, options)).collect();
        let columns = columns(&nodes, &outline, options.gap);
        let mut bends = vec![0.0; nodes.len()];
        for node in &mut nodes {
            let (concept, depth) = (node.concept.index(), outline.depth(node.concept));
            node.x = columns[depth];
            node.y = MARGIN + options.row_height * (rows[concept] - top + 0.5);
            bends[concept] = columns[depth + 1] - options.gap + PAD;
        }
        let width = nodes.iter().map(|node| node.x + node.width).fold(0.0, f64::max) + MARGIN;
        let height = 2.0 * MARGIN + options.row_height * (bottom - top + 1.0);
        let mut by_concept: Vec<&LaidNode> = nodes.iter().collect();
        by_concept.sort_by_key(|node| node.concept);
        let lines = Lines { hierarchy, nodes: by_concept, bends, options };
        let parents = lines.nodes.iter().filter(|node| !outline.children(node.concept).is_empty());
        let trunks = parents.map(|node| lines.trunk(node.concept)).collect();
        let (edges, alternatives) = (lines.edges(&outline), lines.alternatives(&outline));
        Self { width, height, nodes, trunks, edges, alternatives }
    }
}

/// A node with its texts, not yet placed.
fn node(hierarchy: &Hierarchy, concept: Concept, options: &LayoutOptions) -> LaidNode {
    let label = shorten(hierarchy.name(concept), LABEL_COLUMNS);
    let entry = hierarchy.entry(concept);
    let reason = entry.map_or(Reason::Settled, |entry| entry.shown_reason(options.doubtful_below));
    // Said in words, because a colour alone does not tell everybody. The others are told by their lines.
    let words = if reason == Reason::Differ { format!(" {}", reason.in_words()) } else { String::new() };
    let certainty = entry.and_then(|entry| entry.certainty);
    let printed = match reason {
        Reason::Unasked if options.names_unasked && entry.is_some() => {
            Some(format!("{} yet", reason.in_words()))
        }
        _ => certainty.map(|certainty| format!("{certainty:.2}{words}")),
    };
    let behind = printed.as_ref().map_or(0.0, |text| width(text, 0.85 * FONT_SIZE) + PAD);
    LaidNode {
        concept,
        x: 0.0,
        y: 0.0,
        // The root is set in bold.
        width: width(&label, FONT_SIZE) * if concept.is_root() { 1.12 } else { 1.0 } + behind,
        label,
        certainty: printed,
        reason,
    }
}

/// The left end of each column, and of one more.
fn columns(nodes: &[LaidNode], outline: &Outline, gap: f64) -> Vec<f64> {
    let mut widest: Vec<f64> = Vec::new();
    for node in nodes {
        let depth = outline.depth(node.concept);
        widest.resize(widest.len().max(depth + 1), 0.0);
        widest[depth] = widest[depth].max(node.width);
    }
    let mut columns = vec![MARGIN];
    for (level, widest) in widest.iter().enumerate() {
        columns.push(columns[level] + widest + gap);
    }
    columns
}

/// Draws lines between placed nodes.
struct Lines<'a> {
    hierarchy: &'a Hierarchy,
    /// The nodes in the order of their concepts.
    nodes: Vec<&'a LaidNode>,
    /// The right end of each node's column: lines are straight up to there, so as not to cross the names in it.
    bends: Vec<f64>,
    options: &'a LayoutOptions,
}

impl Lines<'_> {
    /// The line from a parent's name to its bend.
    fn trunk(&self, parent: Concept) -> String {
        let (node, bend) = (self.nodes[parent.index()], self.bends[parent.index()]);
        format!("M{:.1} {:.1}H{bend:.1}", node.x + node.width + PAD, node.y)
    }

    fn edges(&self, outline: &Outline) -> Vec<LaidEdge> {
        let edge = |(child, entry): (Concept, &Entry)| {
            let parent = entry.parent.index();
            let start = format!("M{:.1} {:.1}", self.bends[parent], self.nodes[parent].y);
            self.line(
                start,
                entry.parent,
                child,
                entry.certainty,
                entry.shown_reason(self.options.doubtful_below),
            )
        };
        self.hierarchy.depth_first(outline).map(edge).collect()
    }

    fn alternatives(&self, outline: &Outline) -> Vec<LaidEdge> {
        let mut links = Vec::new();
        for (child, entry) in self.hierarchy.depth_first(outline) {
            let places = entry.other_places();
            let is_place = |parent: Concept| places.iter().any(|place| place.0 == parent);
            let others = entry.alternatives.iter().filter(|other| !is_place(other.0));
            let others = others.filter(|other| other.1 >= ALTERNATIVES_FROM);
            let places = places.iter().map(|place| (place, Reason::Differ));
            for (&(parent, certainty), reason) in places.chain(others.map(|other| (other, Reason::Settled))) {
                // With a trunk of its own, because a parent without children has none.
                links.push(self.line(self.trunk(parent), parent, child, Some(certainty), reason));
            }
        }
        links
    }

    /// A line that begins as given and goes on from the parent's bend to the child. To the right the curve leaves and
    /// arrives horizontally; a link back to the left swings out and in again.
    fn line(
        &self,
        start: String,
        parent: Concept,
        child: Concept,
        certainty: Option<f64>,
        reason: Reason,
    ) -> LaidEdge {
        let (bend, end) = (self.bends[parent.index()], self.nodes[child.index()].x - PAD);
        let swing = ((end - bend) / 2.0).max(self.options.gap / 2.0);
        let [from, to] = [parent, child].map(|concept| self.nodes[concept.index()].y);
        let (out, into) = (bend + swing, end - swing);
        LaidEdge {
            parent,
            child,
            path: format!("{start}C{out:.1} {from:.1} {into:.1} {to:.1} {end:.1} {to:.1}"),
            thickness: certainty.map_or(1.5, |certainty| 1.0 + 2.0 * certainty),
            certainty,
            reason,
        }
    }
}

/// The approximate width of a text: a sans-serif letter is on average 0.56 of its size wide, and wide characters twice
/// that. Too wide is harmless, but with too little, names would run into lines.
fn width(text: &str, font_size: f64) -> f64 {
    0.56 * font_size * text.width() as f64
}

/// The text cut to this many columns, with an ellipsis, at the end of a word if one is near.
fn shorten(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken < columns
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    if let Some(space) = cut.rfind(' ').filter(|&space| space > cut.len() * 2 / 3) {
        cut.truncate(space);
    }
    // A joiner left at the end would join the ellipsis.
    format!("{}…", cut.trim_end_matches(['\u{200d}', '\u{200c}', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Heading;
    use proptest::prelude::*;

    fn chain_and_leaves() -> Hierarchy {
        let under = |name: &str, parent| Entry::new(name, Concept::new(parent));
        let doubtful =
            Entry { certainty: Some(0.6), alternatives: vec![(Concept::new(4), 0.4)], ..under("tomato", 1) };
        let entries = vec![under("fruit", 0), doubtful, under("apple", 1), under("vegetable", 0)];
        Hierarchy::new(Heading::new("food"), entries).unwrap()
    }

    #[test]
    fn marks_doubt_and_alternatives() {
        let layout = Layout::new(&chain_and_leaves(), &LayoutOptions::default());
        let doubtful: Vec<&str> = layout
            .nodes
            .iter()
            .filter(|node| node.reason == Reason::Open)
            .map(|node| &node.label[..])
            .collect();
        assert_eq!(doubtful, ["tomato"]);
        assert_eq!((layout.edges.len(), layout.trunks.len()), (4, 2));
        assert_eq!((layout.edges[1].thickness, layout.edges[0].thickness), (2.2, 1.5));
        let [link] = &layout.alternatives[..] else { panic!("one alternative") };
        assert_eq!((link.parent, link.child), (Concept::new(4), Concept::new(2)));
    }

    #[test]
    fn draws_both_places_where_people_differ() {
        let mut entries = chain_and_leaves().entries().to_vec();
        let place = |parent, share| grove_vocabulary::Place {
            parent: Concept::new(parent),
            share,
            low: 0.0,
            high: 1.0,
        };
        entries[1].reasons = vec![Reason::Differ];
        entries[1].places = vec![place(1, 0.95), place(4, 0.05)];
        entries[1].alternatives = vec![(Concept::ROOT, 0.2)];
        let layout =
            Layout::new(&Hierarchy::new(Heading::new("food"), entries).unwrap(), &LayoutOptions::default());
        let tomato = layout.nodes.iter().find(|node| node.label == "tomato").unwrap();
        assert_eq!(
            (tomato.reason, tomato.certainty.as_deref()),
            (Reason::Differ, Some("0.60 people differ"))
        );
        let lines = layout.alternatives.iter().map(|link| (link.parent.index(), link.certainty, link.reason));
        // The place has its line however few hold it.
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [(4, Some(0.05), Reason::Differ), (0, Some(0.2), Reason::Settled)]
        );
        assert_eq!(layout.edges[1].reason, Reason::Differ);
    }

    #[test]
    fn long_names_are_cut_at_a_word() {
        assert_eq!(shorten("apple", 5), "apple");
        assert_eq!(shorten("apple pie", 6), "apple…");
        assert_eq!(shorten("a very long name indeed", 20), "a very long name…");
        assert_eq!(shorten("パイナップル", 7), "パイナ…");
        assert!(shorten("パイナップル", 7).width() <= 7);
    }

    fn parents() -> impl Strategy<Value = Vec<usize>> {
        proptest::collection::vec(any::<usize>(), 1..60)
            .prop_map(|draws| draws.iter().enumerate().map(|(at, draw)| draw % (at + 1)).collect())
    }

    proptest! {
        /// No two names touch, no name leaves the drawing, a parent is midway between its first and last child.
        #[test]
        fn nothing_overlaps(parents in parents()) {
            let entry = |(at, &parent): (usize, &usize)| Entry::new(&format!("concept {at}"), Concept::new(parent));
            let entries = parents.iter().enumerate().map(entry).collect();
            let hierarchy = Hierarchy::new(Heading::new("top"), entries).unwrap();
            let layout = Layout::new(&hierarchy, &LayoutOptions::default());
            for (at, one) in layout.nodes.iter().enumerate() {
                prop_assert!(one.x >= 0.0 && one.x + one.width <= layout.width);
                prop_assert!(one.y >= 0.0 && one.y <= layout.height);
                for other in &layout.nodes[at + 1..] {
                    let apart = one.x + one.width < other.x || other.x + other.width < one.x;
                    prop_assert!(apart || (one.y - other.y).abs() > LayoutOptions::default().row_height - 1e-6);
                }
            }
            let outline = hierarchy.outline();
            let y = |concept: Concept| layout.nodes.iter().find(|node| node.concept == concept).unwrap().y;
            for node in &layout.nodes {
                let children = outline.children(node.concept);
                if let (Some(&first), Some(&last)) = (children.first(), children.last()) {
                    prop_assert!((node.y - (y(first) + y(last)) / 2.0).abs() < 1e-6);
                }
            }
        }
    }
}
