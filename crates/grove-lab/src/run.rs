//! Runs the cells of a study, as many at once as there are threads.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::ThreadPoolBuilder;

use crate::stopwatch::Stopwatch;
use crate::study::{Cell, Study, Work};
use crate::table::Filling;
use crate::{Error, Progress, Size};

/// Computes what the study's table does not have yet, appending each row as it comes. A run that is broken off loses the cells at
/// work, no others.
///
/// Every thread has a pool of one for the engines within: were pools shared, a cell that waits for its trees would take up
/// another meanwhile.
pub(crate) fn fill(
    study: &Study,
    folder: &Path,
    size: Size,
    threads: usize,
    progress: &dyn Progress,
) -> Result<(), Error> {
    let filling = Filling::open(folder, study)?;
    let mut left: Vec<&Cell> = study.cells.iter().filter(|cell| !filling.has(size, cell)).collect();
    // One run of every setting before the second of any: what is broken off is a smaller experiment.
    left.sort_by_key(|cell| cell.seed);
    progress.begin(study.name, left.len(), study.cells.len() - left.len());
    let (filling, next) = (Mutex::new(filling), AtomicUsize::new(0));
    let worker = || -> Result<(), Error> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .map_err(|error| Error::Threads(error.to_string()))?;
        while let Some(cell) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
            // An error ends all work soon: nobody takes another cell.
            let (measures, seconds) = pool
                .install(|| timed(&cell.work))
                .inspect_err(|_| next.store(left.len(), Ordering::Relaxed))?;
            let mut filling = filling.lock().expect("no thread panics while it writes");
            filling.add(size, cell, measures, seconds)?;
            progress.step();
        }
        Ok(())
    };
    let at_once = if study.alone { 1 } else { threads.max(1) };
    let outcome = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a cell does not panic"))
    });
    progress.end();
    outcome
}

/// Does a cell's work, and tells the seconds that it took.
fn timed(work: &Work) -> Result<(Vec<String>, f64), Error> {
    let watch = Stopwatch::start();
    let measures = work()?;
    Ok((measures, watch.seconds()))
}
