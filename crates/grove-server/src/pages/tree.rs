//! The tree of the hierarchy page: what [`Layout`] computes, with links.

use std::collections::BTreeSet;

use grove_campaign::number;
use grove_campaign::operations::View;
use grove_formats::{Entry, Hierarchy, LaidEdge, LaidNode, Layout, LayoutOptions};
use grove_tree::Concept;

use super::layout::probability;
use crate::http_error::Result;

/// The URL of the page. Links in the tree change one part of it and keep the others.
#[derive(Clone, Default)]
pub(super) struct TreeUrl {
    pub(super) path: String,
    /// Folded concepts, below which nothing is drawn.
    pub(super) closed: BTreeSet<u32>,
    /// A position in the log, to show the hierarchy as it was then.
    pub(super) at: Option<u32>,
    /// The selected concept.
    pub(super) select: Option<u32>,
    pub(super) find: String,
}

impl TreeUrl {
    pub(super) fn closed_param(&self) -> String {
        self.closed.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
    }

    fn href(&self) -> String {
        let mut parts = Vec::new();
        if !self.closed.is_empty() {
            parts.push(format!("closed={}", self.closed_param()));
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

/// The button that folds or unfolds a concept.
pub(super) struct Fold {
    pub(super) href: String,
    pub(super) description: String,
    pub(super) x: f64,
    pub(super) sign: &'static str,
    /// The number of concepts it hides.
    pub(super) hidden: usize,
}

pub(super) struct Node {
    pub(super) laid: LaidNode,
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) href: String,
    pub(super) selected: bool,
    pub(super) found: bool,
    pub(super) fold: Option<Fold>,
}

pub(super) struct Line {
    pub(super) laid: LaidEdge,
    pub(super) key: String,
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

/// The width of the fold button.
const FOLD_WIDTH: f64 = 18.0;

impl Tree {
    pub(super) fn new(view: &View, url: &TreeUrl) -> Result<Self> {
        let outline = view.hierarchy.outline();
        let parents = view.hierarchy.concepts().map(|(concept, _)| concept);
        let parents = parents.filter(|concept| !outline.children(*concept).is_empty());
        let foldable: BTreeSet<u32> = parents.map(|concept| number(&view.numbers, concept)).collect();
        let visible = VisibleTree::new(view, url)?;
        let layout =
            Layout::new(&visible.hierarchy, &LayoutOptions { gap: 60.0, ..LayoutOptions::default() });
        let line = |laid: LaidEdge| Line {
            key: format!("{}-{}", visible.number(laid.parent), visible.number(laid.child)),
            laid,
        };
        let nodes = layout.nodes.into_iter().map(|node| visible.node(node, url, &foldable));
        Ok(Self {
            label: format!("Hierarchy of {} concepts", view.hierarchy.len()),
            width: (layout.width + FOLD_WIDTH + 20.0).round(),
            height: layout.height.round(),
            nodes: nodes.collect(),
            trunks: layout.trunks,
            edges: layout.edges.into_iter().map(line).collect(),
            alternatives: layout.alternatives.into_iter().map(line).collect(),
            open_all: url.closing(BTreeSet::new()),
            close_all: url.closing(foldable.union(&url.closed).copied().collect()),
        })
    }
}

/// A small picture of a hierarchy: its edges, and a bar for every name.
pub(super) struct TreePreview {
    pub(super) tree: Tree,
    pub(super) names: Vec<String>,
}

/// Larger hierarchies have no preview, because nothing could be seen.
const PREVIEWED: usize = 80;

impl TreePreview {
    /// Returns `None` if there is too little or too much to draw.
    pub(super) fn new(view: &View) -> Result<Option<Self>> {
        if !(2..=PREVIEWED).contains(&view.hierarchy.len()) {
            return Ok(None);
        }
        let tree = Tree::new(view, &TreeUrl::default())?;
        let bar = |node: &Node| {
            let fold = if node.fold.is_some() { FOLD_WIDTH } else { 0.0 };
            format!("M{:.0} {:.0}h{:.0}", node.laid.x, node.laid.y, node.laid.width + fold)
        };
        Ok(Some(Self { names: tree.nodes.iter().map(bar).collect(), tree }))
    }
}

/// The part of a hierarchy that is not folded. Concepts keep their order, so nothing jumps when others appear or disappear.
struct VisibleTree<'a> {
    view: &'a View,
    hierarchy: Hierarchy,
    /// The concept of the view for every visible concept: for concept j at j - 1.
    originals: Vec<Concept>,
    /// The number of concepts below each concept of the view.
    below: Vec<usize>,
}

impl<'a> VisibleTree<'a> {
    fn new(view: &'a View, url: &TreeUrl) -> Result<Self> {
        let (whole, outline) = (&view.hierarchy, view.hierarchy.outline());
        let mut below = vec![0; whole.len() + 1];
        let mut visible = vec![true; whole.len() + 1];
        for &concept in outline.order() {
            let Some(entry) = whole.entry(concept) else { continue };
            let parent = entry.parent;
            visible[concept.index()] =
                visible[parent.index()] && !url.closed.contains(&number(&view.numbers, parent));
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

    fn original(&self, visible: Concept) -> Concept {
        visible.index().checked_sub(1).map_or(Concept::ROOT, |at| self.originals[at])
    }

    fn number(&self, visible: Concept) -> u32 {
        number(&self.view.numbers, self.original(visible))
    }

    fn node(&self, laid: LaidNode, url: &TreeUrl, foldable: &BTreeSet<u32>) -> Node {
        let number = self.number(laid.concept);
        let name = self.hierarchy.name(laid.concept).to_owned();
        let entry = self.hierarchy.entry(laid.concept);
        let description = match entry {
            Some(entry) => {
                let parent = self.hierarchy.name(entry.parent);
                format!("{name}, under {parent}, certainty {}", probability(entry.certainty))
            }
            None => name.clone(),
        };
        let found = !url.find.is_empty() && name.to_lowercase().contains(&url.find.to_lowercase());
        let selected = url.select == Some(number);
        Node {
            fold: foldable.contains(&number).then(|| self.fold(&laid, number, &name, url)),
            href: if number == 0 { url.selecting(None) } else { url.selecting(Some(number)) },
            number,
            name,
            description,
            selected,
            found,
            laid,
        }
    }

    fn fold(&self, node: &LaidNode, number: u32, name: &str, url: &TreeUrl) -> Fold {
        let below = self.below[self.original(node.concept).index()];
        let is_closed = url.closed.contains(&number);
        let verb = if is_closed { "Show" } else { "Hide" };
        Fold {
            href: url.toggling(number),
            description: format!("{verb} the {below} below {name}"),
            x: node.x + node.width + FOLD_WIDTH,
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
    fn folding_hides_what_is_below() {
        let url = TreeUrl { path: "/x".into(), ..TreeUrl::default() };
        let open = Tree::new(&view(), &url).unwrap();
        assert_eq!(open.nodes.iter().map(|node| node.number).collect::<Vec<_>>(), [0, 1, 3, 4, 7]);
        assert_eq!((open.edges.len(), open.alternatives.len()), (4, 1));
        assert_eq!(open.close_all, "/x?closed=1.3");

        let folded = TreeUrl { closed: BTreeSet::from([1]), select: Some(7), ..url };
        let folded = Tree::new(&view(), &folded).unwrap();
        assert_eq!(folded.nodes.iter().map(|node| node.number).collect::<Vec<_>>(), [0, 1, 7]);
        assert_eq!((folded.edges.len(), folded.alternatives.len()), (2, 0));
        let fold = folded.nodes[1].fold.as_ref().unwrap();
        assert_eq!((fold.hidden, fold.sign, fold.href.as_str()), (2, "+", "/x?select=7"));
        assert!(folded.nodes[2].selected && folded.nodes[2].laid.doubtful);
    }
}
