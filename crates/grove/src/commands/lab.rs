//! `grove lab`: the experiments behind Grove's claims.

use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use grove_lab::{Experiment, Options, Progress, Shard, Share, SharedCells, Size};
use indicatif::ProgressBar;

use crate::context::Context;
use crate::error::bad_input;
use crate::files;

/// Run the experiments behind Grove's claims, and report their results.
///
/// Every result is a row of a table. Rows that are already there are not computed again, so an interrupted run
/// continues where it stopped. With --database postgres://... any number of machines share the work: each claims the
/// next cell that no other machine is computing.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove lab active --quick --out trial        a small version, in seconds
  grove lab rivals                            the full one: docs/results/rivals.csv, its plots and its page
  grove lab all                               every experiment, one after another, then the report
  grove lab report                            docs/RESULTS.md and all plots, from the tables alone
  grove lab active --shard 2/8 --out part2    the second of eight parts, for a job array
  grove lab merge part1 part2 --out docs      the rows of all parts together
  grove lab all --database postgres://host/x  cells shared with other machines")]
pub(crate) struct Lab {
    /// The experiment; `all` runs every one, `report` only writes the report, `merge` adds the tables of other folders.
    #[arg(value_parser = names())]
    name: String,
    /// For `merge`: the folders given as --out of the parts.
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Run a small version, only to see that it works; its figures mean nothing.
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
    /// Compute only one of n parts, written i/n: for job arrays. Give every part its own --out, then use `grove lab merge`.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

const ALL: &str = "all";

const REPORT: &str = "report";

const MERGE: &str = "merge";

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(Experiment::ALL.map(Experiment::name).into_iter().chain([ALL, REPORT, MERGE]))
}

impl Lab {
    /// Runs an experiment and prints its page, or runs all of them and prints where the report is.
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        if self.folders.is_empty() == (self.name == MERGE) {
            return Err(bad_input("folders go with `merge`: grove lab merge FOLDER... --out DIR"));
        }
        if self.name == MERGE {
            let merged = grove_lab::merge(&self.folders, &self.out)?;
            let (added, known) = (merged.added, merged.known);
            return files::print(&format!(
                "{added} rows added to {}, {known} known already\n",
                self.out.display()
            ));
        }
        let threads = self.threads.map_or_else(rayon::current_num_threads, usize::from);
        let size = if self.quick { Size::Quick } else { Size::Full };
        let share = match (self.shard, context.given_database()) {
            (Some(_), Some(_)) => {
                return Err(bad_input(
                    "--shard and --database are two ways to share the work; give one of them",
                ));
            }
            (Some(shard), None) => Share::Shard(shard),
            (None, Some(url)) => Share::Database(Arc::new(SharedCells::connect(url).await?)),
            (None, None) => Share::All,
        };
        let options = Options { out: self.out.clone(), size, seed: self.seed, threads, share };
        let bar = Bar(context.bar(0, "runs"));
        // Claims of shared cells wait for the database, which this thread may do only here.
        tokio::task::block_in_place(|| self.experiments(&options, &bar))
    }

    fn experiments(&self, options: &Options, bar: &Bar) -> anyhow::Result<()> {
        if let Some(experiment) = Experiment::find(&self.name) {
            return files::print(&grove_lab::run(experiment, options, bar)?);
        }
        if self.name == ALL {
            for experiment in Experiment::ALL {
                let page = grove_lab::run(experiment, options, bar)?;
                if !matches!(options.share, Share::All) {
                    files::print(&page)?;
                }
            }
            if matches!(options.share, Share::Shard(_)) {
                return Ok(());
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
