use askama::Template;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use grove_store::WorkerId;
use serde::Deserialize;

use super::campaign::{Bar, back};
use super::shell::{Shell, chance, money, page};
use crate::api::{WorkerRow, worker_rows};
use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::read::Form;

struct Row {
    worker: String,
    votes: u64,
    withdrawn: u64,
    pay: String,
    agreement: String,
    so: String,
    not: String,
    verdict: &'static str,
    bad: bool,
    erasable: bool,
}

#[derive(Template)]
#[template(path = "campaign/workers.html")]
struct WorkersPage {
    shell: Shell,
    bar: Bar,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
pub(super) struct Who {
    worker: String,
}

impl From<WorkerRow> for Row {
    fn from(row: WorkerRow) -> Self {
        let verdict = match row.verdict.as_str() {
            "fine" => "fine",
            "straightliner" => "answers do not depend on the question",
            "inverted" => "has it the other way round",
            "too_few_votes" => "too few votes to tell",
            "rates_given" => "rates are given",
            _ => "not known yet",
        };
        Self {
            pay: money(row.cents),
            agreement: chance(row.agreement),
            so: chance(row.yes_when_so),
            not: chance(row.yes_when_not),
            verdict,
            bad: matches!(row.verdict.as_str(), "straightliner" | "inverted"),
            erasable: !row.worker.starts_with("erased-"),
            worker: row.worker,
            votes: row.votes,
            withdrawn: row.withdrawn,
        }
    }
}

pub(super) async fn show(State(app): State<App>, owned: Owned) -> Result<Response, Fault> {
    let rows = worker_rows(&app, &owned).await?.into_iter().map(Row::from).collect();
    let bar = Bar::new(&owned, "Workers", None);
    page(&WorkersPage { shell: bar.shell(&owned), bar, rows })
}

pub(super) async fn erase(
    State(app): State<App>,
    owned: Owned,
    Form(who): Form<Who>,
) -> Result<Response, Fault> {
    let worker = WorkerId::new(who.worker).map_err(|_| Fault::NotFound)?;
    app.campaigns().erase(&owned, &worker).await?;
    Ok(back(&owned, "/workers"))
}

/// The payment list as a table. Names that a spreadsheet could take for a formula are led by an apostrophe.
pub(super) async fn payments(State(app): State<App>, owned: Owned) -> Result<Response, Fault> {
    let mut text = "worker,votes,cents\n".to_owned();
    for row in worker_rows(&app, &owned).await? {
        text.push_str(&format!("{},{},{}\n", cell(&row.worker), row.votes, row.cents));
    }
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"payments.csv\""),
    ];
    Ok((headers, text).into_response())
}

fn cell(name: &str) -> String {
    let formula = name.starts_with(['=', '+', '-', '@']);
    let name = if formula { format!("'{name}") } else { name.to_owned() };
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_worker_s_name_is_never_a_formula() {
        assert_eq!(cell("ann"), "ann");
        assert_eq!(cell("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
    }
}
