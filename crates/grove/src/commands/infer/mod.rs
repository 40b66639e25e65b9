//! `grove infer`: turns recorded votes into a hierarchy with certainties.

mod stoppable;
mod text;

use std::path::PathBuf;

use grove_formats::{Format, Hierarchy, read_concepts};
use grove_tree::Tree;

use crate::context::Context;
use crate::engine_options::{AssumedNoise, Engine, PriorShape};
use crate::files;
use crate::inference::{Findings, Input, Options, Watch, measure, report, solve};
use crate::output_options::OutputOptions;
use crate::terminal;
use stoppable::Stoppable;

/// Infer a hierarchy from recorded votes, with its certainty on every edge.
///
/// Prints the hierarchy, other possible parents, doubtful concepts and votes, contradictions, probable synonyms, the workers with their
/// error rates, and whether the numbers can be trusted.
///
/// Ctrl-C ends a long computation early: the output is what was computed so far, and says so. A second Ctrl-C quits
/// at once.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove infer --concepts food.txt --answers votes.csv
  grove infer --concepts food.txt --answers votes.jsonl --noise 0.1 --engine exact
  grove infer --answers cardsort.csv --format skos --out food.ttl
  grove infer --concepts food.csv --answers votes.csv --truth food.tsv --json | jq .measures

food.txt holds one concept per line; .csv, .tsv, .json and SKOS (.ttl, .rdf, .jsonld) are read too.
votes.csv has the columns worker, upper, lower, answer (yes, no, cant_say); .tsv, .json and .jsonl are read too. For picks, ticks and
places it has the columns form, options and chosen as well, as `grove votes` writes them.
cardsort.csv has the columns card, category, participant, and contains its own concepts.")]
pub(crate) struct Infer {
    /// The concepts. Not needed with a card sort.
    #[arg(long, value_name = "FILE")]
    concepts: Option<PathBuf>,
    /// The recorded votes, or a card sort.
    #[arg(long, value_name = "FILE")]
    answers: PathBuf,
    /// The true hierarchy of the same concepts, to measure the result against.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// The engine.
    #[arg(long, value_enum, default_value_t = Engine::Ensemble)]
    engine: Engine,
    /// How people err: learn, majority, RATE, FALSE_YES,FALSE_NO, or the probabilities of yes ABOVE,REVERSED,NEITHER.
    #[arg(long, allow_negative_numbers = true, default_value = "learn")]
    noise: AssumedNoise,
    /// What is believed before the first vote.
    #[arg(long, value_enum, default_value_t = PriorShape::Taxonomy)]
    prior: PriorShape,
    /// The root's name [default: as in the truth or in the concepts' file, or "everything"].
    #[arg(long, value_name = "NAME")]
    root: Option<String>,
    /// The random seed; the same input and seed give the same result.
    #[arg(long, allow_negative_numbers = true, default_value_t = 0)]
    seed: u64,
    /// Print one JSON object instead of text.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write the hierarchy in this format instead of text: skos, owl, obo, newick, dot, mermaid, csv, paths, json, svg, html and others.
    #[arg(long)]
    format: Option<Format>,
    #[command(flatten)]
    output: OutputOptions,
}

impl Infer {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        files::check_writable(self.output.out())?;
        let options = self.options();
        let (input, truth) = self.read(&options)?;
        let mut watch = Shown { context, engine: Stoppable::new() };
        let belief = solve(&input, &options, &mut watch)?.expect("nobody gives up at the terminal").refined;
        let stopped = watch.engine.finish();
        let (report, hierarchy) = report(&belief, &input)?;
        let hierarchy = self.output.apply(hierarchy)?;
        let measures = truth.as_ref().map(|truth| measure(&*belief, truth)).transpose()?;
        let mut findings = Findings::new(&options, &input, &report, &hierarchy, measures);
        findings.stopped = stopped;
        let colour = self.output.out().is_none() && terminal::may_colour();
        self.output.write(&match (self.json, self.format) {
            (true, _) => files::json(&findings)?,
            (false, Some(format)) => self.output.format(&hierarchy, format)?,
            (false, None) => text::text(&findings, colour),
        })
    }

    fn options(&self) -> Options {
        let Self { engine, noise, prior, seed, .. } = *self;
        Options { engine, noise, prior, root: self.root.clone(), seed }
    }

    /// Reads all files before anything is computed.
    fn read(&self, options: &Options) -> anyhow::Result<(Input, Option<Tree>)> {
        let answers = files::read(&self.answers)?;
        let list =
            self.concepts.as_deref().map(|path| Ok::<_, anyhow::Error>(read_concepts(&files::read(path)?)?));
        let truth = self.truth.as_deref().map(files::read_tree).transpose()?;
        let own_root = truth.as_ref().map(|truth| truth.heading().root.as_str());
        let input = Input::new(list.transpose()?, Some(&answers), options, own_root)?;
        let truth_tree = match (&truth, &self.truth) {
            (Some(truth), Some(path)) => Some(input.tree_of(truth, &path.display().to_string())?),
            _ => None,
        };
        // Writes a flat hierarchy and discards it, so that a bad title, language or address is found before the work
        // and not after.
        let flat = self.output.apply(Hierarchy::new(input.heading(), input.entries())?)?;
        self.format.map(|format| self.output.format(&flat, format)).transpose()?;
        Ok((input, truth_tree))
    }
}

/// Shows progress in the terminal, and stops the engine at Ctrl-C.
struct Shown<'a> {
    context: &'a Context,
    engine: Stoppable,
}

impl Watch for Shown<'_> {
    fn begin(&mut self, work: &'static str, steps: Option<u64>) {
        self.engine.show(self.context.bar(steps.unwrap_or(0), work), steps.is_none());
    }

    fn step(&mut self) {
        self.engine.step_of_work();
    }

    fn engine(&self) -> &dyn grove_belief::Watch {
        &self.engine
    }
}
