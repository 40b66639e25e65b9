use grove_tree::Concept;
use grove_vocabulary::{Answer, Form, Kind, Question, Reply, Response, Screen, Vote};
use serde_json::Value;

use super::table::{Column, Row, Table};
use super::{card_sort, json};
use crate::name::{read_name, read_text};
use crate::{ErrorKind, NameIndex, Place, Result, Source};

const KNOWN: &str = ".csv, .tsv, .jsonl or .json";
const WORKER: &[&str] = &["worker", "participant", "annotator"];
const UPPER: &[&str] = &["upper", "parent", "above"];
const LOWER: &[&str] = &["lower", "child", "below"];

/// What one worker said to one screen, from a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedVote {
    /// Who answered what.
    pub response: Response<Concept, String>,
    /// The time of the answer, as the file writes it.
    pub time: Option<String>,
    /// The line in the file.
    pub line: usize,
}

impl RecordedVote {
    /// The vote, if it is the answer to a yes/no question.
    #[must_use]
    pub fn vote(&self) -> Option<Vote<Concept, String>> {
        self.response.vote()
    }
}

/// Reads recorded votes on known concepts, in the order of the file.
///
/// Columns of `.csv` and `.tsv`, or fields of the objects in `.jsonl` (one per line) and `.json` (one list):
/// `worker`, `upper`, `lower`, `answer` (yes, no, `cant_say`), and optionally `time` and `kind` (path or edge; path by
/// default). A table with the columns `card`, `category` and `participant` is a card sort: see [`read_card_sort`].
///
/// A file of other forms has the column `form` as well (yesno if it is empty), and `options` and `chosen` with concepts between `|`:
///
/// | form | filled in | answer | chosen |
/// |---|---|---|---|
/// | yesno | upper, lower, perhaps kind | yes, no, `cant_say` | |
/// | pick | lower, options | picked, none, `cant_say` | the option picked |
/// | tick | upper, options | ticked, none, `cant_say` | the options ticked |
/// | place | lower | under, top, `cant_say` | the concept that it was placed under |
///
/// In JSON the options are a list, and the answer may also be `{"picked": "fruit"}`, `{"ticked": ["lime", "pear"]}` or `{"under": "fruit"}`.
///
/// [`read_card_sort`]: crate::read_card_sort
///
/// ```
/// use grove_formats::{Source, read_concepts, read_votes};
/// let concepts = read_concepts(&Source::new("food.txt", b"fruit\ndrink\napple\n")?)?;
/// let votes = Source::new("votes.csv", b"worker,upper,lower,answer\nann,fruit,apple,yes\nbob,friut,apple,no\n")?;
/// assert_eq!(
///     read_votes(&votes, &concepts.index()).unwrap_err().to_string(),
///     "votes.csv, line 3: \"friut\" is not among the concepts; did you mean \"fruit\"?",
/// );
/// let picks = br#"{"worker": "ann", "form": "pick", "lower": "apple", "options": ["fruit", "drink"], "answer": {"picked": "fruit"}}"#;
/// let picks = read_votes(&Source::new("picks.jsonl", picks)?, &concepts.index())?;
/// assert_eq!(picks[0].response.screen.options().len(), 2);
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// A file that cannot be parsed, a missing column, a name that is not a concept, or an invalid form, answer or kind.
pub fn read_votes(source: &Source, concepts: &NameIndex) -> Result<Vec<RecordedVote>> {
    source.require("vote")?;
    let table = match source.extension().as_str() {
        "csv" | "tsv" | "tab" => Table::read(source, "vote")?,
        "jsonl" | "ndjson" => Table::from_objects(source, "vote", json::lines(source).map(unfold))?,
        "json" => Table::from_objects(source, "vote", json::array(source)?.values().map(unfold))?,
        _ => return Err(source.error(ErrorKind::UnknownFileType(KNOWN))),
    };
    let read = if card_sort::is_card_sort(&table) { card_sort::votes } else { from_table };
    read(&table, concepts)
}

/// Makes two fields of an answer that is an object, as a table has: `{"picked": "fruit"}` is `picked` and `fruit`.
fn unfold(object: Result<(usize, Value)>) -> Result<(usize, Value)> {
    let (line, mut object) = object?;
    if let Some(fields) = object.as_object_mut()
        && let Some(Value::Object(answer)) = fields.get("answer")
        && let (1, Some((word, chosen))) = (answer.len(), answer.iter().next())
    {
        let (word, chosen) = (Value::from(word.as_str()), chosen.clone());
        fields.insert("answer".to_owned(), word);
        fields.insert("chosen".to_owned(), chosen);
    }
    Ok((line, object))
}

fn from_table(table: &Table, concepts: &NameIndex) -> Result<Vec<RecordedVote>> {
    let columns = Columns::of(table)?;
    let read = |row: &Row| {
        let reader = Reader { row, columns: &columns, concepts };
        Ok(RecordedVote {
            response: reader.response()?,
            time: read_text(row.get(columns.time), &row.at)?,
            line: row.line(),
        })
    };
    table.rows()?.iter().map(read).collect()
}

/// Where a table has what.
struct Columns {
    worker: Column,
    answer: Column,
    form: Option<Column>,
    upper: Option<Column>,
    lower: Option<Column>,
    options: Option<Column>,
    chosen: Option<Column>,
    kind: Option<Column>,
    time: Option<Column>,
}

impl Columns {
    /// Without a column of forms, every row is a yes/no question and needs both of its concepts.
    fn of(table: &Table) -> Result<Self> {
        let form = table.column(&["form"]);
        let concept = |names| match form {
            None => table.require(names).map(Some),
            Some(_) => Ok(table.column(names)),
        };
        Ok(Self {
            worker: table.require(WORKER)?,
            form,
            upper: concept(UPPER)?,
            lower: concept(LOWER)?,
            answer: table.require(&["answer", "vote"])?,
            options: table.column(&["options"]),
            chosen: table.column(&["chosen"]),
            kind: table.column(&["kind"]),
            time: table.column(&["time", "timestamp"]),
        })
    }
}

/// Reads one row.
struct Reader<'a> {
    row: &'a Row,
    columns: &'a Columns,
    concepts: &'a NameIndex,
}

impl Reader<'_> {
    fn response(&self) -> Result<Response<Concept, String>> {
        let (at, columns) = (&self.row.at, self.columns);
        let form = parse_form(self.row.get(columns.form), at)?;
        let screen = self.screen(form)?;
        let worker = read_name(self.row.get(columns.worker), at, "worker")?;
        let reply = self.reply(form)?;
        Response::new(worker, screen, reply).map_err(|error| ErrorKind::BadScreen(error).at(at))
    }

    fn screen(&self, form: Form) -> Result<Screen<Concept>> {
        let columns = self.columns;
        let (upper, lower) = (columns.upper, columns.lower);
        // A cell that the form does not have was meant for another one.
        let unused: &[(&'static str, Option<Column>)] = match form {
            Form::YesNo => &[("options", columns.options)],
            Form::Pick => &[("upper concept", upper)],
            Form::Tick => &[("lower concept", lower)],
            Form::Place => &[("upper concept", upper), ("options", columns.options)],
        };
        if let Some((what, _)) = unused.iter().find(|(_, column)| !self.row.get(*column).trim().is_empty()) {
            return Err(ErrorKind::NotOfForm { form, what }.at(&self.row.at));
        }
        Ok(match form {
            Form::YesNo => {
                let (upper, lower) = (self.upper()?, self.lower()?);
                if upper == lower {
                    let name = self.concepts.name(upper).to_owned();
                    return Err(ErrorKind::VoteOnItself(name).at(&self.row.at));
                }
                let kind = parse_kind(self.row.get(columns.kind), &self.row.at)?;
                Screen::YesNo(Question { kind, upper, lower })
            }
            Form::Pick => Screen::Pick { lower: self.lower()?, options: self.options()? },
            Form::Tick => Screen::Tick { upper: self.upper()?, options: self.options()? },
            Form::Place => Screen::Place { lower: self.lower()? },
        })
    }

    fn reply(&self, form: Form) -> Result<Reply<Concept>> {
        let word = self.row.get(self.columns.answer);
        let says_who = matches!(said(word).as_str(), "picked" | "ticked" | "under");
        if !says_who && !self.row.get(self.columns.chosen).trim().is_empty() {
            return Err(ErrorKind::ChosenWithout(word.trim().to_owned()).at(&self.row.at));
        }
        Ok(match (form, said(word).as_str()) {
            (Form::YesNo, _) => parse_answer(word, &self.row.at)?.into(),
            (_, "cant say" | "can t say" | "skip" | "s" | "?") => Reply::CantSay,
            (Form::Pick | Form::Tick, "none" | "none of these") => Reply::None,
            (Form::Place, "top" | "root") => Reply::Top,
            (Form::Pick, "picked") => {
                Reply::Picked(self.row.concept(self.chosen()?, "chosen concept", self.concepts)?)
            }
            (Form::Tick, "ticked") => Reply::Ticked(self.list(self.chosen()?)?),
            (Form::Place, "under") => self.under()?,
            (form, _) => {
                let known = match form {
                    Form::Pick => "picked, none or cant_say",
                    Form::Tick => "ticked, none or cant_say",
                    _ => "under, top or cant_say",
                };
                return Err(ErrorKind::unknown_word(word, "answer", known).at(&self.row.at));
            }
        })
    }

    /// Where something was placed; under the root is at the top level.
    fn under(&self) -> Result<Reply<Concept>> {
        let name = read_name(self.row.get(self.chosen()?), &self.row.at, "chosen concept")?;
        Ok(match self.concepts.require(&name, &self.row.at)? {
            Concept::ROOT => Reply::Top,
            concept => Reply::Under(concept),
        })
    }

    fn upper(&self) -> Result<Concept> {
        self.concept(self.columns.upper, "upper concept")
    }

    fn lower(&self) -> Result<Concept> {
        self.concept(self.columns.lower, "lower concept")
    }

    fn concept(&self, column: Option<Column>, what: &'static str) -> Result<Concept> {
        let column = column.ok_or_else(|| ErrorKind::Missing(what).at(&self.row.at))?;
        self.row.concept(column, what, self.concepts)
    }

    fn chosen(&self) -> Result<Column> {
        self.columns.chosen.ok_or_else(|| ErrorKind::Missing("chosen concept").at(&self.row.at))
    }

    fn options(&self) -> Result<Vec<Concept>> {
        let missing = || ErrorKind::Missing("list of options").at(&self.row.at);
        let column = self.columns.options.ok_or_else(missing)?;
        if self.row.get(column).trim().is_empty() { Err(missing()) } else { self.list(column) }
    }

    /// The concepts between the bars of a cell.
    fn list(&self, column: Column) -> Result<Vec<Concept>> {
        let one = |name: String| self.row.named(&name, "concept between two bars", self.concepts);
        self.row.parts(Some(column)).into_iter().map(one).collect()
    }
}

/// Reads a form, in any case; yes/no if it is empty.
fn parse_form(word: &str, at: &Place) -> Result<Form> {
    match word.trim().to_lowercase().replace(['/', '_', '-', ' '], "").as_str() {
        "" => Ok(Form::YesNo),
        form => Form::parse(form)
            .ok_or_else(|| ErrorKind::unknown_word(word, "form", "yesno, pick, tick or place").at(at)),
    }
}

/// Reads a kind of question, in any case; path if it is empty.
fn parse_kind(word: &str, at: &Place) -> Result<Kind> {
    match word.trim().to_lowercase().as_str() {
        "" | "path" | "above" => Ok(Kind::Path),
        "edge" | "directly" | "parent" => Ok(Kind::Edge),
        _ => Err(ErrorKind::unknown_word(word, "kind of question", "path or edge").at(at)),
    }
}

/// An answer as it is compared: in small letters, with spaces for the signs between words.
fn said(word: &str) -> String {
    word.trim().to_lowercase().replace(['_', '-', '’', '\''], " ")
}

/// Reads an answer to a yes/no question, in any case and in several words for each.
fn parse_answer(word: &str, at: &Place) -> Result<Answer> {
    match said(word).as_str() {
        "yes" | "y" | "true" | "1" => Ok(Answer::Yes),
        "no" | "n" | "false" | "0" => Ok(Answer::No),
        "cant say" | "can t say" | "skip" | "s" | "?" => Ok(Answer::CantSay),
        _ => Err(ErrorKind::unknown_word(word, "answer", "yes, no or cant_say").at(at)),
    }
}
