use serde_json::Value;

use super::json;
use crate::name::tidy;
use crate::{Error, Place, Source, escape};

/// Rows under named columns, from CSV, TSV or JSON objects.
pub(crate) struct Table {
    pub(crate) at: Place,
    header: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

/// One row with the line it begins on.
pub(crate) struct Row {
    pub(crate) at: Place,
    cells: Vec<String>,
}

/// A column that was found.
#[derive(Clone, Copy)]
pub(crate) struct Column(usize);

impl Row {
    /// The cell of a column; empty where the row is shorter or the column is not there.
    pub(crate) fn get(&self, column: impl Into<Option<Column>>) -> &str {
        let column: Option<Column> = column.into();
        column.and_then(|Column(index)| self.cells.get(index)).map_or("", String::as_str)
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
    ) -> Result<Option<N>, Error> {
        let cell = self.get(column).trim();
        if cell.is_empty() {
            return Ok(None);
        }
        let wrong = |_| Error::NotInRange {
            at: self.at.clone(),
            what: what.to_owned(),
            found: cell.to_owned(),
            expected,
        };
        cell.parse().map(Some).map_err(wrong)
    }

    /// The line, for values that keep it.
    pub(crate) fn line(&self) -> usize {
        self.at.line.unwrap_or_default()
    }
}

impl Table {
    /// Reads CSV or TSV whose first row names the columns. Rows that begin with # are comments.
    pub(crate) fn read(source: &Source, expected: &'static str) -> Result<Self, Error> {
        let mut rows = rows(source)?.into_iter();
        let header = rows.next().ok_or(Error::Empty { at: source.place(), expected })?.cells;
        let table = Self { at: source.place(), header, rows: rows.collect() };
        table.refuse_long_rows()?;
        Ok(table)
    }

    /// Reads CSV or TSV that may do without a first row of names: it has one if that row holds a name of either column,
    /// and otherwise the two columns are these, in this order. One of the names alone may be a concept, such as "parent".
    pub(crate) fn read_with_default(
        source: &Source,
        expected: &'static str,
        columns: [&[&str]; 2],
    ) -> Result<Self, Error> {
        let mut rows = rows(source)?;
        let first = rows.first().ok_or(Error::Empty { at: source.place(), expected })?;
        let has = |names: &[&str]| first.cells.iter().any(|cell| names.contains(&key(cell).as_str()));
        let is_header = columns.iter().all(|names| has(names)) || first.cells.len() != columns.len();
        let header = match is_header {
            true => rows.remove(0).cells,
            false => columns.map(|names| names[0].to_owned()).to_vec(),
        };
        let table = Self { at: source.place(), header, rows };
        table.refuse_long_rows()?;
        Ok(table)
    }

    /// Takes JSON objects, each with its line, as rows: their fields are the columns.
    pub(crate) fn from_objects(source: &Source, objects: Vec<(usize, Value)>) -> Result<Self, Error> {
        let mut header: Vec<String> = Vec::new();
        let mut rows = Vec::with_capacity(objects.len());
        for (line, object) in objects {
            let at = source.place().line(line);
            let Value::Object(fields) = object else {
                return Err(json::shape(at, "an object with named fields", &object));
            };
            let mut cells = vec![String::new(); header.len()];
            for (name, value) in fields {
                let cell = json::cell(value, &at)?;
                match header.iter().position(|known| *known == name) {
                    Some(index) => cells[index] = cell,
                    None => {
                        header.push(name);
                        cells.push(cell);
                    }
                }
            }
            rows.push(Row { at, cells });
        }
        Ok(Self { at: source.place(), header, rows })
    }

    /// The column of one of these names, whatever their case.
    pub(crate) fn column(&self, names: &[&str]) -> Option<Column> {
        let position = |name: &&str| self.header.iter().position(|seen| key(seen) == **name);
        names.iter().find_map(position).map(Column)
    }

    /// The column of one of these names, or the error that names those there are.
    pub(crate) fn require(&self, names: &[&str]) -> Result<Column, Error> {
        self.column(names).ok_or_else(|| Error::MissingColumn {
            at: self.at.clone(),
            missing: names.join(" or "),
            seen: self.header.clone(),
        })
    }

    fn refuse_long_rows(&self) -> Result<(), Error> {
        let expected = self.header.len();
        match self.rows.iter().find(|row| row.cells.len() > expected) {
            Some(row) => Err(Error::UnevenRow { at: row.at.clone(), expected, found: row.cells.len() }),
            None => Ok(()),
        }
    }
}

/// A column's name as it is compared: "Second parent" is second_parent.
fn key(name: &str) -> String {
    tidy(name).to_lowercase().replace([' ', '-'], "_")
}

/// All rows in which something stands.
fn rows(source: &Source) -> Result<Vec<Row>, Error> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .delimiter(delimiter(source))
        .from_reader(source.text().as_bytes());
    let mut rows = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for record in reader.records() {
        let record = record.map_err(|error| Error::Syntax {
            at: source.place(),
            syntax: "CSV",
            message: error.to_string(),
        })?;
        let before = record.position().map_or(counted, |position| position.byte() as usize);
        let start = row_start(source.text(), before);
        line += source.text()[counted..start].matches('\n').count();
        counted = start;
        let cells: Vec<String> = record.iter().map(str::to_owned).collect();
        if cells.iter().any(|cell| !cell.trim().is_empty()) {
            rows.push(Row { at: source.place().line(line), cells });
        }
    }
    Ok(rows)
}

/// Where a row begins: the reader's position is before the comments and empty lines that it skips.
fn row_start(text: &str, mut at: usize) -> usize {
    while text[at..].starts_with(['#', '\n']) {
        at += text[at..].find('\n').map_or(text.len() - at, |end| end + 1);
    }
    at
}

/// Tab for .tsv; otherwise whichever of comma, semicolon and tab the first telling line holds most of.
fn delimiter(source: &Source) -> u8 {
    if matches!(source.extension().as_str(), "tsv" | "tab") {
        return b'\t';
    }
    let first = source.telling_lines().next().map_or("", |(_, line)| line);
    let count = |delimiter: &u8| first.bytes().filter(|byte| byte == delimiter).count();
    // The last of equals wins, and the comma is the rule.
    [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',')
}
