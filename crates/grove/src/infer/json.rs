use grove_belief::{Answer, RateEstimate, Tally, Verdict, WorkerReport, WorkerVerdict};
use grove_tree::Concept;
use serde::Serialize;

use super::Findings;

/// The object that `--json` prints. Its field names are a promise: see docs/cli.md.
#[derive(Serialize)]
struct Object<'a> {
    concepts: usize,
    root: &'a str,
    engine: &'a str,
    noise: String,
    prior: &'a str,
    seed: u64,
    votes: usize,
    yes: usize,
    no: usize,
    cant_say: usize,
    repeated_votes: usize,
    questions: usize,
    converged: Option<bool>,
    health: Health,
    expected_right: f64,
    hierarchy: Vec<Edge<'a>>,
    doubtful: Vec<&'a str>,
    doubtful_votes: Vec<DoubtfulVote<'a>>,
    divided_questions: Vec<DividedQuestion<'a>>,
    contradictions: Vec<Contradiction<'a>>,
    synonyms: Vec<Synonyms<'a>>,
    workers: Vec<Worker<'a>>,
    measures: Option<Measures>,
}

#[derive(Serialize)]
struct Health {
    verdict: &'static str,
    r_hat: f64,
    /// None where probabilities are in closed form.
    effective_trees: Option<f64>,
    approximate: bool,
}

#[derive(Serialize)]
struct Edge<'a> {
    child: &'a str,
    parent: &'a str,
    certainty: f64,
    alternatives: Vec<Alternative<'a>>,
    yes: u64,
    no: u64,
}

#[derive(Serialize)]
struct Alternative<'a> {
    parent: &'a str,
    certainty: f64,
}

#[derive(Serialize)]
struct DoubtfulVote<'a> {
    line: usize,
    worker: &'a str,
    upper: &'a str,
    lower: &'a str,
    answer: &'static str,
    probability: f64,
}

#[derive(Serialize)]
struct DividedQuestion<'a> {
    upper: &'a str,
    lower: &'a str,
    yes: usize,
    no: usize,
    probability: f64,
}

#[derive(Serialize)]
struct Contradiction<'a> {
    upper: &'a str,
    middle: &'a str,
    lower: &'a str,
    upper_middle: Counts,
    middle_lower: Counts,
    upper_lower: Counts,
}

#[derive(Serialize)]
struct Synonyms<'a> {
    concepts: [&'a str; 2],
    first_above: Counts,
    second_above: Counts,
}

#[derive(Serialize)]
struct Counts {
    yes: usize,
    no: usize,
}

#[derive(Serialize)]
struct Worker<'a> {
    worker: &'a str,
    votes: usize,
    yes: usize,
    no: usize,
    cant_say: usize,
    agreement: Option<f64>,
    yes_when_above: Rate,
    yes_when_reversed: Rate,
    yes_when_neither: Rate,
    verdict: &'static str,
}

#[derive(Serialize)]
struct Rate {
    mean: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct Measures {
    parents_right: f64,
    edge_auc: Option<f64>,
    path_auc: Option<f64>,
    ancestor_f1: f64,
    brier: f64,
    calibration_error: Option<f64>,
    log_loss: Option<f64>,
}

/// One object, on lines of its own, with a line's end.
pub(super) fn write(findings: &Findings<'_>) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(&object(findings))? + "\n")
}

fn object<'a>(findings: &'a Findings<'_>) -> Object<'a> {
    let Findings { options, input, report, hierarchy, measures } = findings;
    let name = |concept: Concept| hierarchy.name(concept);
    let worker = |worker: grove_belief::Worker| input.recorded.workers[worker.index()].as_str();
    Object {
        concepts: hierarchy.len(),
        root: name(Concept::ROOT),
        engine: report.engine,
        noise: options.noise.to_string(),
        prior: options.prior.name(),
        seed: options.seed,
        votes: report.votes.total(),
        yes: report.votes.yes,
        no: report.votes.no,
        cant_say: report.votes.cant_say,
        repeated_votes: input.recorded.repeated,
        questions: report.questions,
        converged: converged(report.health.verdict),
        health: Health {
            verdict: verdict(report.health.verdict),
            r_hat: report.health.r_hat,
            effective_trees: Some(report.health.effective_trees).filter(|trees| trees.is_finite()),
            approximate: report.is_approximate,
        },
        expected_right: report.expected_right,
        hierarchy: edges(findings),
        doubtful: report.doubtful.iter().map(|&concept| name(concept)).collect(),
        doubtful_votes: report
            .doubtful_votes
            .iter()
            .map(|doubtful| DoubtfulVote {
                line: input.recorded.lines[doubtful.id.index()],
                worker: worker(doubtful.vote.worker),
                upper: name(doubtful.vote.question.upper),
                lower: name(doubtful.vote.question.lower),
                answer: answer(doubtful.vote.answer),
                probability: doubtful.probability,
            })
            .collect(),
        divided_questions: report
            .divided_questions
            .iter()
            .map(|divided| DividedQuestion {
                upper: name(divided.question.upper),
                lower: name(divided.question.lower),
                yes: divided.votes.yes,
                no: divided.votes.no,
                probability: divided.probability,
            })
            .collect(),
        contradictions: report
            .clashes
            .iter()
            .map(|clash| Contradiction {
                upper: name(clash.upper),
                middle: name(clash.middle),
                lower: name(clash.lower),
                upper_middle: clash.upper_middle.into(),
                middle_lower: clash.middle_lower.into(),
                upper_lower: clash.upper_lower.into(),
            })
            .collect(),
        synonyms: report
            .synonyms
            .iter()
            .map(|pair| Synonyms {
                concepts: pair.concepts.map(name),
                first_above: pair.first_above.into(),
                second_above: pair.second_above.into(),
            })
            .collect(),
        workers: report.workers.iter().map(|found| worker_object(found, worker(found.worker))).collect(),
        measures: measures.as_ref().map(Into::into),
    }
}

fn edges<'a>(findings: &'a Findings<'_>) -> Vec<Edge<'a>> {
    let hierarchy = findings.hierarchy;
    let alternative =
        |&(parent, certainty): &(Concept, f64)| Alternative { parent: hierarchy.name(parent), certainty };
    let edge = |(concept, entry): (Concept, &'a grove_formats::Entry)| Edge {
        child: &entry.name,
        parent: hierarchy.parent_name(concept),
        certainty: entry.certainty.unwrap_or_default(),
        alternatives: entry.alternatives.iter().map(alternative).collect(),
        yes: entry.yes,
        no: entry.no,
    };
    hierarchy.concepts().map(edge).collect()
}

fn worker_object<'a>(found: &WorkerReport, worker: &'a str) -> Worker<'a> {
    Worker {
        worker,
        votes: found.votes.total(),
        yes: found.votes.yes,
        no: found.votes.no,
        cant_say: found.votes.cant_say,
        agreement: found.agreement,
        yes_when_above: found.when_above.into(),
        yes_when_reversed: found.when_reversed.into(),
        yes_when_neither: found.when_neither.into(),
        verdict: worker_verdict(found.verdict),
    }
}

impl From<Tally> for Counts {
    fn from(tally: Tally) -> Self {
        Self { yes: tally.yes, no: tally.no }
    }
}

impl From<RateEstimate> for Rate {
    fn from(rate: RateEstimate) -> Self {
        Self { mean: rate.mean, low: rate.low, high: rate.high }
    }
}

impl From<&super::Measured> for Measures {
    fn from(measured: &super::Measured) -> Self {
        let edges = &measured.edges;
        Self {
            parents_right: edges.parents_right,
            edge_auc: edges.edge_auc,
            path_auc: measured.path_auc,
            ancestor_f1: edges.ancestor_f1,
            brier: edges.brier,
            calibration_error: edges.calibration_error,
            log_loss: edges.log_loss,
        }
    }
}

/// Yes, no, or not known.
fn converged(verdict: Verdict) -> Option<bool> {
    match verdict {
        Verdict::Converged => Some(true),
        Verdict::NotConverged => Some(false),
        Verdict::Unchecked | Verdict::Approximate => None,
    }
}

/// The word for how far the numbers can be trusted.
fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Converged => "converged",
        Verdict::NotConverged => "not_converged",
        Verdict::Unchecked => "unchecked",
        Verdict::Approximate => "approximate",
    }
}

/// The word for an answer.
pub(super) fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "yes",
        Answer::No => "no",
        Answer::CantSay => "cant_say",
    }
}

fn worker_verdict(verdict: WorkerVerdict) -> &'static str {
    match verdict {
        WorkerVerdict::Fine => "fine",
        WorkerVerdict::Straightliner => "straightliner",
        WorkerVerdict::Inverted => "inverted",
        WorkerVerdict::TooFewVotes => "too_few_votes",
        WorkerVerdict::RatesGiven => "rates_given",
    }
}
