use grove_tree::Concept;

use super::WriteOptions;
use crate::Hierarchy;

/// A hierarchy as a Mermaid flowchart, for Markdown pages that draw it.
pub(crate) fn write(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let mut out = String::from("flowchart LR\n");
    for concept in std::iter::once(Concept::ROOT).chain(hierarchy.tree().concepts()) {
        out.push_str(&format!("    c{concept}[\"{}\"]\n", label(hierarchy.name(concept))));
    }
    let mut doubtful = Vec::new();
    for (edge, (concept, entry)) in hierarchy.concepts().enumerate() {
        let certainty = entry.certainty.map_or_else(String::new, |certainty| format!("|\"{certainty:.2}\"|"));
        out.push_str(&format!("    c{} -->{certainty} c{concept}\n", entry.parent));
        if options.is_doubtful(entry.certainty) {
            doubtful.push(edge.to_string());
        }
    }
    if !doubtful.is_empty() {
        out.push_str(&format!("    linkStyle {} stroke:red,color:red\n", doubtful.join(",")));
    }
    for (concept, entry) in hierarchy.concepts() {
        for &(parent, certainty) in &entry.alternatives {
            out.push_str(&format!("    c{parent} -.->|\"{certainty:.2}\"| c{concept}\n"));
        }
    }
    out
}

/// A label with its punctuation as character codes: Mermaid reads quotes, brackets, Markdown lists and HTML in labels.
fn label(name: &str) -> String {
    let harmless = |at: usize, c: char| !c.is_ascii_punctuation() || at > 0 && matches!(c, '-' | ',' | '\'');
    let code = |(at, c): (usize, char)| match harmless(at, c) {
        true => c.to_string(),
        false => format!("#{};", u32::from(c)),
    };
    name.char_indices().map(code).collect()
}
