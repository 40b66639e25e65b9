use grove_belief::WorkerVerdict;
use grove_campaign::operations::{Access, WorkerSummary};
use serde::Serialize;
use utoipa::ToSchema;

use crate::convert::cents;
use crate::http_error::Result;

/// A worker, their votes, and what the votes say about the worker.
#[derive(Serialize, ToSchema)]
pub(crate) struct Worker {
    /// The id of the worker.
    pub(crate) worker: String,
    /// The number of votes that the worker did not withdraw.
    pub(crate) votes: u64,
    /// The number of votes that the worker withdrew.
    pub(crate) withdrawn: u64,
    /// How many of the votes that were not withdrawn are excluded from the evidence.
    pub(crate) excluded: u64,
    /// Whether the worker is excluded, and not only a link that they came through.
    pub(crate) is_excluded: bool,
    /// The price of the votes that were not withdrawn, in cents.
    pub(crate) cents: f64,
    /// The expected share of their yes and no votes that are correct; null if not known yet.
    pub(crate) agreement: Option<f64>,
    /// The probability that they answer yes when yes is correct.
    pub(crate) yes_when_so: Option<f64>,
    /// The probability that they answer yes when no is correct.
    pub(crate) yes_when_not: Option<f64>,
    /// An assessment of their answers.
    pub(crate) verdict: Verdict,
    /// The probability that they copy a language model's answers; null if they share too few questions with one. A reason to look, never to reject.
    pub(crate) copies_model: Option<f64>,
    /// Whether that is likely enough to review the worker.
    #[serde(skip)]
    pub(crate) seems_copied: bool,
}

/// An assessment of a worker's answers.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// The answers depend on the question.
    Fine,
    /// The answers do not depend on the question.
    Straightliner,
    /// The worker answers as if upper and lower were exchanged.
    Inverted,
    /// There are too few votes to tell.
    TooFewVotes,
    /// The settings give the error rates, so workers are not assessed.
    RatesGiven,
    /// The belief has not assessed the worker yet.
    Unknown,
}

impl From<WorkerVerdict> for Verdict {
    fn from(verdict: WorkerVerdict) -> Self {
        match verdict {
            WorkerVerdict::Fine => Self::Fine,
            WorkerVerdict::Straightliner => Self::Straightliner,
            WorkerVerdict::Inverted => Self::Inverted,
            WorkerVerdict::TooFewVotes => Self::TooFewVotes,
            WorkerVerdict::RatesGiven => Self::RatesGiven,
        }
    }
}

/// Returns everybody who ever voted, in the order of their first votes.
pub(crate) async fn workers_of(campaign: &Access) -> Result<Vec<Worker>> {
    let price = campaign.state()?.settings().price();
    let worker = |summary: WorkerSummary| Worker {
        seems_copied: summary.seems_copied(),
        worker: summary.worker.as_str().to_owned(),
        votes: summary.votes,
        withdrawn: summary.withdrawn,
        excluded: summary.excluded,
        is_excluded: summary.is_excluded,
        cents: cents(price.times(summary.votes).unwrap_or_default()),
        agreement: summary.report.and_then(|report| report.agreement),
        yes_when_so: summary.report.map(|report| report.when_above.mean),
        yes_when_not: summary.report.map(|report| report.when_neither.mean),
        copies_model: summary.copies_model,
        verdict: summary.report.map_or(Verdict::Unknown, |report| report.verdict.into()),
    };
    Ok(campaign.workers().await?.into_iter().map(worker).collect())
}
