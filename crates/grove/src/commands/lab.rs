//! `grove lab`: the experiments behind Grove's claims.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use grove_lab::{Experiment, Options, Progress, Size};
use indicatif::ProgressBar;

use crate::context::Context;
use crate::files;

/// Run the experiments behind Grove's claims, and report their results.
///
/// Every result is a row of a table. Rows that are already there are not computed again, so an interrupted run continues where it
/// stopped.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove lab active --quick --out trial        a small version, in seconds
  grove lab rivals                            the full one: docs/results/rivals.csv, its plots and its page
  grove lab all                               every experiment, one after another, then the report
  grove lab report                            docs/RESULTS.md and all plots, from the tables alone")]
pub(crate) struct Lab {
    /// The experiment; `all` runs every one, `report` only writes the report.
    #[arg(value_parser = names())]
    name: String,
    /// Run a small version that shows that it works; its figures mean nothing.
    #[arg(long)]
    quick: bool,
    /// The first seed; the runs of a setting take consecutive seeds.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder of RESULTS.md; tables and plots go to its subfolder `results`.
    #[arg(long, default_value = "docs", value_name = "DIR")]
    out: PathBuf,
    /// How many runs to do at once [default: the number of cores].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

const ALL: &str = "all";

const REPORT: &str = "report";

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(Experiment::ALL.map(Experiment::name).into_iter().chain([ALL, REPORT]))
}

impl Lab {
    /// Runs an experiment and prints its page, or runs all of them and prints where the report is.
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let threads = self.threads.map_or_else(rayon::current_num_threads, usize::from);
        let size = if self.quick { Size::Quick } else { Size::Full };
        let options = Options { out: self.out.clone(), size, seed: self.seed, threads };
        let bar = Bar(context.bar(0, "runs"));
        if let Some(experiment) = Experiment::find(&self.name) {
            return files::print(&grove_lab::run(experiment, &options, &bar)?);
        }
        if self.name == ALL {
            for experiment in Experiment::ALL {
                grove_lab::run(experiment, &options, &bar)?;
            }
        }
        files::print(&format!("{}\n", grove_lab::report(&self.out)?.display()))
    }
}

/// A progress bar that starts again with every table.
struct Bar(ProgressBar);

impl Progress for Bar {
    fn begin(&self, table: &str, cells: usize, known: usize) {
        self.0.reset();
        self.0.set_length(cells as u64);
        self.0.set_message(match known {
            0 => format!("runs of {table}"),
            known => format!("runs of {table} ({known} known)"),
        });
    }

    fn step(&self) {
        self.0.inc(1);
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}
