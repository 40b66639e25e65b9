use grove_tree::Concept;
use grove_vocabulary::Reason;

use super::WriteOptions;
use crate::Hierarchy;
use crate::escape::quoted;

/// The colours of doubtful places, and of those between which people differ: as on the server's pages.
const DOUBT: &str = "#17653d";
const DIFFER: &str = "#8a4b00";

/// The styles of Mermaid's edges that are doubtful, where nobody was asked, and where people differ.
const DOUBTFUL: &str = "stroke:#17653d,color:#17653d,stroke-dasharray:5 4";
const UNASKED: &str = "stroke:gray,color:dimgray,stroke-dasharray:3 3";
const DIFFERING: &str = "stroke:#8a4b00,color:#8a4b00,stroke-width:3px";

/// Writes GraphViz. A doubtful edge is green and dashed, one that nobody was asked about grey and dashed; an alternative parent is a dotted
/// line that does not affect the layout. Where people differ, the lines to all their places are bold and amber, and say so.
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
            Some(certainty) => match options.reason(entry) {
                Reason::Differ => format!(
                    " [label=\"{certainty:.2} people differ\", color=\"{DIFFER}\", fontcolor=\"{DIFFER}\", style=bold]"
                ),
                Reason::Open => {
                    format!(
                        " [label=\"{certainty:.2}\", color=\"{DOUBT}\", fontcolor=\"{DOUBT}\", style=dashed]"
                    )
                }
                Reason::Unasked => {
                    format!(
                        " [label=\"{certainty:.2} not asked\", color=gray, fontcolor=dimgray, style=dashed]"
                    )
                }
                Reason::Settled => {
                    format!(" [label=\"{certainty:.2}\", penwidth={:.2}]", 0.5 + 2.0 * certainty)
                }
            },
        };
        out.push_str(&format!("  {} -> {}{attributes};\n", id(entry.parent), id(concept)));
        for (parent, certainty) in options.other_places(entry) {
            let style = if entry.places.is_empty() {
                "color=gray, fontcolor=gray, style=dotted".to_owned()
            } else {
                format!("color=\"{DIFFER}\", fontcolor=\"{DIFFER}\", style=\"bold,dotted\"")
            };
            out.push_str(&format!(
                "  {} -> {} [label=\"{certainty:.2}\", {style}, constraint=false];\n",
                id(parent),
                id(concept)
            ));
        }
    }
    out.push_str("}\n");
    out
}

/// Writes a Mermaid flowchart, for Markdown pages, with the colours of [`dot`].
pub(crate) fn mermaid(hierarchy: &Hierarchy, options: &WriteOptions) -> String {
    let mut out = String::from("flowchart LR\n");
    for concept in std::iter::once(Concept::ROOT).chain(hierarchy.tree().concepts()) {
        out.push_str(&format!("    c{concept}[\"{}\"]\n", mermaid_label(hierarchy.name(concept))));
    }
    let mut marked = [(Reason::Open, DOUBTFUL), (Reason::Unasked, UNASKED), (Reason::Differ, DIFFERING)]
        .map(|(reason, style)| (reason, style, Vec::new()));
    let mut mark = |reason: Reason, edge: usize| {
        let of = marked.iter_mut().find(|(of, ..)| *of == reason);
        of.into_iter().for_each(|(.., edges)| edges.push(edge.to_string()));
    };
    for (edge, (concept, entry)) in hierarchy.concepts().enumerate() {
        let reason = options.reason(entry);
        let words = match reason {
            Reason::Settled | Reason::Open => String::new(),
            Reason::Differ | Reason::Unasked => format!(" {}", reason.in_words()),
        };
        let certainty =
            entry.certainty.map_or_else(String::new, |certainty| format!("|\"{certainty:.2}{words}\"|"));
        out.push_str(&format!("    c{} -->{certainty} c{concept}\n", entry.parent));
        mark(reason, edge);
    }
    let mut others = String::new();
    let mut edge = hierarchy.len();
    for (concept, entry) in hierarchy.concepts() {
        for (parent, certainty) in options.other_places(entry) {
            others.push_str(&format!("    c{parent} -.->|\"{certainty:.2}\"| c{concept}\n"));
            if !entry.places.is_empty() {
                mark(Reason::Differ, edge);
            }
            edge += 1;
        }
    }
    // A style may name only edges that are already there.
    let (later, at_once): (Vec<_>, Vec<_>) = marked
        .into_iter()
        .filter(|(.., edges)| !edges.is_empty())
        .partition(|(of, ..)| *of == Reason::Differ);
    let style = |(_, style, edges): (Reason, &str, Vec<String>)| {
        format!("    linkStyle {} {style}\n", edges.join(","))
    };
    out.extend(at_once.into_iter().map(style));
    out.push_str(&others);
    out.extend(later.into_iter().map(style));
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

    /// Mermaid 11.17.2 draws this with whole names and a dashed doubtful edge.
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
             c1 -->|\"0.50\"| c2\n    linkStyle 1 stroke:#17653d,color:#17653d,stroke-dasharray:5 4\n    c0 -.->|\"0.40\"| c2\n"
        );
    }
}
