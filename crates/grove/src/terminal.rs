//! Draws a hierarchy as lines of text, with its certainties.

use std::io::IsTerminal;

use grove_belief::DOUBTFUL_BELOW;
use grove_formats::{Entry, Hierarchy};
use grove_tree::{Concept, Outline};
use serde::Serialize;

/// Whether doubtful certainties may be red: on a terminal, unless NO_COLOR is set.
pub(crate) fn may_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Draws a hierarchy. Doubtful concepts are marked with a `?`, in red where colour is allowed, and name their second parent.
pub(crate) fn draw(hierarchy: &Hierarchy, colour: bool) -> String {
    draw_lines(hierarchy, colour).into_iter().map(|(_, line)| line + "\n").collect()
}

/// The lines of the drawing, each with its concept.
pub(crate) fn draw_lines(hierarchy: &Hierarchy, colour: bool) -> Vec<(Concept, String)> {
    let drawing = Drawing { hierarchy, outline: hierarchy.outline(), colour };
    let mut lines = vec![(Concept::ROOT, hierarchy.name(Concept::ROOT).to_owned())];
    drawing.children(Concept::ROOT, "", &mut lines);
    lines
}

struct Drawing<'a> {
    hierarchy: &'a Hierarchy,
    outline: Outline,
    colour: bool,
}

impl Drawing<'_> {
    fn children(&self, parent: Concept, indent: &str, lines: &mut Vec<(Concept, String)>) {
        let children = self.outline.children(parent);
        for (index, &child) in children.iter().enumerate() {
            let last = index + 1 == children.len();
            let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            if let Some(entry) = self.hierarchy.entry(child) {
                lines.push((child, format!("{indent}{branch}{}", self.line(entry))));
            }
            self.children(child, &format!("{indent}{below}"), lines);
        }
    }

    fn line(&self, entry: &Entry) -> String {
        let Some(certainty) = entry.certainty else { return entry.name.clone() };
        let line = format!("{} {certainty:.2}", entry.name);
        if certainty >= DOUBTFUL_BELOW {
            return line;
        }
        let second = entry.alternatives.first().map_or_else(String::new, |&(parent, certainty)| {
            format!(" or under {} {certainty:.2}", self.hierarchy.name(parent))
        });
        let line = format!("{line} ?{second}");
        if self.colour { format!("\x1b[31m{line}\x1b[0m") } else { line }
    }
}

/// An edge of a hierarchy in JSON output.
#[derive(Serialize)]
pub(crate) struct Edge<'a> {
    pub(crate) child: &'a str,
    pub(crate) parent: &'a str,
    pub(crate) certainty: Option<f64>,
    pub(crate) alternatives: Vec<Alternative<'a>>,
    yes: u64,
    no: u64,
}

#[derive(Serialize)]
pub(crate) struct Alternative<'a> {
    pub(crate) parent: &'a str,
    pub(crate) certainty: f64,
}

impl<'a> Edge<'a> {
    /// The edges of all concepts.
    pub(crate) fn all(hierarchy: &'a Hierarchy) -> Vec<Self> {
        let alternative =
            |&(parent, certainty): &(Concept, f64)| Alternative { parent: hierarchy.name(parent), certainty };
        let edge = |(concept, entry): (Concept, &'a Entry)| Self {
            child: &entry.name,
            parent: hierarchy.parent_name(concept),
            certainty: entry.certainty,
            alternatives: entry.alternatives.iter().map(alternative).collect(),
            yes: entry.yes,
            no: entry.no,
        };
        hierarchy.concepts().map(edge).collect()
    }
}
