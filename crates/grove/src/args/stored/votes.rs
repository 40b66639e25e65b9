use std::path::PathBuf;

use crate::args::AssumedNoise;
use crate::args::simulate::certainty;

/// Asks you, question by question, while the hierarchy sharpens.
///
/// One key an answer: y yes, n no, s can't say, u undoes the last answer, q ends. Every answer is kept at once.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove ask food
  grove ask food --worker ann --questions 20
  printf 'y\\nn\\ns\\n' | grove ask food --worker script

Where the input is no terminal, answers are read line by line. Ends at q, at the end of the input, when the campaign's
rules say so, or when every concept was asked about and every parent is as certain as --until says.")]
pub(crate) struct Ask {
    /// The campaign.
    pub(crate) name: String,
    /// Who answers [default: the name of your account].
    #[arg(long, value_name = "ID")]
    pub(crate) worker: Option<String>,
    /// How people err, from now on: learn, majority, RATE, or FALSE_YES,FALSE_NO [default: as the campaign has it].
    #[arg(long)]
    pub(crate) noise: Option<AssumedNoise>,
    /// Ends when every parent is this certain [default: as the campaign has it, or 0.75].
    #[arg(long, allow_negative_numbers = true, value_name = "CERTAINTY", value_parser = certainty)]
    pub(crate) until: Option<f64>,
    /// Ends after so many answers.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) questions: Option<u64>,
}

/// Takes in votes that were recorded elsewhere, or a card sort.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove import food votes.csv
  grove import food votes.jsonl
  grove import food cardsort.csv

votes.csv has the columns worker, upper, lower, answer (yes, no, cant_say); .tsv, .json and .jsonl are read too.
cardsort.csv has the columns card, category, participant. All concepts must be the campaign's.
A worker has one vote per question: importing a file again changes nothing.")]
pub(crate) struct Import {
    /// The campaign.
    pub(crate) name: String,
    /// The recorded votes.
    pub(crate) file: PathBuf,
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Puts an anonymous stand-in in a worker's place, everywhere and for good. The hierarchy stays as it is.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove erase-worker food ann

Backups made before keep the name.")]
pub(crate) struct EraseWorker {
    /// The campaign.
    pub(crate) name: String,
    /// Whom to erase.
    pub(crate) worker: String,
}
