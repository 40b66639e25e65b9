use askama::Template;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use grove_store::WorkerId;
use serde::Deserialize;

use super::campaign::{CampaignHeader, redirect};
use super::layout::{Layout, render};
use crate::auth::CampaignAccess;
use crate::convert::cents;
use crate::extract::Form;
use crate::http_error::{HttpError, Result};
use crate::workers::{Verdict, Worker, workers_of};

#[derive(Template)]
#[template(path = "campaign/workers.html")]
struct WorkersPage {
    layout: Layout,
    header: CampaignHeader,
    workers: Vec<Worker>,
}

#[derive(Deserialize)]
pub(super) struct WorkerForm {
    worker: String,
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

pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    let workers = workers_of(&campaign).await?;
    let header = CampaignHeader::new(&campaign, "Workers", None)?;
    render(&WorkersPage { layout: header.layout(&campaign), header, workers })
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
