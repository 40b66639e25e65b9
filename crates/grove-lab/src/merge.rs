use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::table::{self, key_width};
use crate::{Error, Experiment, Size};

/// How many rows came together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Merged {
    /// Tables that got rows.
    pub tables: usize,
    /// Rows added.
    pub added: usize,
    /// Rows that were there already, by their settings and seed.
    pub known: usize,
}

/// Adds the rows of other folders' tables to those of `out`, so that parts computed elsewhere become one experiment. A row that is there
/// already stays as it is: apart from times and memory, a row depends only on its settings and seed. Rows of other revisions of the engines are left
/// out, as they are when an experiment is run.
///
/// Nothing is written if any table is not usable.
///
/// # Errors
/// [`Error::NoTables`] if a folder has none, [`Error::BadTable`] if tables have different columns, and [`Error::Io`].
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<Merged, Error> {
    let (mut merged, mut texts) = (Merged::default(), Vec::new());
    let target = out.join("results");
    let mut found = vec![false; folders.len()];
    for name in table_names() {
        let path = target.join(name).with_extension("csv");
        let mut rows = if path.exists() { table::read(&path)? } else { Vec::new() };
        table::keep_current(&mut rows);
        let before = rows.len();
        for (folder, found) in folders.iter().zip(&mut found) {
            let part = folder.join("results").join(name).with_extension("csv");
            if !part.exists() {
                continue;
            }
            *found = true;
            add(&mut rows, table::read(&part)?, &part, &mut merged)?;
        }
        if rows.len() > before {
            merged.tables += 1;
            texts.push((path, rows.iter().map(table::line).collect::<String>()));
        }
    }
    if let Some(at) = found.iter().position(|found| !found) {
        return Err(Error::NoTables(folders[at].clone()));
    }
    fs::create_dir_all(&target).map_err(Error::io(&target))?;
    for (path, text) in texts {
        // Under another name first: a crash must not leave half a table.
        let new = path.with_extension("new");
        fs::write(&new, text).and_then(|()| fs::rename(&new, &path)).map_err(Error::io(&path))?;
    }
    Ok(merged)
}

/// The names of all tables, each once.
fn table_names() -> BTreeSet<&'static str> {
    Experiment::ALL
        .iter()
        .flat_map(|experiment| experiment.studies(Size::Quick, 1))
        .map(|study| study.name)
        .collect()
}

fn add(
    rows: &mut Vec<csv::StringRecord>,
    mut part: Vec<csv::StringRecord>,
    path: &Path,
    merged: &mut Merged,
) -> Result<(), Error> {
    table::keep_current(&mut part);
    let Some(head) = part.first() else { return Ok(()) };
    // Without rows of this revision, the old head may be that of an engine before.
    if rows.len() <= 1 {
        rows.clear();
        rows.push(head.clone());
    }
    if rows[0] != *head {
        return Err(Error::bad_table(path, "its columns are not those of the other tables"));
    }
    let keys = key_width(head).ok_or_else(|| Error::bad_table(path, "it has no column `seed`"))?;
    let key = |row: &csv::StringRecord| row.iter().take(keys).map(str::to_owned).collect::<Vec<_>>();
    let mut known: BTreeSet<_> = rows.iter().map(key).collect();
    for row in part.into_iter().skip(1) {
        if known.insert(key(&row)) {
            merged.added += 1;
            rows.push(row);
        } else {
            merged.known += 1;
        }
    }
    Ok(())
}
