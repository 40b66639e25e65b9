use std::collections::{HashMap, HashSet};

use grove_tree::{Concept, Tree};

use super::hierarchy::{CHILD, PARENT, read_hierarchy};
use super::table::Table;
use crate::name::tidy;
use crate::{ErrorKind, Hierarchy, NameIndex, Place, Result, Source};

/// Where an existing hierarchy places a concept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Placement {
    /// The concept.
    pub child: Concept,
    /// What it is directly under; [`Concept::ROOT`] at the top.
    pub parent: Concept,
}

/// Reads an existing hierarchy of known concepts, in any format that [`read_hierarchy`] reads, as one placement for each concept that it
/// places, in the order of the file. It need not place all of them.
///
/// Concepts are found by name or synonym. The root of the file may have another name than ours: a parent that is no concept, that the file
/// places nowhere, and that is not similar to a concept's name stands for the root, if it is the only one.
///
/// ```
/// use grove_formats::{Source, read_concepts, read_placements};
/// use grove_tree::Concept;
/// let concepts = read_concepts(&Source::new("food.txt", b"fruit\napple\ntomato\n")?)?.index();
/// let old = Source::new("old.csv", b"child,parent\nfruit,eatables\napple,fruit\n")?;
/// let placed = read_placements(&old, &concepts)?;
/// assert_eq!(placed.iter().map(|one| one.parent).collect::<Vec<_>>(), [Concept::ROOT, Concept::new(1)]);
/// let wrong = Source::new("old.csv", b"child,parent\napple,friut\n")?;
/// assert_eq!(
///     read_placements(&wrong, &concepts).unwrap_err().to_string(),
///     "old.csv, line 2: \"friut\" is not among the concepts; did you mean \"fruit\"?",
/// );
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// A file that cannot be parsed; a name that is not among the concepts; a concept with two parents; parents that form a cycle.
pub fn read_placements(source: &Source, concepts: &NameIndex) -> Result<Vec<Placement>> {
    source.require("concept")?;
    let rows = match source.extension().as_str() {
        "csv" | "tsv" | "tab" => table_rows(source)?,
        _ => hierarchy_rows(&read_hierarchy(source)?, &source.place()),
    };
    place(&rows, concepts)
}

/// A child and its parent by name, and the line that says so.
struct Row {
    child: String,
    parent: String,
    at: Place,
}

fn table_rows(source: &Source) -> Result<Vec<Row>> {
    let table = Table::read_with_default(source, "concept", [CHILD, PARENT])?;
    let (child, parent) = (table.require(CHILD)?, table.require(PARENT)?);
    let row = |row: &super::table::Row| Row {
        child: tidy(row.get(child)),
        parent: tidy(row.get(parent)),
        at: row.at.clone(),
    };
    Ok(table.rows()?.iter().map(row).collect())
}

fn hierarchy_rows(hierarchy: &Hierarchy, at: &Place) -> Vec<Row> {
    let row = |(_, entry): (Concept, &crate::Entry)| {
        let parent = if entry.parent.is_root() { "" } else { hierarchy.name(entry.parent) };
        Row { child: entry.name.clone(), parent: parent.to_owned(), at: at.clone() }
    };
    hierarchy.concepts().map(row).collect()
}

fn place(rows: &[Row], concepts: &NameIndex) -> Result<Vec<Placement>> {
    let foreign_root = foreign_root(rows, concepts);
    let mut placed: HashMap<Concept, &Row> = HashMap::new();
    let mut placements = Vec::with_capacity(rows.len());
    for row in rows {
        if row.child.is_empty() {
            return Err(ErrorKind::Missing("concept's name").at(&row.at));
        }
        // Some files give the root a row of its own.
        if row.parent.is_empty()
            && (foreign_root == Some(row.child.as_str()) || concepts.find(&row.child) == Some(Concept::ROOT))
        {
            continue;
        }
        let child = concepts.require(&row.child, &row.at)?;
        if child.is_root() {
            return Err(ErrorKind::RootPlaced(row.child.clone()).at(&row.at));
        }
        let parent = match row.parent.as_str() {
            "" => Concept::ROOT,
            name if foreign_root == Some(name) => Concept::ROOT,
            name => concepts.require(name, &row.at)?,
        };
        if let Some(first) = placed.insert(child, row) {
            let name = concepts.name(child).to_owned();
            let kind = if concepts.find(&first.parent) == concepts.find(&row.parent) {
                ErrorKind::RepeatedConcept {
                    name: row.child.clone(),
                    first: first.child.clone(),
                    first_line: first.at.line,
                }
            } else {
                ErrorKind::TwoParents { child: name, parents: [first.parent.clone(), row.parent.clone()] }
            };
            return Err(kind.at(&row.at));
        }
        placements.push(Placement { child, parent });
    }
    refuse_cycles(&placements, &placed, concepts)?;
    Ok(placements)
}

/// The one name that stands for the root: a parent that is no concept and is placed nowhere. A name like a concept's is a typing error.
fn foreign_root<'r>(rows: &'r [Row], concepts: &NameIndex) -> Option<&'r str> {
    let children: HashSet<&str> =
        rows.iter().filter(|row| !row.parent.is_empty()).map(|row| row.child.as_str()).collect();
    let is_unknown =
        |name: &&str| !name.is_empty() && concepts.find(name).is_none() && !children.contains(name);
    let unknown: HashSet<&str> = rows.iter().map(|row| row.parent.as_str()).filter(is_unknown).collect();
    let only = unknown.iter().copied().next().filter(|_| unknown.len() == 1)?;
    concepts.nearest(only).is_none().then_some(only)
}

fn refuse_cycles(
    placements: &[Placement],
    placed: &HashMap<Concept, &Row>,
    concepts: &NameIndex,
) -> Result<()> {
    let count = placements.iter().flat_map(|one| [one.child.index(), one.parent.index()]).max().unwrap_or(0);
    let mut parents = vec![Concept::ROOT; count];
    for one in placements {
        parents[one.child.index() - 1] = one.parent;
    }
    match Tree::from_parents(&parents) {
        Err(grove_tree::Error::Cycle(cycle)) => {
            let names = cycle.iter().map(|&concept| concepts.name(concept).to_owned()).collect();
            let at = placed.get(&cycle[0]).map(|row| row.at.clone()).unwrap_or_default();
            Err(ErrorKind::Cycle(names).at(&at))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> NameIndex {
        let none: &[String] = &[];
        let synonym = ["pomme".to_owned()];
        NameIndex::new(
            Some("food"),
            [("fruit", none), ("apple", &synonym[..]), ("citrus", none), ("lime", none)],
        )
    }

    fn read(name: &str, text: &str) -> Result<Vec<(usize, usize)>> {
        let placed = read_placements(&Source::new(name, text.as_bytes()).unwrap(), &index())?;
        Ok(placed.iter().map(|one| (one.child.index(), one.parent.index())).collect())
    }

    fn refused(text: &str) -> String {
        read("old.csv", text).unwrap_err().to_string()
    }

    #[test]
    fn every_format_places_concepts() {
        let whole = vec![(1, 0), (3, 1), (4, 3), (2, 1)];
        assert_eq!(
            read("a.csv", "child,parent\nfruit,food\ncitrus,fruit\nLIME,citrus\npomme,Fruit\n").unwrap(),
            whole
        );
        assert_eq!(
            read("a.csv", "child,parent\nfruit,\ncitrus,fruit\nlime,citrus\napple,fruit\n").unwrap(),
            whole
        );
        assert_eq!(
            read("a.tsv", "fruit\tthings to eat\ncitrus\tfruit\nlime\tcitrus\napple\tfruit\n").unwrap(),
            whole
        );
        assert_eq!(
            read("a.csv", "concept,parent\nedibles,\nfruit,edibles\nlime,edibles\n").unwrap(),
            [(1, 0), (4, 0)]
        );
        assert_eq!(read("a.paths", "stuff > fruit\nstuff > fruit > lime\n").unwrap(), [(1, 0), (4, 1)]);
        let skos = "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n\
            <urn:x:1> a s:Concept ; s:prefLabel \"fruit\"@en . <urn:x:2> a s:Concept ; s:prefLabel \"lime\"@en ; s:broader <urn:x:1> .\n";
        assert_eq!(read("a.ttl", skos).unwrap(), [(1, 0), (4, 1)]);
    }

    #[test]
    fn a_hierarchy_may_place_some_concepts_only() {
        assert_eq!(read("a.csv", "child,parent\nlime,citrus\n").unwrap(), [(4, 3)]);
    }

    #[test]
    fn what_is_no_hierarchy_is_refused() {
        assert_eq!(
            refused("child,parent\nlime,citrus\ncitrus,lime\n"),
            "old.csv, line 3: the parents form a cycle: \"citrus\" under \"lime\" under \"citrus\"; remove one of these parents"
        );
        assert_eq!(
            refused("child,parent\nlime,citrus\nlime,fruit\n"),
            "old.csv, line 3: \"lime\" has two parents, \"citrus\" and \"fruit\"; keep one of them"
        );
        assert_eq!(
            refused("child,parent\nlime,citrus\nLime,Citrus\n"),
            "old.csv, line 3: \"Lime\" is the same concept as \"lime\" on line 2; remove or rename one of them"
        );
        assert_eq!(
            refused("child,parent\nlime,citrsu\n"),
            "old.csv, line 2: \"citrsu\" is not among the concepts; did you mean \"citrus\"?"
        );
        assert_eq!(
            refused("child,parent\nlime,plants\napple,groceries\n"),
            "old.csv, line 2: \"plants\" is not among the concepts; add it to them or correct the name"
        );
        assert_eq!(
            refused("child,parent\nbicycle,fruit\n"),
            "old.csv, line 2: \"bicycle\" is not among the concepts; add it to them or correct the name"
        );
        assert_eq!(
            refused("child,parent\nfood,fruit\n"),
            "old.csv, line 2: \"food\" is the root, which is under nothing; remove the line"
        );
        assert_eq!(
            refused("child,parent\nlime,lime\n"),
            "old.csv, line 2: the parents form a cycle: \"lime\" under \"lime\"; remove one of these parents"
        );
        assert_eq!(
            refused("child,parent\n,lime\n"),
            "old.csv, line 2: the concept's name is missing; fill it in or remove the line"
        );
        let skos = "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n\
            <urn:x:1> a s:Concept ; s:prefLabel \"fruit\" . <urn:x:2> a s:Concept ; s:prefLabel \"citrus\" .\n\
            <urn:x:3> a s:Concept ; s:prefLabel \"lime\" ; s:broader <urn:x:1>, <urn:x:2> .\n";
        assert_eq!(
            read("old.ttl", skos).unwrap_err().to_string(),
            "old.ttl: \"lime\" has two parents, \"fruit\" and \"citrus\"; keep one of them"
        );
    }
}
