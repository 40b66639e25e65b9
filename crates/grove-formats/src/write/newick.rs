use std::str::FromStr;

use grove_tree::{Concept, Tree};
use serde_json::json;

use crate::{Error, ErrorKind, Hierarchy, Result};

/// The formats of sampled trees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleFormat {
    /// One Newick tree per line, as phylogenetics programs read a posterior sample.
    Newick,
    /// One JSON object: the concepts' names, and for each tree the list of their parents' positions, 0 for the root.
    Json,
}

impl FromStr for SampleFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name.trim().to_lowercase().as_str() {
            "newick" => Ok(Self::Newick),
            "json" => Ok(Self::Json),
            _ => Err(ErrorKind::unknown_word(name, "format", "newick or json").into()),
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
/// [`ErrorKind::OtherTree`] for a tree over another number of concepts.
pub fn write_samples(hierarchy: &Hierarchy, trees: &[Tree], format: SampleFormat) -> Result<String> {
    let expected = hierarchy.len();
    if let Some(other) = trees.iter().find(|tree| tree.len() != expected) {
        return Err(ErrorKind::OtherTree { found: other.len(), expected }.into());
    }
    Ok(match format {
        SampleFormat::Newick => trees.iter().map(|tree| write_tree(hierarchy, tree, |_| None)).collect(),
        SampleFormat::Json => {
            let positions = |tree: &Tree| tree.parents().iter().map(|parent| parent.index()).collect();
            let parents: Vec<Vec<usize>> = trees.iter().map(positions).collect();
            let concepts: Vec<&str> = hierarchy.entries().iter().map(|entry| entry.name.as_str()).collect();
            let root = &hierarchy.heading().root;
            json!({ "root": root, "concepts": concepts, "parents": parents }).to_string() + "\n"
        }
    })
}

/// Writes Newick: every node has its name, and the certainty of its parent as `[&posterior=..]`.
pub(crate) fn write(hierarchy: &Hierarchy) -> String {
    write_tree(hierarchy, hierarchy.tree(), |concept| hierarchy.entry(concept)?.certainty)
}

/// Writes a tree over a hierarchy's concepts on one line, without recursion, because a chain may be long.
fn write_tree(hierarchy: &Hierarchy, tree: &Tree, certainty: impl Fn(Concept) -> Option<f64>) -> String {
    let outline = tree.outline();
    let mut out = String::from("[&R] ");
    // Writes the nodes of a path that are deeper than this, the deepest first, and closes the brackets between them.
    let climb = |out: &mut String, path: &mut Vec<Concept>, depth: usize| {
        while path.len() > depth
            && let Some(concept) = path.pop()
        {
            out.push_str(&label(hierarchy.name(concept)));
            out.extend(certainty(concept).map(|certainty| format!("[&posterior={certainty}]")));
            out.extend((path.len() > depth).then_some(')'));
        }
    };
    // In depth-first order a step down opens a bracket, and a step up closes as many as it climbs.
    let mut path = Vec::new();
    for &concept in outline.order() {
        let depth = outline.depth(concept);
        if path.len() > depth {
            climb(&mut out, &mut path, depth);
            out.push(',');
        } else if depth > 0 {
            out.push('(');
        }
        path.push(concept);
    }
    climb(&mut out, &mut path, 0);
    out + ";\n"
}

/// A name by the rules of Newick: in single quotes, doubled inside, unless it is plain. An underscore is not plain,
/// because outside quotes it means a space.
fn label(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', "''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Heading};

    #[test]
    fn brackets_follow_the_tree() {
        let under = |name: &str, parent| Entry::new(name, Concept::new(parent));
        let sure = |entry| Entry { certainty: Some(0.5), ..entry };
        let entries =
            vec![under("a", 0), sure(under("b b", 1)), under("c'c", 2), under("d_d", 1), under("e", 0)];
        let tree = Hierarchy::new(Heading::new("top"), entries).unwrap();
        assert_eq!(write(&tree), "[&R] ((('c''c')'b b'[&posterior=0.5],'d_d')a,e)top;\n");
        assert_eq!(write(&Hierarchy::new(Heading::new("top"), vec![]).unwrap()), "[&R] top;\n");
    }
}
