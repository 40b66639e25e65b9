use grove_formats::Format;

use crate::args::Writing;

/// Lists the campaigns of the database.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove list
  grove list --database postgres://grove@db.example.org/grove --json")]
pub(crate) struct List {
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Draws the hierarchy with its certainties; doubtful concepts are red and say what else they might be under.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove show food
  grove show food --json | jq '.hierarchy[] | select(.certainty < 0.75)'")]
pub(crate) struct Show {
    /// The campaign.
    pub(crate) name: String,
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Tells why a concept stands where it does: the votes on it and its parent, and those on others that weigh most.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove why food tomato               under its likeliest parent
  grove why food tomato vegetable     under that one
  grove why food tomato --json

The weight of a vote says by how much it raises the log-odds of the parent, to first order.")]
pub(crate) struct Why {
    /// The campaign.
    pub(crate) name: String,
    /// The concept.
    pub(crate) child: String,
    /// The parent, or the root [default: the likeliest].
    pub(crate) parent: Option<String>,
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Writes the hierarchy for other programs.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove export food --format skos > food.ttl
  grove export food --format html --out food.html
  grove export food --format skos --base https://example.org/food/ --out food.ttl
  grove export food --format newick --samples 500 > posterior.nwk")]
pub(crate) struct Export {
    /// The campaign.
    pub(crate) name: String,
    /// The format: skos, skos-xml, skos-jsonld, owl, owl-turtle, obo, newick, dot, mermaid, csv, paths, json, node-link, sssom, svg or html.
    #[arg(long)]
    pub(crate) format: Format,
    /// Writes so many trees drawn from the belief instead of the likeliest one, as newick or json.
    #[arg(long, value_name = "TREES", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) samples: Option<u32>,
    #[command(flatten)]
    pub(crate) writing: Writing,
}

/// Tells what happened to a campaign, entry by entry of its log.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove history food
  grove history food --last 20
  grove history food --json | jq .entries[].event")]
pub(crate) struct History {
    /// The campaign.
    pub(crate) name: String,
    /// Also tells when the belief took votes in.
    #[arg(long)]
    pub(crate) all: bool,
    /// Only the last entries.
    #[arg(long, value_name = "ENTRIES")]
    pub(crate) last: Option<usize>,
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Computes the campaign again from its log, tells how the hierarchy grew, and whether it comes to the same bits.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove replay food               ten steps, and what moved in each
  grove replay food --steps 40
  grove replay food --at 30       the hierarchy after 30 votes")]
pub(crate) struct Replay {
    /// The campaign.
    pub(crate) name: String,
    /// How many steps are told.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with = "at")]
    pub(crate) steps: u32,
    /// Draws the hierarchy as it was after so many votes.
    #[arg(long, value_name = "VOTES")]
    pub(crate) at: Option<u64>,
    /// Prints one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}
