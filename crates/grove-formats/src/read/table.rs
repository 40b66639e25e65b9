use grove_tree::Concept;
use indexmap::IndexSet;
use serde_json::Value;

use super::json;
use crate::concept_list::CONCEPT_LIMIT;
use crate::name::{read_name, tidy};
use crate::{ErrorKind, NameIndex, Place, Result, Source, escape};

/// The most columns.
const COLUMNS: usize = 1_000;

/// Rows under named columns, from CSV, TSV or JSON objects.
pub(crate) struct Table {
    pub(crate) at: Place,
    /// What a row should be.
    expected: &'static str,
    header: Vec<String>,
    rows: Vec<Row>,
}

/// One row and where it begins.
pub(crate) struct Row {
    pub(crate) at: Place,
    cells: Vec<String>,
}

/// The position of a column.
#[derive(Clone, Copy)]
pub(crate) struct Column(usize);

impl Row {
    /// The cell of a column; empty if the row is too short or there is no such column.
    pub(crate) fn get(&self, column: impl Into<Option<Column>>) -> &str {
        let column: Option<Column> = column.into();
        column.and_then(|Column(index)| self.cells.get(index)).map_or("", String::as_str)
    }

    /// The concept of a vote that a cell names: any but the root.
    pub(crate) fn concept(
        &self,
        column: Column,
        what: &'static str,
        concepts: &NameIndex,
    ) -> Result<Concept> {
        self.named(self.get(column), what, concepts)
    }

    /// The concept of a vote with this name: any but the root.
    pub(crate) fn named(&self, name: &str, what: &'static str, concepts: &NameIndex) -> Result<Concept> {
        let name = read_name(name, &self.at, what)?;
        match concepts.require(&name, &self.at)? {
            Concept::ROOT => Err(ErrorKind::VoteOnRoot(name).at(&self.at)),
            concept => Ok(concept),
        }
    }

    /// The parts of a cell that are separated by `|`.
    pub(crate) fn parts(&self, column: Option<Column>) -> Vec<String> {
        escape::split(self.get(column), '|')
    }

    /// The number in a cell; `None` for an empty one.
    pub(crate) fn number<N: std::str::FromStr>(
        &self,
        column: Option<Column>,
        what: &str,
        expected: &'static str,
    ) -> Result<Option<N>> {
        let cell = self.get(column).trim();
        if cell.is_empty() {
            return Ok(None);
        }
        let wrong = |_| ErrorKind::NotInRange { what: what.to_owned(), found: cell.to_owned(), expected };
        cell.parse().map(Some).map_err(|error| wrong(error).at(&self.at))
    }

    /// The line, for values that keep it.
    pub(crate) fn line(&self) -> usize {
        self.at.line.unwrap_or_default()
    }
}

impl Table {
    /// Takes the first row as the header, and checks that there is one and that no row is longer.
    fn new(source: &Source, expected: &'static str, mut rows: Vec<Row>) -> Result<Self> {
        let header = rows.splice(..rows.len().min(1), []).next().map(|row| row.cells).unwrap_or_default();
        if header.is_empty() {
            return Err(source.error(ErrorKind::Empty(expected)));
        }
        let length = header.len();
        if length > COLUMNS {
            return Err(source.error(ErrorKind::TooManyFields(length)));
        }
        match rows.iter().find(|row| row.cells.len() > length) {
            Some(row) => Err(ErrorKind::UnevenRow { expected: length, found: row.cells.len() }.at(&row.at)),
            None => Ok(Self { at: source.place(), expected, header, rows }),
        }
    }

    /// The rows, of which there must be one.
    pub(crate) fn rows(&self) -> Result<&[Row]> {
        if self.rows.is_empty() { Err(ErrorKind::Empty(self.expected).at(&self.at)) } else { Ok(&self.rows) }
    }

    /// Reads CSV or TSV whose first row names the columns. Rows that begin with # are comments.
    pub(crate) fn read(source: &Source, expected: &'static str) -> Result<Self> {
        Self::new(source, expected, rows(source)?)
    }

    /// Reads CSV or TSV whose header may be missing: a first row of two cells that do not name both columns is not a
    /// header, and the columns are these two. A single one of the names may be a concept, such as "parent".
    pub(crate) fn read_with_default(
        source: &Source,
        expected: &'static str,
        columns: [&[&str]; 2],
    ) -> Result<Self> {
        let mut rows = rows(source)?;
        let is_header = |cells: &[String]| {
            let has = |names: &&[&str]| cells.iter().any(|cell| names.contains(&key(cell).as_str()));
            cells.len() != columns.len() || columns.iter().all(has)
        };
        if rows.first().is_some_and(|first| !is_header(&first.cells)) {
            let cells = columns.map(|names| names[0].to_owned()).to_vec();
            rows.insert(0, Row { at: source.place(), cells });
        }
        Self::new(source, expected, rows)
    }

    /// Makes rows of JSON objects, each with its line; the fields are the columns.
    pub(crate) fn from_objects(
        source: &Source,
        expected: &'static str,
        objects: impl Iterator<Item = Result<(usize, Value)>>,
    ) -> Result<Self> {
        let mut header: IndexSet<String> = IndexSet::new();
        let mut rows = Vec::new();
        // A row has a cell for every field so far: many rows with fields of their own would have many more cells than the text has bytes.
        let mut cells_left = source.text().len();
        for object in objects {
            let (line, object) = object?;
            let at = source.place().line(line);
            let Value::Object(fields) = object else {
                return Err(json::shape("an object with named fields", &object, &at));
            };
            let mut cells = vec![String::new(); header.len()];
            for (name, value) in fields {
                let (index, _) = header.insert_full(name);
                cells.resize(header.len(), String::new());
                cells[index] = json::cell(value, &at)?;
            }
            cells_left = cells_left
                .checked_sub(cells.len())
                .ok_or_else(|| ErrorKind::TooManyFields(header.len()).at(&at))?;
            rows.push(Row { at, cells });
        }
        rows.insert(0, Row { at: source.place(), cells: header.into_iter().collect() });
        Self::new(source, expected, rows)
    }

    /// The column with one of these names, in any case.
    pub(crate) fn column(&self, names: &[&str]) -> Option<Column> {
        let position = |name: &&str| self.header.iter().position(|seen| key(seen) == **name);
        names.iter().find_map(position).map(Column)
    }

    /// The column with one of these names, or an error that lists the columns there are.
    pub(crate) fn require(&self, names: &[&str]) -> Result<Column> {
        self.column(names).ok_or_else(|| {
            let (missing, found) = (names.join(" or "), self.header.clone());
            ErrorKind::MissingColumn { missing, found }.at(&self.at)
        })
    }
}

/// The key under which column names are compared: "Second parent" is second_parent.
fn key(name: &str) -> String {
    tidy(name).to_lowercase().replace([' ', '-'], "_")
}

/// All rows that are not blank.
fn rows(source: &Source) -> Result<Vec<Row>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .delimiter(delimiter(source))
        .from_reader(source.text().as_bytes());
    // A row takes much more memory than its text if that is short.
    let most = (source.text().len() / 4).max(CONCEPT_LIMIT + 1);
    let mut rows = Vec::new();
    let mut lines = source.line_counter();
    for record in reader.records() {
        let record = record.map_err(|error| source.error(ErrorKind::not_valid("CSV", error)))?;
        let before = record.position().expect("a record that was read has a position").byte() as usize;
        let line = lines.line_at(row_start(source.text(), before));
        if rows.len() > most {
            return Err(source.error(ErrorKind::TooManyRows(most)));
        }
        if record.iter().any(|cell| !cell.trim().is_empty()) {
            let cells = record.iter().map(|cell| escape::from_no_formula(cell).to_owned()).collect();
            rows.push(Row { at: source.place().line(line), cells });
        }
    }
    Ok(rows)
}

/// The start of a row: the reader's position is before the comments and empty lines that it skips.
fn row_start(text: &str, mut at: usize) -> usize {
    while text[at..].starts_with(['#', '\n']) {
        at += text[at..].find('\n').map_or(text.len() - at, |end| end + 1);
    }
    at
}

/// Tab for .tsv; otherwise the most frequent of comma, semicolon and tab in the first line.
fn delimiter(source: &Source) -> u8 {
    if matches!(source.extension().as_str(), "tsv" | "tab") {
        return b'\t';
    }
    let first = source.content_lines().next().map_or("", |(_, line)| line);
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    // The last of equals wins: the comma.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}
