use grove_tree::{Concept, NamedTree};

use crate::lines::{columns, telling};
use crate::{Error, Shares};

/// A reference hierarchy that is built in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Dataset {
    /// 26 foods, made by hand; people divide over tomato, soda and mushroom.
    Food,
    /// 44 body parts, made by hand; people divide over ear, ankle and wrist.
    BodyParts,
    /// 66 kitchen utensils from WordNet 3.0.
    KitchenUtensils,
}

impl Dataset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Food, Self::BodyParts, Self::KitchenUtensils];

    /// The name by which a user asks for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Food => "food",
            Self::BodyParts => "body_parts",
            Self::KitchenUtensils => "kitchen_utensils",
        }
    }

    /// The data set of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// The hierarchy, as [`read_tree`] reads it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Food => include_str!("../../../data/food.tsv"),
            Self::BodyParts => include_str!("../../../data/body_parts.tsv"),
            Self::KitchenUtensils => include_str!("../../../data/wn_kitchen_utensil.tsv"),
        }
    }

    /// How people divide over it, as [`Shares::parse`] reads it.
    #[must_use]
    pub fn shares_text(self) -> &'static str {
        match self {
            Self::Food => include_str!("../../../data/food.shares.tsv"),
            Self::BodyParts => include_str!("../../../data/body_parts.shares.tsv"),
            Self::KitchenUtensils => "",
        }
    }

    /// The notice that must go with a copy, where there is one.
    #[must_use]
    pub fn notice(self) -> Option<&'static str> {
        match self {
            Self::Food | Self::BodyParts => None,
            Self::KitchenUtensils => Some(include_str!("../../../data/NOTICE-wordnet.txt")),
        }
    }

    /// The hierarchy.
    #[must_use]
    pub fn tree(self) -> NamedTree {
        read_tree(self.text()).expect("the built-in hierarchies are read in a test")
    }

    /// How people divide over it.
    #[must_use]
    pub fn shares(self) -> Shares {
        Shares::parse(self.shares_text(), &self.tree()).expect("the built-in shares are read in a test")
    }
}

/// Reads a hierarchy of lines `child<TAB>parent`. Empty lines and those that begin with # are skipped.
///
/// # Errors
/// [`Error::Columns`], or [`Error::Tree`] as [`NamedTree::from_pairs`].
pub fn read_tree(text: &str) -> Result<NamedTree, Error> {
    let pair = |(line, found): (usize, &'_ str)| match columns(found) {
        Some([child, parent]) => Ok((child.to_owned(), parent.to_owned())),
        None => Err(Error::Columns { line, expected: "child and parent", found: found.to_owned() }),
    };
    let pairs = telling(text).map(pair).collect::<Result<Vec<_>, _>>()?;
    Ok(NamedTree::from_pairs(&pairs)?)
}

/// The names of the concepts on a cycle.
pub(crate) fn names(tree: &NamedTree, cycle: &[Concept]) -> Vec<String> {
    cycle.iter().map(|&on| tree.name(on).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_sets_are_whole() {
        let sizes = Dataset::ALL.map(|set| set.tree().tree().len());
        assert_eq!(sizes, [26, 44, 66]);
        let divided = Dataset::ALL.map(|set| set.shares().divided().count());
        assert_eq!(divided, [3, 3, 0]);
        assert_eq!(Dataset::ALL.map(|set| Dataset::find(set.name())), Dataset::ALL.map(Some));
        assert_eq!(Dataset::find("furniture"), None);
        assert!(Dataset::KitchenUtensils.notice().is_some_and(|notice| notice.contains("Princeton")));
    }

    #[test]
    fn the_other_files_are_whole_too() {
        let files = [
            (include_str!("../../../data/wn_edible_fruit.tsv"), "edible fruit", 196),
            (include_str!("../../../data/wn_mammal.tsv"), "mammal", 1169),
            (include_str!("../../../data/wn_body_external_partonomy.tsv"), "body", 383),
            (include_str!("../../../data/shopify_cookware_bakeware.tsv"), "Cookware & Bakeware", 67),
            (include_str!("../../../data/shopify_kitchen_dining.tsv"), "Kitchen & Dining", 864),
        ];
        for (text, root, concepts) in files {
            let tree = read_tree(text).unwrap();
            assert_eq!((tree.name(Concept::ROOT), tree.tree().len()), (root, concepts));
        }
    }

    #[test]
    fn planted_shares_are_of_the_reference_and_another() {
        for set in Dataset::ALL {
            let (tree, shares) = (set.tree(), set.shares());
            for child in shares.divided() {
                let [(first, most), (_, least)] = shares.parents(child)[..] else { panic!("two parents") };
                assert_eq!((first, most, least), (tree.tree().parent(child), 0.6, 0.4));
            }
        }
    }

    #[test]
    fn a_bad_line_is_named() {
        assert_eq!(
            read_tree("# food\napple fruit\n").unwrap_err().to_string(),
            "line 2: expected child and parent, separated by tabs, but found \"apple fruit\""
        );
        assert_eq!(read_tree("").unwrap_err(), grove_tree::Error::Empty.into());
    }
}
