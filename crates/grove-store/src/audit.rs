//! Who logged in, who tried to, and what was done to accounts.

use uuid::Uuid;

use crate::sql::{record, values};
use crate::write_queue::transaction;
use crate::{Moment, OwnerId, Result, Store};

/// Something that happened to an account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditEntry {
    /// When it happened.
    pub at: Moment,
    /// The account; none for a name that nobody has.
    pub owner: Option<OwnerId>,
    /// What happened, in words that programs can rely on: `logged in`, `login failed` ...
    pub action: String,
    /// The address that it came from; empty for the command line.
    pub address: String,
}

impl Store {
    /// Records what happened to an account.
    pub async fn record_audit(&self, entry: AuditEntry) -> Result<()> {
        let id = Uuid::now_v7();
        transaction!(self, id, |db| {
            let sql = "INSERT INTO audit (id, at, owner, action, address) VALUES ($1, $2, $3, $4, $5)";
            let AuditEntry { at, owner, action, address } = entry;
            db.execute(sql, values![id, at, owner, action, address]).await.map(drop)
        })
    }

    /// Returns the last entries about one account or all of them, the newest first.
    pub async fn audit(&self, owner: Option<OwnerId>, limit: u32) -> Result<Vec<AuditEntry>> {
        let mut db = self.reader().await?;
        match owner {
            Some(owner) => {
                db.select("WHERE owner = $1 ORDER BY id DESC LIMIT $2", values![owner, limit]).await
            }
            None => db.select("ORDER BY id DESC LIMIT $1", values![limit]).await,
        }
    }

    /// Deletes the entries from before a moment.
    pub async fn forget_audit(&self, before: Moment) -> Result<()> {
        transaction!(self, Uuid::nil(), |db| {
            db.execute("DELETE FROM audit WHERE at < $1", values![before]).await.map(drop)
        })
    }
}

record!(AuditEntry from audit: at, owner, action, address);
