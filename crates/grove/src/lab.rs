//! `grove lab`: the experiments behind Grove's claims.

use std::sync::Mutex;

use grove_lab::{Error, Experiment, Options, Progress, Size};
use indicatif::ProgressBar;

use crate::args::{ALL_EXPERIMENTS, Lab, REPORT};
use crate::failure::bad_input;
use crate::{files, progress};

/// Runs what was asked for, and prints its page; after all of them, the report.
pub(crate) fn run(options: &Lab, quiet: bool) -> anyhow::Result<()> {
    let threads = options.threads.map_or_else(rayon::current_num_threads, usize::from);
    let size = if options.quick { Size::Quick } else { Size::Full };
    let settings = Options { out: options.out.clone(), size, seed: options.seed, threads };
    let bar = Bar { quiet, bar: Mutex::new(ProgressBar::hidden()) };
    match (options.name.as_str(), Experiment::find(&options.name)) {
        (_, Some(experiment)) => {
            return files::print(&grove_lab::run(experiment, &settings, &bar).map_err(blamed)?);
        }
        (ALL_EXPERIMENTS, None) => {
            for experiment in Experiment::ALL {
                grove_lab::run(experiment, &settings, &bar).map_err(blamed)?;
            }
        }
        (name, None) => debug_assert_eq!(name, REPORT, "the arguments know no other name"),
    }
    let page = grove_lab::report(&options.out).map_err(blamed)?;
    files::print(&format!("{}\n", page.display()))
}

/// A folder or a table that is not what it should be is the person's to mend.
fn blamed(error: Error) -> anyhow::Error {
    match error {
        Error::Io { .. } | Error::BadTable { .. } | Error::NoResults { .. } => bad_input(error),
        error => error.into(),
    }
}

/// A bar for every table.
struct Bar {
    quiet: bool,
    bar: Mutex<ProgressBar>,
}

impl Bar {
    fn with(&self, work: impl FnOnce(&mut ProgressBar)) {
        work(&mut self.bar.lock().expect("no thread panics while it draws a bar"));
    }
}

impl Progress for Bar {
    fn begin(&self, table: &str, cells: usize, known: usize) {
        let what = match known {
            0 => format!("runs of {table}"),
            known => format!("runs of {table} ({known} known)"),
        };
        self.with(|bar| *bar = progress::bar(self.quiet, cells as u64, &what));
    }

    fn step(&self) {
        self.with(|bar| bar.inc(1));
    }

    fn end(&self) {
        self.with(|bar| bar.finish_and_clear());
    }
}
