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
    /// The number of votes that count.
    pub(crate) votes: u64,
    /// The number of votes that the worker withdrew.
    pub(crate) withdrawn: u64,
    /// The price of the votes that count, in cents.
    pub(crate) cents: f64,
    /// The expected share of their yes and no votes that are correct; null if not known yet.
    pub(crate) agreement: Option<f64>,
    /// The probability that they answer yes when yes is correct.
    pub(crate) yes_when_so: Option<f64>,
    /// The probability that they answer yes when no is correct.
    pub(crate) yes_when_not: Option<f64>,
    /// An assessment of their answers.
    pub(crate) verdict: Verdict,
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
        worker: summary.worker.as_str().to_owned(),
        votes: summary.votes,
        withdrawn: summary.withdrawn,
        cents: cents(price.times(summary.votes).unwrap_or_default()),
        agreement: summary.report.and_then(|report| report.agreement),
        yes_when_so: summary.report.map(|report| report.when_above.mean),
        yes_when_not: summary.report.map(|report| report.when_neither.mean),
        verdict: summary.report.map_or(Verdict::Unknown, |report| report.verdict.into()),
    };
    Ok(campaign.workers().await?.into_iter().map(worker).collect())
}
