use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Unfinished;
use crate::sql::{Connection, values};
use crate::{CampaignId, Error, Moment, OwnerId, Position, Store};

/// The form of a dump.
pub(super) const VERSION: u32 = 1;
/// How many entries are read at once.
const PAGE: u32 = 2_000;

/// A line of a dump. Votes and corrections are not there: the log says them. Snapshots can be computed again, and leases end.
#[derive(Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub(super) enum Line {
    Head { version: u32 },
    Owner { id: OwnerId, name: String, password_hash: String, created: Moment },
    Campaign { id: CampaignId, owner: Option<OwnerId>, name: String, created: Moment },
    Entry { campaign: CampaignId, position: Position, at: Moment, actor: String, body: serde_json::Value },
    Credential(Credential),
    End { lines: u64 },
}

#[derive(Serialize, Deserialize)]
pub(super) struct Credential {
    pub(super) id: Uuid,
    pub(super) hash: Vec<u8>,
    pub(super) purpose: String,
    pub(super) owner: Option<OwnerId>,
    pub(super) campaign: Option<CampaignId>,
    pub(super) label: String,
    pub(super) created: Moment,
    pub(super) until: Option<Moment>,
    pub(super) revoked: Option<Moment>,
}

impl Store {
    /// Writes all owners, campaigns, logs and credentials to a new file, one JSON object a line, as of one moment. The file
    /// appears when it is complete and on disk.
    ///
    /// # Errors
    /// [`Error::File`] if the file exists or cannot be written.
    pub async fn dump(&self, to: &Path) -> Result<(), Error> {
        let unfinished = Unfinished::new(to)?;
        let file = File::create_new(&unfinished.path).map_err(|error| Error::file(to, error))?;
        let out = Out { file: BufWriter::new(file), path: to.display().to_string(), lines: 0 };
        self.read_at_one_moment(move |db| Box::pin(write(db, out))).await?;
        unfinished.finish()
    }
}

struct Out {
    file: BufWriter<File>,
    path: String,
    lines: u64,
}

impl Out {
    fn line(&mut self, line: &Line) -> Result<(), Error> {
        let mut text = serde_json::to_string(line).map_err(|error| Error::damaged(error.to_string()))?;
        text.push('\n');
        self.lines += 1;
        self.file.write_all(text.as_bytes()).map_err(|error| Error::file(Path::new(&self.path), error))
    }

    fn end(mut self) -> Result<(), Error> {
        let lines = self.lines;
        self.line(&Line::End { lines })?;
        self.file.flush().map_err(|error| Error::file(Path::new(&self.path), error))
    }
}

async fn write(db: &mut Connection, mut out: Out) -> Result<(), Error> {
    out.line(&Line::Head { version: VERSION })?;
    for row in db.rows("SELECT id, name, password_hash, created FROM owners ORDER BY id", &[]).await? {
        out.line(&Line::Owner {
            id: OwnerId(row.get(0)?),
            name: row.get(1)?,
            password_hash: row.get(2)?,
            created: Moment(row.get(3)?),
        })?;
    }
    for row in db.rows("SELECT id, owner, name, created FROM campaigns ORDER BY id", &[]).await? {
        let id = CampaignId(row.get(0)?);
        let owner = row.get::<Option<_>>(1)?.map(OwnerId);
        out.line(&Line::Campaign { id, owner, name: row.get(2)?, created: Moment(row.get(3)?) })?;
        write_log(db, &mut out, id).await?;
    }
    write_credentials(db, &mut out).await?;
    out.end()
}

async fn write_log(db: &mut Connection, out: &mut Out, campaign: CampaignId) -> Result<(), Error> {
    let sql = "SELECT position, at, actor, body FROM log WHERE campaign = $1 AND position > $2
               ORDER BY position LIMIT $3";
    let mut done = Position::START;
    loop {
        let rows = db.rows(sql, values![campaign, done, PAGE]).await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in rows {
            let position = Position(row.get(0)?);
            let body = serde_json::from_str(&row.get::<String>(3)?)
                .map_err(|error| Error::damaged(format!("entry {position} cannot be read ({error})")))?;
            let (at, actor) = (Moment(row.get(1)?), row.get(2)?);
            out.line(&Line::Entry { campaign, position, at, actor, body })?;
            done = position;
        }
    }
}

async fn write_credentials(db: &mut Connection, out: &mut Out) -> Result<(), Error> {
    let sql = "SELECT id, hash, purpose, owner, campaign, label, created, until, revoked
               FROM credentials ORDER BY id";
    for row in db.rows(sql, &[]).await? {
        out.line(&Line::Credential(Credential {
            id: row.get(0)?,
            hash: row.get(1)?,
            purpose: row.get(2)?,
            owner: row.get::<Option<_>>(3)?.map(OwnerId),
            campaign: row.get::<Option<_>>(4)?.map(CampaignId),
            label: row.get(5)?,
            created: Moment(row.get(6)?),
            until: row.get::<Option<i64>>(7)?.map(Moment),
            revoked: row.get::<Option<i64>>(8)?.map(Moment),
        }))?;
    }
    Ok(())
}
