//! A study is a table of independent cells, each of which is one row.

use std::fmt::Display;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rayon::ThreadPoolBuilder;

use crate::process::Stopwatch;
use crate::queue::Queue;
use crate::table::TableWriter;
use crate::{Error, Options, Progress, Share};

/// Whether an experiment is run for its results, or only to see that it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A small version for tests, which takes seconds.
    Quick,
    /// The one that is reported.
    Full,
}

impl Size {
    /// The name in the tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.pick("quick", "full")
    }

    pub(crate) fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// Computes the measures of a cell from its seed, in the order of the study's columns.
type Work = Arc<dyn Fn(u64) -> Result<Vec<String>, Error> + Send + Sync>;

/// The last column: the revision of the engines that computed the row.
pub(crate) const REVISION: &str = "revision";

/// The names of some columns of a table.
type Columns = &'static [&'static str];

/// A row to be computed.
pub(crate) struct Cell {
    /// The values of the study's settings columns.
    pub(crate) settings: Vec<String>,
    pub(crate) seed: u64,
    work: Work,
}

/// A table of cells.
pub(crate) struct Study {
    /// The file name of the table, without its extension.
    pub(crate) name: &'static str,
    /// The columns of what is varied.
    pub(crate) settings: Columns,
    /// The columns of what is measured.
    pub(crate) measures: Columns,
    pub(crate) cells: Vec<Cell>,
    /// Whether cells measure time or memory, so that nothing else may run meanwhile.
    pub(crate) alone: bool,
}

impl Study {
    pub(crate) fn new(name: &'static str, settings: Columns, measures: Columns) -> Self {
        Self { name, settings, measures, cells: Vec::new(), alone: false }
    }

    /// Adds a cell for every seed, whose work may depend on nothing but its settings and seed.
    pub(crate) fn add(
        &mut self,
        settings: &[&dyn Display],
        seeds: impl Iterator<Item = u64>,
        work: impl Fn(u64) -> Result<Vec<String>, Error> + Send + Sync + 'static,
    ) {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        let work: Work = Arc::new(work);
        self.cells.extend(seeds.map(|seed| Cell { settings: settings.clone(), seed, work: work.clone() }));
    }

    /// The columns of the table.
    pub(crate) fn columns(&self) -> Vec<String> {
        let columns = ["size"].iter().chain(self.settings).chain(&["seed"]).chain(self.measures);
        columns.chain(&["seconds", REVISION]).map(|&column| column.to_owned()).collect()
    }
}

/// Computes the cells of this process's share that the study's table lacks, or has from another revision of the engines, appending each row as it
/// is done. An interrupted run loses only the cells that were being computed. Returns how many cells the table still lacks, because others
/// compute them.
///
/// Every thread has its own pool of one thread for the engines. In a shared pool, a cell that waits for its trees would
/// start another cell meanwhile.
pub(crate) fn fill(
    study: &Study,
    folder: &Path,
    options: &Options,
    progress: &dyn Progress,
) -> Result<usize, Error> {
    let mut writer = TableWriter::open(folder, study, options.size)?;
    // One run of every setting before the second of any: an interrupted run is a smaller experiment.
    let mut cells: Vec<&Cell> = study.cells.iter().collect();
    cells.sort_by_key(|cell| cell.seed);
    let (mine, others): (Vec<_>, Vec<_>) =
        cells.into_iter().enumerate().partition(|&(at, _)| options.share.has(at));
    let missing = mine.into_iter().map(|(_, cell)| cell).filter(|cell| !writer.has(cell)).collect();
    let elsewhere = others.iter().filter(|(_, cell)| !writer.has(cell)).count();
    let queue = Queue::new(&options.share, study, missing, &mut writer)?;
    progress.begin(study.name, queue.len(), study.cells.len() - queue.len() - elsewhere);
    let writer = Mutex::new(writer);
    let worker = || -> Result<(), Error> {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| Error::Threads(error.to_string()))?;
        while let Some(cell) = queue.next()? {
            let timed = || -> Result<_, Error> {
                let watch = Stopwatch::start();
                Ok(((cell.work)(cell.seed)?, watch.seconds()))
            };
            let (mut values, seconds) = pool.install(timed)?;
            values.push(format!("{seconds:.2}"));
            let mut writer = writer.lock().expect("no thread panics while it writes");
            writer.add(cell, &values)?;
            let key = writer.key(cell);
            drop(writer);
            queue.finish(&key, &values)?;
            progress.step();
        }
        Ok(())
    };
    let at_once = if study.alone { 1 } else { options.threads.max(1) };
    let outcome = std::thread::scope(|scope| {
        let claims = match &options.share {
            Share::Database(database) => Some(database.keep_claims(scope)),
            Share::All | Share::Shard(_) => None,
        };
        let work = || worker().inspect_err(|_| queue.stop());
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        let outcomes: Vec<_> =
            workers.into_iter().map(|worker| worker.join().expect("a cell does not panic")).collect();
        drop(claims);
        outcomes.into_iter().collect::<Result<(), Error>>()
    });
    progress.end();
    outcome?;
    let mut writer = writer.into_inner().expect("no thread panics while it writes");
    Ok(queue.close(&mut writer)? + elsewhere)
}
