//! Where everything stands when a hierarchy is drawn: computed once, drawn by the SVG, the report and the pages.

mod label;
mod rows;

use grove_tree::{Concept, Outline};

use crate::{Entry, Hierarchy};
use label::{shorten, width};
use rows::rows;

/// Measures of a drawing, in pixels, and the red line.
#[derive(Clone, PartialEq, Debug)]
pub struct LayoutOptions {
    /// The size of the names.
    pub font_size: f64,
    /// The distance between two names in one column.
    pub row_height: f64,
    /// The room for the edges between two columns.
    pub gap: f64,
    /// The most columns of text that a name takes before it is cut; a wide character takes two.
    pub label_columns: usize,
    /// A parent less certain than this is doubtful.
    pub doubtful_below: f64,
    /// An alternative parent less certain than this gets no line.
    pub alternatives_from: f64,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        Self {
            font_size: 13.0,
            row_height: 22.0,
            gap: 44.0,
            label_columns: 40,
            doubtful_below: 0.75,
            alternatives_from: 0.1,
        }
    }
}

/// A concept, or the root, in a drawing.
#[derive(Clone, PartialEq, Debug)]
pub struct LaidNode {
    /// Which one.
    pub concept: Concept,
    /// The left end of its name.
    pub x: f64,
    /// The middle of its name.
    pub y: f64,
    /// About how wide the name and its certainty are.
    pub width: f64,
    /// The name, cut if it is long.
    pub label: String,
    /// The certainty of its parent, as printed behind the name: "0.93".
    pub certainty: Option<String>,
    /// Whether that certainty is below the red line.
    pub doubtful: bool,
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
    /// The certainty, for an alternative too.
    pub certainty: Option<f64>,
    /// Whether the certainty is below the red line, which is drawn dashed and red.
    pub doubtful: bool,
}

/// A hierarchy laid out from left to right: one column per level, children close together beside their parent.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// The width of the drawing.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The root first, then everything in depth-first order.
    pub nodes: Vec<LaidNode>,
    /// From the name of every parent to the place where the lines to its children part, as an SVG path.
    pub trunks: Vec<String>,
    /// The edges of the hierarchy, in the order of the nodes.
    pub edges: Vec<LaidEdge>,
    /// Faint links to alternative parents.
    pub alternatives: Vec<LaidEdge>,
}

/// The distance around the drawing.
const MARGIN: f64 = 12.0;
/// The distance between a name and the lines at its ends.
const PAD: f64 = 5.0;

impl Layout {
    /// Lays a hierarchy out. Subtrees slide together until they touch, level by level (after Reingold and Tilford,
    /// "Tidier drawings of trees", 1981), so shallow branches fill the room beside deep ones. O(N).
    #[must_use]
    pub fn new(hierarchy: &Hierarchy, options: &LayoutOptions) -> Self {
        let outline = hierarchy.outline();
        let rows = rows(hierarchy.tree(), &outline);
        let order = outline.order();
        let top = order.iter().map(|concept| rows[concept.index()]).fold(f64::INFINITY, f64::min);
        let bottom = order.iter().map(|concept| rows[concept.index()]).fold(f64::NEG_INFINITY, f64::max);
        let mut nodes: Vec<LaidNode> =
            order.iter().map(|&concept| node(hierarchy, concept, options)).collect();
        let columns = columns(&nodes, &outline, options.gap);
        for node in &mut nodes {
            node.x = columns[outline.depth(node.concept)];
            node.y = MARGIN + options.row_height * (rows[node.concept.index()] - top + 0.5);
        }
        let lines = Lines::new(&nodes, &columns, &outline, options);
        let (trunks, edges, alternatives) =
            (lines.trunks(), lines.edges(hierarchy), lines.alternatives(hierarchy));
        let width = nodes.iter().map(|node| node.x + node.width).fold(0.0, f64::max) + MARGIN;
        let height = 2.0 * MARGIN + options.row_height * (bottom - top + 1.0);
        Self { width, height, nodes, trunks, edges, alternatives }
    }
}

/// A node with its texts, not yet placed.
fn node(hierarchy: &Hierarchy, concept: Concept, options: &LayoutOptions) -> LaidNode {
    let label = shorten(hierarchy.name(concept), options.label_columns);
    let sure = hierarchy.entry(concept).and_then(|entry| entry.certainty);
    let certainty = sure.map(|certainty| format!("{certainty:.2}"));
    let behind = certainty.as_ref().map_or(0.0, |text| width(text, 0.85 * options.font_size) + PAD);
    LaidNode {
        concept,
        x: 0.0,
        y: 0.0,
        // The root is set in bold.
        width: width(&label, options.font_size) * if concept.is_root() { 1.12 } else { 1.0 } + behind,
        label,
        certainty,
        doubtful: sure.is_some_and(|certainty| certainty < options.doubtful_below),
    }
}

/// Where each level begins; one more than there are levels.
fn columns(nodes: &[LaidNode], outline: &Outline, gap: f64) -> Vec<f64> {
    let levels = nodes.iter().map(|node| outline.depth(node.concept)).max().unwrap_or(0) + 1;
    let mut widest = vec![0.0_f64; levels];
    for node in nodes {
        let level = &mut widest[outline.depth(node.concept)];
        *level = level.max(node.width);
    }
    let mut columns = vec![MARGIN];
    for (level, widest) in widest.iter().enumerate() {
        columns.push(columns[level] + widest + gap);
    }
    columns
}

/// Draws lines between nodes that have their places.
struct Lines<'a> {
    /// Nodes by the number of their concept.
    nodes: Vec<&'a LaidNode>,
    columns: &'a [f64],
    outline: &'a Outline,
    options: &'a LayoutOptions,
}

impl<'a> Lines<'a> {
    fn new(
        nodes: &'a [LaidNode],
        columns: &'a [f64],
        outline: &'a Outline,
        options: &'a LayoutOptions,
    ) -> Self {
        let mut by_concept: Vec<&LaidNode> = nodes.iter().collect();
        by_concept.sort_by_key(|node| node.concept);
        Self { nodes: by_concept, columns, outline, options }
    }

    fn trunks(&self) -> Vec<String> {
        let parents = self.nodes.iter().filter(|node| !self.outline.children(node.concept).is_empty());
        parents.map(|node| format!("M{:.1} {:.1}H{:.1}", start(node), node.y, self.bend(node))).collect()
    }

    fn edges(&self, hierarchy: &Hierarchy) -> Vec<LaidEdge> {
        let edge = |child: Concept, entry: &Entry| {
            let parent = self.nodes[entry.parent.index()];
            let path = format!("M{:.1} {:.1}{}", self.bend(parent), parent.y, self.curve(parent, child));
            self.line(entry.parent, child, path, entry.certainty)
        };
        with_entries(self.outline, hierarchy).map(|(child, entry)| edge(child, entry)).collect()
    }

    fn alternatives(&self, hierarchy: &Hierarchy) -> Vec<LaidEdge> {
        let children = with_entries(self.outline, hierarchy);
        let links =
            children.flat_map(|(child, entry)| entry.alternatives.iter().map(move |link| (child, link)));
        let link = |(child, &(above, certainty)): (Concept, &(Concept, f64))| {
            let parent = self.nodes[above.index()];
            // The whole way, because a parent that has no child yet has no trunk.
            let trunk = format!("M{:.1} {:.1}H{:.1}", start(parent), parent.y, self.bend(parent));
            self.line(above, child, trunk + &self.curve(parent, child), Some(certainty))
        };
        links.filter(|(_, (_, certainty))| *certainty >= self.options.alternatives_from).map(link).collect()
    }

    fn line(&self, parent: Concept, child: Concept, path: String, certainty: Option<f64>) -> LaidEdge {
        LaidEdge {
            parent,
            child,
            path,
            thickness: certainty.map_or(1.5, |certainty| 1.0 + 2.0 * certainty),
            certainty,
            doubtful: certainty.is_some_and(|certainty| certainty < self.options.doubtful_below),
        }
    }

    /// The end of a node's column: lines go straight so far, so as not to cross the names in it.
    fn bend(&self, node: &LaidNode) -> f64 {
        self.columns[self.outline.depth(node.concept) + 1] - self.options.gap + PAD
    }

    /// From a parent's bend to a child. To the right the curve leaves and arrives level; a link back to the left
    /// swings out and in again.
    fn curve(&self, parent: &LaidNode, child: Concept) -> String {
        let (bend, child) = (self.bend(parent), self.nodes[child.index()]);
        let end = child.x - PAD;
        let swing = ((end - bend) / 2.0).max(self.options.gap / 2.0);
        let (from, to) = (parent.y, child.y);
        format!("C{:.1} {from:.1} {:.1} {to:.1} {end:.1} {to:.1}", bend + swing, end - swing)
    }
}

/// Where the lines from a node begin.
fn start(node: &LaidNode) -> f64 {
    node.x + node.width + PAD
}

/// The concepts in depth-first order, with what is known of them.
fn with_entries<'a>(
    outline: &'a Outline,
    hierarchy: &'a Hierarchy,
) -> impl Iterator<Item = (Concept, &'a Entry)> {
    outline.order().iter().filter_map(|&child| Some((child, hierarchy.entry(child)?)))
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
        let doubtful: Vec<&str> =
            layout.nodes.iter().filter(|node| node.doubtful).map(|node| &node.label[..]).collect();
        assert_eq!(doubtful, ["tomato"]);
        assert_eq!((layout.edges.len(), layout.trunks.len()), (4, 2));
        assert_eq!((layout.edges[1].thickness, layout.edges[0].thickness), (2.2, 1.5));
        let [link] = &layout.alternatives[..] else { panic!("one alternative") };
        assert_eq!((link.parent, link.child), (Concept::new(4), Concept::new(2)));
    }

    fn parents() -> impl Strategy<Value = Vec<usize>> {
        proptest::collection::vec(any::<usize>(), 1..60)
            .prop_map(|draws| draws.iter().enumerate().map(|(at, draw)| draw % (at + 1)).collect())
    }

    proptest! {
        /// No two names touch, no name leaves the drawing, a parent stands in the middle of its children.
        #[test]
        fn nothing_overlaps(parents in parents()) {
            let entry = |(at, &parent): (usize, &usize)| Entry::new(&format!("concept {at}"), Concept::new(parent));
            let entries = parents.iter().enumerate().map(entry).collect();
            let hierarchy = Hierarchy::new(Heading::new("top"), entries).unwrap();
            let options = LayoutOptions::default();
            let layout = Layout::new(&hierarchy, &options);
            for (at, one) in layout.nodes.iter().enumerate() {
                prop_assert!(one.x >= 0.0 && one.x + one.width <= layout.width);
                prop_assert!(one.y >= 0.0 && one.y <= layout.height);
                for other in &layout.nodes[at + 1..] {
                    let apart = one.x + one.width < other.x || other.x + other.width < one.x;
                    prop_assert!(apart || (one.y - other.y).abs() > options.row_height - 1e-6);
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
