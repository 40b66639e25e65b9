use grove_tree::{Concept, NamedTree, Tree};

use crate::{Error, Shares};

/// A reference hierarchy that is built in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Dataset {
    /// 26 foods, made by hand; people disagree about tomato, soda and mushroom.
    Food,
    /// 44 body parts, made by hand; people disagree about ear, ankle and wrist.
    BodyParts,
    /// 66 kitchen utensils from WordNet 3.0.
    KitchenUtensils,
    /// 67 kinds of cookware from Shopify's product taxonomy.
    Cookware,
    /// 196 edible fruits from WordNet 3.0.
    EdibleFruit,
    /// 1,169 mammals from WordNet 3.0.
    Mammals,
    /// 33 labels of FIGER, placed by WordNet 3.0.
    Figer33,
    /// 29 kinds of clothing, made by hand.
    Clothing,
    /// 29 terms of programming, made by hand.
    Programming,
    /// 29 vehicles, made by hand.
    Vehicles,
    /// 71 musical instruments, made by hand.
    Instruments,
}

const WORDNET: &str = include_str!("../data/NOTICE-wordnet.txt");

impl Dataset {
    /// All data sets.
    pub const ALL: [Self; 11] = [
        Self::Food,
        Self::BodyParts,
        Self::KitchenUtensils,
        Self::Cookware,
        Self::EdibleFruit,
        Self::Mammals,
        Self::Figer33,
        Self::Clothing,
        Self::Programming,
        Self::Vehicles,
        Self::Instruments,
    ];

    /// The name by which a user asks for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Food => "food",
            Self::BodyParts => "body_parts",
            Self::KitchenUtensils => "kitchen_utensils",
            Self::Cookware => "cookware",
            Self::EdibleFruit => "edible_fruit",
            Self::Mammals => "mammals",
            Self::Figer33 => "figer33",
            Self::Clothing => "clothing",
            Self::Programming => "programming",
            Self::Vehicles => "vehicles",
            Self::Instruments => "instruments",
        }
    }

    /// The data set of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// The hierarchy in the format of [`read_tree`].
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Food => include_str!("../data/food.tsv"),
            Self::BodyParts => include_str!("../data/body_parts.tsv"),
            Self::KitchenUtensils => include_str!("../data/wn_kitchen_utensil.tsv"),
            Self::Cookware => include_str!("../data/shopify_cookware_bakeware.tsv"),
            Self::EdibleFruit => include_str!("../data/wn_edible_fruit.tsv"),
            Self::Mammals => include_str!("../data/wn_mammal.tsv"),
            Self::Figer33 => include_str!("../data/figer33.tsv"),
            Self::Clothing => include_str!("../data/clothing.tsv"),
            Self::Programming => include_str!("../data/programming.tsv"),
            Self::Vehicles => include_str!("../data/vehicles.tsv"),
            Self::Instruments => include_str!("../data/instruments.tsv"),
        }
    }

    /// The notices that must accompany a copy.
    #[must_use]
    pub fn notices(self) -> &'static [&'static str] {
        match self {
            Self::Food
            | Self::BodyParts
            | Self::Clothing
            | Self::Programming
            | Self::Vehicles
            | Self::Instruments => &[],
            Self::KitchenUtensils | Self::EdibleFruit | Self::Mammals => &[WORDNET],
            Self::Cookware => &[include_str!("../data/NOTICE-shopify.txt")],
            Self::Figer33 => &[include_str!("../data/NOTICE-figer.txt"), WORDNET],
        }
    }

    /// The hierarchy.
    #[must_use]
    pub fn tree(self) -> NamedTree {
        read_tree(self.text()).expect("a test reads every built-in hierarchy")
    }

    /// How people disagree about it.
    #[must_use]
    pub fn shares(self) -> Shares {
        let text = match self {
            Self::Food => include_str!("../data/food.shares.tsv"),
            Self::BodyParts => include_str!("../data/body_parts.shares.tsv"),
            _ => "",
        };
        Shares::parse(text, &self.tree()).expect("a test reads all built-in shares")
    }
}

/// Reads a hierarchy of lines `child<TAB>parent`. Empty lines and lines that begin with # are skipped.
///
/// # Errors
/// [`Error::BadLine`], or [`Error::Tree`] for the reasons given at [`NamedTree::from_pairs`].
pub fn read_tree(text: &str) -> Result<NamedTree, Error> {
    let pair =
        |(line, found)| columns(line, found, "child and parent").map(|[child, parent]| (child, parent));
    let pairs = content_lines(text).map(pair).collect::<Result<Vec<_>, _>>()?;
    Ok(NamedTree::from_pairs(&pairs)?)
}

/// A tree filled level by level: the root and every concept take `branching` children before the next one does.
///
/// # Errors
/// [`Error::NoBranching`] for a branching of 0.
pub fn balanced_tree(count: usize, branching: usize) -> Result<Tree, Error> {
    if branching == 0 {
        return Err(Error::NoBranching);
    }
    let parents: Vec<Concept> = (0..count).map(|before| Concept::new(before / branching)).collect();
    Ok(Tree::from_parents(&parents)?)
}

/// The lines of a file that are neither empty nor comments, trimmed at the end and numbered from 1.
pub(crate) fn content_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.trim_start().starts_with('#'))
}

/// The columns of a line, if there are exactly this many and none is empty.
pub(crate) fn columns<'a, const COUNT: usize>(
    line: usize,
    found: &'a str,
    expected: &str,
) -> Result<[&'a str; COUNT], Error> {
    let columns: Vec<&str> = found.split('\t').map(str::trim).collect();
    let complete = columns.iter().all(|column| !column.is_empty());
    match columns.try_into() {
        Ok(columns) if complete => Ok(columns),
        _ => Err(Error::line(line, format!("expected {expected}, separated by tabs, but found {found:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_sets_are_complete() {
        let sizes = Dataset::ALL.map(|set| set.tree().tree().len());
        assert_eq!(sizes, [26, 44, 66, 67, 196, 1_169, 33, 29, 29, 29, 71]);
        let divided = Dataset::ALL.map(|set| set.shares().divided().count());
        assert_eq!(divided, [3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Dataset::ALL.map(|set| Dataset::find(set.name())), Dataset::ALL.map(Some));
        assert_eq!(Dataset::find("furniture"), None);
        assert!(Dataset::KitchenUtensils.notices()[0].contains("Princeton"));
    }

    #[test]
    fn the_other_files_are_complete() {
        let files = [
            (Dataset::EdibleFruit.text(), "edible fruit", 196),
            (Dataset::Mammals.text(), "mammal", 1169),
            (include_str!("../data/wn_body_external_partonomy.tsv"), "body", 383),
            (Dataset::Cookware.text(), "Cookware & Bakeware", 67),
            (include_str!("../data/shopify_kitchen_dining.tsv"), "Kitchen & Dining", 864),
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
    fn errors_name_the_line() {
        assert_eq!(
            read_tree("# food\napple fruit\n").unwrap_err().to_string(),
            "line 2: expected child and parent, separated by tabs, but found \"apple fruit\""
        );
        assert_eq!(read_tree("").unwrap_err(), grove_tree::Error::Empty.into());
    }

    #[test]
    fn balanced_trees_fill_level_by_level() {
        let parents = |tree: Tree| tree.parents().iter().map(|parent| parent.index()).collect::<Vec<_>>();
        assert_eq!(parents(balanced_tree(7, 2).unwrap()), [0, 0, 1, 1, 2, 2, 3]);
        assert_eq!(parents(balanced_tree(3, 1).unwrap()), [0, 1, 2]);
        assert_eq!(balanced_tree(4, 9).unwrap(), Tree::flat(4));
        assert_eq!(balanced_tree(3, 0), Err(Error::NoBranching));
    }

    #[test]
    fn skips_empty_lines_and_comments() {
        let text = " # comment\n\na\tb \r\n   \nc # d\te";
        assert_eq!(content_lines(text).collect::<Vec<_>>(), [(3, "a\tb"), (5, "c # d\te")]);
    }

    #[test]
    fn columns_are_counted() {
        let columns = |line| columns::<2>(1, line, "two").ok();
        assert_eq!(columns("a b\t c"), Some(["a b", "c"]));
        assert_eq!(columns("a\tb\tc"), None);
        assert_eq!(columns("a\t"), None);
        assert_eq!(columns("a b"), None);
    }
}
