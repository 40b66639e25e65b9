//! Draws a hierarchy as lines of text, with its certainties.

use std::io::IsTerminal;

use grove_belief::DOUBTFUL_BELOW;
use grove_formats::{Entry, Hierarchy, Reason};
use grove_tree::{Concept, Outline};
use grove_vocabulary::Place;
use serde::Serialize;

/// Whether lines may be coloured: on a terminal, unless NO_COLOR is set.
pub(crate) fn may_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Draws a hierarchy. Doubtful concepts are marked with a `?`, name their second parent, and say why; a concept that people place
/// differently names all its places. Where colour is allowed, open ones are red, those that nobody was asked about grey, and those on which
/// people differ blue.
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
        let name = &entry.name;
        let place =
            |(parent, certainty): (Concept, f64)| format!("{} {certainty:.2}", self.hierarchy.name(parent));
        let others = entry.other_places();
        let (code, line) = match entry.shown_reason(DOUBTFUL_BELOW) {
            Reason::Settled => return format!("{name} {certainty:.2}"),
            Reason::Differ if !others.is_empty() => {
                let places: Vec<String> =
                    std::iter::once((entry.parent, certainty)).chain(others).map(place).collect();
                let doubt = if entry.reasons == [Reason::Differ] { "" } else { " ?" };
                (34, format!("{name}: {}{doubt}", places.join(", ")))
            }
            reason => {
                let second = entry.alternatives.first().copied().map(place);
                let second = second.map_or_else(String::new, |second| format!(" or under {second}"));
                let code = if reason == Reason::Unasked { 90 } else { 31 };
                (code, format!("{name} {certainty:.2} ?{second}"))
            }
        };
        let line = line + &words(&entry.reasons);
        if self.colour { format!("\x1b[{code}m{line}\x1b[0m") } else { line }
    }
}

/// Why a place is not settled, in brackets: " (people differ, open)"; nothing if it is, or if that is unknown.
pub(crate) fn words(reasons: &[Reason]) -> String {
    let words: Vec<&str> =
        reasons.iter().filter(|reason| **reason != Reason::Settled).map(|reason| reason.in_words()).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}

/// Where people place a concept, with the interval of each share: "61 % (52 to 70 %) under fruit, 39 % (30 to 48 %) under vegetable".
pub(crate) fn shares(places: &[Place<&str>]) -> String {
    let place = |place: &Place<&str>| {
        let [share, low, high] = [place.share, place.low, place.high].map(|share| 100.0 * share);
        format!("{share:.0} % ({low:.0} to {high:.0} %) under {}", place.parent)
    };
    places.iter().map(place).collect::<Vec<_>>().join(", ")
}

/// An edge of a hierarchy in JSON output.
#[derive(Serialize)]
pub(crate) struct Edge<'a> {
    pub(crate) child: &'a str,
    pub(crate) parent: &'a str,
    pub(crate) certainty: Option<f64>,
    pub(crate) alternatives: Vec<Alternative<'a>>,
    /// Why it is as certain as it is.
    pub(crate) reason: Vec<Reason>,
    /// Where people place it if they differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) places: Vec<Place<&'a str>>,
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
            reason: entry.reasons.clone(),
            places: entry.places.iter().map(|place| place.map(|parent| hierarchy.name(parent))).collect(),
            yes: entry.yes,
            no: entry.no,
        };
        hierarchy.concepts().map(edge).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_formats::Heading;

    #[test]
    fn lines_say_why_a_place_is_uncertain() {
        let under = |name: &str, parent, certainty| Entry {
            certainty: Some(certainty),
            ..Entry::new(name, Concept::new(parent))
        };
        let place = |parent, share| Place { parent: Concept::new(parent), share, low: 0.3, high: 0.7 };
        let tomato = Entry {
            alternatives: vec![(Concept::ROOT, 0.2), (Concept::new(2), 0.38)],
            reasons: vec![Reason::Differ],
            places: vec![place(1, 0.61), place(2, 0.39)],
            ..under("tomato", 1, 0.61)
        };
        let olive =
            Entry { name: "olive".to_owned(), reasons: vec![Reason::Differ, Reason::Open], ..tomato.clone() };
        let doubtful = |name: &str, reason: &[Reason]| Entry {
            alternatives: vec![(Concept::ROOT, 0.32)],
            reasons: reason.to_vec(),
            ..under(name, 2, 0.5)
        };
        let entries = vec![
            Entry { reasons: vec![Reason::Settled], ..under("fruit", 0, 0.99) },
            under("vegetable", 0, 0.9),
            tomato,
            olive,
            doubtful("leek", &[Reason::Open]),
            doubtful("yam", &[Reason::Unasked]),
            doubtful("beet", &[]),
        ];
        let food = Hierarchy::new(Heading::new("food"), entries).unwrap();
        assert_eq!(
            draw(&food, false),
            "food\n├─ fruit 0.99\n│  ├─ tomato: fruit 0.61, vegetable 0.38 (people differ)\n\
             │  └─ olive: fruit 0.61, vegetable 0.38 ? (people differ, open)\n└─ vegetable 0.90\n   \
             ├─ leek 0.50 ? or under food 0.32 (open)\n   ├─ yam 0.50 ? or under food 0.32 (not asked)\n   \
             └─ beet 0.50 ? or under food 0.32\n"
        );
        let coloured = draw(&food, true);
        for part in ["\x1b[34mtomato", "\x1b[31mleek", "\x1b[90myam", "\x1b[31mbeet"] {
            assert!(coloured.contains(part), "{part:?} is not in {coloured:?}");
        }
        let edges = Edge::all(&food);
        assert_eq!(
            shares(&edges[2].places),
            "61 % (30 to 70 %) under fruit, 39 % (30 to 70 %) under vegetable"
        );
    }
}
