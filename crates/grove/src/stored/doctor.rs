//! `grove doctor`, `backup` and `restore`.

use std::path::Path;
use std::process::ExitCode;

use grove_store::{Finding, Store};
use serde_json::{Value, json};

use super::desk::{Desk, refused};
use super::words;
use crate::args::{Backup, Doctor, Restore};
use crate::failure::bad_input;
use crate::{files, progress, terminal};

/// Examines the database; ends with 1 if something is wrong.
pub(super) async fn run(options: &Doctor, desk: &Desk) -> anyhow::Result<ExitCode> {
    let store = desk.store().await?;
    let waiting = progress::spinner(desk.quiet(), "examining the database");
    let findings = store.doctor().await;
    waiting.finish_and_clear();
    let findings = match findings {
        // Past what the examination can look into.
        Err(error @ (grove_store::Error::Damaged(_) | grove_store::Error::Database(_))) => {
            vec![Finding { campaign: None, problem: format!("{error}; restore a backup") }]
        }
        other => other.map_err(refused)?,
    };
    match options.json {
        true => {
            let findings: Vec<Value> = findings.iter().map(object).collect();
            words::print_object(
                &json!({ "database": store.place(), "healthy": findings.is_empty(), "findings": findings }),
            )?;
        }
        false if findings.is_empty() => desk.remark(&format!("{}: nothing is wrong", store.place()))?,
        false => files::print(&findings.iter().map(line).collect::<String>())?,
    }
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn line(finding: &Finding) -> String {
    match finding.campaign {
        Some(campaign) => format!("campaign {campaign}: {}\n", finding.problem),
        None => format!("{}\n", finding.problem),
    }
}

fn object(finding: &Finding) -> Value {
    json!({ "campaign": finding.campaign, "problem": finding.problem })
}

/// Writes a backup.
pub(super) async fn backup(options: &Backup, desk: &Desk) -> anyhow::Result<()> {
    files::check_writable(&options.file)?;
    let store = desk.store().await?;
    let waiting = progress::spinner(desk.quiet(), "copying the database");
    let done = store.backup(&options.file).await;
    waiting.finish_and_clear();
    done.map_err(refused)?;
    desk.remark(&format!("{} is a copy of {}", options.file.display(), store.place()))
}

/// Restores a backup to a place where nothing is yet.
pub(super) async fn restore(options: &Restore, desk: &Desk) -> anyhow::Result<()> {
    if !options.file.is_file() {
        return Err(bad_input(format!("{}: there is no such file; name a backup", options.file.display())));
    }
    let path = Store::path_of(desk.place()).map_err(refused)?;
    if let Some(path) = &path {
        if path.exists() {
            let place = path.display();
            return Err(bad_input(format!(
                "{place} exists already; give the place to restore to with --database"
            )));
        }
        files::check_writable(path)?;
    }
    let waiting = progress::spinner(desk.quiet(), "restoring the database");
    let restored = Store::restore(&options.file, desk.place()).await;
    waiting.finish_and_clear();
    if let (Err(_), Some(path)) = (&restored, &path) {
        remove_unfinished(path);
    }
    let store = restored.map_err(|error| match error {
        grove_store::Error::Damaged(problem) => {
            let file = options.file.display();
            bad_input(format!("{file}: this is no backup, or not a whole one ({problem}); give another"))
        }
        other => refused(other),
    })?;
    let campaigns = store.campaigns().await.map_err(refused)?.len();
    store.close().await;
    desk.remark(&format!("{} restored to {}", terminal::count(campaigns, "campaign"), store.place()))
}

/// Removes the database that a failed restoring has begun; there was none before.
fn remove_unfinished(path: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        // What is not there needs no removing.
        let _ = std::fs::remove_file(name);
    }
}
