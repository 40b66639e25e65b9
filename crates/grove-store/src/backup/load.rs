use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::dump::{Line, VERSION};
use super::is_new;
use crate::replay::Replay;
use crate::sql::{Connection, Value, values};
use crate::{CampaignId, Entry, Error, Event, Store, votes};

/// How many rows are written at once.
const PAGE: usize = 256;

impl Store {
    /// Reads a dump into a new store, all of it or nothing.
    pub(super) async fn load(&self, from: &Path) -> Result<(), Error> {
        let from = from.to_owned();
        self.write(Uuid::nil(), move |db| Box::pin(load(db, from))).await
    }
}

async fn load(db: &mut Connection, path: PathBuf) -> Result<(), Error> {
    if !is_new(db).await? {
        return Err(Error::StillNeeded(
            "a dump is restored to a new database; this one holds something already",
        ));
    }
    let file = File::open(&path).map_err(|error| Error::file(&path, error))?;
    let (mut lines, mut complete) = (0, false);
    let mut loading = Loading::default();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|error| Error::file(&path, error))?;
        let line: Line = serde_json::from_str(&line)
            .map_err(|error| Error::damaged(format!("line {} of the dump: {error}", lines + 1)))?;
        match line {
            Line::Head { version } if version > VERSION => {
                return Err(Error::NewerSchema { found: version.into(), known: VERSION.into() });
            }
            Line::End { lines: expected } => complete = expected == lines,
            line => loading.read(db, line).await?,
        }
        lines += 1;
    }
    if !complete {
        return Err(Error::damaged("the dump is incomplete"));
    }
    loading.finish_campaign(db).await
}

/// The campaign whose entries are being read. They follow their campaign in the dump.
#[derive(Default)]
struct Loading {
    campaign: Option<CampaignId>,
    replay: Replay,
    entries: Vec<Vec<Value>>,
}

impl Loading {
    async fn read(&mut self, db: &mut Connection, line: Line) -> Result<(), Error> {
        match line {
            Line::Owner { id, name, password_hash, created } => {
                let sql = "INSERT INTO owners (id, name, password_hash, created) VALUES ($1, $2, $3, $4)";
                db.execute(sql, values![id, name, password_hash, created]).await.map(drop)
            }
            Line::Campaign { id, owner, name, created } => {
                self.finish_campaign(db).await?;
                self.campaign = Some(id);
                let sql = "INSERT INTO campaigns (id, owner, name, created, head, concepts, advanced)
                           VALUES ($1, $2, $3, $4, 0, 0, 0)";
                db.execute(sql, values![id, owner, name, created]).await.map(drop)
            }
            Line::Entry { campaign, position, at, actor, body } => {
                if self.campaign != Some(campaign) {
                    return Err(Error::damaged("the dump has an entry that does not follow its campaign"));
                }
                let body = body.to_string();
                let event = Event::from_json(&body).map_err(|error| Error::damaged(error.to_string()))?;
                // Written anew, so that the same event has the same text wherever it was.
                let row =
                    values![campaign, position, at, actor.as_str(), event.name(), event.to_json()].to_vec();
                self.entries.push(row);
                self.replay.read(Entry { position, at, actor: actor.parse()?, event });
                if self.entries.len() >= PAGE { self.write_entries(db).await } else { Ok(()) }
            }
            Line::Credential(it) => {
                let sql = "INSERT INTO credentials (id, hash, purpose, owner, campaign, label, created, until, revoked)
                           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
                let values = values![
                    it.id,
                    it.hash,
                    it.purpose,
                    it.owner,
                    it.campaign,
                    it.label,
                    it.created,
                    it.until,
                    it.revoked
                ];
                db.execute(sql, values).await.map(drop)
            }
            Line::Head { .. } | Line::End { .. } => Ok(()),
        }
    }

    async fn write_entries(&mut self, db: &mut Connection) -> Result<(), Error> {
        let sql = "INSERT INTO log (campaign, position, at, actor, kind, body) ";
        db.execute_rows(sql, "", &std::mem::take(&mut self.entries)).await.map(drop)
    }

    /// Writes the tables beside the log from what the log said.
    async fn finish_campaign(&mut self, db: &mut Connection) -> Result<(), Error> {
        self.write_entries(db).await?;
        let replay = std::mem::take(&mut self.replay);
        let Some(campaign) = self.campaign.take() else { return Ok(()) };
        if let Some(problem) = replay.problems.into_iter().next() {
            return Err(Error::damaged(problem));
        }
        let rows = replay.votes.into_values().map(|stored| {
            let mut row = votes::row(campaign, stored.id, &stored.vote, stored.position);
            row.push(Value::from(stored.withdrawn));
            row
        });
        let sql =
            "INSERT INTO votes (campaign, vote, worker, kind, upper, lower, answer, position, withdrawn) ";
        db.execute_rows(sql, "", &rows.collect::<Vec<_>>()).await?;
        let corrections = replay.corrections.into_iter();
        let corrections =
            corrections.map(|(id, (made, taken_back))| values![campaign, id, made, taken_back].to_vec());
        let sql = "INSERT INTO corrections (campaign, correction, position, taken_back) ";
        db.execute_rows(sql, "", &corrections.collect::<Vec<_>>()).await?;
        let sql = "UPDATE campaigns SET head = $2, concepts = $3, advanced = $4 WHERE id = $1";
        db.execute(sql, values![campaign, replay.last, replay.concepts, replay.advanced]).await.map(drop)
    }
}
