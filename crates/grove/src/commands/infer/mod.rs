//! `grove infer`: turns recorded votes into a hierarchy with certainties.

mod findings;
mod input;
mod text;

use std::path::PathBuf;

use grove_belief::{Belief, DOUBTFUL_BELOW, Evidence, Measures, Report, ReportOptions, Verdict, path_auc};
use grove_campaign::believed_hierarchy;
use grove_formats::Format;
use grove_tree::Tree;
use serde::Serialize;

use crate::context::Context;
use crate::engine_options::{AssumedNoise, Engine, PriorShape};
use crate::files;
use crate::output_options::OutputOptions;
use crate::terminal;
use findings::Findings;
use input::Input;

/// Infer a hierarchy from recorded votes, with its certainty on every edge.
///
/// Prints the hierarchy, other possible parents, doubtful concepts and votes, contradictions, probable synonyms, the workers with their
/// error rates, and whether the numbers can be trusted.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove infer --concepts food.txt --answers votes.csv
  grove infer --concepts food.txt --answers votes.jsonl --noise 0.1 --engine exact
  grove infer --answers cardsort.csv --format skos --out food.ttl
  grove infer --concepts food.csv --answers votes.csv --truth food.tsv --json | jq .measures

food.txt holds one concept per line; .csv, .tsv, .json and SKOS (.ttl, .rdf, .jsonld) are read too.
votes.csv has the columns worker, upper, lower, answer (yes, no, cant_say); .tsv, .json and .jsonl are read too.
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

/// How the result compares with the truth.
#[derive(Serialize)]
struct Measured {
    #[serde(flatten)]
    edges: Measures,
    /// The area under the ROC curve of the paths; none above [`PATHS_UP_TO`] concepts.
    path_auc: Option<f64>,
}

/// Measuring paths takes the probability of every pair, so larger hierarchies are measured by their edges alone.
const PATHS_UP_TO: usize = 500;

/// Sweeps that trees are given when they do not agree yet.
const SWEEPS: u64 = 20;

/// How often they are given those sweeps and compared again.
const MOST_ROUNDS: u64 = 3;

/// Above this many concepts comparing the trees takes minutes, so they are given a few sweeps first and compared once.
const COMPARE_AGAIN_UP_TO: usize = 300;

/// Those few sweeps.
const SWEEPS_OF_MANY: u64 = 5;

impl Infer {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        files::check_writable(self.output.out())?;
        let input = Input::read(self)?;
        let belief = self.solve(&input, context)?;
        let report = Report::of(&*belief, &ReportOptions::default().doubtful_below(DOUBTFUL_BELOW)?);
        let hierarchy = believed_hierarchy(&*belief, &report.hierarchy, input.heading(), input.entries())?;
        let hierarchy = self.output.apply(hierarchy)?;
        let measures = input.truth.as_ref().map(|truth| measure(&*belief, truth)).transpose()?;
        let findings = Findings::new(self, &input, &report, &hierarchy, measures);
        let colour = self.output.out().is_none() && terminal::may_colour();
        self.output.write(&match (self.json, self.format) {
            (true, _) => files::json(&findings)?,
            (false, Some(format)) => self.output.format(&hierarchy, format)?,
            (false, None) => text::text(&findings, colour),
        })
    }

    /// The belief that follows from the votes, ready to be reported.
    fn solve(&self, input: &Input, context: &Context) -> anyhow::Result<grove_belief::Engine> {
        if self.engine == Engine::Weights {
            return self.follow(input, context);
        }
        let spinner = context.spinner("placing the concepts");
        let evidence = input.recorded.evidence(input.count(), input.settings.clone())?;
        let belief = self.engine.start(evidence, self.seed)?;
        drop(spinner);
        Ok(if self.engine == Engine::Exact { belief } else { converge(belief, context) })
    }

    /// The paper's engine takes one vote after another.
    fn follow(&self, input: &Input, context: &Context) -> anyhow::Result<grove_belief::Engine> {
        let nothing = Evidence::new(input.count(), input.settings.clone())?;
        let mut belief = self.engine.start(nothing, self.seed)?;
        let bar = context.bar(input.recorded.votes.len() as u64, "votes");
        for &vote in &input.recorded.votes {
            belief.record(vote)?;
            bar.inc(1);
        }
        Ok(belief)
    }
}

/// Sweeps trees that were built from all votes at once until they converge or the rounds are used up.
fn converge(mut belief: grove_belief::Engine, context: &Context) -> grove_belief::Engine {
    if belief.evidence().count() > COMPARE_AGAIN_UP_TO {
        sweep(&mut belief, SWEEPS_OF_MANY, context);
        return refine(&belief, context);
    }
    let mut refined = refine(&belief, context);
    for _ in 0..MOST_ROUNDS {
        if refined.health().verdict != Verdict::NotConverged {
            break;
        }
        sweep(&mut belief, SWEEPS, context);
        refined = refine(&belief, context);
    }
    refined
}

fn sweep(belief: &mut grove_belief::Engine, sweeps: u64, context: &Context) {
    let bar = context.bar(sweeps, "sweeps over all trees");
    for _ in 0..sweeps {
        belief.sweep(1);
        bar.inc(1);
    }
}

fn refine(belief: &grove_belief::Engine, context: &Context) -> grove_belief::Engine {
    let _spinner = context.spinner("drawing more trees and comparing them");
    belief.refined()
}

fn measure(belief: &dyn Belief, truth: &Tree) -> anyhow::Result<Measured> {
    let few = truth.len() <= PATHS_UP_TO;
    let path_auc = few.then(|| path_auc(|upper, lower| belief.path(upper, lower), truth)).flatten();
    Ok(Measured { edges: Measures::of(belief, truth)?, path_auc })
}
