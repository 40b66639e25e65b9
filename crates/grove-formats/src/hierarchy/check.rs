use std::collections::{HashMap, HashSet};

use grove_tree::{Concept, Tree};
use grove_vocabulary::Reason;
use unicode_normalization::UnicodeNormalization;

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
    tidy_reasons(&mut entry).map_err(|kind| kind.at(at))?;
    Ok(entry)
}

/// Checks and tidies why a parent is as certain as it is, and where people place the concept.
fn tidy_reasons(entry: &mut Entry) -> Result<(), ErrorKind> {
    entry.reasons.sort_unstable();
    entry.reasons.dedup();
    let name = || entry.name.clone();
    if let [Reason::Settled, other, ..] = entry.reasons[..] {
        return Err(ErrorKind::SettledAndNot { name: name(), other: other.as_str() });
    }
    if !entry.places.is_empty() && !entry.reasons.contains(&Reason::Differ) {
        return Err(ErrorKind::PlacesWithoutDiffer(name()));
    }
    for place in &entry.places {
        let wrong = |number: &f64| !(0.0..=1.0).contains(number);
        if let Some(found) = [place.share, place.low, place.high].into_iter().find(wrong) {
            let what = format!("share of people at a place of {:?}", entry.name);
            let expected = "numbers from 0 to 1";
            return Err(ErrorKind::NotInRange { what, found: found.to_string(), expected });
        }
        if place.low > place.high {
            let what = format!("interval of a share of {:?}", entry.name);
            let found = format!("{} to {}", place.low, place.high);
            return Err(ErrorKind::NotInRange { what, found, expected: "the lower end first" });
        }
    }
    entry.places.sort_by(|one, other| other.share.total_cmp(&one.share));
    Ok(())
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

/// Checks that all parents, alternatives and places exist and that none of them is redundant.
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
        check_places(root, entries, Concept::new(at + 1), entry)?;
    }
    Ok(())
}

/// Checks that the places where people put a concept exist and that none is listed twice.
fn check_places(root: &str, entries: &[Entry], concept: Concept, entry: &Entry) -> Result<()> {
    let count = entries.len();
    let mut seen = vec![concept];
    for place in &entry.places {
        let (name, parent) = (entry.name.clone(), place.parent);
        if parent.index() > count {
            return Err(ErrorKind::UnknownParent { name, parent: parent.index(), count }.into());
        }
        if seen.contains(&parent) {
            let parent = if parent.is_root() { root } else { &entries[parent.index() - 1].name }.to_owned();
            return Err(ErrorKind::RedundantPlace { name, parent }.into());
        }
        seen.push(parent);
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

/// The maximum length of an identifier made from a name.
const LENGTH: usize = 60;

/// Whether a text needs no quoting in IRIs, XML, OBO and DOT.
pub(crate) fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// The identifiers of the root, at 0, and of all concepts: those that the entries have, checked, and others made from
/// the names.
pub(super) fn all_ids(root: &str, entries: &[Entry], places: &[Place]) -> Result<Vec<String>> {
    let mut taken = HashSet::new();
    for (entry, at) in entries.iter().zip(places) {
        let Some(id) = &entry.id else { continue };
        if !is_id(id) || !taken.insert(id.to_lowercase()) {
            return Err(ErrorKind::NotAnId { id: id.clone(), name: entry.name.clone() }.at(at));
        }
    }
    // The root comes last, so that renaming it does not change a concept's identifier.
    let names = entries.iter().map(|entry| (entry.name.as_str(), entry.id.as_deref()));
    let mut ids = ids(names.chain([(root, None)]), taken);
    ids.rotate_right(1);
    Ok(ids)
}

/// An identifier for each name: the one given, or one made from the name that is not yet taken.
///
/// "Crème brûlée" becomes "creme-brulee"; a name without Latin letters or digits becomes "concept-" and its number;
/// a second "apple" becomes "apple-2". Adding names at the end changes none of the earlier identifiers.
fn ids<'a>(
    names: impl Iterator<Item = (&'a str, Option<&'a str>)>,
    mut taken: HashSet<String>,
) -> Vec<String> {
    let mut make = |number: usize, name: &str| {
        let slug = slug(name);
        let stem = if slug.is_empty() { format!("concept-{number}") } else { slug };
        let numbered = (2..).map(|again| format!("{stem}-{again}"));
        let free = std::iter::once(stem.clone()).chain(numbered).find(|id| !taken.contains(id));
        let id = free.expect("there are more numbers than names");
        taken.insert(id.clone());
        id
    };
    names
        .zip(1..)
        .map(|((name, given), number)| given.map_or_else(|| make(number, name), str::to_owned))
        .collect()
}

/// The Latin letters, without accents, and digits of a name, with hyphens between the words.
fn slug(name: &str) -> String {
    let is_mark = |c: &char| unicode_normalization::char::is_combining_mark(*c);
    let plain: String = name.nfkd().filter(|c| !is_mark(c)).collect::<String>().to_lowercase();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    slug.chars().take(LENGTH).collect::<String>().trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_from_names() {
        let names = ["Crème brûlée", "apple", "Apple!", "🍎", "חלב", "5\" pan", "apple-2"];
        let ids = ids(names.into_iter().map(|name| (name, None)), HashSet::new());
        assert_eq!(ids, ["creme-brulee", "apple", "apple-2", "concept-4", "concept-5", "5-pan", "apple-2-2"]);
        assert!(ids.iter().all(|id| is_id(id)));
    }

    #[test]
    fn given_ones_stay() {
        let pear = Entry { id: Some("APPLE".into()), ..Entry::new("pear", Concept::ROOT) };
        let entries = [Entry::new("apple", Concept::ROOT), pear];
        let ids = all_ids("food", &entries, &[Place::default(), Place::default()]).unwrap();
        assert_eq!(ids, ["food", "apple-2", "APPLE"]);
        assert!(!is_id("") && !is_id("a b") && !is_id("é"));
    }
}
