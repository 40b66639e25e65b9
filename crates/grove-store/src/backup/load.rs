use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use uuid::Uuid;

use super::dump::{CredentialLine, Line, VERSION};
use crate::credentials::{self, Credential, Purpose};
use crate::keys::Key;
use crate::replay::Replay;
use crate::sql::{Connection, Value, values};
use crate::write_queue::transaction;
use crate::{CampaignId, Entry, Error, Event, Result, Store, StoredVote, SubmittedVote, log, members, votes};

/// How many entries are written at once.
const PAGE: usize = 256;

impl Store {
    /// Reads a dump into a new store, all of it or nothing.
    pub(super) async fn load(&self, from: &Path) -> Result<()> {
        let from = from.to_owned();
        transaction!(self, Uuid::nil(), |db| { load(db, &from).await })
    }
}

async fn load(db: &mut Connection, path: &Path) -> Result<()> {
    if db.exists("SELECT id FROM owners UNION ALL SELECT id FROM campaigns LIMIT 1", &[]).await? {
        return Err(Error::StillNeeded(
            "a dump can only be restored to a new database; this one is not empty",
        ));
    }
    let file = File::open(path).map_err(|error| Error::file(path, error))?;
    let (mut lines, mut is_complete) = (0, false);
    let mut loader = Loader::default();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|error| Error::file(path, error))?;
        let line: Line = serde_json::from_str(&line)
            .map_err(|error| Error::damaged(format!("line {} of the dump: {error}", lines + 1)))?;
        match line {
            Line::Head { version } if version > VERSION => {
                let problem = "was written by a newer version of Grove; install that version";
                return Err(Error::file(path, problem));
            }
            Line::End { lines: expected } => is_complete = expected == lines,
            line => loader.read(db, line).await?,
        }
        lines += 1;
    }
    if !is_complete {
        return Err(Error::damaged("the dump is incomplete"));
    }
    loader.finish_campaign(db).await
}

/// The campaign whose entries are being read. They follow their campaign in the dump.
#[derive(Default)]
struct Loader {
    campaign: Option<CampaignId>,
    replay: Replay,
    entries: Vec<Vec<Value>>,
}

impl Loader {
    async fn read(&mut self, db: &mut Connection, line: Line) -> Result<()> {
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
                let (event, actor) = (Event::from_json(&body.to_string()), actor.parse()?);
                let event = event.map_err(|error| Error::damaged(error.to_string()))?;
                // Serialized again, so that the same event has the same text in every database.
                self.entries.push(log::row(campaign, position, at, &actor, &event));
                self.replay.read(Entry { position, at, actor, event });
                if self.entries.len() >= PAGE { self.write_entries(db).await } else { Ok(()) }
            }
            Line::Credential(line) => {
                let CredentialLine { id, hash, purpose, owner, campaign, label, created, until, revoked } =
                    line;
                let purpose = Purpose::from_columns(&purpose, owner, campaign)?;
                let credential = Credential { id, purpose, label, created, until, revoked };
                credentials::insert(db, credential, hash).await
            }
            Line::Member(member) => members::insert(db, member).await,
            Line::Panel(panel) => db.insert_new(panel).await,
            Line::PanelPerson(person) => db.insert_new(person).await,
            Line::Submission(submission) => db.insert(submission).await.map(drop),
            Line::Bonus(bonus) => db.insert_new(bonus).await,
            Line::ModelCall(call) => crate::crowd::insert_call(db, call).await,
            Line::LinkLimits(limits) => db.insert_new(limits).await,
            Line::Key(Key { name, key }) => {
                let sql = "INSERT INTO keys (name, key) VALUES ($1, $2)";
                db.execute(sql, values![name, key]).await.map(drop)
            }
            Line::Head { .. } | Line::End { .. } => Ok(()),
        }
    }

    async fn write_entries(&mut self, db: &mut Connection) -> Result<()> {
        db.execute_rows(log::INSERT, &std::mem::take(&mut self.entries), "").await.map(drop)
    }

    /// Writes the tables of votes and corrections from the log.
    async fn finish_campaign(&mut self, db: &mut Connection) -> Result<()> {
        self.write_entries(db).await?;
        let replay = std::mem::take(&mut self.replay);
        let standing = replay.standing();
        let Some(campaign) = self.campaign.take() else { return Ok(()) };
        if let Some(problem) = replay.problems.into_iter().next() {
            return Err(Error::damaged(problem));
        }
        let votes = replay.votes.into_values().map(|stored| {
            let StoredVote { id, response, took_ms, link, position, withdrawn } = stored;
            let mut row = votes::row(campaign, &SubmittedVote { id, response, took_ms, link }, position);
            row.push(Value::from(withdrawn));
            row
        });
        let sql = "INSERT INTO votes (campaign, vote, worker, screen, link, position, withdrawn) ";
        db.execute_rows(sql, &votes.collect::<Vec<_>>(), "").await?;
        let correction = |(id, (made, undone))| values![campaign, id, made, undone].to_vec();
        let corrections: Vec<_> = replay.corrections.into_iter().map(correction).collect();
        let sql = "INSERT INTO corrections (campaign, correction, position, taken_back) ";
        db.execute_rows(sql, &corrections, "").await?;
        let sql = "UPDATE campaigns SET head = $2, concepts = $3, advanced = $4, votes = $5 WHERE id = $1";
        db.execute(sql, values![campaign, replay.last, replay.concepts, replay.advanced, standing])
            .await
            .map(drop)
    }
}
