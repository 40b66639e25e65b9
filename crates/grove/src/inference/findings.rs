//! A report with names instead of numbers, as one object.

use grove_belief::{
    Answer, DividedQuestion, Health, ProbableSynonyms, Question, Report, TransitivityClash, VoteCounts,
    WorkerReport,
};
use grove_formats::Hierarchy;
use grove_tree::Concept;
use serde::Serialize;

use super::input::Input;
use super::{Measured, Options};
use crate::engine_options::{AssumedNoise, PriorShape};
use crate::terminal::Edge;
use crate::text::converged;

/// What `grove infer` prints, and the object of `--json`. Its field names are documented in docs/cli.md and do not change.
#[derive(Serialize)]
pub struct Findings<'a> {
    #[serde(skip)]
    pub(crate) report: &'a Report,
    #[serde(skip)]
    pub(crate) drawing: &'a Hierarchy,
    concepts: usize,
    root: &'a str,
    engine: &'a str,
    noise: AssumedNoise,
    prior: PriorShape,
    seed: u64,
    screens: usize,
    votes: usize,
    #[serde(flatten)]
    answers: VoteCounts,
    pub(crate) repeated_votes: usize,
    questions: usize,
    converged: Option<bool>,
    /// Whether Ctrl-C ended the computation.
    pub stopped: bool,
    health: HealthOf<'a>,
    expected_right: f64,
    pub(crate) hierarchy: Vec<Edge<'a>>,
    doubtful: Vec<&'a str>,
    pub(crate) doubtful_votes: Vec<DoubtfulVote<'a>>,
    pub(crate) divided_questions: Vec<Named<Ends<'a>, &'a DividedQuestion>>,
    pub(crate) contradictions: Vec<Named<Triangle<'a>, &'a TransitivityClash>>,
    pub(crate) synonyms: Vec<Named<Pair<'a>, &'a ProbableSynonyms>>,
    pub(crate) workers: Vec<Named<Worker<'a>, &'a WorkerReport>>,
    pub(crate) measures: Option<Measured>,
}

/// A part of the report with the names that the report has as numbers.
#[derive(Serialize)]
pub(crate) struct Named<N, R> {
    #[serde(flatten)]
    pub(crate) names: N,
    #[serde(flatten)]
    pub(crate) report: R,
}

#[derive(Serialize)]
struct HealthOf<'a> {
    #[serde(flatten)]
    health: &'a Health,
    approximate: bool,
}

#[derive(Serialize)]
pub(crate) struct DoubtfulVote<'a> {
    pub(crate) line: usize,
    pub(crate) worker: &'a str,
    #[serde(flatten)]
    pub(crate) question: Ends<'a>,
    pub(crate) answer: Answer,
    pub(crate) probability: f64,
}

#[derive(Serialize)]
pub(crate) struct Ends<'a> {
    pub(crate) upper: &'a str,
    pub(crate) lower: &'a str,
}

#[derive(Serialize)]
pub(crate) struct Triangle<'a> {
    pub(crate) upper: &'a str,
    pub(crate) middle: &'a str,
    pub(crate) lower: &'a str,
}

#[derive(Serialize)]
pub(crate) struct Pair<'a> {
    pub(crate) concepts: [&'a str; 2],
}

#[derive(Serialize)]
pub(crate) struct Worker<'a> {
    pub(crate) worker: &'a str,
    pub(crate) votes: usize,
}

impl<'a> Findings<'a> {
    /// Joins a report with the names of the input.
    #[must_use]
    pub fn new(
        options: &Options,
        input: &'a Input,
        report: &'a Report,
        hierarchy: &'a Hierarchy,
        measures: Option<Measured>,
    ) -> Self {
        let name = |concept: Concept| hierarchy.name(concept);
        let ends = |question: Question| Ends { upper: name(question.upper), lower: name(question.lower) };
        let worker = |worker: grove_belief::Worker| input.recorded.workers[worker.index()].as_str();
        let doubtful_vote = |doubtful: &grove_belief::DoubtfulVote| DoubtfulVote {
            line: input.recorded.lines[doubtful.id.index()],
            worker: worker(doubtful.vote.worker),
            question: ends(doubtful.vote.question),
            answer: doubtful.vote.answer,
            probability: doubtful.probability,
        };
        let contradiction = |report: &'a TransitivityClash| {
            let names = Triangle {
                upper: name(report.upper),
                middle: name(report.middle),
                lower: name(report.lower),
            };
            Named { names, report }
        };
        let worker_report = |report: &'a WorkerReport| Named {
            names: Worker { worker: worker(report.worker), votes: report.votes.total() },
            report,
        };
        Self {
            report,
            drawing: hierarchy,
            concepts: hierarchy.len(),
            root: name(Concept::ROOT),
            engine: report.engine,
            noise: options.noise,
            prior: options.prior,
            seed: options.seed,
            screens: report.screens,
            votes: report.votes.total(),
            answers: report.votes,
            repeated_votes: input.recorded.repeated,
            questions: report.questions,
            converged: converged(report),
            stopped: false,
            health: HealthOf { health: &report.health, approximate: report.is_approximate },
            expected_right: report.expected_right,
            hierarchy: Edge::all(hierarchy),
            doubtful: report.doubtful.iter().map(|&concept| name(concept)).collect(),
            doubtful_votes: report.doubtful_votes.iter().map(doubtful_vote).collect(),
            divided_questions: report
                .divided_questions
                .iter()
                .map(|report| Named { names: ends(report.question), report })
                .collect(),
            contradictions: report.clashes.iter().map(contradiction).collect(),
            synonyms: report
                .synonyms
                .iter()
                .map(|report| Named { names: Pair { concepts: report.concepts.map(name) }, report })
                .collect(),
            workers: report.workers.iter().map(worker_report).collect(),
            measures,
        }
    }
}
