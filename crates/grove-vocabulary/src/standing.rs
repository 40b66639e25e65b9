//! Why a concept's place is as certain as it is.

use serde::{Deserialize, Serialize};

/// Why a concept's place is as certain as it is. Several may hold at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = PlaceReason))]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The votes have decided where it belongs.
    Settled,
    /// People place it differently, and more votes will not change that.
    Differ,
    /// The votes so far leave several places possible.
    Open,
    /// Nobody was asked about the likeliest other place, nor does it follow from other answers.
    Unasked,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Settled, Self::Differ, Self::Open, Self::Unasked];

    /// The word for it in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Differ => "differ",
            Self::Open => "open",
            Self::Unasked => "unasked",
        }
    }

    /// Parses what [`Reason::as_str`] returns.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }

    /// The words for it beside a certainty, for people.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Settled => "settled",
            Self::Differ => "people differ",
            Self::Open => "open",
            Self::Unasked => "not asked",
        }
    }
}

/// One of the places where people put a concept, where they differ.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Place<C> {
    /// The parent there.
    pub parent: C,
    /// The expected share of people who hold this place.
    pub share: f64,
    /// The interval that the share lies in with a chance of 90 %.
    pub low: f64,
    /// The other end of it.
    pub high: f64,
}

impl<C> Place<C> {
    /// The same place with the parent named otherwise.
    pub fn map<D>(self, name: impl FnOnce(C) -> D) -> Place<D> {
        Place { parent: name(self.parent), share: self.share, low: self.low, high: self.high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_json() {
        for reason in Reason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
            assert_eq!(Reason::parse(reason.as_str()), Some(reason));
        }
        assert_eq!(Reason::parse("people differ"), None);
    }
}
