//! Edits that the belief has not taken in yet, shown at once.

use grove_campaign::operations::View;
use grove_campaign::{Fate, State};
use grove_formats::{Entry, Hierarchy};
use grove_tree::Concept;
use grove_vocabulary::Correction;

use super::item::Marks;
use super::visible::find;
use crate::http_error::Result;

/// Puts what the state knows into a hierarchy that the belief made earlier: new concepts, new names and articles, and pins. Each is marked.
pub(super) fn with_pending(mut view: View, state: &State) -> Result<(View, Marks)> {
    let mut marks = Marks::default();
    let mut pins = Vec::new();
    for standing in state.corrections() {
        let subject = *standing.correction.subject();
        let parent = match standing.correction {
            Correction::DirectlyUnder { upper, .. } => Some(upper),
            Correction::TopLevel { .. } => Some(0),
            Correction::SomewhereUnder { .. } | Correction::NotUnder { .. } => None,
        };
        if parent.is_some() {
            marks.pinned.insert(subject);
        }
        if standing.position > view.position {
            marks.pending.insert(subject);
            pins.extend(parent.map(|parent| (subject, parent)));
        }
    }
    if state.position() == view.position {
        return Ok((view, marks));
    }
    let mut entries = view.hierarchy.entries().to_vec();
    let mut changed = view.hierarchy.heading() != &state.settings().heading();
    for (entry, number) in entries.iter_mut().zip(&view.numbers) {
        let Some(concept) = state.concepts().get(*number) else { continue };
        if concept.fate != Fate::Present {
            marks.pending.insert(*number);
        } else if concept.name != entry.name
            || entry.definition.as_deref() != Some(&concept.definition)
            || concept.article != entry.article
        {
            changed = true;
            entry.name.clone_from(&concept.name);
            entry.definition = Some(concept.definition.clone());
            entry.article.clone_from(&concept.article);
        }
    }
    let last = view.numbers.last().copied().unwrap_or(0);
    for concept in state.concepts().present().filter(|concept| concept.number > last) {
        changed = true;
        marks.pending.insert(concept.number);
        entries.push(Entry {
            definition: Some(concept.definition.clone()),
            article: concept.article.clone(),
            ..Entry::new(&concept.name, Concept::ROOT)
        });
        view.numbers.push(concept.number);
    }
    for (subject, parent) in pins {
        if let (Some(lower), Some(upper)) = (find(&view, subject), find(&view, parent)) {
            let entry = &mut entries[lower.index() - 1];
            changed |= entry.parent != upper;
            entry.parent = upper;
        }
    }
    if changed {
        let heading = state.settings().heading();
        match Hierarchy::new(heading, entries) {
            Ok(hierarchy) => view.hierarchy = hierarchy,
            // Such as a name that was given to another meanwhile: until the belief follows, all stays as it was.
            Err(_) => view.numbers.truncate(view.hierarchy.len()),
        }
    }
    Ok((view, marks))
}
