//! Draws a hierarchy as lines of text, with its certainties.

use std::io::IsTerminal;

use grove_belief::DOUBTFUL_BELOW;
use grove_formats::{Entry, Hierarchy, Reason};
use grove_tree::{Concept, Outline};
use grove_vocabulary::Place;
use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether lines may be coloured: on a terminal, unless NO_COLOR is set.
pub(crate) fn may_colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Draws a hierarchy. Doubtful concepts are marked with a `?`, name their second parent, and say why; a concept that people place
/// differently names all its places. Where colour is allowed, open ones are red, those that nobody was asked about grey, and those on which
/// people differ blue.
pub(crate) fn draw(hierarchy: &Hierarchy, colour: bool) -> String {
    let all = vec![true; hierarchy.len() + 1];
    draw_part(hierarchy, colour, usize::MAX, &all, &[]).into_iter().map(|line| line + "\n").collect()
}

/// The lines of a drawing of some of the concepts: the root, and those of which `shown` says so, by number, like all that are above them.
/// Lines are cut to a width; some concepts stand out.
pub(crate) fn draw_part(
    hierarchy: &Hierarchy,
    colour: bool,
    width: usize,
    shown: &[bool],
    bold: &[Concept],
) -> Vec<String> {
    let drawing = Drawing { hierarchy, outline: hierarchy.outline(), colour, width, shown, bold };
    let mut lines = vec![cut(hierarchy.name(Concept::ROOT), width)];
    drawing.children(Concept::ROOT, "", &mut lines);
    lines
}

struct Drawing<'a> {
    hierarchy: &'a Hierarchy,
    outline: Outline,
    colour: bool,
    width: usize,
    shown: &'a [bool],
    bold: &'a [Concept],
}

impl Drawing<'_> {
    fn children(&self, parent: Concept, indent: &str, lines: &mut Vec<String>) {
        let children = self.outline.children(parent).iter().filter(|child| self.shown[child.index()]);
        let children: Vec<Concept> = children.copied().collect();
        for (index, &child) in children.iter().enumerate() {
            let last = index + 1 == children.len();
            let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            if let Some(entry) = self.hierarchy.entry(child) {
                let (code, text) = self.line(entry);
                let text = cut(&text, self.width.saturating_sub(columns(indent) + 3));
                let codes = [code, self.bold.contains(&child).then_some(1)].into_iter().flatten();
                let codes: Vec<String> = codes.filter(|_| self.colour).map(|code| code.to_string()).collect();
                let text = match codes.is_empty() {
                    true => text,
                    false => format!("\x1b[{}m{text}\x1b[0m", codes.join(";")),
                };
                lines.push(format!("{indent}{branch}{text}"));
            }
            self.children(child, &format!("{indent}{below}"), lines);
        }
    }

    /// The text of a line, and its colour.
    fn line(&self, entry: &Entry) -> (Option<u8>, String) {
        let Some(certainty) = entry.certainty else { return (None, entry.name.clone()) };
        let name = &entry.name;
        let place =
            |(parent, certainty): (Concept, f64)| format!("{} {certainty:.2}", self.hierarchy.name(parent));
        let others = entry.other_places();
        let (code, line) = match entry.shown_reason(DOUBTFUL_BELOW) {
            Reason::Settled => return (None, format!("{name} {certainty:.2}")),
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
        (Some(code), line + &words(&entry.reasons))
    }
}

/// The number of columns that a text takes in a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// A text that takes at most so many columns: as it is, or with its end left out.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if columns(&kept) + c.width().unwrap_or(0) + 1 > width {
            break;
        }
        kept.push(c);
    }
    if width > 0 { kept + "…" } else { kept }
}

/// A text in lines of at most so many columns, broken between words, and within a word that is longer than a line. All lines but the first
/// are indented.
pub(crate) fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let width = width.max(2);
    // The widest letters take two columns.
    let indent = " ".repeat(indent.min(width / 2).min(width - 2));
    let mut lines = vec![String::new()];
    // A space that does not break keeps what it joins together, as long as that fits.
    for word in text.split([' ', '\n', '\t']).filter(|word| !word.is_empty()) {
        let line = lines.last_mut().expect("there is always a line");
        let is_empty = line.trim().is_empty();
        if columns(line) + usize::from(!is_empty) + columns(word) <= width {
            line.push_str(if is_empty { "" } else { " " });
            line.push_str(word);
            continue;
        }
        if !is_empty && columns(word) + columns(&indent) <= width {
            lines.push(format!("{indent}{word}"));
            continue;
        }
        if !is_empty {
            let line = lines.last_mut().expect("there is always a line");
            match columns(line) + 2 < width {
                true => line.push(' '),
                false => lines.push(indent.clone()),
            }
        }
        for c in word.chars() {
            let line = lines.last().expect("there is always a line");
            if columns(line) + c.width().unwrap_or(0) > width {
                lines.push(indent.clone());
            }
            lines.last_mut().expect("there is always a line").push(c);
        }
    }
    // Non-breaking spaces are no longer needed: text copied from a terminal should have plain spaces.
    lines.into_iter().map(|line| line.replace('\u{a0}', " ")).collect()
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
    fn texts_wrap_at_any_width() {
        assert_eq!(wrap("Is a lime a kind of fruit?", 12, 3), ["Is a lime a", "   kind of", "   fruit?"]);
        assert_eq!(wrap("Is a lime?", 80, 3), ["Is a lime?"]);
        assert_eq!(wrap("ein Donaudampfschiff da", 10, 2), ["ein Donaud", "  ampfschi", "  ff da"]);
        assert_eq!(wrap("果物はりんごを含む", 6, 0), ["果物は", "りんご", "を含む"]);
        assert_eq!(wrap("", 10, 3), [""]);
        let long =
            "Is a counter-revolutionary electroencephalographic organisation a kind of 果物はりんごを含む?";
        for width in 1..90 {
            let lines = wrap(long, width, 3);
            assert!(lines.iter().all(|line| columns(line) <= width.max(2)), "{width}: {lines:?}");
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            assert_eq!(letters(&lines.concat()), letters(long), "{width}");
        }
        assert_eq!(
            (cut("orange", 6).as_str(), cut("oranges", 6).as_str(), cut("a", 0).as_str()),
            ("orange", "orang…", "")
        );
    }

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
        // Of two concepts, in twenty columns.
        let part = draw_part(&food, false, 20, &[true, true, false, true, false, false, false, false], &[]);
        assert_eq!(part, ["food", "└─ fruit 0.99", "   └─ tomato: fruit…"]);
        let bold = draw_part(&food, true, 80, &[true; 8], &[Concept::new(1), Concept::new(3)]);
        assert!(bold[1] == "├─ \x1b[1mfruit 0.99\x1b[0m" && bold[2].contains("\x1b[34;1mtomato"), "{bold:?}");
        let edges = Edge::all(&food);
        assert_eq!(
            shares(&edges[2].places),
            "61 % (30 to 70 %) under fruit, 39 % (30 to 70 %) under vegetable"
        );
    }
}
