use std::path::PathBuf;

use grove_formats::Format;

use super::{AssumedNoise, Engine, PriorShape, Writing};

/// From recorded votes to a hierarchy, with its certainty on every edge.
///
/// Prints the hierarchy, other possible parents, doubtful concepts and votes, contradictions, probable synonyms, the workers with their
/// rates, and whether the numbers can be trusted.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove infer --concepts food.txt --answers votes.csv
  grove infer --concepts food.txt --answers votes.jsonl --noise 0.1 --engine exact
  grove infer --answers cardsort.csv --format skos --out food.ttl
  grove infer --concepts food.csv --answers votes.csv --truth food.tsv --json | jq .measures

food.txt holds one concept per line; .csv, .tsv, .json and SKOS (.ttl, .rdf, .jsonld) are read too.
votes.csv has the columns worker, upper, lower, answer (yes, no, cant_say); .tsv, .json and .jsonl are read too.
cardsort.csv has the columns card, category, participant, and brings its own concepts.")]
pub(crate) struct Infer {
    /// The concepts. A card sort can do without.
    #[arg(long, value_name = "FILE")]
    pub(crate) concepts: Option<PathBuf>,
    /// The recorded votes, or a card sort.
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: PathBuf,
    /// The true hierarchy over the same concepts; the result is measured against it.
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Option<PathBuf>,
    /// The engine.
    #[arg(long, value_enum, default_value_t = Engine::Ensemble)]
    pub(crate) engine: Engine,
    /// How people err: learn, majority, RATE, FALSE_YES,FALSE_NO, or the chances of yes ABOVE,REVERSED,NEITHER.
    #[arg(long, allow_negative_numbers = true, default_value = "learn")]
    pub(crate) noise: AssumedNoise,
    /// What is believed before the first vote.
    #[arg(long, value_enum, default_value_t = PriorShape::Taxonomy)]
    pub(crate) prior: PriorShape,
    /// The name of what is above everything [default: that of the truth or of the concepts' file, or "everything"].
    #[arg(long, value_name = "NAME")]
    pub(crate) root: Option<String>,
    /// Same input and seed, same result.
    #[arg(long, allow_negative_numbers = true, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Prints one JSON object instead of text.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Writes the hierarchy in this format instead of text: skos, owl, obo, newick, dot, mermaid, csv, paths, json, svg, html and others.
    #[arg(long)]
    pub(crate) format: Option<Format>,
    #[command(flatten)]
    pub(crate) writing: Writing,
}
