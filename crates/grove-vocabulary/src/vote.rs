use serde::{Deserialize, Serialize};

use crate::Question;

/// A worker's answer to a yes/no question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The lower concept is under the upper one.
    Yes,
    /// It is not.
    No,
    /// The worker does not know. Counts as an answered question, but not as evidence.
    CantSay,
}

impl Answer {
    /// The word used in JSON and in database columns.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::CantSay => "cant_say",
        }
    }

    /// Parses what [`Answer::as_str`] returns.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Yes, Self::No, Self::CantSay].into_iter().find(|answer| answer.as_str() == word)
    }
}

/// One worker's answer to one question; `W` identifies the worker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Vote<C, W> {
    /// The worker who answered.
    pub worker: W,
    /// What was asked.
    #[serde(flatten)]
    pub question: Question<C>,
    /// What they said.
    pub answer: Answer,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn a_vote_is_one_flat_json_object() {
        let question = Question { kind: Kind::Edge, upper: 0, lower: 7 };
        let vote = Vote { worker: "ann".to_owned(), question, answer: Answer::CantSay };
        let text = r#"{"worker":"ann","kind":"edge","upper":0,"lower":7,"answer":"cant_say"}"#;
        assert_eq!(serde_json::to_string(&vote).unwrap(), text);
        assert_eq!(serde_json::from_str::<Vote<u32, String>>(text).unwrap(), vote);
    }

    #[test]
    fn words_are_those_of_the_json() {
        for answer in [Answer::Yes, Answer::No, Answer::CantSay] {
            assert_eq!(serde_json::to_value(answer).unwrap(), answer.as_str());
            assert_eq!(Answer::parse(answer.as_str()), Some(answer));
        }
        for kind in [Kind::Path, Kind::Edge] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!((Answer::parse("maybe"), Kind::parse("")), (None, None));
    }
}
