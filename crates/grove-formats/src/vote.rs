use grove_tree::Concept;

use crate::{Error, Place};

/// What a vote was about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum QuestionKind {
    /// Is `upper` somewhere above `lower`?
    #[default]
    Path,
    /// Is `upper` directly above `lower`?
    Edge,
}

impl QuestionKind {
    pub(crate) fn parse(word: &str, at: &Place) -> Result<Self, Error> {
        match word.trim().to_lowercase().as_str() {
            "" | "path" | "above" => Ok(Self::Path),
            "edge" | "directly" | "parent" => Ok(Self::Edge),
            _ => Err(Error::UnknownWord {
                at: at.clone(),
                found: word.to_owned(),
                what: "kind of question",
                known: "path or edge",
            }),
        }
    }
}

/// What a worker said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// It is above.
    Yes,
    /// It is not.
    No,
    /// The worker could not say.
    CantSay,
}

impl Answer {
    /// Reads the words people record answers with, in any case.
    pub(crate) fn parse(word: &str, at: &Place) -> Result<Self, Error> {
        match word.trim().to_lowercase().replace(['_', '-', '’', '\''], " ").as_str() {
            "yes" | "y" | "true" | "1" => Ok(Self::Yes),
            "no" | "n" | "false" | "0" => Ok(Self::No),
            "cant say" | "can t say" | "skip" | "s" | "?" => Ok(Self::CantSay),
            _ => Err(Error::UnknownWord {
                at: at.clone(),
                found: word.to_owned(),
                what: "answer",
                known: "yes, no or cant_say",
            }),
        }
    }
}

/// One vote from a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedVote {
    /// Who gave it; empty if the file does not say.
    pub worker: String,
    /// The concept asked to be above.
    pub upper: Concept,
    /// The concept asked to be below.
    pub lower: Concept,
    /// What was asked.
    pub kind: QuestionKind,
    /// What was said.
    pub answer: Answer,
    /// When, as the file writes it.
    pub time: Option<String>,
    /// Its line in the file.
    pub line: usize,
}
