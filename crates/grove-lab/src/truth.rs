//! What simulated people have in mind.

use grove_belief::Prior;
use grove_sim::{Dataset, Shares, read_tree};
use grove_tree::Tree;
use rand_chacha::ChaCha8Rng;

use crate::Error;
use crate::table::Table;

/// What people have in mind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Truth {
    /// A uniform random tree of so many concepts.
    Random(usize),
    /// A reference, on which all agree.
    Agreed(Reference),
    /// A built-in one with its planted shares.
    Divided(Dataset),
}

/// A reference hierarchy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reference {
    Food,
    BodyParts,
    KitchenUtensils,
    Cookware,
    EdibleFruit,
}

impl Reference {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Food => "food",
            Self::BodyParts => "body parts",
            Self::KitchenUtensils => "kitchen utensils",
            Self::Cookware => "cookware",
            Self::EdibleFruit => "edible fruit",
        }
    }

    pub(crate) fn tree(self) -> Tree {
        let text = match self {
            Self::Food => Dataset::Food.text(),
            Self::BodyParts => Dataset::BodyParts.text(),
            Self::KitchenUtensils => Dataset::KitchenUtensils.text(),
            Self::Cookware => include_str!("../../../data/shopify_cookware_bakeware.tsv"),
            Self::EdibleFruit => include_str!("../../../data/wn_edible_fruit.tsv"),
        };
        read_tree(text).expect("the references are read in a test").tree().clone()
    }
}

impl Truth {
    /// Its name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Random(_) => "random",
            Self::Agreed(reference) => reference.name(),
            Self::Divided(set) => set.name(),
        }
    }

    /// How many concepts it has.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Random(count) => count,
            Self::Agreed(reference) => reference.tree().len(),
            Self::Divided(set) => set.tree().names().len(),
        }
    }

    /// The prior that one would choose without knowing it: people's hierarchies are no random trees.
    pub(crate) fn prior(self) -> Prior {
        if matches!(self, Self::Random(_)) { Prior::uniform() } else { Prior::taxonomy() }
    }

    /// What people think, each for themselves; only a random truth draws.
    pub(crate) fn shares(self, rng: &mut ChaCha8Rng) -> Shares {
        match self {
            Self::Random(count) => Shares::none(&Tree::random(count, rng)),
            Self::Agreed(reference) => Shares::none(&reference.tree()),
            Self::Divided(set) => set.shares(),
        }
    }
}

/// The hierarchies of a table that names them and their sizes, from the smallest.
pub(crate) fn hierarchies(table: &Table) -> Result<Vec<(String, f64)>, Error> {
    let mut found = Vec::new();
    for count in table.numbers("n")? {
        for name in table.values("hierarchy") {
            if !table.find(&[("hierarchy", &name), ("n", &count.to_string())]).is_empty() {
                found.push((name, count));
            }
        }
    }
    Ok(found)
}
