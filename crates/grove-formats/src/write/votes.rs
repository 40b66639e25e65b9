use std::str::FromStr;

use grove_vocabulary::Vote;
use serde_json::json;

use super::tables::csv_cell;
use crate::{Error, ErrorKind};

/// A vote with the names of its concepts, as [`read_votes`](crate::read_votes) reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedVote {
    /// Who answered what.
    pub vote: Vote<String, String>,
    /// The time of the answer, in RFC 3339.
    pub time: String,
    /// Whether it counts: it was not withdrawn, and its concepts are still there.
    pub counts: bool,
}

/// A format of votes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VoteFormat {
    /// A table with named columns.
    Csv,
    /// One JSON object per line.
    JsonLines,
}

impl FromStr for VoteFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name.to_ascii_lowercase().as_str() {
            "csv" => Ok(Self::Csv),
            "jsonl" | "ndjson" => Ok(Self::JsonLines),
            _ => Err(ErrorKind::unknown_word(name, "format of votes", "csv or jsonl").into()),
        }
    }
}

/// Writes votes as [`read_votes`](crate::read_votes) reads them: `worker`, `upper`, `lower`, `answer`, `kind`, `time`, and `counts` if it is asked
/// for.
///
/// ```
/// use grove_formats::{Answer, Kind, NamedVote, VoteFormat, write_votes};
/// use grove_vocabulary::{Question, Vote};
/// let question = Question { kind: Kind::Path, upper: "fruit".to_owned(), lower: "lime, sweet".to_owned() };
/// let vote = Vote { worker: "ann".to_owned(), question, answer: Answer::Yes };
/// let vote = NamedVote { vote, time: "2026-01-01T00:00:00Z".to_owned(), counts: true };
/// assert_eq!(
///     write_votes(&[vote], VoteFormat::Csv, false),
///     "worker,upper,lower,answer,kind,time\nann,fruit,\"lime, sweet\",yes,path,2026-01-01T00:00:00Z\n",
/// );
/// ```
#[must_use]
pub fn write_votes(votes: &[NamedVote], format: VoteFormat, with_counts: bool) -> String {
    match format {
        VoteFormat::Csv => {
            let heading =
                format!("worker,upper,lower,answer,kind,time{}\n", if with_counts { ",counts" } else { "" });
            votes.iter().fold(heading, |text, vote| text + &row(vote, with_counts))
        }
        VoteFormat::JsonLines => votes.iter().map(|vote| object(vote, with_counts)).collect(),
    }
}

fn row(NamedVote { vote, time, counts }: &NamedVote, with_counts: bool) -> String {
    let question = &vote.question;
    let cells = [&vote.worker, &question.upper, &question.lower].map(|text| csv_cell(text)).join(",");
    let counts = if with_counts { format!(",{counts}") } else { String::new() };
    format!("{cells},{},{},{time}{counts}\n", vote.answer.as_str(), question.kind.as_str())
}

fn object(NamedVote { vote, time, counts }: &NamedVote, with_counts: bool) -> String {
    let question = &vote.question;
    let mut object = json!({
        "worker": vote.worker,
        "upper": question.upper,
        "lower": question.lower,
        "answer": vote.answer,
        "kind": question.kind,
        "time": time,
    });
    if with_counts {
        object["counts"] = json!(counts);
    }
    format!("{object}\n")
}
