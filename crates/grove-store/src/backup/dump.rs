use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::NewFile;
use crate::keys::Key;
use crate::links::LimitRow;
use crate::sql::{Connection, record};
use crate::{
    Bonus, Campaign, CampaignId, CredentialId, Entry, Error, Member, ModelCall, Moment, Owner, OwnerId,
    Panel, PanelPerson, Position, Result, Store, StoredSubmission, log,
};

/// The version of the format. Since 2 there are credentials of devices, since 3 votes of any form, panels and models,
/// since 4 members, since 5 links of votes, their limits and keys, since 6 whether a study is paused with its campaign.
pub(super) const VERSION: u32 = 6;

/// A line of a dump. Votes and corrections are left out, since the log has them, and the sums of what models have used; so are snapshots and what
/// models' endpoints support, which can be found out again, leases, failed logins and webhooks.
#[derive(Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub(super) enum Line {
    Head { version: u32 },
    Owner { id: OwnerId, name: String, password_hash: String, created: Moment },
    Campaign { id: CampaignId, owner: Option<OwnerId>, name: String, created: Moment },
    Entry { campaign: CampaignId, position: Position, at: Moment, actor: String, body: serde_json::Value },
    Credential(CredentialLine),
    Member(Member),
    Panel(Panel),
    PanelPerson(PanelPerson),
    Submission(StoredSubmission),
    Bonus(Bonus),
    ModelCall(ModelCall),
    Key(Key),
    LinkLimits(LimitRow),
    End { lines: u64 },
}

#[derive(Serialize, Deserialize)]
pub(super) struct CredentialLine {
    pub(super) id: CredentialId,
    pub(super) hash: Vec<u8>,
    pub(super) purpose: String,
    pub(super) owner: Option<OwnerId>,
    pub(super) campaign: Option<CampaignId>,
    pub(super) label: String,
    pub(super) created: Moment,
    pub(super) until: Option<Moment>,
    pub(super) revoked: Option<Moment>,
}

record!(CredentialLine from credentials: id, hash, purpose, owner, campaign, label, created, until, revoked);

impl Store {
    /// Writes all owners, campaigns, logs and credentials to a new file, one JSON object per line, from a consistent snapshot. The file
    /// appears when it is complete and on disk.
    ///
    /// # Errors
    /// [`Error::File`] if the file exists or cannot be written.
    pub async fn dump(&self, to: &Path) -> Result<()> {
        let new_file = NewFile::new(to)?;
        let out = Out { file: BufWriter::new(new_file.create()?), path: to.to_owned(), lines: 0 };
        self.read_snapshot(move |db| Box::pin(write(db, out))).await?;
        new_file.finish()
    }
}

struct Out {
    file: BufWriter<File>,
    path: PathBuf,
    lines: u64,
}

impl Out {
    fn line(&mut self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_string(line).map_err(|error| Error::damaged(error.to_string()))?;
        text.push('\n');
        self.lines += 1;
        self.file.write_all(text.as_bytes()).map_err(|error| Error::file(&self.path, error))
    }
}

async fn write(db: &mut Connection, mut out: Out) -> Result<()> {
    out.line(&Line::Head { version: VERSION })?;
    for Owner { id, name, password_hash, created } in db.select("ORDER BY id", &[]).await? {
        out.line(&Line::Owner { id, name, password_hash, created })?;
    }
    for Campaign { id, owner, name, created, .. } in db.select("ORDER BY id", &[]).await? {
        out.line(&Line::Campaign { id, owner, name, created })?;
        log::for_each(db, id, |Entry { position, at, actor, event }| {
            let body =
                serde_json::from_str(&event.to_json()).map_err(|error| Error::damaged(error.to_string()))?;
            out.line(&Line::Entry { campaign: id, position, at, actor: actor.to_string(), body })
        })
        .await?;
    }
    for credential in db.select("ORDER BY id", &[]).await? {
        out.line(&Line::Credential(credential))?;
    }
    for member in db.select("ORDER BY campaign, owner", &[]).await? {
        out.line(&Line::Member(member))?;
    }
    for panel in db.select("ORDER BY id", &[]).await? {
        out.line(&Line::Panel(panel))?;
    }
    for person in db.select("ORDER BY panel, person", &[]).await? {
        out.line(&Line::PanelPerson(person))?;
    }
    for submission in db.select("ORDER BY submission, panel", &[]).await? {
        out.line(&Line::Submission(submission))?;
    }
    for bonus in db.select("ORDER BY id", &[]).await? {
        out.line(&Line::Bonus(bonus))?;
    }
    for call in db.select("ORDER BY id", &[]).await? {
        out.line(&Line::ModelCall(call))?;
    }
    for limits in db.select("ORDER BY link", &[]).await? {
        out.line(&Line::LinkLimits(limits))?;
    }
    for key in db.select("ORDER BY name", &[]).await? {
        out.line(&Line::Key(key))?;
    }
    let lines = out.lines;
    out.line(&Line::End { lines })?;
    out.file.flush().map_err(|error| Error::file(&out.path, error))
}
