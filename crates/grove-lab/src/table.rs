//! Tables of results on disk: read, filled row by row, and asked by the report.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::study::{Cell, Study};
use crate::{Error, Size};

/// A table being filled. Rows are appended as cells end, so that a run which was broken off goes on where it stopped.
pub(crate) struct Filling {
    path: PathBuf,
    file: File,
    done: BTreeSet<Vec<String>>,
}

impl Filling {
    /// Opens a study's table, or begins it. A last row that was cut short by a kill is dropped.
    pub(crate) fn open(folder: &Path, study: &Study) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let path = folder.join(study.name).with_extension("csv");
        let columns = study.columns();
        let rows = if path.exists() { read(&path)? } else { Vec::new() };
        if let Some(header) = rows.first()
            && *header != columns
        {
            return Err(Error::bad_table(&path, "its columns are of another version"));
        }
        let whole: Vec<&Vec<String>> = rows.iter().skip(1).filter(|row| row.len() == columns.len()).collect();
        let mut text = line(&columns);
        whole.iter().for_each(|row| text.push_str(&line(row)));
        fs::write(&path, text).map_err(Error::io(&path))?;
        let done = whole.iter().map(|row| row[..study.key_columns()].to_vec()).collect();
        let file = OpenOptions::new().append(true).open(&path).map_err(Error::io(&path))?;
        Ok(Self { path, file, done })
    }

    pub(crate) fn has(&self, size: Size, cell: &Cell) -> bool {
        self.done.contains(&key(size, cell))
    }

    /// Appends the row of a cell, in one write.
    pub(crate) fn add(
        &mut self,
        size: Size,
        cell: &Cell,
        measures: Vec<String>,
        seconds: f64,
    ) -> Result<(), Error> {
        let mut row = key(size, cell);
        row.extend(measures);
        row.push(format!("{seconds:.2}"));
        self.file.write_all(line(&row).as_bytes()).map_err(Error::io(&self.path))
    }
}

fn key(size: Size, cell: &Cell) -> Vec<String> {
    let mut key = vec![size.name().to_owned()];
    key.extend(cell.settings.iter().cloned());
    key.push(cell.seed.to_string());
    key
}

fn line(row: &[String]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(row).expect("memory takes every record");
    let bytes = writer.into_inner().expect("memory takes every record");
    String::from_utf8(bytes).expect("records of text are text")
}

fn read(path: &Path) -> Result<Vec<Vec<String>>, Error> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_path(path);
    let mut reader = reader.map_err(|error| Error::bad_table(path, error))?;
    let rows = reader.records().map(|record| record.map(|fields| fields.iter().map(str::to_owned).collect()));
    rows.collect::<Result<_, csv::Error>>().map_err(|error| Error::bad_table(path, error))
}

/// A table of results to ask.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    path: PathBuf,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    size: Size,
}

impl Table {
    /// The rows of the full size, or of the quick one where there are no others.
    pub(crate) fn read(folder: &Path, name: &str, experiment: &'static str) -> Result<Self, Error> {
        let path = folder.join(name).with_extension("csv");
        let mut rows = if path.exists() { read(&path)? } else { Vec::new() };
        if rows.len() < 2 {
            return Err(Error::NoResults { path, experiment });
        }
        let columns = rows.remove(0);
        rows.retain(|row| row.len() == columns.len());
        let full = rows.iter().any(|row| row[0] == Size::Full.name());
        let size = if full { Size::Full } else { Size::Quick };
        rows.retain(|row| row[0] == size.name());
        Ok(Self { path, columns, rows, size })
    }

    /// Whose rows these are.
    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|fields| Row { table: self, fields })
    }

    /// The rows whose columns have these values.
    pub(crate) fn find(&self, wanted: &[(&str, &str)]) -> Vec<Row<'_>> {
        let fits = |row: &Row<'_>| wanted.iter().all(|&(column, value)| row.text(column) == value);
        self.rows().filter(fits).collect()
    }

    /// The different values of a column, in the order of their first row.
    pub(crate) fn values(&self, column: &str) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for row in self.rows() {
            if !values.iter().any(|value| value == row.text(column)) {
                values.push(row.text(column).to_owned());
            }
        }
        values
    }

    /// The different numbers of a column, from the least.
    pub(crate) fn numbers(&self, column: &str) -> Result<Vec<f64>, Error> {
        let mut numbers =
            self.values(column).iter().map(|value| self.number(value)).collect::<Result<Vec<_>, _>>()?;
        numbers.sort_by(f64::total_cmp);
        Ok(numbers)
    }

    /// The time that all cells took, one after the other.
    pub(crate) fn seconds(&self) -> Result<f64, Error> {
        self.rows().map(|row| row.number("seconds")).sum()
    }

    fn number(&self, text: &str) -> Result<f64, Error> {
        text.parse().map_err(|_| Error::bad_table(&self.path, format!("{text:?} is not a number")))
    }
}

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    table: &'a Table,
    fields: &'a [String],
}

impl<'a> Row<'a> {
    /// # Panics
    /// If the table has no such column.
    pub(crate) fn text(&self, column: &str) -> &'a str {
        let at = self.table.columns.iter().position(|known| known == column);
        &self.fields[at.unwrap_or_else(|| panic!("there is no column {column}"))]
    }

    pub(crate) fn number(&self, column: &str) -> Result<f64, Error> {
        self.table.number(self.text(column))
    }

    /// A number that may not be there.
    pub(crate) fn maybe(&self, column: &str) -> Result<Option<f64>, Error> {
        match self.text(column) {
            "" => Ok(None),
            text => self.table.number(text).map(Some),
        }
    }

    /// A list as [`pack`] wrote it.
    pub(crate) fn curve(&self, column: &str) -> Result<Vec<(f64, f64)>, Error> {
        let pair = |text: &str| {
            let (x, y) = text
                .split_once(':')
                .ok_or_else(|| Error::bad_table(&self.table.path, format!("{text:?} is not a pair")))?;
            Ok((self.table.number(x)?, self.table.number(y)?))
        };
        self.text(column).split_whitespace().map(pair).collect()
    }
}

/// A curve in one field: `x:y x:y ...`.
pub(crate) fn pack(curve: impl IntoIterator<Item = (usize, f64)>) -> String {
    let pairs: Vec<String> = curve.into_iter().map(|(x, y)| format!("{x}:{y:.5}")).collect();
    pairs.join(" ")
}

/// A number that may not be there, as a field.
pub(crate) fn or_nothing(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study() -> Study {
        Study { name: "some", settings: &["n"], measures: &["auc", "curve"], cells: Vec::new(), alone: false }
    }

    fn cell(n: &str, seed: u64) -> Cell {
        Cell::new(vec![n.to_owned()], seed, || Ok(Vec::new()))
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("grove-lab-{name}-{}", std::process::id()));
        fs::remove_dir_all(&folder).ok();
        folder
    }

    #[test]
    fn a_table_goes_on_where_it_stopped() {
        let folder = folder("resume");
        let row = vec!["0.5".to_owned(), pack([(1, 0.25), (2, 0.5)])];
        let mut filling = Filling::open(&folder, &study()).unwrap();
        filling.add(Size::Full, &cell("5", 1), row, 0.1).unwrap();
        // A kill in the middle of a row.
        filling.file.write_all(b"full,5,2,0.").unwrap();
        let again = Filling::open(&folder, &study()).unwrap();
        assert!(again.has(Size::Full, &cell("5", 1)));
        assert!(!again.has(Size::Full, &cell("5", 2)) && !again.has(Size::Quick, &cell("5", 1)));
        let table = Table::read(&folder, "some", "some").unwrap();
        let row = table.find(&[("n", "5")])[0];
        assert_eq!(row.curve("curve").unwrap(), [(1.0, 0.25), (2.0, 0.5)]);
        assert_eq!((table.rows().count(), row.number("auc").unwrap()), (1, 0.5));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn refuses_a_table_of_other_columns() {
        let folder = folder("columns");
        Filling::open(&folder, &study()).unwrap();
        let other = Study { measures: &["auc"], ..study() };
        assert!(matches!(Filling::open(&folder, &other), Err(Error::BadTable { .. })));
        assert!(matches!(Table::read(&folder, "some", "some"), Err(Error::NoResults { .. })));
        fs::remove_dir_all(folder).unwrap();
    }
}
