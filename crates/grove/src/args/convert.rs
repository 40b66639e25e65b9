use std::path::PathBuf;

use grove_formats::Format;

use super::Writing;

/// Reads a hierarchy in one format and writes it in another.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove convert food.tsv --to newick
  grove convert food.ttl --to html --out food.html
  grove convert food.csv --to skos --base https://example.org/food/ --language en --out food.ttl

Reads .csv and .tsv (child, parent), .txt (paths: food > fruit > apple), nested .json, and SKOS (.ttl, .rdf, .jsonld).")]
pub(crate) struct Convert {
    /// The hierarchy.
    pub(crate) file: PathBuf,
    /// The format: skos, skos-xml, skos-jsonld, owl, owl-turtle, obo, newick, dot, mermaid, csv, paths, json, node-link, sssom, svg or html.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Format,
    #[command(flatten)]
    pub(crate) writing: Writing,
}
