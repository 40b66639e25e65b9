use grove_tree::Concept;

use super::WriteOptions;
use crate::Hierarchy;
use crate::escape::quoted;

/// Writes GraphViz. A doubtful edge is red and dashed; an alternative parent is a dotted line that does not affect the
/// layout.
pub(crate) fn dot(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let mut out = format!("digraph {} {{\n", quoted(&hierarchy.heading().title));
    out.push_str("  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    let id = |concept: Concept| quoted(hierarchy.id(concept));
    for concept in std::iter::once(Concept::ROOT).chain(hierarchy.tree().concepts()) {
        // GraphViz reads HTML entities in labels.
        let label = quoted(&hierarchy.name(concept).replace('&', "&amp;"));
        out.push_str(&format!("  {} [label={label}];\n", id(concept)));
    }
    for (concept, entry) in hierarchy.concepts() {
        let attributes = match entry.certainty {
            None => String::new(),
            Some(certainty) if options.is_doubtful(Some(certainty)) => {
                format!(" [label=\"{certainty:.2}\", color=red, fontcolor=red, style=dashed]")
            }
            Some(certainty) => format!(" [label=\"{certainty:.2}\", penwidth={:.2}]", 0.5 + 2.0 * certainty),
        };
        out.push_str(&format!("  {} -> {}{attributes};\n", id(entry.parent), id(concept)));
        if let Some((parent, certainty)) = options.second_choice(entry) {
            out.push_str(&format!(
                "  {} -> {} [label=\"{certainty:.2}\", color=gray, fontcolor=gray, style=dotted, constraint=false];\n",
                id(parent),
                id(concept)
            ));
        }
    }
    out.push_str("}\n");
    out
}

/// Writes a Mermaid flowchart, for Markdown pages.
pub(crate) fn mermaid(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let mut out = String::from("flowchart LR\n");
    for concept in std::iter::once(Concept::ROOT).chain(hierarchy.tree().concepts()) {
        out.push_str(&format!("    c{concept}[\"{}\"]\n", mermaid_label(hierarchy.name(concept))));
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
        if let Some((parent, certainty)) = options.second_choice(entry) {
            out.push_str(&format!("    c{parent} -.->|\"{certainty:.2}\"| c{concept}\n"));
        }
    }
    out
}

/// A label with its punctuation as character codes: Mermaid interprets quotes, brackets, Markdown lists and HTML in
/// labels.
fn mermaid_label(name: &str) -> String {
    let harmless = |at: usize, c: char| !c.is_ascii_punctuation() || at > 0 && matches!(c, '-' | ',' | '\'');
    let code = |(at, c): (usize, char)| {
        if harmless(at, c) { c.to_string() } else { format!("#{};", u32::from(c)) }
    };
    name.char_indices().map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Heading};

    /// Mermaid 11.17.2 draws this with whole names and a red doubtful edge.
    #[test]
    fn mermaid_cannot_take_names_for_syntax() {
        let doubtful = Entry {
            certainty: Some(0.5),
            alternatives: vec![(Concept::ROOT, 0.4)],
            ..Entry::new("- \"b\" x-y", Concept::new(1))
        };
        let hierarchy =
            Hierarchy::new(Heading::new("end"), vec![Entry::new("1. a", Concept::ROOT), doubtful]).unwrap();
        assert_eq!(
            mermaid(&hierarchy, &WriteOptions::default()),
            "flowchart LR\n    c0[\"end\"]\n    c1[\"1#46; a\"]\n    c2[\"#45; #34;b#34; x-y\"]\n    c0 --> c1\n    \
             c1 -->|\"0.50\"| c2\n    linkStyle 1 stroke:red,color:red\n    c0 -.->|\"0.40\"| c2\n"
        );
    }
}
