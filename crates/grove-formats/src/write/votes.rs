use std::str::FromStr;

use grove_vocabulary::{Form, Reply, Response, Screen};
use serde_json::json;

use super::tables::csv_cell;
use crate::{Error, ErrorKind, escape};

/// What a worker said to a screen, with the names of its concepts, as [`read_votes`](crate::read_votes) reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedVote {
    /// Who answered what.
    pub response: Response<String, String>,
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
/// for. If one of them is not the answer to a yes/no question, there are the columns `form`, `options` and `chosen` as well.
///
/// ```
/// use grove_formats::{Answer, Kind, NamedVote, Reply, Response, Screen, VoteFormat, write_votes};
/// use grove_vocabulary::{Question, Vote};
/// let question = Question { kind: Kind::Path, upper: "fruit".to_owned(), lower: "lime, sweet".to_owned() };
/// let vote = Vote { worker: "ann".to_owned(), question, answer: Answer::Yes };
/// let vote = NamedVote { response: vote.into(), time: "2026-01-01T00:00:00Z".to_owned(), counts: true };
/// assert_eq!(
///     write_votes(&[vote.clone()], VoteFormat::Csv, false),
///     "worker,upper,lower,answer,kind,time\nann,fruit,\"lime, sweet\",yes,path,2026-01-01T00:00:00Z\n",
/// );
/// let tick = Screen::Tick { upper: "fruit".to_owned(), options: vec!["lime".to_owned(), "pear".to_owned()] };
/// let response = Response { worker: "bob".to_owned(), screen: tick, reply: Reply::Ticked(vec!["pear".to_owned()]) };
/// let text = write_votes(&[vote, NamedVote { response, time: String::new(), counts: true }], VoteFormat::Csv, false);
/// assert_eq!(text.lines().next(), Some("worker,form,upper,lower,options,answer,chosen,kind,time"));
/// assert_eq!(text.lines().last(), Some("bob,tick,fruit,,lime|pear,ticked,pear,,"));
/// ```
#[must_use]
pub fn write_votes(votes: &[NamedVote], format: VoteFormat, with_counts: bool) -> String {
    let of_yes_no = votes.iter().all(|vote| vote.response.screen.form() == Form::YesNo);
    let write = match format {
        VoteFormat::JsonLines => return votes.iter().map(|vote| object(vote, with_counts)).collect(),
        VoteFormat::Csv if of_yes_no => yes_no_row,
        VoteFormat::Csv => row,
    };
    let columns = if of_yes_no { YES_NO } else { ALL_FORMS };
    let mut text = format!("{columns}{}\n", if with_counts { ",counts" } else { "" });
    for vote in votes {
        text += &write(vote).join(",");
        text += &if with_counts { format!(",{}\n", vote.counts) } else { "\n".to_owned() };
    }
    text
}

const YES_NO: &str = "worker,upper,lower,answer,kind,time";
const ALL_FORMS: &str = "worker,form,upper,lower,options,answer,chosen,kind,time";

/// The cells where there are no other forms.
fn yes_no_row(vote: &NamedVote) -> Vec<String> {
    let [worker, _, upper, lower, _, answer, _, kind, time] = cells(vote);
    vec![worker, upper, lower, answer, kind, time]
}

fn row(vote: &NamedVote) -> Vec<String> {
    cells(vote).to_vec()
}

fn cells(NamedVote { response, time, .. }: &NamedVote) -> [String; 9] {
    let (screen, reply) = (&response.screen, &response.reply);
    let (upper, lower) = match screen {
        Screen::YesNo(question) => (question.upper.as_str(), question.lower.as_str()),
        Screen::Pick { lower, .. } | Screen::Place { lower } => ("", lower.as_str()),
        Screen::Tick { upper, .. } => (upper.as_str(), ""),
    };
    [
        csv_cell(&response.worker),
        screen.form().to_string(),
        csv_cell(upper),
        csv_cell(lower),
        csv_cell(&list(screen.options())),
        word(reply).to_owned(),
        csv_cell(&chosen(reply)),
        screen.question().map_or_else(String::new, |question| question.kind.as_str().to_owned()),
        time.clone(),
    ]
}

/// Concepts separated by bars, with bars inside names escaped.
fn list(names: &[String]) -> String {
    names.iter().map(|name| escape::escape(name, '|')).collect::<Vec<_>>().join("|")
}

/// The concept that a reply chooses, or the list of those that it ticks.
fn chosen(reply: &Reply<String>) -> String {
    match reply {
        Reply::Picked(name) | Reply::Under(name) => name.clone(),
        Reply::Ticked(names) => list(names),
        _ => String::new(),
    }
}

fn word(reply: &Reply<String>) -> &'static str {
    match reply {
        Reply::Yes => "yes",
        Reply::No => "no",
        Reply::Picked(_) => "picked",
        Reply::Ticked(_) => "ticked",
        Reply::None => "none",
        Reply::Under(_) => "under",
        Reply::Top => "top",
        Reply::CantSay => "cant_say",
    }
}

/// The fields of a [`Response`], as the log and the API write it, with the time.
fn object(NamedVote { response, time, counts }: &NamedVote, with_counts: bool) -> String {
    let mut object = json!(response);
    object["time"] = json!(time);
    if with_counts {
        object["counts"] = json!(counts);
    }
    format!("{object}\n")
}
