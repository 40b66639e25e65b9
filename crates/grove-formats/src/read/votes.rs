use grove_vocabulary::{Question, Vote};

use super::json;
use super::table::Table;
use crate::name::{read_name, read_text};
use crate::read::card_sort;
use crate::vote::{parse_answer, parse_kind};
use crate::{Error, NameIndex, RecordedVote, Source};

const KNOWN: &str = ".csv, .tsv, .jsonl or .json";
const WORKER: &[&str] = &["worker", "participant", "annotator"];

/// Reads recorded votes on known concepts, in the order of the file.
///
/// Columns of `.csv` and `.tsv`, or fields of the objects in `.jsonl` (one per line) and `.json` (one list):
/// `worker`, `upper`, `lower`, `answer` (yes, no, `cant_say`), and if wanted `time` and `kind` (path, edge; path is
/// the rule). A table with the columns `card`, `category` and `participant` is a card sort: see [`read_card_sort`].
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
/// What is wrong, where, and what to do: see [`Error`].
pub fn read_votes(source: &Source, concepts: &NameIndex) -> Result<Vec<RecordedVote>, Error> {
    source.require("vote")?;
    let table = match source.extension().as_str() {
        "csv" | "tsv" | "tab" => Table::read(source, "vote")?,
        "jsonl" | "ndjson" => Table::from_objects(source, json::lines(source)?)?,
        "json" => Table::from_objects(source, json::array(source)?)?,
        _ => return Err(Error::UnknownKind { at: source.place(), known: KNOWN }),
    };
    match card_sort::is_card_sort(&table) {
        true => card_sort::votes(&table, concepts),
        false => from_table(&table, concepts),
    }
}

fn from_table(table: &Table, concepts: &NameIndex) -> Result<Vec<RecordedVote>, Error> {
    if table.rows.is_empty() {
        return Err(Error::Empty { at: table.at.clone(), expected: "vote" });
    }
    let worker = table.require(WORKER)?;
    let upper = table.require(&["upper", "parent", "above"])?;
    let lower = table.require(&["lower", "child", "below"])?;
    let answer = table.require(&["answer", "vote"])?;
    let (time, kind) = (table.column(&["time", "timestamp"]), table.column(&["kind"]));

    let mut votes = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let at = &row.at;
        let concept = |column, what| {
            let name = read_name(row.get(column), at, what)?;
            let concept = concepts.require(&name, at)?;
            match concept.is_root() {
                true => Err(Error::VoteOnRoot { at: at.clone(), name }),
                false => Ok(concept),
            }
        };
        let (upper, lower) = (concept(upper, "upper concept")?, concept(lower, "lower concept")?);
        if upper == lower {
            return Err(Error::VoteOnItself { at: at.clone(), name: concepts.name(upper).to_owned() });
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
