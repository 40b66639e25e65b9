//! The part of the hierarchy that matters for a question.

use grove_belief::DOUBTFUL_BELOW;
use grove_formats::{Hierarchy, Reason};
use grove_tree::{Concept, Outline};

use crate::terminal::{cut, draw_part};
use crate::text::count;

/// Draws what matters for a screen about some concepts, in at most so many lines: these with all that is above them, what is beside and below
/// them, then doubtful concepts, then others. Concepts that nobody was asked about have no place yet; they are counted, not drawn.
pub(super) fn neighbourhood(
    hierarchy: &Hierarchy,
    asked: &[&str],
    colour: bool,
    width: usize,
    height: usize,
) -> Vec<String> {
    let outline = hierarchy.outline();
    let find =
        |name: &str| hierarchy.concepts().find(|(_, entry)| entry.name == name).map(|(concept, _)| concept);
    let asked: Vec<Concept> = asked.iter().copied().filter_map(find).collect();
    let is_placed = |concept: Concept| {
        hierarchy.entry(concept).is_some_and(|entry| {
            let is_certain = entry.certainty.is_some_and(|certainty| certainty >= DOUBTFUL_BELOW);
            is_certain || !entry.reasons.contains(&Reason::Unasked)
        })
    };
    let mut part = Part { hierarchy, shown: vec![false; hierarchy.len() + 1], lines: 1, height };
    part.shown[0] = true;
    for concept in by_interest(hierarchy, &outline, &asked) {
        if is_placed(concept) {
            part.show(concept);
        }
    }
    // The last line counts what is left out; where the drawing is full, it gives a line up for that.
    let without_place =
        hierarchy.tree().concepts().filter(|&concept| !part.is_shown(concept) && !is_placed(concept)).count();
    let others = hierarchy.len() + 1 - part.lines - without_place;
    let left_out: Vec<String> = [(others, " more"), (without_place, " without a place yet")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| {
            if what == " more" {
                format!("{number} more")
            } else {
                format!("{}{what}", count(number, "concept"))
            }
        })
        .collect();
    let mut lines = draw_part(hierarchy, colour, width, &part.shown, &asked);
    if !left_out.is_empty() {
        lines.push(cut(&format!("… {}", left_out.join(", ")), width));
    }
    lines
}

/// All concepts, those that matter most first.
fn by_interest(hierarchy: &Hierarchy, outline: &Outline, asked: &[Concept]) -> Vec<Concept> {
    let parent = |concept: Concept| hierarchy.entry(concept).map_or(Concept::ROOT, |entry| entry.parent);
    let near = asked.iter().flat_map(|&concept| {
        let below = outline.children(concept).iter().copied();
        below.chain(outline.children(parent(concept)).iter().copied())
    });
    let is_doubtful = |concept: &Concept| {
        hierarchy.entry(*concept).is_some_and(|entry| entry.shown_reason(DOUBTFUL_BELOW) != Reason::Settled)
    };
    let in_order = || outline.order().iter().copied().filter(|concept| !concept.is_root());
    asked.iter().copied().chain(near).chain(in_order().filter(is_doubtful)).chain(in_order()).collect()
}

/// The concepts that are drawn, as long as there is room.
struct Part<'a> {
    hierarchy: &'a Hierarchy,
    shown: Vec<bool>,
    lines: usize,
    height: usize,
}

impl Part<'_> {
    fn is_shown(&self, concept: Concept) -> bool {
        self.shown[concept.index()]
    }

    /// Shows a concept and all that are above it, if they fit together with the line that counts the others.
    fn show(&mut self, concept: Concept) {
        let mut path = Vec::new();
        let mut at = concept;
        while !self.is_shown(at) {
            path.push(at);
            at = self.hierarchy.entry(at).map_or(Concept::ROOT, |entry| entry.parent);
        }
        if self.lines + path.len() < self.height {
            self.lines += path.len();
            path.iter().for_each(|concept| self.shown[concept.index()] = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use grove_formats::{Entry, Heading};

    use super::*;

    /// Ten groups of ten.
    fn groups(reason: Reason) -> Hierarchy {
        let entry = |name: String, parent, reasons| Entry {
            certainty: Some(if reasons == Reason::Settled { 0.95 } else { 0.4 }),
            reasons: vec![reasons],
            ..Entry::new(&name, Concept::new(parent))
        };
        let groups = (0..10).map(|group| entry(format!("group {group}"), 0, reason));
        let members = (0..10).flat_map(|group| (0..10).map(move |member| (group, member)));
        let members =
            members.map(|(group, member)| entry(format!("member {group}.{member}"), group + 1, reason));
        Hierarchy::new(Heading::new("all"), groups.chain(members).collect()).unwrap()
    }

    #[test]
    fn the_asked_concepts_are_in_sight() {
        let all = groups(Reason::Settled);
        for height in 4..30 {
            let lines = neighbourhood(&all, &["member 7.3", "group 2"], false, 60, height);
            assert!(lines.len() <= height, "{height}: {lines:#?}");
            let text = lines.join("\n");
            assert!(text.contains("group 7") && text.contains("member 7.3"), "{height}: {text}");
            assert!(height < 5 || text.contains("group 2"), "{height}: {text}");
        }
        let lines = neighbourhood(&all, &["member 7.3", "group 2"], false, 60, 12).join("\n");
        assert!(lines.contains("member 7.0") && !lines.contains("member 5.0"), "{lines}");
        assert!(lines.ends_with("… 100 more"), "{lines}");
    }

    #[test]
    fn nothing_is_drawn_that_nobody_was_asked_about() {
        let lines = neighbourhood(&groups(Reason::Unasked), &["member 7.3", "group 2"], false, 60, 30);
        assert_eq!(lines, ["all", "… 110 concepts without a place yet"]);
    }

    #[test]
    fn doubtful_concepts_come_before_the_others() {
        let mut entries = groups(Reason::Settled).entries().to_vec();
        (entries[105].certainty, entries[105].reasons) = (Some(0.5), vec![Reason::Open]);
        let all = Hierarchy::new(Heading::new("all"), entries).unwrap();
        let lines = neighbourhood(&all, &["group 0", "group 1"], false, 60, 40).join("\n");
        assert!(lines.contains("member 9.5 0.50 ?"), "{lines}");
        let whole = neighbourhood(&all, &["group 0", "group 1"], false, 60, 200);
        assert_eq!(whole.len(), 111);
    }
}
