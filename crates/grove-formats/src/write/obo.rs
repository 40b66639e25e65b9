use grove_tree::Concept;

use crate::escape::quoted;
use crate::{Hierarchy, Relation};

/// Writes OBO 1.4: "is a" as `is_a`, any other relation as a `relationship` with its `Typedef`.
pub(crate) fn write(hierarchy: &Hierarchy) -> String {
    let heading = hierarchy.heading();
    let relation = match heading.relation {
        Relation::IsA => None,
        Relation::PartOf => Some("part_of"),
        Relation::LookUnder | Relation::Own(_) => Some("under"),
    };
    let (ontology, remark) = (hierarchy.id(Concept::ROOT), unquoted(&heading.title));
    let mut out = format!("format-version: 1.4\nontology: {ontology}\nremark: {remark}\n");
    for concept in std::iter::once(Concept::ROOT).chain(hierarchy.tree().concepts()) {
        out.push_str(&term(hierarchy, concept, relation));
    }
    if let Some(relation) = relation {
        let name = unquoted(&heading.relation.to_string());
        out.push_str(&format!("\n[Typedef]\nid: {relation}\nname: {name}\n"));
    }
    out
}

fn term(hierarchy: &Hierarchy, concept: Concept, relation: Option<&str>) -> String {
    let (id, name) = (hierarchy.id(concept), unquoted(hierarchy.name(concept)));
    let mut out = format!("\n[Term]\nid: GROVE:{id}\nname: {name}\n");
    let Some(entry) = hierarchy.entry(concept) else { return out };
    if let Some(definition) = &entry.definition {
        out.push_str(&format!("def: {} []\n", quoted(definition)));
    }
    for synonym in &entry.synonyms {
        out.push_str(&format!("synonym: {} EXACT []\n", quoted(synonym)));
    }
    let tag = relation.map_or_else(|| "is_a:".to_owned(), |relation| format!("relationship: {relation}"));
    let parent = hierarchy.id(entry.parent);
    let certainty =
        entry.certainty.map_or_else(String::new, |certainty| format!(" {{certainty=\"{certainty}\"}}"));
    out + &format!("{tag} GROVE:{parent}{certainty}\n")
}

/// A text up to the end of the line, in which no comment (!) or modifier ({) may begin.
fn unquoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('!', "\\!").replace('{', "\\{")
}
