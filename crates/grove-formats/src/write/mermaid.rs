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
        if let Some((parent, certainty)) = options.second_choice(entry) {
            out.push_str(&format!("    c{parent} -.->|\"{certainty:.2}\"| c{concept}\n"));
        }
    }
    out
}

/// A label with its punctuation as character codes: Mermaid reads quotes, brackets, Markdown lists and HTML in
/// labels.
fn label(name: &str) -> String {
    let harmless = |at: usize, c: char| !c.is_ascii_punctuation() || at > 0 && matches!(c, '-' | ',' | '\'');
    let code = |(at, c): (usize, char)| match harmless(at, c) {
        true => c.to_string(),
        false => format!("#{};", u32::from(c)),
    };
    name.char_indices().map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, Heading};

    /// As Mermaid 11.17.2 was seen to draw it: the names whole, the doubtful edge red.
    #[test]
    fn names_cannot_be_taken_for_syntax() {
        let doubtful = Entry {
            certainty: Some(0.5),
            alternatives: vec![(Concept::ROOT, 0.4)],
            ..Entry::new("- \"b\" x-y", Concept::new(1))
        };
        let hierarchy =
            Hierarchy::new(Heading::new("end"), vec![Entry::new("1. a", Concept::ROOT), doubtful]).unwrap();
        assert_eq!(
            write(&hierarchy, &WriteOptions::default()),
            "flowchart LR\n    c0[\"end\"]\n    c1[\"1#46; a\"]\n    c2[\"#45; #34;b#34; x-y\"]\n    c0 --> c1\n    \
             c1 -->|\"0.50\"| c2\n    linkStyle 1 stroke:red,color:red\n    c0 -.->|\"0.40\"| c2\n"
        );
    }
}
