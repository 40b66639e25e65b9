use grove_tree::Concept;
use grove_vocabulary::{Answer, Kind, Vote};

use crate::{Error, Place};

/// Reads the words people record kinds of question with, in any case; a path question if nothing is said.
pub(crate) fn parse_kind(word: &str, at: &Place) -> Result<Kind, Error> {
    match word.trim().to_lowercase().as_str() {
        "" | "path" | "above" => Ok(Kind::Path),
        "edge" | "directly" | "parent" => Ok(Kind::Edge),
        _ => Err(Error::UnknownWord {
            at: at.clone(),
            found: word.to_owned(),
            what: "kind of question",
            known: "path or edge",
        }),
    }
}

/// Reads the words people record answers with, in any case.
pub(crate) fn parse_answer(word: &str, at: &Place) -> Result<Answer, Error> {
    match word.trim().to_lowercase().replace(['_', '-', '’', '\''], " ").as_str() {
        "yes" | "y" | "true" | "1" => Ok(Answer::Yes),
        "no" | "n" | "false" | "0" => Ok(Answer::No),
        "cant say" | "can t say" | "skip" | "s" | "?" => Ok(Answer::CantSay),
        _ => Err(Error::UnknownWord {
            at: at.clone(),
            found: word.to_owned(),
            what: "answer",
            known: "yes, no or cant_say",
        }),
    }
}

/// One vote from a file. Its worker is an empty text if the file does not say who answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedVote {
    /// Who answered what.
    pub vote: Vote<Concept, String>,
    /// The time of the answer, as the file writes it.
    pub time: Option<String>,
    /// Its line in the file.
    pub line: usize,
}
