use grove_tree::Concept;

use super::WriteOptions;
use crate::escape::{cell, escape, no_formula};
use crate::{ConceptList, Entry, Hierarchy, Relation, Result};

/// Writes a list of concepts as CSV, which [`read_concepts`](crate::read_concepts) reads back: name, definition,
/// synonyms, and article if the owner chose one for any of them.
///
/// ```
/// use grove_formats::{Source, read_concepts, write_concepts};
/// let list = read_concepts(&Source::new("food.json", br#"[{"name": "soda", "synonyms": ["pop", "cola"]}]"#)?)?;
/// assert_eq!(write_concepts(&list), "concept,definition,synonyms\nsoda,,pop|cola\n");
/// # Ok::<(), grove_formats::Error>(())
/// ```
#[must_use]
pub fn write_concepts(list: &ConceptList) -> String {
    let with_articles = list.concepts().iter().any(|concept| !concept.article.is_by_rule());
    let mut out = String::from("concept,definition,synonyms");
    out.push_str(if with_articles { ",article\n" } else { "\n" });
    for concept in list.concepts() {
        let synonyms: Vec<String> = concept.synonyms.iter().map(|synonym| escape(synonym, '|')).collect();
        let cells = [&concept.name, concept.definition.as_deref().unwrap_or_default(), &synonyms.join("|")];
        out.push_str(&cells.map(csv_cell).join(","));
        if with_articles {
            out.push_str(&format!(",{}", csv_cell(&concept.article.to_string())));
        }
        out.push('\n');
    }
    out
}

/// Writes edges as CSV, with certainty, votes, the second most probable parent, the reasons, and the places where people differ:
/// `fruit 0.61 [0.52, 0.7]|vegetable 0.39 [0.3, 0.48]`, each with the share of people and its interval.
pub(crate) fn csv(hierarchy: &Hierarchy) -> String {
    let mut out =
        String::from("child,parent,certainty,yes,no,second_parent,second_certainty,reason,places\n");
    for (concept, entry) in hierarchy.concepts() {
        let second = entry.alternatives.first();
        let cells = [
            csv_cell(&entry.name),
            csv_cell(hierarchy.parent_name(concept)),
            number(entry.certainty),
            entry.yes.to_string(),
            entry.no.to_string(),
            second.map_or_else(String::new, |&(parent, _)| csv_cell(hierarchy.name(parent))),
            number(second.map(|&(_, certainty)| certainty)),
            entry.reasons.iter().map(|reason| reason.as_str()).collect::<Vec<_>>().join(" "),
            csv_cell(&places(hierarchy, entry)),
        ];
        out.push_str(&(cells.join(",") + "\n"));
    }
    out
}

fn places(hierarchy: &Hierarchy, entry: &Entry) -> String {
    let place = |place: &grove_vocabulary::Place<Concept>| {
        let parent = escape(hierarchy.name(place.parent), '|');
        format!("{parent} {} [{}, {}]", place.share, place.low, place.high)
    };
    entry.places.iter().map(place).collect::<Vec<_>>().join("|")
}

/// A cell of CSV; a # at the beginning of a line would be a comment.
pub(super) fn csv_cell(text: &str) -> String {
    cell(&no_formula(text), text.contains(',') || text.starts_with('#'))
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Writes SSSOM: each concept mapped to its parent, with the certainty as confidence, under the metadata that the
/// standard requires.
pub(crate) fn sssom(hierarchy: &Hierarchy, options: &WriteOptions) -> Result<String> {
    const NO_LICENSE: &str = "https://w3id.org/sssom/license/unspecified";
    let license = options.license()?.map_or_else(|| NO_LICENSE.to_owned(), oxrdf::NamedNode::into_string);
    // JSON's quoted texts are also YAML's.
    let yaml = |text: &str| serde_json::Value::from(text).to_string();
    // Otherwise readers would take the set's own name for an undeclared prefix.
    let urn = if options.base.starts_with("urn:") { "#  urn: \"urn:\"\n" } else { "" };
    let mut out = format!(
        "#curie_map:\n#  grove: {concepts}\n{urn}#  skos: \"http://www.w3.org/2004/02/skos/core#\"\n\
         #  BFO: \"http://purl.obolibrary.org/obo/BFO_\"\n#  semapv: \"https://w3id.org/semapv/vocab/\"\n\
         #mapping_set_id: {id}\n#mapping_set_title: {title}\n#license: {license}\n\
         subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification\tconfidence\n",
        concepts = yaml(options.iri("concept/")?.as_str()),
        id = yaml(options.iri("mappings")?.as_str()),
        title = yaml(&hierarchy.heading().title),
        license = yaml(&license),
    );
    let part_of = hierarchy.heading().relation == Relation::PartOf;
    let predicate = if part_of { "BFO:0000050" } else { "skos:broadMatch" };
    let id = |concept: Concept| format!("grove:{}", hierarchy.id(concept));
    for (concept, entry) in hierarchy.concepts() {
        // Names contain no tab; quotes are quoted, because most readers of TSV treat them as in CSV.
        let cells = [
            id(concept),
            cell(&entry.name, false),
            predicate.to_owned(),
            id(entry.parent),
            cell(hierarchy.parent_name(concept), false),
            "semapv:ManualMappingCuration".to_owned(),
            number(entry.certainty),
        ];
        out.push_str(&(cells.join("\t") + "\n"));
    }
    Ok(out)
}
