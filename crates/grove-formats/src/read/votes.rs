use grove_tree::Concept;
use grove_vocabulary::{Answer, Kind, Question, Vote};

use super::table::Table;
use super::{card_sort, json};
use crate::name::{read_name, read_text};
use crate::{ErrorKind, NameIndex, Place, Result, Source};

const KNOWN: &str = ".csv, .tsv, .jsonl or .json";
const WORKER: &[&str] = &["worker", "participant", "annotator"];

/// One vote from a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedVote {
    /// Who answered what.
    pub vote: Vote<Concept, String>,
    /// The time of the answer, as the file writes it.
    pub time: Option<String>,
    /// The line in the file.
    pub line: usize,
}

/// Reads recorded votes on known concepts, in the order of the file.
///
/// Columns of `.csv` and `.tsv`, or fields of the objects in `.jsonl` (one per line) and `.json` (one list):
/// `worker`, `upper`, `lower`, `answer` (yes, no, `cant_say`), and optionally `time` and `kind` (path or edge; path by
/// default). A table with the columns `card`, `category` and `participant` is a card sort: see [`read_card_sort`].
///
/// [`read_card_sort`]: crate::read_card_sort
///
/// ```
/// use grove_formats::{Source, read_concepts, read_votes};
/// let concepts = read_concepts(&Source::new("food.txt", b"fruit\napple\n")?)?;
/// let votes = Source::new("votes.csv", b"worker,upper,lower,answer\nann,fruit,apple,yes\nbob,friut,apple,no\n")?;
/// assert_eq!(
///     read_votes(&votes, &concepts.index()).unwrap_err().to_string(),
///     "votes.csv, line 3: \"friut\" is not among the concepts; did you mean \"fruit\"?",
/// );
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// A file that cannot be parsed, a missing column, a name that is not a concept, or an invalid answer or kind.
pub fn read_votes(source: &Source, concepts: &NameIndex) -> Result<Vec<RecordedVote>> {
    source.require("vote")?;
    let table = match source.extension().as_str() {
        "csv" | "tsv" | "tab" => Table::read(source, "vote")?,
        "jsonl" | "ndjson" => Table::from_objects(source, "vote", json::lines(source))?,
        "json" => Table::from_objects(source, "vote", json::array(source)?.values())?,
        _ => return Err(source.error(ErrorKind::UnknownFileType(KNOWN))),
    };
    let read = if card_sort::is_card_sort(&table) { card_sort::votes } else { from_table };
    read(&table, concepts)
}

fn from_table(table: &Table, concepts: &NameIndex) -> Result<Vec<RecordedVote>> {
    let worker = table.require(WORKER)?;
    let upper = table.require(&["upper", "parent", "above"])?;
    let lower = table.require(&["lower", "child", "below"])?;
    let answer = table.require(&["answer", "vote"])?;
    let (time, kind) = (table.column(&["time", "timestamp"]), table.column(&["kind"]));

    let mut votes = Vec::new();
    for row in table.rows()? {
        let at = &row.at;
        let upper = row.concept(upper, "upper concept", concepts)?;
        let lower = row.concept(lower, "lower concept", concepts)?;
        if upper == lower {
            return Err(ErrorKind::VoteOnItself(concepts.name(upper).to_owned()).at(at));
        }
        votes.push(RecordedVote {
            vote: Vote {
                worker: read_name(row.get(worker), at, "worker")?,
                question: Question { kind: parse_kind(row.get(kind), at)?, upper, lower },
                answer: parse_answer(row.get(answer), at)?,
            },
            time: read_text(row.get(time), at)?,
            line: row.line(),
        });
    }
    Ok(votes)
}

/// Reads a kind of question, in any case; path if it is empty.
fn parse_kind(word: &str, at: &Place) -> Result<Kind> {
    match word.trim().to_lowercase().as_str() {
        "" | "path" | "above" => Ok(Kind::Path),
        "edge" | "directly" | "parent" => Ok(Kind::Edge),
        _ => Err(ErrorKind::unknown_word(word, "kind of question", "path or edge").at(at)),
    }
}

/// Reads an answer, in any case and in several words for each.
fn parse_answer(word: &str, at: &Place) -> Result<Answer> {
    match word.trim().to_lowercase().replace(['_', '-', '’', '\''], " ").as_str() {
        "yes" | "y" | "true" | "1" => Ok(Answer::Yes),
        "no" | "n" | "false" | "0" => Ok(Answer::No),
        "cant say" | "can t say" | "skip" | "s" | "?" => Ok(Answer::CantSay),
        _ => Err(ErrorKind::unknown_word(word, "answer", "yes, no or cant_say").at(at)),
    }
}
