//! Which cell a thread computes next.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::shared_cells::SharedCells;
use crate::study::{Cell, Study};
use crate::table::TableWriter;
use crate::{Error, Shard};

/// Which cells of an experiment this process computes.
#[derive(Clone, Default, Debug)]
pub enum Share {
    /// All that are missing.
    #[default]
    All,
    /// Those of one part.
    Shard(Shard),
    /// Those that no other machine computes.
    Database(Arc<SharedCells>),
}

impl Share {
    pub(crate) fn has(&self, cell: usize) -> bool {
        match self {
            Self::All | Self::Database(_) => true,
            Self::Shard(shard) => shard.has(cell),
        }
    }
}

/// The cells that a table lacks, given out one by one.
pub(crate) struct Queue<'a> {
    cells: Vec<&'a Cell>,
    next: AtomicUsize,
    /// Set after an error: no thread takes another cell.
    stopped: AtomicBool,
    shared: Option<Shared<'a>>,
}

/// The part of a queue that other machines know.
struct Shared<'a> {
    cells: &'a SharedCells,
    study: &'static str,
    /// The cells by their names in the database, in the same order.
    names: Vec<String>,
    index: HashMap<String, usize>,
}

impl<'a> Queue<'a> {
    /// A queue of cells in this order. What other machines have computed already is taken over into the table.
    pub(crate) fn new(
        share: &'a Share,
        study: &Study,
        mut cells: Vec<&'a Cell>,
        writer: &mut TableWriter,
    ) -> Result<Self, Error> {
        let mut shared = None;
        if let Share::Database(database) = share {
            database.offer(study.name, &names(&cells, writer))?;
            collect(database, study.name, &mut cells, writer)?;
            let names = names(&cells, writer);
            let index = names.iter().cloned().zip(0..).collect();
            shared = Some(Shared { cells: database, study: study.name, names, index });
        }
        Ok(Self { cells, next: AtomicUsize::new(0), stopped: AtomicBool::new(false), shared })
    }

    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The next cell to compute, if there is one.
    pub(crate) fn next(&self) -> Result<Option<&'a Cell>, Error> {
        if self.stopped.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let Some(shared) = &self.shared else {
            return Ok(self.cells.get(self.next.fetch_add(1, Ordering::Relaxed)).copied());
        };
        let claimed = shared.cells.claim(shared.study, &shared.names)?;
        Ok(claimed.map(|name| self.cells[shared.index[&name]]))
    }

    /// Tells other machines about a row.
    pub(crate) fn finish(&self, key: &[String], values: &[String]) -> Result<(), Error> {
        match &self.shared {
            Some(shared) => shared.cells.finish(shared.study, &name(key), values),
            None => Ok(()),
        }
    }

    /// Gives out no more cells.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Takes over into the table what other machines have computed meanwhile, and returns how many cells the table still lacks.
    pub(crate) fn close(mut self, writer: &mut TableWriter) -> Result<usize, Error> {
        if let Some(shared) = &self.shared {
            collect(shared.cells, shared.study, &mut self.cells, writer)?;
        }
        Ok(self.cells.iter().filter(|cell| !writer.has(cell)).count())
    }
}

/// Adds to the table what is known of these cells elsewhere, and keeps the others.
fn collect(
    database: &SharedCells,
    study: &str,
    cells: &mut Vec<&Cell>,
    writer: &mut TableWriter,
) -> Result<(), Error> {
    let known = database.outcomes(study, &names(cells, writer))?;
    for cell in cells.iter().filter(|cell| !writer.has(cell)).copied().collect::<Vec<_>>() {
        if let Some(values) = known.get(&name(&writer.key(cell))) {
            writer.add(cell, values)?;
        }
    }
    cells.retain(|cell| !writer.has(cell));
    Ok(())
}

fn names(cells: &[&Cell], writer: &TableWriter) -> Vec<String> {
    cells.iter().map(|cell| name(&writer.key(cell))).collect()
}

/// A cell's name in the database.
fn name(key: &[String]) -> String {
    serde_json::to_string(key).expect("texts are valid JSON")
}
