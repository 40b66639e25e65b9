use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// The forms in which a worker can be asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// "Is lime a kind of fruit?"
    YesNo,
    /// "What is lime a kind of: fruit, vegetable, drink?" One option, or none.
    Pick,
    /// "Which of these are fruit?" Any of the options, or none.
    Tick,
    /// "Where does lime belong?" Any concept there is, or the top level.
    Place,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::YesNo, Self::Pick, Self::Tick, Self::Place];

    /// The word used in JSON, in database columns and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::YesNo => "yesno",
            Self::Pick => "pick",
            Self::Tick => "tick",
            Self::Place => "place",
        }
    }

    /// Parses what [`Form::as_str`] returns.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.as_str() == word)
    }

    /// How many options a screen of this form shows: none for yes/no and place, which do not have any.
    #[must_use]
    pub const fn options(self) -> RangeInclusive<usize> {
        match self {
            Self::YesNo | Self::Place => 0..=0,
            Self::Pick => 2..=8,
            Self::Tick => 1..=12,
        }
    }

    /// The replies to it, for messages.
    pub(crate) const fn replies(self) -> &'static str {
        match self {
            Self::YesNo => "yes, no or cant_say",
            Self::Pick => "picked, none or cant_say",
            Self::Tick => "ticked, none or cant_say",
            Self::Place => "under, top or cant_say",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_json() {
        for form in Form::ALL {
            assert_eq!(serde_json::to_value(form).unwrap(), form.as_str());
            assert_eq!(Form::parse(form.as_str()), Some(form));
            assert_eq!(form.to_string(), form.as_str());
        }
        assert_eq!(Form::parse("yes/no"), None);
    }
}
