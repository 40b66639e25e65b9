//! A hierarchy as lines of text, with its certainties.

use std::io::IsTerminal;

use grove_formats::{Entry, Hierarchy};
use grove_tree::{Concept, Outline};

/// Parents less certain than this are doubtful: the paper draws them in red.
pub(crate) const RED_LINE: f64 = 0.75;

/// Whether doubtful certainties may be red: on a terminal, unless NO_COLOR is set.
pub(crate) fn may_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Draws a hierarchy. Doubtful concepts are marked with a `?`, in red where colour is allowed, and say what else they might be under.
pub(crate) fn draw(hierarchy: &Hierarchy, colour: bool) -> String {
    let drawing = Drawing { hierarchy, outline: hierarchy.outline(), colour };
    let mut text = format!("{}\n", hierarchy.name(Concept::ROOT));
    drawing.children(Concept::ROOT, "", &mut text);
    text
}

struct Drawing<'a> {
    hierarchy: &'a Hierarchy,
    outline: Outline,
    colour: bool,
}

impl Drawing<'_> {
    fn children(&self, parent: Concept, indent: &str, text: &mut String) {
        let children = self.outline.children(parent);
        for (index, &child) in children.iter().enumerate() {
            let last = index + 1 == children.len();
            let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            if let Some(entry) = self.hierarchy.entry(child) {
                text.push_str(&format!("{indent}{branch}{}\n", self.line(entry)));
            }
            self.children(child, &format!("{indent}{below}"), text);
        }
    }

    fn line(&self, entry: &Entry) -> String {
        let Some(certainty) = entry.certainty else { return entry.name.clone() };
        let line = format!("{} {certainty:.2}", entry.name);
        if certainty >= RED_LINE {
            return line;
        }
        let second = entry.alternatives.first().map_or_else(String::new, |&(parent, certainty)| {
            format!(" or under {} {certainty:.2}", self.hierarchy.name(parent))
        });
        let line = format!("{line} ?{second}");
        if self.colour { format!("\x1b[31m{line}\x1b[0m") } else { line }
    }
}
/// So many of something: "1 vote", "2 votes".
pub(crate) fn count(number: usize, of: &str) -> String {
    if number == 1 { format!("1 {of}") } else { format!("{number} {of}s") }
}
