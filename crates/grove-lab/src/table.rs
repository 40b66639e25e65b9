//! Tables of results on disk: filled row by row, and read by the report.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use csv::StringRecord;
use grove_belief::ENGINE_REVISION;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::study::{Cell, Study};
use crate::{Error, Size};

/// A table being filled. Rows are appended as cells are done, so that an interrupted run continues where it stopped.
pub(crate) struct TableWriter {
    path: PathBuf,
    file: File,
    size: Size,
    done: BTreeSet<Vec<String>>,
}

impl TableWriter {
    /// Opens the table of a study, or creates it. A last row that was cut short is dropped, and so are rows of another revision of the engines: one
    /// table does not mix what two engines found.
    pub(crate) fn open(folder: &Path, study: &Study, size: Size) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let path = folder.join(study.name).with_extension("csv");
        let columns = study.columns();
        let mut rows = if path.exists() { read(&path)? } else { Vec::new() };
        if rows.is_empty() {
            rows.push(columns.clone().into());
        }
        // Tables had no revision before the second one.
        if rows[0] == columns[..columns.len() - 1] {
            rows = vec![columns.clone().into()];
        }
        if rows[0] != columns[..] {
            return Err(Error::bad_table(&path, "its columns are those of another version"));
        }
        keep_current(&mut rows);
        fs::write(&path, rows.iter().map(line).collect::<String>()).map_err(Error::io(&path))?;
        let keys = study.settings.len() + 2;
        let key = |row: &StringRecord| row.iter().take(keys).map(str::to_owned).collect();
        let done = rows.iter().skip(1).map(key).collect();
        let file = OpenOptions::new().append(true).open(&path).map_err(Error::io(&path))?;
        Ok(Self { path, file, size, done })
    }

    pub(crate) fn has(&self, cell: &Cell) -> bool {
        self.done.contains(&self.key(cell))
    }

    /// What tells the row of a cell from others.
    pub(crate) fn key(&self, cell: &Cell) -> Vec<String> {
        let (size, seed) = (self.size.name().to_owned(), cell.seed.to_string());
        [&[size][..], &cell.settings, &[seed]].concat()
    }

    /// Appends the row of a cell, in one write; `values` are its measures and seconds.
    pub(crate) fn add(&mut self, cell: &Cell, values: &[String]) -> Result<(), Error> {
        let key = self.key(cell);
        let row: StringRecord = [&key, values, &[ENGINE_REVISION.to_string()]].concat().into();
        self.file.write_all(line(&row).as_bytes()).map_err(Error::io(&self.path))?;
        self.done.insert(key);
        Ok(())
    }
}

/// A row as it is in the file.
pub(crate) fn line(row: &StringRecord) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(row).expect("memory takes every record");
    let bytes = writer.into_inner().expect("memory takes every record");
    String::from_utf8(bytes).expect("records of text are text")
}

/// Keeps the head and the whole rows of this revision of the engines.
pub(crate) fn keep_current(rows: &mut Vec<StringRecord>) {
    let (width, revision) = (rows.first().map_or(0, StringRecord::len), ENGINE_REVISION.to_string());
    let mut is_head = true;
    rows.retain(|row| {
        std::mem::take(&mut is_head) || row.len() == width && row.iter().next_back() == Some(&revision)
    });
}

/// How many columns tell the rows of a table apart: up to the seed.
pub(crate) fn key_width(head: &StringRecord) -> Option<usize> {
    head.iter().position(|column| column == "seed").map(|at| at + 1)
}

/// All rows of a table, its head first.
pub(crate) fn read(path: &Path) -> Result<Vec<StringRecord>, Error> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_path(path);
    let records = reader.and_then(|mut reader| reader.records().collect());
    records.map_err(|error| Error::bad_table(path, error))
}

/// The tables of an experiment.
pub(crate) struct Tables {
    pub(crate) folder: PathBuf,
    pub(crate) experiment: &'static str,
}

impl Tables {
    /// Reads the rows of the full size, or of the quick one if there are no others.
    pub(crate) fn read<R: DeserializeOwned>(&self, name: &str) -> Result<Table<R>, Error> {
        let path = self.folder.join(name).with_extension("csv");
        let mut records = if path.exists() { read(&path)? } else { Vec::new() };
        if records.len() < 2 {
            return Err(Error::NoResults { path, experiment: self.experiment });
        }
        let header = records.remove(0);
        records.retain(|row| row.len() == header.len());
        let full = records.iter().any(|row| &row[0] == Size::Full.name());
        let size = if full { Size::Full } else { Size::Quick };
        records.retain(|row| &row[0] == size.name());
        let mut table = Table { rows: Vec::new(), origin: Origin { size, seconds: 0.0, revision: u32::MAX } };
        for record in records {
            let bad = |error: csv::Error| Error::bad_table(&path, error);
            table.rows.push(record.deserialize(Some(&header)).map_err(bad)?);
            let Made { seconds, revision } = record.deserialize(Some(&header)).map_err(bad)?;
            table.origin.seconds += seconds;
            table.origin.revision = table.origin.revision.min(revision);
        }
        Ok(table)
    }
}

/// What every row has.
#[derive(Deserialize)]
struct Made {
    seconds: f64,
    #[serde(default = "first_revision")]
    revision: u32,
}

fn first_revision() -> u32 {
    1
}

/// A table of results.
pub(crate) struct Table<R> {
    pub(crate) rows: Vec<R>,
    pub(crate) origin: Origin,
}

/// The size of the runs, the time that all cells took together, and the revision of the engines that computed them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Origin {
    pub(crate) size: Size,
    pub(crate) seconds: f64,
    pub(crate) revision: u32,
}

/// A curve in one field of a table: `x:y x:y ...`.
#[derive(Clone, Default, PartialEq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Curve(pub(crate) Vec<(f64, f64)>);

impl Curve {
    pub(crate) fn new<X: Into<f64>>(points: impl IntoIterator<Item = (X, f64)>) -> Self {
        Self(points.into_iter().map(|(x, y)| (x.into(), y)).collect())
    }

    pub(crate) fn last(&self) -> Option<(f64, f64)> {
        self.0.last().copied()
    }

    pub(crate) fn at(&self, x: f64) -> Option<f64> {
        self.0.iter().find(|point| point.0 == x).map(|point| point.1)
    }

    /// The first x from which on the curve stays at or above `wanted`.
    pub(crate) fn reaches_for_good(&self, wanted: f64) -> Option<f64> {
        let below = self.0.iter().rposition(|point| point.1 < wanted);
        self.0.get(below.map_or(0, |at| at + 1)).map(|point| point.0)
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> = self.0.iter().map(|(x, y)| format!("{x}:{y:.5}")).collect();
        f.write_str(&pairs.join(" "))
    }
}

impl TryFrom<String> for Curve {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let pair = |text: &str| {
            let (x, y) = text.split_once(':')?;
            Some((x.parse().ok()?, y.parse().ok()?))
        };
        let points = text.split_whitespace().map(pair).collect::<Option<_>>();
        points.map(Self).ok_or_else(|| format!("{text:?} is not a curve"))
    }
}

/// An optional number as a field.
pub(crate) fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Row {
        n: usize,
        auc: f64,
        curve: Curve,
    }

    fn study() -> Study {
        let mut study = Study::new("some", &["n"], &["auc", "curve"]);
        study.add(&[&5], 1..3, |_| Ok(Vec::new()));
        study
    }

    fn tables(name: &str) -> Tables {
        let folder = std::env::temp_dir().join(format!("grove-lab-{name}-{}", std::process::id()));
        fs::remove_dir_all(&folder).ok();
        Tables { folder, experiment: "some" }
    }

    #[test]
    fn an_interrupted_table_continues_where_it_stopped() {
        let (tables, study) = (tables("resume"), study());
        let row = ["0.5".to_owned(), Curve::new([(1, 0.25), (2, 0.5)]).to_string(), "0.10".to_owned()];
        let open = |size| TableWriter::open(&tables.folder, &study, size).unwrap();
        let mut writer = open(Size::Full);
        writer.add(&study.cells[0], &row).unwrap();
        // A kill in the middle of a row.
        writer.file.write_all(b"full,5,2,0.").unwrap();
        let again = open(Size::Full);
        assert!(again.has(&study.cells[0]));
        assert!(!again.has(&study.cells[1]) && !open(Size::Quick).has(&study.cells[0]));
        let table = tables.read::<Row>("some").unwrap();
        let row = &table.rows[0];
        assert_eq!((table.rows.len(), row.n, row.auc, table.origin.seconds), (1, 5, 0.5, 0.1));
        assert_eq!(table.origin.revision, ENGINE_REVISION);
        assert_eq!(row.curve.0, [(1.0, 0.25), (2.0, 0.5)]);
        fs::write(tables.folder.join("some.csv"), "size,n,seed,auc,curve,seconds\nfull,5,1,0.25,,1\n")
            .unwrap();
        assert_eq!(tables.read::<Row>("some").unwrap().origin.revision, 1);
        assert!(!open(Size::Full).has(&study.cells[0]), "a row of another revision is computed again");
        fs::write(tables.folder.join("some.csv"), "size,n,seed,auc,curve,seconds\nfull,5,1,much,,1\n")
            .unwrap();
        assert!(matches!(tables.read::<Row>("some"), Err(Error::BadTable { .. })));
        fs::remove_dir_all(tables.folder).unwrap();
    }

    #[test]
    fn refuses_a_table_of_other_columns() {
        let tables = tables("columns");
        TableWriter::open(&tables.folder, &study(), Size::Full).unwrap();
        let other = Study { measures: &["auc"], ..study() };
        assert!(matches!(TableWriter::open(&tables.folder, &other, Size::Full), Err(Error::BadTable { .. })));
        assert!(matches!(tables.read::<Row>("some"), Err(Error::NoResults { .. })));
        fs::remove_dir_all(tables.folder).unwrap();
    }

    #[test]
    fn a_curve_that_falls_back_has_not_reached() {
        let curve = Curve::new([(1, 0.5), (2, 0.98), (3, 0.96), (4, 0.97), (5, 1.0)]);
        assert_eq!(curve.reaches_for_good(0.97), Some(4.0));
        assert_eq!(curve.reaches_for_good(0.5), Some(1.0));
        assert_eq!(Curve(curve.0[..3].to_vec()).reaches_for_good(0.97), None);
    }
}
