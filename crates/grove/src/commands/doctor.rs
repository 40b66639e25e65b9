//! `grove doctor`: checks a database.

use std::process::ExitCode;

use grove_campaign::Error;
use grove_campaign::operations::Caller;
use grove_store::{Error as StoreError, Finding};
use serde_json::{Value, json};

use crate::context::Context;
use crate::files;

/// Check the database: its integrity, that everything in it agrees with the logs, and that the beliefs can be computed again.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove doctor
  grove doctor --database copy.db --json

The exit code is 1 if there is a problem.")]
pub(crate) struct Doctor {
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<ExitCode> {
        let store = context.store().await?;
        let spinner = context.spinner("checking the database");
        let findings = match context.workspace().await?.examine(&Caller::local()).await {
            // So damaged that it cannot be checked.
            Err(Error::Store(error @ (StoreError::Damaged(_) | StoreError::Database(_)))) => {
                vec![Finding { campaign: None, problem: format!("{error}; restore a backup") }]
            }
            other => other?,
        };
        drop(spinner);
        let healthy = findings.is_empty();
        if self.json {
            let object =
                |finding: &Finding| json!({ "campaign": finding.campaign, "problem": finding.problem });
            let findings: Vec<Value> = findings.iter().map(object).collect();
            files::print_json(
                &json!({ "database": store.place(), "healthy": healthy, "findings": findings }),
            )?;
        } else if healthy {
            context.remark(&format!("{}: no problems found", store.place()))?;
        } else {
            files::print(&findings.iter().map(line).collect::<String>())?;
        }
        Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn line(finding: &Finding) -> String {
    match finding.campaign {
        Some(campaign) => format!("campaign {campaign}: {}\n", finding.problem),
        None => format!("{}\n", finding.problem),
    }
}
