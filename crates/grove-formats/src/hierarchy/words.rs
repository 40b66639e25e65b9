use grove_tree::Concept;
use grove_vocabulary::Reason;

use super::{Entry, Hierarchy};

const DIFFER: &str = "People differ";
const OPEN: &str = "Open: the votes so far leave several places possible.";
const UNASKED: &str = "Not asked: no vote tells its place from the likeliest other one.";

/// Whether a text is one that [`Hierarchy::explanation`] writes.
pub(crate) fn is_explanation(text: &str) -> bool {
    [DIFFER, OPEN, UNASKED].iter().any(|start| text.starts_with(start))
}

impl Hierarchy {
    /// Why a concept's place is as certain as it is, in plain words; empty where it is settled or nothing is known.
    ///
    /// ```
    /// use grove_formats::{Entry, Heading, Hierarchy, Reason};
    /// use grove_tree::Concept;
    /// use grove_vocabulary::Place;
    ///
    /// let [fruit, vegetable] = ["fruit", "vegetable"].map(|name| Entry::new(name, Concept::ROOT));
    /// let place = |parent, share| Place { parent: Concept::new(parent), share, low: share - 0.1, high: share + 0.1 };
    /// let tomato = Entry {
    ///     certainty: Some(0.6),
    ///     reasons: vec![Reason::Differ],
    ///     places: vec![place(1, 0.61), place(2, 0.39)],
    ///     ..Entry::new("tomato", Concept::new(1))
    /// };
    /// let food = Hierarchy::new(Heading::new("food"), vec![fruit, vegetable, tomato])?;
    /// let words = food.explanation(Concept::new(3));
    /// assert_eq!(words, "People differ: 61 % place it under fruit, 39 % under vegetable.");
    /// # Ok::<(), grove_formats::Error>(())
    /// ```
    #[must_use]
    pub fn explanation(&self, concept: Concept) -> String {
        self.entry(concept).map_or_else(String::new, |entry| entry.explanation(|parent| self.name(parent)))
    }
}

impl Entry {
    /// As [`Hierarchy::explanation`], with the names of parents as given.
    pub(crate) fn explanation<N: std::fmt::Display>(&self, name: impl Fn(Concept) -> N) -> String {
        let sentence = |reason: &Reason| match reason {
            Reason::Settled => None,
            Reason::Differ if self.places.is_empty() => Some(format!("{DIFFER} on where it belongs.")),
            Reason::Differ => {
                let place = |(at, place): (usize, &grove_vocabulary::Place<Concept>)| {
                    let verb = if at == 0 { "place it " } else { "" };
                    format!("{:.0} % {verb}under {}", 100.0 * place.share, name(place.parent))
                };
                let places: Vec<String> = self.places.iter().enumerate().map(place).collect();
                Some(format!("{DIFFER}: {}.", places.join(", ")))
            }
            Reason::Open => Some(OPEN.to_owned()),
            Reason::Unasked => Some(UNASKED.to_owned()),
        };
        self.reasons.iter().filter_map(sentence).collect::<Vec<_>>().join(" ")
    }
}
