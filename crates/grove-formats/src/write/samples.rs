use std::str::FromStr;

use grove_tree::Tree;
use serde_json::json;

use super::newick;
use crate::{Error, Hierarchy};

/// What sampled trees can be written as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleFormat {
    /// One Newick tree per line, as programs for phylogenies take a posterior sample.
    Newick,
    /// One JSON object: the concepts' names, and per tree the list of their parents' positions, 0 for the root.
    Json,
}

impl FromStr for SampleFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name.trim().to_lowercase().as_str() {
            "newick" => Ok(Self::Newick),
            "json" => Ok(Self::Json),
            _ => Err(Error::UnknownFormat { found: name.to_owned(), known: "newick, json".to_owned() }),
        }
    }
}

/// Writes trees drawn from a posterior, over the concepts of a hierarchy.
///
/// ```
/// use grove_formats::{SampleFormat, Source, read_hierarchy, write_samples};
/// use grove_tree::Tree;
/// let food = read_hierarchy(&Source::new("food.tsv", b"fruit\tfood\napple\tfruit\n")?)?;
/// let flat = Tree::flat(2);
/// let written = write_samples(&food, &[food.tree().clone(), flat], SampleFormat::Newick)?;
/// assert_eq!(written, "[&R] ((apple)fruit)food;\n[&R] (fruit,apple)food;\n");
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// [`Error::OtherTree`] for a tree over another number of concepts.
pub fn write_samples(hierarchy: &Hierarchy, trees: &[Tree], format: SampleFormat) -> Result<String, Error> {
    let expected = hierarchy.len();
    if let Some(other) = trees.iter().find(|tree| tree.len() != expected) {
        return Err(Error::OtherTree { found: other.len(), expected });
    }
    Ok(match format {
        SampleFormat::Newick => {
            trees.iter().map(|tree| newick::tree(hierarchy, tree, |_| None) + "\n").collect()
        }
        SampleFormat::Json => {
            let parents =
                |tree: &Tree| tree.parents().iter().map(|parent| parent.index()).collect::<Vec<_>>();
            let concepts: Vec<&str> = hierarchy.entries().iter().map(|entry| entry.name.as_str()).collect();
            let trees: Vec<Vec<usize>> = trees.iter().map(parents).collect();
            json!({ "root": hierarchy.heading().root, "concepts": concepts, "parents": trees }).to_string()
                + "\n"
        }
    })
}
