//! Checks that the stored data is consistent.

use std::collections::{BTreeMap, HashSet};

use crate::replay::Replay;
use crate::sql::{Connection, values};
use crate::votes::{VoteRow, screen_key};
use crate::{CampaignId, CorrectionId, Error, ModelSpending, Position, Result, Store, log};

/// How many votes are read at once.
const PAGE: u32 = 2_000;

/// An inconsistency in the stored data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The campaign, or `None` if it concerns the database as a whole.
    pub campaign: Option<CampaignId>,
    /// A description for people to read.
    pub problem: String,
}

impl Store {
    /// Examines the whole database: its own integrity, that positions have no gaps, that the tables of votes and corrections agree
    /// with the log, and the sums of what models have used with the questions to them. Reads everything, from a consistent snapshot; others may continue to write.
    ///
    /// # Errors
    /// Only if the database cannot be read at all; inconsistencies are findings.
    pub async fn doctor(&self) -> Result<Vec<Finding>> {
        let campaigns = self.campaigns().await?;
        self.read_snapshot(move |db| {
            Box::pin(async move {
                let mut findings = Vec::new();
                let mut add = |campaign, problems: Vec<String>| {
                    findings.extend(problems.into_iter().map(|problem| Finding { campaign, problem }));
                };
                add(None, check_database(db).await?);
                for campaign in campaigns {
                    add(Some(campaign.id), check_campaign(db, campaign.id).await?);
                }
                Ok(findings)
            })
        })
        .await
    }
}

async fn check_database(db: &mut Connection) -> Result<Vec<String>> {
    // PostgreSQL has no such check; it verifies the checksum of each page that it reads.
    let Connection::Sqlite(_) = db else { return Ok(Vec::new()) };
    let messages = db.all("SELECT integrity_check FROM pragma_integrity_check", &[]).await?;
    let mut problems: Vec<String> = messages.into_iter().map(|(message,)| message).collect();
    problems.retain(|message| message != "ok");
    let orphans: Vec<(String, String)> =
        db.all("SELECT \"table\", \"parent\" FROM pragma_foreign_key_check", &[]).await?;
    let orphan =
        |(table, parent)| format!("a row of {table} refers to a row of {parent} that does not exist");
    problems.extend(orphans.into_iter().map(orphan));
    Ok(problems)
}

/// Compares a campaign's log with its row and with the tables of votes and corrections.
async fn check_campaign(db: &mut Connection, id: CampaignId) -> Result<Vec<String>> {
    let sql = "SELECT head, concepts, advanced, votes FROM campaigns WHERE id = $1";
    // The campaign may have been deleted since the list was read.
    let Some((head, concepts, advanced, votes)) = db.first(sql, values![id]).await? else {
        return Ok(Vec::new());
    };
    let mut replay = Replay::default();
    let read = log::for_each(db, id, |entry| {
        replay.read(entry);
        Ok(())
    });
    if let Err(error) = read.await {
        let Error::Damaged(problem) = error else { return Err(error) };
        // The rest of the log is unknown, so there is nothing to compare.
        replay.problems.push(problem);
        return Ok(replay.problems);
    }
    let mut problems = std::mem::take(&mut replay.problems);
    let numbers: [(&str, i64, i64); 4] = [
        ("last position", head, replay.last.0),
        ("last concept", concepts, i64::from(replay.concepts)),
        ("belief's position", advanced, replay.advanced.0),
        ("number of votes", votes, replay.standing()),
    ];
    for (what, stored, log) in numbers {
        if stored != log {
            problems.push(format!("the {what} is stored as {stored}, but is {log} in the log"));
        }
    }
    check_second_votes(&replay, &mut problems);
    compare_corrections(db, id, &replay, &mut problems).await?;
    compare_spending(db, id, &mut problems).await?;
    compare_votes(db, id, replay, &mut problems).await?;
    Ok(problems)
}

fn check_second_votes(replay: &Replay, problems: &mut Vec<String>) {
    let mut counted = HashSet::new();
    for stored in replay.votes.values().filter(|stored| stored.withdrawn.is_none()) {
        if !counted.insert((&stored.response.worker, screen_key(&stored.response.screen))) {
            let vote = stored.id;
            problems.push(format!("in the log, the worker of vote {vote} has another vote on its screen"));
        }
    }
}

async fn compare_votes(
    db: &mut Connection,
    id: CampaignId,
    replay: Replay,
    problems: &mut Vec<String>,
) -> Result<()> {
    let mut expected = replay.votes;
    let mut after = Position::START;
    loop {
        let sql = "WHERE campaign = $1 AND position > $2 ORDER BY position LIMIT $3";
        let page: Vec<VoteRow> = db.select(sql, values![id, after, PAGE]).await?;
        let Some(last) = page.last() else { break };
        after = last.position;
        for row in page {
            if expected.remove(&row.vote).as_ref().map(VoteRow::from) != Some(row.clone()) {
                problems.push(format!("vote {} differs between its table and the log", row.vote));
            }
        }
    }
    problems.extend(expected.keys().map(|vote| format!("vote {vote} is in the log but not in its table")));
    Ok(())
}

async fn compare_spending(db: &mut Connection, id: CampaignId, problems: &mut Vec<String>) -> Result<()> {
    let mut stored = ModelSpending::all_of(db, id).await?;
    let mut used = ModelSpending::by_calls(db, id).await?;
    for all in [&mut stored, &mut used] {
        all.retain(|one| (one.tokens, one.cost) != (0, 0));
    }
    if stored != used {
        problems.push("what models have used does not agree with the questions to them".to_owned());
    }
    Ok(())
}

async fn compare_corrections(
    db: &mut Connection,
    id: CampaignId,
    replay: &Replay,
    problems: &mut Vec<String>,
) -> Result<()> {
    let sql = "SELECT correction, position, taken_back FROM corrections WHERE campaign = $1";
    let rows: Vec<(CorrectionId, _, _)> = db.all(sql, values![id]).await?;
    let table: BTreeMap<_, _> = rows.into_iter().map(|(id, made, undone)| (id, (made, undone))).collect();
    if table != replay.corrections {
        problems.push("the table of corrections does not agree with the log".to_owned());
    }
    Ok(())
}
