//! A study is a table of cells that do not depend on each other: one row each.

use crate::Error;

/// Whether an experiment is run to be believed, or only to see that it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A small version for tests, in seconds.
    Quick,
    /// The one that is reported.
    Full,
}

impl Size {
    /// The word in the tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }

    /// One value for tests, another to be believed.
    pub(crate) fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// Computes a cell's measures, in the order of its study's columns, from nothing but its settings and seed.
pub(crate) type Work = Box<dyn Fn() -> Result<Vec<String>, Error> + Send + Sync>;

/// One row that is to be.
pub(crate) struct Cell {
    /// Values of the study's settings columns.
    pub(crate) settings: Vec<String>,
    pub(crate) seed: u64,
    pub(crate) work: Work,
}

impl Cell {
    pub(crate) fn new(
        settings: Vec<String>,
        seed: u64,
        work: impl Fn() -> Result<Vec<String>, Error> + Send + Sync + 'static,
    ) -> Self {
        Self { settings, seed, work: Box::new(work) }
    }
}

/// A table of cells.
pub(crate) struct Study {
    /// The table's file, without its ending.
    pub(crate) name: &'static str,
    /// What is varied.
    pub(crate) settings: &'static [&'static str],
    /// What is measured.
    pub(crate) measures: &'static [&'static str],
    pub(crate) cells: Vec<Cell>,
    /// Whether times or memory are measured, so that nothing else may run meanwhile.
    pub(crate) alone: bool,
}

impl Study {
    /// The columns of the table.
    pub(crate) fn columns(&self) -> Vec<String> {
        let columns = ["size"].iter().chain(self.settings).chain(&["seed"]).chain(self.measures);
        columns.chain(&["seconds"]).map(|&column| column.to_owned()).collect()
    }

    /// How many of the columns tell one cell from another.
    pub(crate) fn key_columns(&self) -> usize {
        self.settings.len() + 2
    }
}
