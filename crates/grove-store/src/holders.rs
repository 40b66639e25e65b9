//! Which program runs a campaign's belief: one at a time.
//!
//! A program holds a belief for a limited time that it extends, or as a server for as long as it says that it is alive
//! ([`Store::announce`]). Time is that of the database where several machines share it. A program that slept, and does not know that
//! another has taken over, can do no harm: the epoch counts the holders, and [`Store::advance`] checks it in the transaction that
//! writes.

use std::time::Duration;

use crate::log::LogWriter;
use crate::sql::{Connection, record, values};
use crate::write_queue::transaction;
use crate::{Actor, CampaignId, Error, HolderId, Moment, Result, Store};

/// Nobody asks for longer. What ends later was taken while the clock was wrong, and would keep the belief from everybody else.
const LONGEST: Duration = Duration::from_secs(600);

/// A program that wants to run a campaign's belief.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The run of the program.
    pub holder: HolderId,
    /// The program's name for itself, for people to read.
    pub name: String,
    /// For how long, ten minutes at the most. A server that announces itself needs no time beyond that.
    pub term: Duration,
}

/// Which program runs a campaign's belief.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holding {
    /// The run of the program.
    pub holder: HolderId,
    /// The program's name for itself, for people to read.
    pub name: String,
    /// When it expires, unless it is extended or the holder is a server that is alive.
    pub until: Moment,
    /// How often the belief has changed hands.
    pub epoch: i64,
}

impl Store {
    /// Takes or keeps a campaign's belief, and returns who holds it now: the caller, unless another's holding has not expired. `now` is the
    /// caller's time, which counts with SQLite only.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], [`Error::NewerSchema`].
    pub async fn hold_belief(&self, campaign: CampaignId, claim: Claim, now: Moment) -> Result<Holding> {
        transaction!(self, campaign.0, |db| {
            // The lock of the log: a holder cannot change while it writes.
            let db = LogWriter::lock(db, campaign, now, Actor::Grove).await?.db;
            let now = clock(db, now).await?;
            db.execute(
                "INSERT INTO holders (campaign, holder, name, until, epoch) VALUES ($1, $2, $3, $4, 1)
                 ON CONFLICT (campaign) DO UPDATE
                 SET holder = excluded.holder, name = excluded.name, until = excluded.until,
                     epoch = holders.epoch + CASE WHEN holders.holder = excluded.holder THEN 0 ELSE 1 END
                 WHERE holders.holder = excluded.holder OR (holders.until <= $5 OR holders.until > $6) AND NOT EXISTS
                     (SELECT 1 FROM servers WHERE servers.id = holders.holder AND servers.until > $5)",
                values![campaign, claim.holder, claim.name, now.plus(claim.term.min(LONGEST)), now, now.plus(LONGEST)],
            )
            .await?;
            let holding = db.select_first("WHERE campaign = $1", values![campaign]).await?;
            holding.ok_or_else(|| Error::damaged("a holder vanished"))
        })
    }

    /// Releases a campaign's belief, so that another program can take it at once. Does nothing if another holds it.
    pub async fn release_belief(&self, campaign: CampaignId, holder: HolderId) -> Result<()> {
        transaction!(self, campaign.0, |db| {
            // Not deleted: the epoch continues.
            let sql = "UPDATE holders SET holder = $3, until = 0 WHERE campaign = $1 AND holder = $2";
            db.execute(sql, values![campaign, holder, HolderId::NOBODY]).await.map(drop)
        })?;
        self.0.changes.note(campaign);
        Ok(())
    }
}

/// The time by the database's own clock, where several machines share it; otherwise the caller's.
async fn clock(db: &mut Connection, callers: Moment) -> Result<Moment> {
    let Connection::Postgres(_) = db else { return Ok(callers) };
    let row = db.first("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", &[]).await?;
    row.map(|(now,)| now).ok_or_else(|| Error::damaged("the database did not return the time"))
}

record!(Holding from holders: holder, name, until, epoch);
