use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use grove_lab::Experiment;

/// Runs the experiments behind Grove's claims, and reports them.
///
/// Every result is a row of a table; what a table has already is not computed again, so a run that was broken off goes on where it
/// stopped.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove lab active --quick --out trial        a small version, in seconds
  grove lab rivals                            the full one: docs/results/rivals.csv, its plots and its page
  grove lab all                               every experiment, one after the other; then the report
  grove lab report                            docs/RESULTS.md and all plots, from the tables alone")]
pub(crate) struct Lab {
    /// The experiment, or all of them, or the report of what there is.
    #[arg(value_parser = names())]
    pub(crate) name: String,
    /// A small version that shows that it runs; its figures mean nothing.
    #[arg(long)]
    pub(crate) quick: bool,
    /// The first seed; the runs of a setting take one after the other.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The folder of RESULTS.md; tables and plots go to `results` in it.
    #[arg(long, default_value = "docs", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// How many runs at once [default: as many as there are cores].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

/// Every experiment.
pub(crate) const ALL: &str = "all";

/// Nothing is run.
pub(crate) const REPORT: &str = "report";

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(Experiment::ALL.map(Experiment::name).into_iter().chain([ALL, REPORT]))
}
