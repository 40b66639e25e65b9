use std::collections::{HashMap, HashSet};

use grove_tree::{Concept, Tree};

use super::{Entry, Heading};
use crate::name::{name_key, read_name, read_text};
use crate::slug::{ids, is_id};
use crate::{Error, Place, Relation};

pub(super) fn tidy_heading(heading: Heading, at: &Place) -> Result<Heading, Error> {
    let root = read_name(&heading.root, at, "root's name")?;
    let title = read_text(&heading.title, at)?.unwrap_or_else(|| root.clone());
    let language = language_tag(&heading.language, at)?;
    let relation = match heading.relation {
        Relation::Own(wording) => Relation::from_text(&read_name(&wording, at, "wording of the relation")?),
        known => known,
    };
    Ok(Heading { title, language, relation, root })
}

/// A BCP 47 tag, in lower case as RDF compares it.
fn language_tag(tag: &str, at: &Place) -> Result<String, Error> {
    match oxrdf::Literal::new_language_tagged_literal("", tag.trim()) {
        Ok(literal) => Ok(literal.language().unwrap_or("und").to_owned()),
        Err(_) => Err(Error::NotALanguage { at: at.clone(), tag: tag.to_owned() }),
    }
}

pub(super) fn tidy_entry(entry: Entry, at: &Place) -> Result<Entry, Error> {
    let name = read_name(&entry.name, at, "concept's name")?;
    let definition = read_text(entry.definition.as_deref().unwrap_or_default(), at)?;
    let synonyms = tidy_synonyms(&name, &entry.synonyms, at)?;
    for probability in entry.certainty.iter().chain(entry.alternatives.iter().map(|(_, certainty)| certainty))
    {
        if !(0.0..=1.0).contains(probability) {
            return Err(Error::NotInRange {
                at: at.clone(),
                what: format!("certainty of {name:?}"),
                found: probability.to_string(),
                expected: "a number from 0 to 1",
            });
        }
    }
    let mut alternatives = entry.alternatives;
    alternatives.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    Ok(Entry { name, definition, synonyms, alternatives, ..entry })
}

/// The synonyms that say something new, in their order.
pub(crate) fn tidy_synonyms(name: &str, synonyms: &[String], at: &Place) -> Result<Vec<String>, Error> {
    let mut seen = HashSet::from([name_key(name)]);
    let mut new = Vec::new();
    for raw in synonyms {
        new.extend(read_text(raw, at)?.filter(|synonym| seen.insert(name_key(synonym))));
    }
    Ok(new)
}

pub(super) fn refuse_repeats(root: &str, entries: &[Entry], places: &[Place]) -> Result<(), Error> {
    let names = entries.iter().zip(places).map(|(entry, at)| (entry.name.as_str(), at));
    refuse_repeated_names(Some(root), names)
}

/// That no two names are the same but for case and the like.
pub(crate) fn refuse_repeated_names<'a>(
    root: Option<&str>,
    names: impl Iterator<Item = (&'a str, &'a Place)>,
) -> Result<(), Error> {
    let mut first: HashMap<String, (&str, Option<usize>)> = HashMap::new();
    first.extend(root.map(|root| (name_key(root), (root, None))));
    for (name, at) in names {
        if let Some((first, first_line)) = first.insert(name_key(name), (name, at.line)) {
            let (name, first) = (name.to_owned(), first.to_owned());
            return Err(Error::RepeatedConcept { at: at.clone(), name, first, first_line });
        }
    }
    Ok(())
}

pub(super) fn tree_of(entries: &[Entry], places: &[Place]) -> Result<Tree, Error> {
    let parents: Vec<Concept> = entries.iter().map(|entry| entry.parent).collect();
    Tree::from_parents(&parents).map_err(|error| match error {
        grove_tree::Error::Cycle(cycle) => Error::Cycle {
            at: places[cycle[0].index() - 1].clone(),
            names: cycle.iter().map(|on| entries[on.index() - 1].name.clone()).collect(),
        },
        _ => no_such_parent(entries, parents.iter().map(|parent| parent.index())),
    })
}

/// The error for the first parent that does not exist; for parents of which one does not.
fn no_such_parent(entries: &[Entry], parents: impl Iterator<Item = usize>) -> Error {
    let count = entries.len();
    let (at, parent) =
        parents.enumerate().find(|&(_, parent)| parent > count).expect("a parent does not exist");
    Error::UnknownParent { name: entries[at].name.clone(), parent, count }
}

pub(super) fn check_alternatives(root: &str, entries: &[Entry]) -> Result<(), Error> {
    for (at, entry) in entries.iter().enumerate() {
        let mut seen = vec![Concept::new(at + 1), entry.parent];
        for &(parent, _) in &entry.alternatives {
            if parent.index() > entries.len() {
                return Err(Error::UnknownParent {
                    name: entry.name.clone(),
                    parent: parent.index(),
                    count: entries.len(),
                });
            }
            if seen.contains(&parent) {
                let parent = if parent.is_root() { root } else { &entries[parent.index() - 1].name };
                return Err(Error::IdleAlternative { name: entry.name.clone(), parent: parent.to_owned() });
            }
            seen.push(parent);
        }
    }
    Ok(())
}

pub(super) fn all_ids(root: &str, entries: &[Entry], places: &[Place]) -> Result<Vec<String>, Error> {
    let mut seen = HashSet::new();
    for (entry, at) in entries.iter().zip(places) {
        let Some(id) = &entry.id else { continue };
        if !is_id(id) || !seen.insert(id.to_lowercase()) {
            return Err(Error::NotAnId { at: at.clone(), id: id.clone(), name: entry.name.clone() });
        }
    }
    // The root comes last, so that naming it does not change a concept's identifier.
    let given = entries.iter().map(|entry| (entry.name.as_str(), entry.id.as_deref()));
    let mut ids = ids(&given.chain(std::iter::once((root, None))).collect::<Vec<_>>());
    ids.rotate_right(1);
    Ok(ids)
}
