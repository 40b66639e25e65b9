use std::collections::{HashMap, HashSet};

use grove_tree::{Concept, Tree};

use super::Entry;
use crate::name::{name_key, read_name, read_text};
use crate::{ErrorKind, Place, Result};

pub(super) fn tidy_entry(mut entry: Entry, at: &Place) -> Result<Entry> {
    tidy_texts(&mut entry.name, &mut entry.definition, &mut entry.synonyms, at)?;
    for certainty in entry.certainty.iter().chain(entry.alternatives.iter().map(|(_, certainty)| certainty)) {
        if !(0.0..=1.0).contains(certainty) {
            let (what, found) = (format!("certainty of {:?}", entry.name), certainty.to_string());
            return Err(ErrorKind::NotInRange { what, found, expected: "a number from 0 to 1" }.at(at));
        }
    }
    entry.alternatives.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    Ok(entry)
}

/// Checks and tidies the texts of a concept. Synonyms that repeat the name, or each other, are left out.
pub(crate) fn tidy_texts(
    name: &mut String,
    definition: &mut Option<String>,
    synonyms: &mut Vec<String>,
    at: &Place,
) -> Result<()> {
    *name = read_name(name, at, "concept's name")?;
    *definition = read_text(definition.as_deref().unwrap_or_default(), at)?;
    let mut seen = HashSet::from([name_key(name)]);
    for raw in std::mem::take(synonyms) {
        synonyms.extend(read_text(&raw, at)?.filter(|synonym| seen.insert(name_key(synonym))));
    }
    Ok(())
}

/// Checks that no two names have the same [`name_key`].
pub(crate) fn refuse_repeated_names<'a>(
    root: Option<&str>,
    names: impl Iterator<Item = (&'a str, &'a Place)>,
) -> Result<()> {
    let mut first: HashMap<String, (&str, Option<usize>)> = HashMap::new();
    first.extend(root.map(|root| (name_key(root), (root, None))));
    for (name, at) in names {
        if let Some((first, first_line)) = first.insert(name_key(name), (name, at.line)) {
            let (name, first) = (name.to_owned(), first.to_owned());
            return Err(ErrorKind::RepeatedConcept { name, first, first_line }.at(at));
        }
    }
    Ok(())
}

/// Checks that all parents and alternatives exist and that no alternative is redundant.
pub(super) fn check_parents(root: &str, entries: &[Entry]) -> Result<()> {
    let count = entries.len();
    for (at, entry) in entries.iter().enumerate() {
        let name = entry.name.clone();
        let mut seen = vec![Concept::new(at + 1)];
        let alternatives = entry.alternatives.iter().map(|&(parent, _)| (parent, true));
        for (parent, alternative) in std::iter::once((entry.parent, false)).chain(alternatives) {
            if parent.index() > count {
                return Err(ErrorKind::UnknownParent { name, parent: parent.index(), count }.into());
            }
            if alternative && seen.contains(&parent) {
                let parent =
                    if parent.is_root() { root } else { &entries[parent.index() - 1].name }.to_owned();
                return Err(ErrorKind::RedundantAlternative { name, parent }.into());
            }
            seen.push(parent);
        }
    }
    Ok(())
}

/// The tree of entries whose parents exist.
pub(super) fn tree_of(entries: &[Entry], places: &[Place]) -> Result<Tree> {
    let parents: Vec<Concept> = entries.iter().map(|entry| entry.parent).collect();
    Tree::from_parents(&parents).map_err(|error| {
        let grove_tree::Error::Cycle(cycle) = error else { unreachable!("all parents exist") };
        let positions = cycle.iter().map(|concept| concept.index() - 1);
        let names = positions.map(|at| entries[at].name.clone()).collect();
        ErrorKind::Cycle(names).at(&places[cycle[0].index() - 1])
    })
}
