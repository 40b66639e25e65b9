//! What was found, packed into a field of a table, and drawn from it.

use grove_belief::Belief;
use grove_formats::{Entry, Format, Heading, Hierarchy, WriteOptions, write};
use grove_tree::{Concept, NamedTree};

use super::order::Order;
use crate::Error;

/// Alternatives that are less certain than this are left out.
const LEAST: f64 = 0.05;

/// A concept with its parent in the most probable tree, and all parents it may have.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Found {
    pub(super) name: String,
    pub(super) parent: String,
    /// With their certainties, likeliest first.
    pub(super) parents: Vec<(String, f64)>,
}

impl Found {
    /// How certain the parent is.
    pub(super) fn certainty(&self) -> f64 {
        self.certainty_of(&self.parent)
    }

    pub(super) fn certainty_of(&self, parent: &str) -> f64 {
        self.parents.iter().find(|listed| listed.0 == parent).map_or(0.0, |listed| listed.1)
    }
}

/// Everything, in the reference's order: `name>parent=other:0.60,another:0.40` with semicolons between concepts.
pub(super) fn pack(belief: &dyn Belief, order: &Order, names: &NamedTree) -> String {
    let tree = belief.best_tree();
    let name = |concept: Concept| names.name(order.original(concept));
    let mut concepts: Vec<Concept> = tree.concepts().collect();
    concepts.sort_by_key(|&concept| order.original(concept));
    let one = |concept: Concept| {
        let parent = tree.parent(concept);
        let listed =
            belief.parents(concept).into_iter().filter(|&(at, certainty)| certainty >= LEAST || at == parent);
        let parents: Vec<String> =
            listed.map(|(at, certainty)| format!("{}:{:.3}", name(at), certainty.clamp(0.0, 1.0))).collect();
        format!("{}>{}={}", name(concept), name(parent), parents.join(","))
    };
    concepts.into_iter().map(one).collect::<Vec<_>>().join(";")
}

/// Reads what [`pack`] wrote; none if it is something else.
pub(super) fn unpack(text: &str) -> Option<Vec<Found>> {
    let one = |text: &str| {
        let (name, rest) = text.split_once('>')?;
        let (parent, parents) = rest.split_once('=')?;
        let parents = parents.split(',').filter(|text| !text.is_empty()).map(|text| {
            let (name, certainty) = text.rsplit_once(':')?;
            Some((name.to_owned(), certainty.parse().ok()?))
        });
        let parents = parents.collect::<Option<Vec<_>>>()?;
        Some(Found { name: name.to_owned(), parent: parent.to_owned(), parents })
    };
    text.split(';').map(one).collect()
}

/// The hierarchy as SVG, doubtful edges red.
pub(super) fn draw(root: &str, found: &[Found]) -> Result<String, Error> {
    let number = |name: &str| {
        found.iter().position(|found| found.name == name).map_or(Concept::ROOT, |at| Concept::new(at + 1))
    };
    let entry = |found: &Found| {
        let parent = number(&found.parent);
        let others = found.parents.iter().filter(|listed| listed.0 != found.parent);
        Entry {
            certainty: Some(found.certainty()),
            alternatives: others.map(|(name, certainty)| (number(name), *certainty)).collect(),
            ..Entry::new(&found.name, parent)
        }
    };
    let hierarchy = Hierarchy::new(Heading::new(root), found.iter().map(entry).collect())?;
    Ok(write(&hierarchy, Format::Svg, &WriteOptions::default())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_can_be_drawn() {
        let found = unpack("fruit>food=food:0.990;tomato>fruit=fruit:0.600,food:0.400").unwrap();
        assert_eq!(found[1].certainty_of("food"), 0.4);
        assert_eq!(found[1].certainty(), 0.6);
        let svg = draw("food", &found).unwrap();
        assert!(svg.contains("tomato") && svg.contains("doubt"));
        assert_eq!(unpack("tomato fruit"), None);
    }
}
