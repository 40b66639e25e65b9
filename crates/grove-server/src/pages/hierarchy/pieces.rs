//! The parts of the page that are sent again only where they have changed.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};

/// A piece of the page.
pub(super) struct Piece {
    /// The name of the piece in its pane.
    pub(super) key: String,
    /// Changes whenever the piece does.
    version: String,
    /// The HTML, which begins with the element's name and attributes; the place comes after the name.
    html: String,
    /// Where a drawing has it. That it has moved alone is no reason to send it again.
    place: Option<(f64, f64)>,
}

/// Pieces of one element, in order.
#[derive(Default)]
pub(super) struct Pane {
    pub(super) pieces: Vec<Piece>,
}

/// What a browser has: the versions of the pieces of each pane.
#[derive(Default)]
pub(super) struct Known(HashMap<String, HashMap<String, String>>);

impl Piece {
    /// A piece from its HTML; `short` is the same with short links, and decides whether it has changed.
    pub(super) fn new(key: String, short: &str, html: String) -> Self {
        Self { key, version: version(short), html, place: None }
    }

    pub(super) fn at(self, x: f64, y: f64) -> Self {
        Self { place: Some((x, y)), ..self }
    }

    /// The HTML with the place in it.
    pub(super) fn html(&self) -> String {
        match (self.place, self.html.split_once(' ')) {
            (Some((x, y)), Some((element, rest))) => {
                format!("{element} transform=\"translate({x:.0} {y:.0})\" {rest}")
            }
            _ => self.html.clone(),
        }
    }
}

impl Pane {
    /// The keys and versions of all pieces, which a script sends back to get what has changed since.
    pub(super) fn versions(&self) -> String {
        let versions: Vec<String> =
            self.pieces.iter().map(|piece| format!("{}:{}", piece.key, piece.version)).collect();
        versions.join(" ")
    }

    /// The places of all pieces in a drawing.
    pub(super) fn places(&self) -> String {
        let mut places = String::new();
        for (x, y) in self.pieces.iter().filter_map(|piece| piece.place) {
            let _ = write!(places, "{x:.0} {y:.0},");
        }
        places
    }

    /// Leaves out the HTML of what a browser has already.
    pub(super) fn keep_unknown(&mut self, name: &str, known: &Known) {
        let Some(known) = known.0.get(name) else { return };
        for piece in &mut self.pieces {
            if known.get(&piece.key) == Some(&piece.version) {
                piece.html.clear();
            }
        }
    }

    /// The HTML of all that is not left out.
    pub(super) fn changed_html(&self) -> String {
        self.pieces.iter().filter(|piece| !piece.html.is_empty()).map(Piece::html).collect()
    }
}

impl Known {
    /// Reads what a script sends: a line for each pane, with its name and its versions.
    pub(super) fn read(text: &str) -> Self {
        let pane = |line: &str| {
            let mut words = line.split_whitespace();
            let name = words.next()?.to_owned();
            let versions = words.filter_map(|word| word.rsplit_once(':'));
            Some((name, versions.map(|(key, version)| (key.to_owned(), version.to_owned())).collect()))
        };
        Self(text.lines().filter_map(pane).collect())
    }

    /// Whether a pane of one piece is as a browser has it.
    pub(super) fn has(&self, name: &str, versions: &str) -> bool {
        let has = |(key, version): (&str, &str)| self.0.get(name)?.get(key).map(|known| known == version);
        versions.rsplit_once(':').and_then(has).unwrap_or(false)
    }
}

/// A short text that differs where texts differ.
pub(super) fn version(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    format!("{:010x}", hasher.finish() >> 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(texts: [&str; 3]) -> Pane {
        let piece = |(at, text): (usize, &str)| {
            Piece::new(at.to_string(), text, format!("<g class=\"x\">{text}</g>")).at(at as f64, 2.0)
        };
        Pane { pieces: texts.into_iter().enumerate().map(piece).collect() }
    }

    #[test]
    fn only_what_changed_is_sent_again() {
        let before = pane(["a", "b", "c"]);
        assert_eq!(before.places(), "0 2,1 2,2 2,");
        assert!(before.changed_html().starts_with("<g transform=\"translate(0 2)\" class=\"x\">a</g>"));
        let known = Known::read(&format!("rows {}\nside side:00", before.versions()));
        let mut after = pane(["a", "B", "c"]);
        after.keep_unknown("rows", &known);
        assert_eq!(after.changed_html(), "<g transform=\"translate(1 2)\" class=\"x\">B</g>");
        assert!(known.has("side", "side:00") && !known.has("side", "side:01") && !known.has("top", "top:00"));
        let mut all = pane(["a", "b", "c"]);
        all.keep_unknown("rows", &Known::default());
        assert_eq!(all.changed_html().matches("<g ").count(), 3);
    }
}
