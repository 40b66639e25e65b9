//! Does what is stored agree with itself?

use std::collections::{BTreeMap, HashSet};

use crate::replay::Replay;
use crate::sql::{Connection, values};
use crate::votes;
use crate::{CampaignId, CorrectionId, Error, Position, Store, log};

/// How many entries are read at once.
const PAGE: u32 = 2_000;

/// Something that is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// In which campaign; none if it is about the database as a whole.
    pub campaign: Option<CampaignId>,
    /// What is wrong, for people to read.
    pub problem: String,
}

impl Store {
    /// Examines the whole database: its own integrity, that positions have no gaps, and that the tables beside the log say what the log
    /// says. Reads everything, from one moment; others may go on writing.
    ///
    /// # Errors
    /// Only where the database cannot be read at all; what is wrong in it is a finding.
    pub async fn doctor(&self) -> Result<Vec<Finding>, Error> {
        let campaigns = self.campaigns().await?;
        let mut findings = Vec::new();
        self.read_at_one_moment(move |db| {
            Box::pin(async move {
                check_database(db, &mut findings).await?;
                for campaign in campaigns {
                    let problems = examine(db, campaign.id).await?.into_iter();
                    let campaign = Some(campaign.id);
                    findings.extend(problems.map(|problem| Finding { campaign, problem }));
                }
                Ok(findings)
            })
        })
        .await
    }
}

async fn check_database(db: &mut Connection, findings: &mut Vec<Finding>) -> Result<(), Error> {
    // PostgreSQL has no such question to ask; its checksums are checked with every page read.
    let Connection::Sqlite(_) = db else { return Ok(()) };
    for row in db.rows("SELECT integrity_check FROM pragma_integrity_check", &[]).await? {
        let said: String = row.get(0)?;
        if said != "ok" {
            findings.push(Finding { campaign: None, problem: said });
        }
    }
    for row in db.rows("SELECT \"table\", \"parent\" FROM pragma_foreign_key_check", &[]).await? {
        let (table, parent): (String, String) = (row.get(0)?, row.get(1)?);
        let problem = format!("a row of {table} belongs to one of {parent} that is not there");
        findings.push(Finding { campaign: None, problem });
    }
    Ok(())
}

/// Compares a campaign's log with the tables beside it.
async fn examine(db: &mut Connection, id: CampaignId) -> Result<Vec<String>, Error> {
    let sql = "SELECT head, concepts, advanced FROM campaigns WHERE id = $1";
    // A campaign may have been deleted since the list was made.
    let Some(row) = db.row(sql, values![id]).await? else { return Ok(Vec::new()) };
    let mut replay = Replay::default();
    if let Err(problem) = read_log(db, id, &mut replay).await? {
        // What comes after is unknown, so there is nothing to compare.
        replay.problems.push(problem);
        return Ok(replay.problems);
    }
    let mut problems = std::mem::take(&mut replay.problems);
    let numbers: [(&str, i64, i64); 3] = [
        ("last position", row.get(0)?, replay.last.0),
        ("last concept", row.get(1)?, i64::from(replay.concepts)),
        ("belief's position", row.get(2)?, replay.advanced.0),
    ];
    for (what, table, log) in numbers {
        if table != log {
            problems.push(format!("the {what} is {table}, and {log} in the log"));
        }
    }
    check_second_votes(&replay, &mut problems);
    compare_corrections(db, id, &replay, &mut problems).await?;
    compare_votes(db, id, replay, &mut problems).await?;
    Ok(problems)
}

/// Reads the log to its end, or to the entry that cannot be read.
async fn read_log(
    db: &mut Connection,
    id: CampaignId,
    replay: &mut Replay,
) -> Result<Result<(), String>, Error> {
    loop {
        let page = match log::entries(db, id, replay.last, PAGE).await {
            Err(Error::Damaged(problem)) => return Ok(Err(problem)),
            page => page?,
        };
        if page.is_empty() {
            return Ok(Ok(()));
        }
        for entry in page {
            replay.read(entry);
        }
    }
}

fn check_second_votes(replay: &Replay, problems: &mut Vec<String>) {
    let mut counted = HashSet::new();
    for stored in replay.votes.values().filter(|stored| stored.withdrawn.is_none()) {
        if !counted.insert((&stored.vote.worker, stored.vote.question)) {
            problems.push(format!("in the log, a worker has vote {} and another on its question", stored.id));
        }
    }
}

async fn compare_votes(
    db: &mut Connection,
    id: CampaignId,
    replay: Replay,
    problems: &mut Vec<String>,
) -> Result<(), Error> {
    let mut expected = replay.votes;
    let mut after = Position::START;
    loop {
        let page = votes::page(db, id, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.position;
        for stored in page {
            if expected.remove(&stored.id).as_ref() != Some(&stored) {
                problems.push(format!("vote {} in its table is not what the log says", stored.id));
            }
        }
    }
    problems.extend(expected.keys().map(|vote| format!("vote {vote} is in the log, and not in its table")));
    Ok(())
}

async fn compare_corrections(
    db: &mut Connection,
    id: CampaignId,
    replay: &Replay,
    problems: &mut Vec<String>,
) -> Result<(), Error> {
    let sql = "SELECT correction, position, taken_back FROM corrections WHERE campaign = $1";
    let mut table = BTreeMap::new();
    for row in db.rows(sql, values![id]).await? {
        let taken_back = row.get::<Option<i64>>(2)?.map(Position);
        table.insert(CorrectionId(row.get(0)?), (Position(row.get(1)?), taken_back));
    }
    if table != replay.corrections {
        problems.push("the table of corrections is not what the log says".to_owned());
    }
    Ok(())
}
