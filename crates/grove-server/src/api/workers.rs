use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use grove_belief::{WorkerReport, WorkerVerdict};
use grove_store::WorkerId;
use serde::Serialize;
use utoipa::ToSchema;

use super::campaigns::cents;
use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::read::Last;

/// A worker's votes, and what they tell about the worker.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct WorkerRow {
    /// Who.
    pub(crate) worker: String,
    /// Votes that count.
    pub(crate) votes: u64,
    /// Votes that they took back.
    pub(crate) withdrawn: u64,
    /// What their votes cost, in hundredths of the currency.
    pub(crate) cents: f64,
    /// The expected share of their yes and no votes that are right.
    pub(crate) agreement: Option<f64>,
    /// How often they say yes where it is so.
    pub(crate) yes_when_so: Option<f64>,
    /// How often they say yes where it is not.
    pub(crate) yes_when_not: Option<f64>,
    /// What follows: fine, straightliner, inverted, too_few_votes, rates_given, or unknown.
    pub(crate) verdict: String,
}

/// What a worker has earned.
#[derive(Serialize, ToSchema)]
pub(crate) struct Payment {
    /// Who.
    worker: String,
    /// Votes that count.
    votes: u64,
    /// What they cost, in hundredths of the currency.
    cents: f64,
}

/// Who stands in a worker's place now.
#[derive(Serialize, ToSchema)]
pub(crate) struct Erased {
    /// Nobody's name.
    stand_in: String,
}

fn word(verdict: WorkerVerdict) -> &'static str {
    match verdict {
        WorkerVerdict::Fine => "fine",
        WorkerVerdict::Straightliner => "straightliner",
        WorkerVerdict::Inverted => "inverted",
        WorkerVerdict::TooFewVotes => "too_few_votes",
        WorkerVerdict::RatesGiven => "rates_given",
    }
}

/// Everybody who ever voted, in the order in which they came.
pub(crate) async fn worker_rows(app: &App, owned: &Owned) -> Result<Vec<WorkerRow>, Fault> {
    let price = owned.campaign.look(|state| state.settings().price());
    let snapshot = owned.campaign.snapshot();
    let mut reports: HashMap<&WorkerId, &WorkerReport> = HashMap::new();
    if let Some(named) = &snapshot.report {
        let known = named.report.workers.iter();
        reports.extend(known.filter_map(|report| Some((named.workers.get(report.worker.index())?, report))));
    }
    let tallies = app.store().workers(owned.id).await?;
    let row = |tally: grove_store::WorkerTally| {
        let report = reports.get(&tally.worker);
        WorkerRow {
            worker: tally.worker.as_str().to_owned(),
            votes: tally.votes,
            withdrawn: tally.withdrawn,
            cents: cents(price.times(tally.votes).unwrap_or_default()),
            agreement: report.and_then(|report| report.agreement),
            yes_when_so: report.map(|report| report.when_above.mean),
            yes_when_not: report.map(|report| report.when_neither.mean),
            verdict: report.map_or("unknown", |report| word(report.verdict)).to_owned(),
        }
    };
    Ok(tallies.into_iter().map(row).collect())
}

/// Everybody who ever voted, with what is believed of them.
#[utoipa::path(get, path = "/campaigns/{campaign}/workers", tag = "workers", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<WorkerRow>)))]
pub(super) async fn list(State(app): State<App>, owned: Owned) -> Result<Json<Vec<WorkerRow>>, Fault> {
    Ok(Json(worker_rows(&app, &owned).await?))
}

/// Puts an anonymous stand-in in a worker's place, everywhere and for good.
#[utoipa::path(delete, path = "/campaigns/{campaign}/workers/{worker}", tag = "workers",
    params(("campaign" = Uuid, Path), ("worker" = String, Path)), responses((status = 200, body = Erased)))]
pub(super) async fn erase(
    State(app): State<App>,
    owned: Owned,
    Last(worker): Last<String>,
) -> Result<Json<Erased>, Fault> {
    let worker = WorkerId::new(worker).map_err(|_| Fault::NotFound)?;
    let stand_in = app.campaigns().erase(&owned, &worker).await?;
    Ok(Json(Erased { stand_in: stand_in.as_str().to_owned() }))
}

/// Votes per worker, and what they cost.
#[utoipa::path(get, path = "/campaigns/{campaign}/payments", tag = "workers", params(("campaign" = Uuid, Path)),
    responses((status = 200, body = Vec<Payment>)))]
pub(super) async fn payments(State(app): State<App>, owned: Owned) -> Result<Json<Vec<Payment>>, Fault> {
    let rows = worker_rows(&app, &owned).await?.into_iter();
    Ok(Json(rows.map(|row| Payment { worker: row.worker, votes: row.votes, cents: row.cents }).collect()))
}
