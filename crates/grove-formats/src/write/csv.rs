use crate::{ConceptList, Hierarchy, escape};

/// Writes a list of concepts as CSV, which [`read_concepts`](crate::read_concepts) reads back: name, definition,
/// synonyms.
///
/// ```
/// use grove_formats::{Source, read_concepts, write_concepts};
/// let list = read_concepts(&Source::new("food.json", br#"[{"name": "soda", "synonyms": ["pop", "cola"]}]"#)?)?;
/// assert_eq!(write_concepts(&list), "concept,definition,synonyms\nsoda,,pop|cola\n");
/// # Ok::<(), grove_formats::Error>(())
/// ```
#[must_use]
pub fn write_concepts(list: &ConceptList) -> String {
    let mut out = String::from("concept,definition,synonyms\n");
    for concept in list.concepts() {
        let synonyms: Vec<String> =
            concept.synonyms.iter().map(|synonym| escape::escape(synonym, '|')).collect();
        let cells = [&concept.name, concept.definition.as_deref().unwrap_or_default(), &synonyms.join("|")];
        out.push_str(&cells.map(cell).join(","));
        out.push('\n');
    }
    out
}

/// A table of edges with certainty, votes, and the second most probable parent.
pub(crate) fn write(hierarchy: &Hierarchy) -> String {
    let mut out = String::from("child,parent,certainty,yes,no,second_parent,second_certainty\n");
    for (concept, entry) in hierarchy.concepts() {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let second = entry.alternatives.first();
        let cells = [
            cell(&entry.name),
            cell(hierarchy.parent_name(concept)),
            number(entry.certainty),
            entry.yes.to_string(),
            entry.no.to_string(),
            second.map_or_else(String::new, |&(parent, _)| cell(hierarchy.name(parent))),
            number(second.map(|&(_, certainty)| certainty)),
        ];
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}

/// A cell, in quotes where it needs them; a # at a line's beginning would be a comment.
fn cell(text: &str) -> String {
    match text.contains([',', '"']) || text.starts_with('#') {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
