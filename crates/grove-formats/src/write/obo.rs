use std::fmt::Write;

use grove_tree::Concept;

use crate::{Entry, Hierarchy, Relation};

/// A hierarchy as OBO 1.4: "is a" as `is_a`, any other relation as a `relationship` with its `Typedef`.
pub(crate) fn write(hierarchy: &Hierarchy) -> String {
    let mut out = String::from("format-version: 1.4\n");
    let heading = hierarchy.heading();
    line(&mut out, &format!("ontology: {}", hierarchy.id(Concept::ROOT)));
    line(&mut out, &format!("remark: {}", unquoted(&heading.title)));
    term(&mut out, hierarchy, Concept::ROOT, None);
    for (concept, entry) in hierarchy.concepts() {
        term(&mut out, hierarchy, concept, Some(entry));
    }
    if let Some(relation) = relation(&heading.relation) {
        let name = unquoted(&heading.relation.to_string());
        line(&mut out, &format!("\n[Typedef]\nid: {relation}\nname: {name}"));
    }
    out
}

fn term(out: &mut String, hierarchy: &Hierarchy, concept: Concept, entry: Option<&Entry>) {
    line(out, &format!("\n[Term]\nid: {}", id(hierarchy, concept)));
    line(out, &format!("name: {}", unquoted(hierarchy.name(concept))));
    let Some(entry) = entry else { return };
    if let Some(definition) = &entry.definition {
        line(out, &format!("def: {} []", quoted(definition)));
    }
    for synonym in &entry.synonyms {
        line(out, &format!("synonym: {} EXACT []", quoted(synonym)));
    }
    let parent = id(hierarchy, entry.parent);
    let certainty =
        entry.certainty.map_or_else(String::new, |certainty| format!(" {{certainty=\"{certainty}\"}}"));
    match relation(&hierarchy.heading().relation) {
        None => line(out, &format!("is_a: {parent}{certainty}")),
        Some(relation) => line(out, &format!("relationship: {relation} {parent}{certainty}")),
    }
}

fn relation(relation: &Relation) -> Option<&'static str> {
    match relation {
        Relation::IsA => None,
        Relation::PartOf => Some("part_of"),
        Relation::LookUnder | Relation::Own(_) => Some("under"),
    }
}

fn id(hierarchy: &Hierarchy, concept: Concept) -> String {
    format!("GROVE:{}", hierarchy.id(concept))
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("writing to memory does not fail");
}

/// A text up to the line's end: a comment (!) or a modifier ({) must not begin in it.
fn unquoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('!', "\\!").replace('{', "\\{")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
