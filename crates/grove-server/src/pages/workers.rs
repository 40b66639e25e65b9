//! The workers: how good their answers are, what they are owed, and their votes one by one.

use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use grove_campaign::operations::Operation;
use grove_store::{CredentialId, Moment, Reply, VoteSource, WorkerId};
use serde::Deserialize;

use super::campaign::{CampaignHeader, observed, redirect, redirect_done};
use super::layout::{Layout, render};
use super::money::Currency;
use crate::app::App;
use crate::auth::CampaignAccess;
use crate::convert::cents;
use crate::extract::{Form, QueryParams};
use crate::http_error::{HttpError, Result};
use crate::time::Stamp;
use crate::workers::{Verdict, Worker, workers_of};

/// The workers on one page, and the votes of one worker that are listed: so few that a page, which is fetched whenever votes come in, stays
/// below 50 KB.
const PAGE: usize = 25;
const VOTES: usize = 150;
/// Whoever voted within a day is active.
const DAY: i64 = 24 * 3600 * 1_000_000;

/// By what the workers are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    /// Those whose answers look wrong first, then those with most votes.
    #[default]
    Status,
    Worker,
    Link,
    Votes,
    Agreement,
    Seen,
    Pay,
}

impl Sort {
    const COLUMNS: [(Self, &'static str, &'static str); 7] = [
        (Self::Worker, "worker", "Worker"),
        (Self::Link, "link", "Link"),
        (Self::Votes, "votes", "Votes"),
        (Self::Agreement, "agreement", "Agreement with consensus"),
        (Self::Status, "status", "Status"),
        (Self::Seen, "seen", "Last seen"),
        (Self::Pay, "pay", "Pay"),
    ];
}

struct WorkerRow {
    worker: Worker,
    /// The name of the link through which their last vote came; none if that is not known, or they came otherwise.
    link: Option<String>,
    pay: String,
    seen: Option<Moment>,
}

impl WorkerRow {
    fn stamp(&self) -> Option<Stamp> {
        self.seen.map(Stamp)
    }

    /// The agreement in per cent, for the bar.
    fn agreement(&self) -> Option<String> {
        self.worker.agreement.map(|share| format!("{:.0}", 100.0 * share))
    }

    fn is_erased(&self) -> bool {
        self.worker.worker.starts_with("erased-")
    }

    /// The status in words, and whether something is wrong.
    fn status(&self) -> (&'static str, bool) {
        match self.worker.verdict {
            _ if self.worker.is_excluded => ("Excluded", false),
            verdict if !verdict.is_suspicious() && self.worker.seems_copied => {
                ("Answers like a language model", true)
            }
            verdict => (verdict.label(), verdict.is_suspicious()),
        }
    }
}

/// What all workers together come to.
struct Summary {
    workers: usize,
    active: usize,
    flagged: usize,
    owed: String,
    /// How many votes have come since the verdicts were made.
    since_verdicts: usize,
}

#[derive(Template)]
#[template(path = "campaign/workers.html")]
struct WorkersPage {
    layout: Layout,
    header: CampaignHeader,
    summary: Summary,
    rows: Vec<WorkerRow>,
    columns: [(Sort, &'static str, &'static str); 7],
    sort: Sort,
    page: usize,
    pages: usize,
    can_erase: bool,
    can_exclude: bool,
    can_see_pay: bool,
    can_invite: bool,
}

impl WorkersPage {
    fn column(&self) -> &'static str {
        Sort::COLUMNS.iter().find(|column| column.0 == self.sort).map_or("status", |column| column.1)
    }
}

/// One vote of a worker.
struct VoteRow {
    question: String,
    answer: String,
    at: Stamp,
    withdrawn: bool,
}

#[derive(Template)]
#[template(path = "campaign/worker.html")]
struct WorkerPage {
    layout: Layout,
    header: CampaignHeader,
    row: WorkerRow,
    votes: Vec<VoteRow>,
    count: usize,
    can_exclude: bool,
    can_erase: bool,
}

#[derive(Deserialize)]
pub(super) struct WorkerForm {
    worker: String,
}

#[derive(Deserialize)]
pub(super) struct WorkersQuery {
    #[serde(default)]
    sort: Sort,
    #[serde(default)]
    page: usize,
}

impl Verdict {
    fn label(&self) -> &'static str {
        match self {
            Self::Fine => "Fine",
            Self::Straightliner => "Likely random answers",
            Self::Inverted => "Reversed answers",
            Self::TooFewVotes => "Too few votes to tell",
            Self::RatesGiven => "Error rates are given",
            Self::Unknown => "Not known yet",
        }
    }

    fn is_suspicious(&self) -> bool {
        matches!(self, Self::Straightliner | Self::Inverted)
    }
}

/// All workers with the links by which they came and when they were last seen.
async fn rows(campaign: &CampaignAccess) -> Result<Vec<WorkerRow>> {
    let workers = workers_of(campaign).await?;
    let names = campaign.link_names().await?;
    let (last, currency) = campaign.state().map(|state| {
        let votes = state.votes().all().iter();
        let last: HashMap<String, (Moment, Option<CredentialId>)> =
            votes.map(|vote| (vote.response.worker.as_str().to_owned(), (vote.at, vote.link))).collect();
        (last, Currency::of(state.settings()))
    })?;
    let row = |worker: Worker| {
        let last = last.get(&worker.worker);
        WorkerRow {
            link: last.and_then(|(_, link)| names.get(&(*link)?).cloned()),
            pay: currency.amount(worker.cents),
            seen: last.map(|(at, _)| *at),
            worker,
        }
    };
    Ok(workers.into_iter().map(row).collect())
}

fn sort(rows: &mut [WorkerRow], by: Sort) {
    let rank = |row: &WorkerRow| match row.status() {
        (_, true) => 0,
        _ => 1,
    };
    rows.sort_by(|a, b| {
        let most_votes = b.worker.votes.cmp(&a.worker.votes);
        match by {
            Sort::Status => rank(a).cmp(&rank(b)).then(most_votes),
            Sort::Worker => a.worker.worker.cmp(&b.worker.worker),
            // Those without a link last.
            Sort::Link => a.link.is_none().cmp(&b.link.is_none()).then(a.link.cmp(&b.link)).then(most_votes),
            Sort::Votes => most_votes,
            Sort::Agreement => {
                let known = |row: &WorkerRow| row.worker.agreement.unwrap_or(2.0);
                known(a).total_cmp(&known(b))
            }
            Sort::Seen => b.seen.cmp(&a.seen),
            Sort::Pay => b.worker.cents.total_cmp(&a.worker.cents),
        }
    });
}

pub(super) async fn show(
    State(app): State<App>,
    campaign: CampaignAccess,
    QueryParams(query): QueryParams<WorkersQuery>,
) -> Result<Response> {
    let mut rows = rows(&campaign).await?;
    sort(&mut rows, query.sort);
    let reader = campaign.reader();
    let now = app.now().0;
    let (report, currency, since_verdicts) = campaign.state().and_then(|state| {
        let report = campaign.snapshot()?.0.report.clone();
        let checked = report.as_ref().map(|report| report.position);
        let since = state.votes().all().iter().filter(|vote| Some(vote.position) > checked).count();
        Ok((report.is_some(), Currency::of(state.settings()), since))
    })?;
    let summary = Summary {
        workers: rows.len(),
        active: rows.iter().filter(|row| row.seen.is_some_and(|seen| now - seen.0 < DAY)).count(),
        flagged: rows.iter().filter(|row| row.status().1).count(),
        owed: currency.amount(rows.iter().map(|row| row.worker.cents).sum()),
        since_verdicts: if report { since_verdicts } else { 0 },
    };
    let pages = rows.len().div_ceil(PAGE).max(1);
    let page = query.page.min(pages - 1);
    let header = CampaignHeader::new(&reader, "Workers", None).await?;
    render(&WorkersPage {
        layout: header.layout(&reader),
        header,
        summary,
        rows: rows.into_iter().skip(page * PAGE).take(PAGE).collect(),
        columns: Sort::COLUMNS,
        sort: query.sort,
        page,
        pages,
        can_erase: reader.may(Operation::EraseWorker),
        can_exclude: reader.may(Operation::Exclude),
        can_see_pay: reader.may(Operation::ReadPayments),
        can_invite: reader.may(Operation::Invite),
    })
}

/// The votes of one worker, the newest first.
pub(super) async fn votes(
    campaign: CampaignAccess,
    QueryParams(query): QueryParams<WorkerForm>,
) -> Result<Response> {
    let row = rows(&campaign).await?.into_iter().find(|row| row.worker.worker == query.worker);
    let row = row.ok_or(HttpError::NotFound)?;
    let (votes, count) = campaign.state().map(|state| {
        let own =
            || state.votes().all().iter().rev().filter(|vote| vote.response.worker.as_str() == query.worker);
        let vote = |vote: &grove_campaign::VoteState| VoteRow {
            question: state.ask(vote.response.screen.clone()).map(|asked| asked.text).unwrap_or_default(),
            answer: in_words(&state, &vote.response.reply),
            at: Stamp(vote.at),
            withdrawn: vote.withdrawn.is_some(),
        };
        (own().take(VOTES).map(vote).collect::<Vec<_>>(), own().count())
    })?;
    let reader = campaign.reader();
    let header = CampaignHeader::new(&reader, "Workers", None).await?;
    render(&WorkerPage {
        layout: header.layout(&reader),
        header,
        row,
        votes,
        count,
        can_exclude: reader.may(Operation::Exclude),
        can_erase: reader.may(Operation::EraseWorker),
    })
}

fn in_words(state: &grove_campaign::State, reply: &Reply) -> String {
    match reply {
        Reply::Yes => "Yes".to_owned(),
        Reply::No => "No".to_owned(),
        Reply::CantSay => "Not sure".to_owned(),
        said => said.clone().map(|number| state.name_of(number).to_owned()).to_string(),
    }
}

/// Takes a worker's votes out of the evidence.
pub(super) async fn exclude(campaign: CampaignAccess, Form(form): Form<WorkerForm>) -> Result<Response> {
    let source = source(form)?;
    let done = observed(&campaign, campaign.exclude(source)).await?;
    Ok(redirect_done(&campaign, "/workers", done))
}

/// Brings them back.
pub(super) async fn include(campaign: CampaignAccess, Form(form): Form<WorkerForm>) -> Result<Response> {
    let source = source(form)?;
    let done = observed(&campaign, campaign.include(source)).await?;
    Ok(redirect_done(&campaign, "/workers", done))
}

fn source(form: WorkerForm) -> Result<VoteSource> {
    WorkerId::new(form.worker).map(VoteSource::Worker).map_err(|_| HttpError::NotFound)
}

pub(super) async fn erase(campaign: CampaignAccess, Form(form): Form<WorkerForm>) -> Result<Response> {
    let worker = WorkerId::new(form.worker).map_err(|_| HttpError::NotFound)?;
    campaign.erase_worker(&worker).await?;
    Ok(redirect(&campaign, "/workers"))
}

/// The payment list as CSV.
pub(super) async fn payments(campaign: CampaignAccess) -> Result<Response> {
    let mut text = "worker,votes,cents\n".to_owned();
    for (worker, votes, price) in campaign.payments().await? {
        text.push_str(&format!("{},{votes},{}\n", cell(worker.as_str()), cents(price)));
    }
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"payments.csv\""),
    ];
    Ok((headers, text).into_response())
}

/// A cell of a CSV file. An apostrophe keeps spreadsheets from reading a name as a formula.
fn cell(name: &str) -> String {
    let formula = name.starts_with(['=', '+', '-', '@']);
    let name = if formula { format!("'{name}") } else { name.to_owned() };
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_worker_id_is_never_a_formula() {
        assert_eq!(cell("ann"), "ann");
        assert_eq!(cell("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
    }
}
