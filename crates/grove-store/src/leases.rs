//! Leases: who is being asked what.
//!
//! They are volatile. A lease that is lost, in a crash or by expiry, costs a question asked twice and never a vote. A late answer is an
//! answer: it is recorded like any other, and ends nobody else's lease.

use crate::sql::{Connection, Pool, Row, values};
use crate::votes;
use crate::{CampaignId, Error, Moment, Question, Store, WorkerId};

/// The right to answer a question, for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    /// Who may answer.
    pub worker: WorkerId,
    /// What.
    pub question: Question,
    /// Since when.
    pub taken: Moment,
    /// Until when; at that very moment it has ended.
    pub until: Moment,
}

/// How many workers may be asked the same question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quota {
    /// How many at the same time.
    pub at_once: u32,
    /// How many in all: leases and votes that count together. Only late answers can take the votes past it.
    pub in_all: Option<u32>,
}

impl Quota {
    /// One worker at a time, however often.
    pub const ONE_AT_A_TIME: Self = Self { at_once: 1, in_all: None };

    /// A bundle of `k` workers, who may answer at the same time.
    #[must_use]
    pub const fn bundle(k: u32) -> Self {
        Self { at_once: k, in_all: Some(k) }
    }
}

/// A worker's wish for a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wish {
    /// Who asks.
    pub worker: WorkerId,
    /// What could be asked, the best first.
    pub offers: Vec<Question>,
    /// How many may be asked the same.
    pub quota: Quota,
    /// When the lease begins.
    pub now: Moment,
    /// When it ends.
    pub until: Moment,
}

impl Store {
    /// Leases the first of the offers that the worker has neither answered nor leased, and whose quota is not full. `None` if there
    /// is no such.
    ///
    /// # Errors
    /// [`Error::EndsBeforeItBegins`].
    pub async fn take_lease(&self, campaign: CampaignId, wish: Wish) -> Result<Option<Lease>, Error> {
        if wish.until <= wish.now {
            return Err(Error::EndsBeforeItBegins { now: wish.now, until: wish.until });
        }
        let readers = self.readers().clone();
        self.write_leases(campaign.0, move |db| {
            Box::pin(async move {
                lock(db, campaign).await?;
                let sweep = "DELETE FROM leases WHERE campaign = $1 AND until <= $2";
                db.execute(sweep, values![campaign, wish.now]).await?;
                let held = leases(db, campaign, wish.now).await?;
                let Some(question) = first_free(&readers, campaign, &wish, &held).await? else {
                    return Ok(None);
                };
                insert(
                    db,
                    campaign,
                    Lease { worker: wish.worker, question, taken: wish.now, until: wish.until },
                )
                .await
                .map(Some)
            })
        })
        .await
    }

    /// All leases of a campaign that have not ended, the oldest first.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn leases(&self, campaign: CampaignId, now: Moment) -> Result<Vec<Lease>, Error> {
        leases(&mut self.lease_reader().await?, campaign, now).await
    }

    /// The leases of one worker that have not ended, the oldest first: what to show after a reload.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn leases_of(
        &self,
        campaign: CampaignId,
        worker: &WorkerId,
        now: Moment,
    ) -> Result<Vec<Lease>, Error> {
        let sql = "SELECT worker, kind, upper, lower, taken, until FROM leases
                   WHERE campaign = $1 AND worker = $2 AND until > $3 ORDER BY taken, kind, upper, lower";
        let rows = self.lease_reader().await?.rows(sql, values![campaign, worker, now]).await?;
        rows.iter().map(lease).collect()
    }

    /// Lets a lease that has not ended last until a later moment; whether there was one.
    ///
    /// # Errors
    /// [`Error::EndsBeforeItBegins`].
    pub async fn extend_lease(
        &self,
        campaign: CampaignId,
        worker: &WorkerId,
        question: Question,
        now: Moment,
        until: Moment,
    ) -> Result<bool, Error> {
        if until <= now {
            return Err(Error::EndsBeforeItBegins { now, until });
        }
        let worker = worker.clone();
        self.write_leases(campaign.0, move |db| {
            Box::pin(async move {
                lock(db, campaign).await?;
                let sql = "UPDATE leases SET until = $7 WHERE campaign = $1 AND worker = $2 AND kind = $3
                           AND upper = $4 AND lower = $5 AND until > $6";
                let Question { kind, upper, lower } = question;
                let values = values![campaign, &worker, kind.word(), upper, lower, now, until];
                Ok(db.execute(sql, values).await? == 1)
            })
        })
        .await
    }

    /// Ends a lease, so that the question is free again; whether there was one.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn end_lease(
        &self,
        campaign: CampaignId,
        worker: &WorkerId,
        question: Question,
    ) -> Result<bool, Error> {
        let worker = worker.clone();
        self.write_leases(campaign.0, move |db| {
            Box::pin(async move {
                lock(db, campaign).await?;
                let sql = "DELETE FROM leases WHERE campaign = $1 AND worker = $2 AND kind = $3
                           AND upper = $4 AND lower = $5";
                let Question { kind, upper, lower } = question;
                Ok(db.execute(sql, values![campaign, &worker, kind.word(), upper, lower]).await? == 1)
            })
        })
        .await
    }

    /// Ends all leases of a worker in a campaign.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn end_leases_of(&self, campaign: CampaignId, worker: &WorkerId) -> Result<(), Error> {
        let worker = worker.clone();
        self.write_leases(campaign.0, move |db| {
            Box::pin(async move {
                lock(db, campaign).await?;
                let sql = "DELETE FROM leases WHERE campaign = $1 AND worker = $2";
                db.execute(sql, values![campaign, &worker]).await.map(drop)
            })
        })
        .await
    }

    /// Ends all leases of a campaign.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn end_leases(&self, campaign: CampaignId) -> Result<(), Error> {
        self.write_leases(campaign.0, move |db| {
            Box::pin(async move {
                lock(db, campaign).await?;
                db.execute("DELETE FROM leases WHERE campaign = $1", values![campaign]).await.map(drop)
            })
        })
        .await
    }
}

/// Only one at a time leases questions of a campaign: a quota is about all of its leases, so rows alone are not enough to lock. (In
/// SQLite the lane is the lock.)
async fn lock(db: &mut Connection, campaign: CampaignId) -> Result<(), Error> {
    if let Connection::Postgres(_) = db {
        let (_, low) = campaign.0.as_u64_pair();
        db.execute("SELECT pg_advisory_xact_lock($1)", values![low.cast_signed()]).await?;
    }
    Ok(())
}

async fn leases(db: &mut Connection, campaign: CampaignId, now: Moment) -> Result<Vec<Lease>, Error> {
    let sql = "SELECT worker, kind, upper, lower, taken, until FROM leases
               WHERE campaign = $1 AND until > $2 ORDER BY taken, worker, kind, upper, lower";
    db.rows(sql, values![campaign, now]).await?.iter().map(lease).collect()
}

async fn insert(db: &mut Connection, campaign: CampaignId, lease: Lease) -> Result<Lease, Error> {
    let Question { kind, upper, lower } = lease.question;
    db.execute(
        "INSERT INTO leases (campaign, worker, kind, upper, lower, taken, until) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        values![campaign, &lease.worker, kind.word(), upper, lower, lease.taken, lease.until],
    )
    .await?;
    Ok(lease)
}

/// Leases are read first and votes second. A vote ends its lease after it is committed, so a lease that is gone has its
/// vote in sight, and no answer is missed between the two.
async fn first_free(
    readers: &Pool,
    campaign: CampaignId,
    wish: &Wish,
    held: &[Lease],
) -> Result<Option<Question>, Error> {
    let mut db = readers.connection().await?;
    for &question in &wish.offers {
        let holders = held.iter().filter(|lease| lease.question == question);
        let (mut leases, mut own) = (0_i64, false);
        for lease in holders {
            leases += 1;
            own |= lease.worker == wish.worker;
        }
        if own || leases >= i64::from(wish.quota.at_once) {
            continue;
        }
        let (votes, own) = votes_that_count(&mut db, campaign, question, &wish.worker).await?;
        let full = wish.quota.in_all.is_some_and(|in_all| leases + votes >= i64::from(in_all));
        if own == 0 && !full {
            return Ok(Some(question));
        }
    }
    Ok(None)
}

/// How many votes on the question count, and how many of them are the worker's.
async fn votes_that_count(
    db: &mut Connection,
    campaign: CampaignId,
    question: Question,
    worker: &WorkerId,
) -> Result<(i64, i64), Error> {
    let sql = "SELECT count(*), count(CASE WHEN worker = $5 THEN 1 END) FROM votes
               WHERE campaign = $1 AND kind = $2 AND upper = $3 AND lower = $4 AND withdrawn IS NULL";
    let Question { kind, upper, lower } = question;
    let row = db.row(sql, values![campaign, kind.word(), upper, lower, worker]).await?;
    let row = row.ok_or_else(|| Error::damaged("votes cannot be counted"))?;
    Ok((row.get(0)?, row.get(1)?))
}

fn lease(row: &Row) -> Result<Lease, Error> {
    Ok(Lease {
        worker: WorkerId::new(row.get::<String>(0)?)?,
        question: votes::question(row, 1)?,
        taken: Moment(row.get(4)?),
        until: Moment(row.get(5)?),
    })
}
