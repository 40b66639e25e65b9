//! `grove convert`: writes a hierarchy in another format.

use std::path::PathBuf;

use grove_formats::Format;

use crate::context::Context;
use crate::files;
use crate::output_options::OutputOptions;

/// Convert a hierarchy from one format to another.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove convert food.tsv --to newick
  grove convert food.ttl --to html --out food.html
  grove convert food.csv --to skos --base https://example.org/food/ --language en --out food.ttl

Reads .csv and .tsv (child, parent), .txt (paths: food > fruit > apple), nested .json, and SKOS (.ttl, .rdf, .jsonld).")]
pub(crate) struct Convert {
    /// The hierarchy.
    file: PathBuf,
    /// The format: skos, skos-xml, skos-jsonld, owl, owl-turtle, obo, newick, dot, mermaid, csv, paths, json, node-link, sssom, svg or html.
    #[arg(long, value_name = "FORMAT")]
    to: Format,
    #[command(flatten)]
    output: OutputOptions,
}

impl Convert {
    pub(crate) async fn run(&self, _: &Context) -> anyhow::Result<()> {
        files::check_writable(self.output.out())?;
        let hierarchy = self.output.apply(files::read_tree(&self.file)?)?;
        self.output.write(&self.output.format(&hierarchy, self.to)?)
    }
}
