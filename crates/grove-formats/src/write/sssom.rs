use grove_tree::Concept;

use super::WriteOptions;
use crate::{Error, Hierarchy, Relation};

const UNSPECIFIED_LICENSE: &str = "https://w3id.org/sssom/license/unspecified";

/// A hierarchy as SSSOM: each concept mapped to its parent, with the certainty as confidence, under the metadata
/// that the standard asks for.
pub(crate) fn write(hierarchy: &Hierarchy, options: &WriteOptions) -> Result<String, Error> {
    let license =
        options.license()?.map_or_else(|| UNSPECIFIED_LICENSE.to_owned(), oxrdf::NamedNode::into_string);
    // JSON's quoted texts are also YAML's.
    let yaml = |text: &str| serde_json::Value::from(text).to_string();
    let mut out = String::from("#curie_map:\n");
    let part_of = hierarchy.heading().relation == Relation::PartOf;
    out.push_str(&format!("#  grove: {}\n", yaml(options.iri("concept/")?.as_str())));
    if options.base.starts_with("urn:") {
        // Otherwise its readers take the set's own name for a short form that nobody declared.
        out.push_str("#  urn: \"urn:\"\n");
    }
    out.push_str("#  skos: \"http://www.w3.org/2004/02/skos/core#\"\n");
    out.push_str("#  BFO: \"http://purl.obolibrary.org/obo/BFO_\"\n");
    out.push_str("#  semapv: \"https://w3id.org/semapv/vocab/\"\n");
    out.push_str(&format!("#mapping_set_id: {}\n", yaml(options.iri("mappings")?.as_str())));
    out.push_str(&format!("#mapping_set_title: {}\n", yaml(&hierarchy.heading().title)));
    out.push_str(&format!("#license: {}\n", yaml(&license)));
    out.push_str(
        "subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification\tconfidence\n",
    );
    let predicate = if part_of { "BFO:0000050" } else { "skos:broadMatch" };
    let id = |concept: Concept| format!("grove:{}", hierarchy.id(concept));
    for (concept, entry) in hierarchy.concepts() {
        let cells = [
            id(concept),
            cell(&entry.name),
            predicate.to_owned(),
            id(entry.parent),
            cell(hierarchy.parent_name(concept)),
            "semapv:ManualMappingCuration".to_owned(),
            entry.certainty.map_or_else(String::new, |certainty| certainty.to_string()),
        ];
        out.push_str(&cells.join("\t"));
        out.push('\n');
    }
    Ok(out)
}

/// Names hold no tab; a quote needs quoting, because most readers of TSV take quotes as CSV does.
fn cell(text: &str) -> String {
    match text.contains('"') {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
