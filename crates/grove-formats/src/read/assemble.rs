use std::collections::{HashMap, HashSet};

use grove_tree::Concept;

use crate::concept_list::check_count;
use crate::name::{name_key, read_name, tidy};
use crate::{Entry, ErrorKind, Heading, Hierarchy, NameIndex, Place, Result};

/// A concept whose parents are given by name.
pub(crate) struct Placed {
    /// The concept, without its parents.
    pub(crate) entry: Entry,
    /// The parent's name; empty for a top-level concept.
    pub(crate) parent: String,
    /// The names of other possible parents, with their probabilities.
    pub(crate) alternatives: Vec<(String, f64)>,
    /// Where people place it, by the parents' names.
    pub(crate) places: Vec<grove_vocabulary::Place<String>>,
    /// The place in the file.
    pub(crate) at: Place,
}

impl Placed {
    /// A concept without alternative parents or places.
    pub(crate) fn new(entry: Entry, parent: &str, at: &Place) -> Self {
        Self {
            entry,
            parent: parent.to_owned(),
            alternatives: Vec::new(),
            places: Vec::new(),
            at: at.clone(),
        }
    }
}

/// Makes a hierarchy of concepts that name their parents.
///
/// Without a heading, the one parent that is not a concept is the root and gives the title. If some concept has no
/// parent, all parents must be concepts, and the root gets a name of ours.
pub(crate) fn assemble(heading: Option<Heading>, placed: Vec<Placed>, file: &Place) -> Result<Hierarchy> {
    check_count(placed.len(), file)?;
    refuse_repetitions(&placed)?;
    let heading = match heading {
        Some(heading) => heading,
        None => Heading::new(&find_root(&placed, file)?),
    };
    let names = placed.iter().map(|one| (one.entry.name.as_str(), &[][..]));
    let index = NameIndex::new(Some(&heading.root), names);
    let find = |name: &str, at: &Place| {
        if tidy(name).is_empty() { Ok(Concept::ROOT) } else { index.require(name, at) }
    };
    let (mut entries, mut lines) = (Vec::new(), Vec::new());
    for Placed { entry, parent, alternatives, places, at } in placed {
        let parent = find(&parent, &at)?;
        let alternatives = alternatives.iter().map(|(name, certainty)| Ok((find(name, &at)?, *certainty)));
        let alternatives = alternatives.collect::<Result<_>>()?;
        let places = places.into_iter().map(|place| {
            let parent = find(&place.parent, &at)?;
            Ok(place.map(|_| parent))
        });
        let places = places.collect::<Result<_>>()?;
        entries.push(Entry { parent, alternatives, places, ..entry });
        lines.push(at);
    }
    Hierarchy::with_places(heading, entries, &lines, file)
}

/// A name for a root without one that no concept has.
pub(crate) fn spare_root<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let taken: HashSet<String> = names.map(name_key).collect();
    let numbered = (2..).map(|number| format!("root {number}"));
    let mut spare = ["everything", "root"].map(str::to_owned).into_iter().chain(numbered);
    spare.find(|name| !taken.contains(name)).expect("there are more numbers than names")
}

/// Refuses a concept that is listed twice, and names its parents if they differ.
fn refuse_repetitions(placed: &[Placed]) -> Result<()> {
    let mut first: HashMap<String, &Placed> = HashMap::new();
    for one in placed {
        let name = read_name(&one.entry.name, &one.at, "concept's name")?;
        let Some(earlier) = first.insert(name_key(&name), one) else { continue };
        let parents = [earlier, one].map(|placed| tidy(&placed.parent));
        let (first, first_line) = (tidy(&earlier.entry.name), earlier.at.line);
        let kind = if name_key(&parents[0]) == name_key(&parents[1]) {
            ErrorKind::RepeatedConcept { name, first, first_line }
        } else {
            ErrorKind::TwoParents { child: name, parents }
        };
        return Err(kind.at(&one.at));
    }
    Ok(())
}

/// The root's name: the one parent that is not a concept.
fn find_root(placed: &[Placed], file: &Place) -> Result<String> {
    let names = || placed.iter().map(|one| one.entry.name.as_str());
    if placed.iter().any(|one| tidy(&one.parent).is_empty()) {
        return Ok(spare_root(names()));
    }
    let mut seen: HashSet<String> = names().map(name_key).collect();
    let roots = placed.iter().filter(|one| seen.insert(name_key(&one.parent))).map(|one| tidy(&one.parent));
    let mut roots: Vec<String> = roots.collect();
    match roots.len() {
        // Every parent is a concept, so the parents form a cycle: making the hierarchy will name it.
        0 => Ok(spare_root(names())),
        1 => Ok(roots.remove(0)),
        _ => Err(ErrorKind::SeveralRoots(roots).at(file)),
    }
}
