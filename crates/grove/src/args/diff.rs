use std::path::PathBuf;

/// Compares two hierarchies: what moved, what is new, what is gone, and what is more or less sure.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove diff monday.json friday.json
  grove diff reference.tsv found.ttl --json
  grove diff old.csv new.csv --exit-code || echo 'the hierarchy changed'

Any two formats that hold a hierarchy can be compared. Names are matched whatever their case.
Ends with 0 whether the hierarchies differ or not; with --exit-code, with 1 if they do.")]
pub(crate) struct Diff {
    /// The earlier hierarchy.
    pub(crate) old: PathBuf,
    /// The later one.
    pub(crate) new: PathBuf,
    /// Changes of certainty smaller than this are not told.
    #[arg(long, allow_negative_numbers = true, value_name = "CHANGE", default_value = "0.05", value_parser = super::simulate::probability)]
    pub(crate) least: f64,
    /// Ends with 1 if anything is told.
    #[arg(long)]
    pub(crate) exit_code: bool,
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}
