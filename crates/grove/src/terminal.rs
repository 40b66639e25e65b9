//! A hierarchy as lines of text, with its certainties.

use std::io::IsTerminal;

use grove_belief::{ConceptReport, Report};
use grove_tree::{Concept, NamedTree, Outline};

/// Whether doubtful certainties may be red: on a terminal, unless NO_COLOR is set.
pub(crate) fn may_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Draws the reported hierarchy. Doubtful concepts are marked with a `?`, in red where colour is allowed, and say what else they might
/// be under.
pub(crate) fn draw(report: &Report, names: &NamedTree, colour: bool) -> String {
    let drawing = Drawing { report, names, outline: report.hierarchy.outline(), colour };
    let mut text = format!("{}\n", names.name(Concept::ROOT));
    drawing.children(Concept::ROOT, "", &mut text);
    text
}

struct Drawing<'a> {
    report: &'a Report,
    names: &'a NamedTree,
    outline: Outline,
    colour: bool,
}

impl Drawing<'_> {
    fn children(&self, parent: Concept, indent: &str, text: &mut String) {
        let children = self.outline.children(parent);
        for (index, &child) in children.iter().enumerate() {
            let last = index + 1 == children.len();
            let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let concept = &self.report.concepts[child.index() - 1];
            text.push_str(&format!("{indent}{branch}{}\n", self.line(concept)));
            self.children(child, &format!("{indent}{below}"), text);
        }
    }

    fn line(&self, concept: &ConceptReport) -> String {
        let line = format!("{} {:.2}", self.names.name(concept.concept), concept.certainty);
        if !self.report.doubtful.contains(&concept.concept) {
            return line;
        }
        let second = concept.alternatives.first();
        let second = second.map_or_else(String::new, |&(parent, certainty)| {
            format!(" or under {} {certainty:.2}", self.names.name(parent))
        });
        let line = format!("{line} ?{second}");
        if self.colour { format!("\x1b[31m{line}\x1b[0m") } else { line }
    }
}
