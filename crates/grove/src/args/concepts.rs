use std::path::PathBuf;

/// Makes a list of concepts of free tags.
///
/// Case, spelling variants, plural and singular become one; what too few people used is dropped; the most frequent come first. Shows what was
/// merged and dropped and why, so that it can be overruled.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove concepts tags.txt
  grove concepts tags.csv --least-workers 3 --out concepts.csv
  grove concepts tags.csv --keep saffron --merge pop=soda --apart new=news --drop stopwords.txt
  grove concepts tags.csv --initial 20 --out first.csv --later later.csv

tags.txt holds one tag per line; tags.csv has the columns tag and worker, and item if wanted.")]
pub(crate) struct Concepts {
    /// The tags.
    pub(crate) file: PathBuf,
    /// A tag used by fewer workers than this is dropped.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) least_workers: usize,
    /// How many of the most frequent concepts make the initial set; the rest are inserted later.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) initial: usize,
    /// A file with tags to drop, one per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) drop: Option<PathBuf>,
    /// A tag to keep as it is.
    #[arg(long, value_name = "WORD")]
    pub(crate) keep: Vec<String>,
    /// Merges the first tag into the second.
    #[arg(long, value_name = "A=B", value_parser = pair)]
    pub(crate) merge: Vec<(String, String)>,
    /// Keeps two tags apart.
    #[arg(long, value_name = "A=B", value_parser = pair)]
    pub(crate) apart: Vec<(String, String)>,
    /// Writes the concepts to this file, as CSV.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Writes those after the initial set to this file instead.
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(crate) later: Option<PathBuf>,
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Two tags with an equals sign between them.
fn pair(text: &str) -> Result<(String, String), String> {
    let sides = text.split_once('=').map(|(one, other)| (one.trim().to_owned(), other.trim().to_owned()));
    let full = sides.filter(|(one, other)| !one.is_empty() && !other.is_empty());
    full.ok_or_else(|| "give two tags with = between them, such as pop=soda".to_owned())
}
