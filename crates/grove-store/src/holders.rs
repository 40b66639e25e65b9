//! Which program runs a campaign's belief: one at a time, for a limited time that it extends.
//!
//! If the clocks of two machines disagree, a take-over can be early or late and nothing worse: [`Store::advance`] checks, in the
//! same transaction, that the holder is still the holder.

use crate::log::LogWriter;
use crate::sql::{record, values};
use crate::write_queue::transaction;
use crate::{Actor, CampaignId, Error, HolderId, Moment, Result, Store};

/// Which program runs a campaign's belief, and until when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holding {
    /// The run of the program.
    pub holder: HolderId,
    /// The program's name for itself, for people to read.
    pub name: String,
    /// When it expires unless it is extended.
    pub until: Moment,
}

impl Store {
    /// Takes or keeps a campaign's belief, and returns who holds it now: the caller, unless another's holding has not expired.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], [`Error::EndsBeforeItBegins`], [`Error::NewerSchema`].
    pub async fn hold_belief(&self, campaign: CampaignId, wanted: Holding, now: Moment) -> Result<Holding> {
        if wanted.until <= now {
            return Err(Error::EndsBeforeItBegins { now, until: wanted.until });
        }
        transaction!(self, campaign.0, |db| {
            // The lock of the log: a holder cannot change while it writes.
            let db = LogWriter::lock(db, campaign, now, Actor::Grove).await?.db;
            db.execute(
                "INSERT INTO holders (campaign, holder, name, until) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (campaign) DO UPDATE
                 SET holder = excluded.holder, name = excluded.name, until = excluded.until
                 WHERE holders.holder = excluded.holder OR holders.until <= $5",
                values![campaign, wanted.holder, wanted.name, wanted.until, now],
            )
            .await?;
            let holding = db.select_first("WHERE campaign = $1", values![campaign]).await?;
            holding.ok_or_else(|| Error::damaged("a holder vanished"))
        })
    }

    /// Releases a campaign's belief, so that another program can take it at once. Does nothing if another holds it.
    pub async fn release_belief(&self, campaign: CampaignId, holder: HolderId) -> Result<()> {
        transaction!(self, campaign.0, |db| {
            let sql = "DELETE FROM holders WHERE campaign = $1 AND holder = $2";
            db.execute(sql, values![campaign, holder]).await.map(drop)
        })
    }
}

record!(Holding from holders: holder, name, until);
