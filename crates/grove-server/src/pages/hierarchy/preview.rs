//! A small picture of a hierarchy, for the list of campaigns.

use grove_formats::{Entry, Hierarchy, Layout, LayoutOptions};
use grove_tree::Concept;

use super::item::{reason_class, shown_reason};

/// A small picture of a hierarchy: its edges, and a bar for every name.
pub(in crate::pages) struct TreePreview {
    pub(in crate::pages) width: f64,
    pub(in crate::pages) height: f64,
    pub(in crate::pages) names: Vec<String>,
    pub(in crate::pages) trunks: Vec<String>,
    /// The class and the path of each edge.
    pub(in crate::pages) edges: Vec<(&'static str, String)>,
}

/// Of larger hierarchies, so many concepts are drawn: those nearest to the root.
const PREVIEWED: usize = 48;

impl TreePreview {
    /// Returns `None` if there is too little to draw.
    pub(in crate::pages) fn new(hierarchy: &Hierarchy) -> Option<Self> {
        if hierarchy.len() < 2 {
            return None;
        }
        let drawn = upper_part(hierarchy)?;
        let layout = Layout::new(&drawn, &LayoutOptions::default());
        let class = |child| drawn.entry(child).map_or("", |entry| reason_class(shown_reason(entry)));
        Some(Self {
            width: layout.width.round(),
            height: layout.height.round(),
            names: layout
                .nodes
                .iter()
                .map(|node| format!("M{:.0} {:.0}h{:.0}", node.x, node.y, node.width))
                .collect(),
            edges: layout.edges.into_iter().map(|edge| (class(edge.child), edge.path)).collect(),
            trunks: layout.trunks,
        })
    }
}

/// The concepts nearest to the root, as a hierarchy of their own.
fn upper_part(hierarchy: &Hierarchy) -> Option<Hierarchy> {
    let outline = hierarchy.outline();
    let mut nearest: Vec<Concept> = hierarchy.concepts().map(|(concept, _)| concept).collect();
    nearest.sort_by_key(|concept| outline.depth(*concept));
    nearest.truncate(PREVIEWED);
    let mut renumbered = vec![Concept::ROOT; hierarchy.len() + 1];
    for (at, concept) in nearest.iter().enumerate() {
        renumbered[concept.index()] = Concept::new(at + 1);
    }
    let entry = |concept: &Concept| {
        let entry = hierarchy.entry(*concept)?;
        Some(Entry {
            name: entry.name.clone(),
            parent: renumbered[entry.parent.index()],
            certainty: entry.certainty,
            reasons: entry.reasons.clone(),
            ..Entry::default()
        })
    };
    Hierarchy::new(hierarchy.heading().clone(), nearest.iter().filter_map(entry).collect()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_formats::Heading;

    #[test]
    fn of_a_large_hierarchy_the_upper_part_is_drawn() {
        // A chain of 30, and 70 concepts at the top level.
        let entry = |at: usize| {
            let parent = if (1..30).contains(&at) { Concept::new(at) } else { Concept::ROOT };
            Entry::new(&format!("concept {at}"), parent)
        };
        let whole = Hierarchy::new(Heading::new("root"), (0..100).map(entry).collect()).unwrap();
        let part = upper_part(&whole).unwrap();
        assert_eq!(part.len(), PREVIEWED);
        assert!(part.entries().iter().all(|entry| entry.parent.is_root()));
        assert!(TreePreview::new(&whole).is_some());
    }
}
