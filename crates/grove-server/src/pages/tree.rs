//! The drawing of a hierarchy as the page shows it: what [`Layout`] computes, with links.

use std::collections::BTreeSet;

use grove_formats::{Entry, Hierarchy, LaidEdge, LaidNode, Layout, LayoutOptions};
use grove_tree::Concept;

use super::shell::chance;
use crate::api::number;
use crate::campaigns::View;
use crate::fault::Fault;

/// What the address says about the drawing; all of it survives following links in it.
#[derive(Clone, Default)]
pub(super) struct Place {
    /// The page's own path.
    pub(super) path: String,
    /// Concepts below which nothing is drawn.
    pub(super) closed: BTreeSet<u32>,
    /// A position of the log, to see what was believed then.
    pub(super) at: Option<u32>,
    /// The concept that is looked at.
    pub(super) select: Option<u32>,
    pub(super) find: String,
}

impl Place {
    /// The numbers of closed concepts as the address writes them.
    pub(super) fn closed_text(&self) -> String {
        self.closed.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
    }

    /// The address.
    pub(super) fn href(&self) -> String {
        let mut parts = Vec::new();
        if !self.closed.is_empty() {
            parts.push(format!("closed={}", self.closed_text()));
        }
        parts.extend(self.at.map(|at| format!("at={at}")));
        parts.extend(self.select.map(|select| format!("select={select}")));
        if parts.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, parts.join("&")) }
    }

    pub(super) fn selecting(&self, concept: Option<u32>) -> String {
        Self { select: concept, ..self.clone() }.href()
    }

    fn closing(&self, closed: BTreeSet<u32>) -> String {
        Self { closed, ..self.clone() }.href()
    }

    fn toggling(&self, concept: u32) -> String {
        let mut closed = self.closed.clone();
        if !closed.remove(&concept) {
            closed.insert(concept);
        }
        self.closing(closed)
    }
}

/// The sign by which what is below a concept is hidden or shown.
pub(super) struct Fold {
    pub(super) href: String,
    pub(super) spoken: String,
    pub(super) x: f64,
    pub(super) sign: &'static str,
    /// How many concepts it hides.
    pub(super) hidden: usize,
}

pub(super) struct Node {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) label: String,
    pub(super) spoken: String,
    pub(super) href: String,
    pub(super) certainty: Option<String>,
    pub(super) doubtful: bool,
    pub(super) root: bool,
    pub(super) selected: bool,
    pub(super) found: bool,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) fold: Option<Fold>,
}

pub(super) struct Line {
    pub(super) key: String,
    pub(super) path: String,
    pub(super) thickness: String,
    pub(super) doubtful: bool,
}

pub(super) struct Tree {
    pub(super) label: String,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) nodes: Vec<Node>,
    pub(super) trunks: Vec<String>,
    pub(super) edges: Vec<Line>,
    pub(super) alternatives: Vec<Line>,
    pub(super) open_all: String,
    pub(super) close_all: String,
}

/// Room at the right end of a name for its fold.
const FOLD: f64 = 18.0;

impl Tree {
    pub(super) fn new(view: &View, place: &Place) -> Result<Self, Fault> {
        let outline = view.hierarchy.outline();
        let parents = view.hierarchy.concepts().map(|(concept, _)| concept);
        let parents = parents.filter(|concept| !outline.children(*concept).is_empty());
        let foldable: BTreeSet<u32> = parents.map(|concept| number(&view.numbers, concept)).collect();
        let shown = Shown::new(view, place)?;
        let layout = Layout::new(&shown.hierarchy, &LayoutOptions { gap: 60.0, ..LayoutOptions::default() });
        let line = |edge: &LaidEdge| Line {
            key: format!("{}-{}", shown.number(edge.parent), shown.number(edge.child)),
            path: edge.path.clone(),
            thickness: format!("{:.2}", edge.thickness),
            doubtful: edge.doubtful,
        };
        let (closed_now, everything) = (&place.closed, BTreeSet::new());
        let nodes = layout.nodes.iter().map(|node| shown.node(node, place, &foldable));
        Ok(Self {
            label: format!("Hierarchy of {} concepts", view.hierarchy.len()),
            width: (layout.width + FOLD + 20.0).round(),
            height: layout.height.round(),
            nodes: nodes.collect(),
            trunks: layout.trunks.clone(),
            edges: layout.edges.iter().map(line).collect(),
            alternatives: layout.alternatives.iter().map(line).collect(),
            open_all: place.closing(everything),
            close_all: place.closing(foldable.union(closed_now).copied().collect()),
        })
    }
}

/// A sketch of a hierarchy: its lines, and a bar for every name.
pub(super) struct Sketch {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) trunks: Vec<String>,
    pub(super) edges: Vec<Line>,
    pub(super) names: Vec<String>,
}

/// Larger hierarchies are not sketched: nothing could be seen.
const SKETCHED: usize = 80;

impl Sketch {
    /// None if there is too little or too much to draw.
    pub(super) fn new(view: &View) -> Result<Option<Self>, Fault> {
        if !(2..=SKETCHED).contains(&view.hierarchy.len()) {
            return Ok(None);
        }
        let Tree { width, height, trunks, edges, nodes, .. } = Tree::new(view, &Place::default())?;
        let bar = |node: &Node| {
            let folds = if node.fold.is_some() { FOLD } else { 0.0 };
            format!("M{:.0} {:.0}h{:.0}", node.x, node.y, node.width + folds)
        };
        let names = nodes.iter().map(bar).collect();
        Ok(Some(Self { width, height, trunks, edges, names }))
    }
}

/// The part of a hierarchy that is not folded away. Concepts keep their order, so nothing jumps when others come or go.
struct Shown<'a> {
    view: &'a View,
    hierarchy: Hierarchy,
    /// The concept of the view for every concept shown, at j - 1.
    originals: Vec<Concept>,
    /// How many concepts are below each concept of the view.
    below: Vec<usize>,
}

impl<'a> Shown<'a> {
    fn new(view: &'a View, place: &Place) -> Result<Self, Fault> {
        let (whole, outline) = (&view.hierarchy, view.hierarchy.outline());
        let mut below = vec![0; whole.len() + 1];
        let mut visible = vec![true; whole.len() + 1];
        for &concept in outline.order() {
            let Some(entry) = whole.entry(concept) else { continue };
            let parent = entry.parent;
            visible[concept.index()] =
                visible[parent.index()] && !place.closed.contains(&number(&view.numbers, parent));
        }
        for &concept in outline.order().iter().rev() {
            if let Some(entry) = whole.entry(concept) {
                below[entry.parent.index()] += 1 + below[concept.index()];
            }
        }
        let mut renumbered = vec![Concept::ROOT; whole.len() + 1];
        let mut originals = Vec::new();
        for (concept, _) in whole.concepts().filter(|(concept, _)| visible[concept.index()]) {
            originals.push(concept);
            renumbered[concept.index()] = Concept::new(originals.len());
        }
        let entries = originals.iter().filter_map(|&concept| whole.entry(concept)).map(|entry| Entry {
            parent: renumbered[entry.parent.index()],
            alternatives: entry
                .alternatives
                .iter()
                .filter(|(parent, _)| visible[parent.index()])
                .map(|&(parent, chance)| (renumbered[parent.index()], chance))
                .collect(),
            ..entry.clone()
        });
        let hierarchy = Hierarchy::new(whole.heading().clone(), entries.collect())?;
        Ok(Self { view, hierarchy, originals, below })
    }

    fn original(&self, shown: Concept) -> Concept {
        shown.index().checked_sub(1).map_or(Concept::ROOT, |at| self.originals[at])
    }

    fn number(&self, shown: Concept) -> u32 {
        number(&self.view.numbers, self.original(shown))
    }

    fn node(&self, node: &LaidNode, place: &Place, foldable: &BTreeSet<u32>) -> Node {
        let number = self.number(node.concept);
        let name = self.hierarchy.name(node.concept).to_owned();
        let entry = self.hierarchy.entry(node.concept);
        let spoken = match entry {
            Some(entry) => {
                let parent = self.hierarchy.name(entry.parent);
                format!("{name}, under {parent}, certainty {}", chance(entry.certainty))
            }
            None => name.clone(),
        };
        let found = !place.find.is_empty() && name.to_lowercase().contains(&place.find.to_lowercase());
        let selected = place.select == Some(number);
        Node {
            fold: foldable.contains(&number).then(|| self.fold(node, number, &name, place)),
            href: if number == 0 { place.selecting(None) } else { place.selecting(Some(number)) },
            number,
            name,
            label: node.label.clone(),
            spoken,
            certainty: node.certainty.clone(),
            doubtful: node.doubtful,
            root: node.concept.is_root(),
            selected,
            found,
            x: node.x,
            y: node.y,
            width: node.width,
        }
    }

    fn fold(&self, node: &LaidNode, number: u32, name: &str, place: &Place) -> Fold {
        let below = self.below[self.original(node.concept).index()];
        let is_closed = place.closed.contains(&number);
        let verb = if is_closed { "Show" } else { "Hide" };
        Fold {
            href: place.toggling(number),
            spoken: format!("{verb} the {below} below {name}"),
            x: node.x + node.width + FOLD,
            sign: if is_closed { "+" } else { "−" },
            hidden: if is_closed { below } else { 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_formats::Heading;
    use grove_store::Position;

    /// a > b > c, and d, whose other parent may be c. The campaign has numbered them 1, 3, 4 and 7.
    fn view() -> View {
        let under = |name: &str, parent| Entry::new(name, Concept::new(parent));
        let torn =
            Entry { certainty: Some(0.6), alternatives: vec![(Concept::new(3), 0.4)], ..under("d", 0) };
        let entries = vec![under("a", 0), under("b", 1), under("c", 2), torn];
        let hierarchy = Hierarchy::new(Heading::new("all"), entries).unwrap();
        View { position: Position(9), hierarchy, numbers: vec![1, 3, 4, 7], votes: 0 }
    }

    #[test]
    fn folding_hides_what_is_below_and_links_to_it() {
        let place = Place { path: "/x".into(), ..Place::default() };
        let open = Tree::new(&view(), &place).unwrap();
        assert_eq!(open.nodes.iter().map(|node| node.number).collect::<Vec<_>>(), [0, 1, 3, 4, 7]);
        assert_eq!((open.edges.len(), open.alternatives.len()), (4, 1));
        assert_eq!(open.close_all, "/x?closed=1.3");

        let folded = Place { closed: BTreeSet::from([1]), select: Some(7), ..place };
        let folded = Tree::new(&view(), &folded).unwrap();
        assert_eq!(folded.nodes.iter().map(|node| node.number).collect::<Vec<_>>(), [0, 1, 7]);
        assert_eq!((folded.edges.len(), folded.alternatives.len()), (2, 0));
        let fold = folded.nodes[1].fold.as_ref().unwrap();
        assert_eq!((fold.hidden, fold.sign, fold.href.as_str()), (2, "+", "/x?select=7"));
        assert!(folded.nodes[2].selected && folded.nodes[2].doubtful);
    }
}
