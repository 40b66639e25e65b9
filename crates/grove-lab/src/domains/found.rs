//! The hierarchy that was found: packed into a field of a table, and drawn from it.

use grove_belief::Belief;
use grove_formats::{Entry, Format, Heading, Hierarchy, WriteOptions, write};
use grove_tree::{Concept, NamedTree};
use serde::Deserialize;

use super::record::Order;
use crate::Error;

/// Alternatives below this certainty are left out.
const LEAST: f64 = 0.05;

/// The concepts that were placed.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Found(pub(super) Vec<Placed>);

/// A concept with its parent in the most probable tree, and all its possible parents.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Placed {
    pub(super) name: String,
    parent: String,
    /// With their certainties, likeliest first.
    parents: Vec<(String, f64)>,
}

impl Placed {
    /// The certainty of the parent.
    pub(super) fn certainty(&self) -> f64 {
        self.certainty_of(&self.parent)
    }

    pub(super) fn certainty_of(&self, parent: &str) -> f64 {
        self.parents.iter().find(|listed| listed.0 == parent).map_or(0.0, |listed| listed.1)
    }
}

/// All concepts in the order of the reference: `name>parent=other:0.60,another:0.40`, separated by semicolons.
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

impl TryFrom<String> for Found {
    type Error = String;

    /// Reads the output of [`pack`].
    fn try_from(text: String) -> Result<Self, String> {
        let one = |text: &str| {
            let (name, rest) = text.split_once('>')?;
            let (parent, parents) = rest.split_once('=')?;
            let parents = parents.split(',').filter(|text| !text.is_empty()).map(|text| {
                let (name, certainty) = text.rsplit_once(':')?;
                Some((name.to_owned(), certainty.parse().ok()?))
            });
            let parents = parents.collect::<Option<Vec<_>>>()?;
            Some(Placed { name: name.to_owned(), parent: parent.to_owned(), parents })
        };
        let placed = text.split(';').map(one).collect::<Option<Vec<_>>>();
        placed.map(Self).ok_or_else(|| format!("{text:?} is not a hierarchy"))
    }
}

impl Found {
    /// The hierarchy as SVG, with doubtful edges in red.
    pub(super) fn draw(&self, root: &str) -> Result<String, Error> {
        let number = |name: &str| {
            self.0
                .iter()
                .position(|placed| placed.name == name)
                .map_or(Concept::ROOT, |at| Concept::new(at + 1))
        };
        let entry = |placed: &Placed| {
            let others = placed.parents.iter().filter(|listed| listed.0 != placed.parent);
            Entry {
                certainty: Some(placed.certainty()),
                alternatives: others.map(|(name, certainty)| (number(name), *certainty)).collect(),
                ..Entry::new(&placed.name, number(&placed.parent))
            }
        };
        let hierarchy = Hierarchy::new(Heading::new(root), self.0.iter().map(entry).collect())?;
        Ok(write(&hierarchy, Format::Svg, &WriteOptions::default())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_can_be_drawn() {
        let found =
            Found::try_from("fruit>food=food:0.990;tomato>fruit=fruit:0.600,food:0.400".to_owned()).unwrap();
        assert_eq!(found.0[1].certainty_of("food"), 0.4);
        assert_eq!(found.0[1].certainty(), 0.6);
        let svg = found.draw("food").unwrap();
        assert!(svg.contains("tomato") && svg.contains("doubt"));
        assert!(Found::try_from("tomato fruit".to_owned()).is_err());
    }
}
