use std::collections::HashMap;

use grove_tree::Concept;

use crate::name::{name_key, read_name, tidy};
use crate::{CONCEPT_LIMIT, Entry, Error, Heading, Hierarchy, NameIndex, Place};

/// A concept and its parent by name, as a file tells them.
pub(crate) struct Placed {
    /// The concept; its parent's number is not known yet.
    pub(crate) entry: Entry,
    /// The parent's name; empty for a top-level concept.
    pub(crate) parent: String,
    /// Other parents by name.
    pub(crate) alternatives: Vec<(String, f64)>,
    /// Where the file tells it.
    pub(crate) at: Place,
}

/// Makes a hierarchy of concepts that name their parents.
///
/// Where some concept leaves its parent empty, all parents must be concepts and the root takes the name in the
/// heading; otherwise the one parent that is no concept is the root, and becomes the title unless the heading has
/// one.
pub(crate) fn assemble(
    heading: Option<Heading>,
    placed: Vec<Placed>,
    file: &Place,
) -> Result<Hierarchy, Error> {
    if placed.is_empty() {
        return Err(Error::Empty { at: file.clone(), expected: "concept" });
    }
    if placed.len() > CONCEPT_LIMIT {
        return Err(Error::TooManyConcepts { at: file.clone(), found: placed.len(), limit: CONCEPT_LIMIT });
    }
    refuse_second_parents(&placed)?;
    let root = match &heading {
        Some(heading) => heading.root.clone(),
        None => find_root(&placed, file)?,
    };
    let index = NameIndex::new(Some(&root), placed.iter().map(|one| (one.entry.name.as_str(), &[][..])));
    let find = |name: &str, at: &Place| match tidy(name).is_empty() {
        true => Ok(Concept::ROOT),
        false => index.require(name, at),
    };
    let mut entries = Vec::with_capacity(placed.len());
    let mut places = Vec::with_capacity(placed.len());
    for Placed { entry, parent, alternatives, at } in placed {
        let parent = find(&parent, &at)?;
        let alternatives =
            alternatives.into_iter().map(|(name, certainty)| Ok((find(&name, &at)?, certainty)));
        let alternatives = alternatives.collect::<Result<_, Error>>()?;
        entries.push(Entry { parent, alternatives, ..entry });
        places.push(at);
    }
    Hierarchy::with_places(heading.unwrap_or_else(|| Heading::new(&root)), entries, &places, file)
}

/// A name for a root that has none, and is not yet taken by a concept.
pub(crate) fn spare_root<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let taken: std::collections::HashSet<String> = names.map(name_key).collect();
    let spare = ["everything", "root"].into_iter().find(|name| !taken.contains(*name));
    let numbered = || (2..).map(|number| format!("root {number}")).find(|name| !taken.contains(name));
    spare.map(str::to_owned).or_else(numbered).expect("there are more numbers than names")
}

/// A concept told twice is an error; if its parents differ, that is the more telling one.
fn refuse_second_parents(placed: &[Placed]) -> Result<(), Error> {
    let mut first: HashMap<String, &Placed> = HashMap::new();
    for one in placed {
        read_name(&one.entry.name, &one.at, "concept's name")?;
        let Some(earlier) = first.insert(name_key(&one.entry.name), one) else { continue };
        let parents = [earlier, one].map(|placed| tidy(&placed.parent));
        let (at, name) = (one.at.clone(), tidy(&one.entry.name));
        return Err(match name_key(&parents[0]) == name_key(&parents[1]) {
            true => {
                let first = tidy(&earlier.entry.name);
                Error::RepeatedConcept { at, name, first, first_line: earlier.at.line }
            }
            false => Error::TwoParents { at, child: name, parents },
        });
    }
    Ok(())
}

/// The root's name: the one parent that is no concept.
fn find_root(placed: &[Placed], file: &Place) -> Result<String, Error> {
    let names = || placed.iter().map(|one| one.entry.name.as_str());
    if placed.iter().any(|one| tidy(&one.parent).is_empty()) {
        return Ok(spare_root(names()));
    }
    let concepts: std::collections::HashSet<String> = names().map(name_key).collect();
    let mut roots: Vec<String> = Vec::new();
    for one in placed {
        let key = name_key(&one.parent);
        if !concepts.contains(&key) && !roots.iter().any(|root| name_key(root) == key) {
            roots.push(tidy(&one.parent));
        }
    }
    match &roots[..] {
        // Every parent is a concept, so following parents never ends: the hierarchy names the cycle.
        [] => Ok(spare_root(names())),
        [root] => Ok(root.clone()),
        _ => Err(Error::SeveralRoots { at: file.clone(), names: roots }),
    }
}
