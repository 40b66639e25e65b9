use grove_tree::Concept;

use super::WriteOptions;
use crate::Hierarchy;

/// A hierarchy for GraphViz. A doubtful edge is red and dashed with its number, an alternative parent a faint dotted
/// line that does not move anything.
pub(crate) fn write(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let mut out = format!("digraph {} {{\n", quoted(&hierarchy.heading().title));
    out.push_str("  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    let id = |concept: Concept| quoted(hierarchy.id(concept));
    for concept in std::iter::once(Concept::ROOT).chain(hierarchy.tree().concepts()) {
        out.push_str(&format!("  {} [label={}];\n", id(concept), label(hierarchy.name(concept))));
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

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A label, in which GraphViz also reads HTML's entities.
fn label(text: &str) -> String {
    quoted(&text.replace('&', "&amp;"))
}
