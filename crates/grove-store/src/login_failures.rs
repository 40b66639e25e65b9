//! Failed logins, counted in the database: several servers that share it give no more guesses than one.
//!
//! A guess is counted before the password is checked and taken back if it was right, so that guesses sent at the same time cannot all pass before the
//! first of them has failed.

use std::time::Duration;

use uuid::Uuid;

use crate::sql::{Connection, values};
use crate::write_queue::transaction;
use crate::{Moment, OwnerId, Result, SecretHash, Store};

/// The most failures kept for names that no account has. Beyond it the oldest are forgotten: whoever makes up names cannot fill the disk.
const MAX_UNKNOWN_NAMES: u32 = 100_000;

/// Whose guesses are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GuessKind {
    /// All guesses from one address.
    Address,
    /// All guesses at one account, by the name that was typed.
    Name,
    /// The guesses of a device on which the owner had logged in before.
    Device,
    /// Guesses at the old password by somebody who is logged in and wants to change it.
    Password,
}

impl GuessKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Name => "name",
            Self::Device => "device",
            Self::Password => "password",
        }
    }
}

/// A limit on wrong guesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuessLimit {
    /// Whose guesses are counted.
    pub kind: GuessKind,
    /// A hash of what names them: the address, the name, the device.
    pub subject: SecretHash,
    /// The account that they are about, if it exists.
    pub owner: Option<OwnerId>,
    /// The most failures within the period, which begins with the first of them.
    pub most: u32,
    /// The period.
    pub period: Duration,
}

impl GuessLimit {
    /// When failures counted now are forgotten.
    fn until(&self, now: Moment) -> Moment {
        now.plus(self.period)
    }

    /// Failures that end later than this were counted while the clock was wrong. One more period is tolerated: guesses that
    /// wait are counted out of order, and the clocks of servers differ.
    fn latest(&self, now: Moment) -> Moment {
        self.until(now).plus(self.period)
    }
}

impl Store {
    /// Returns when the next guess is possible, if one of the limits is reached. Counts nothing.
    pub async fn next_guess(&self, limits: &[GuessLimit], now: Moment) -> Result<Option<Moment>> {
        let mut db = self.reader().await?;
        for limit in limits {
            let reached = reached(&mut db, limit, now).await?;
            if reached.is_some() {
                return Ok(reached);
            }
        }
        Ok(None)
    }

    /// Counts a guess as a failure under all the limits. If one of them is reached, counts nothing and returns when the next guess is
    /// possible.
    pub async fn count_guess(&self, limits: Vec<GuessLimit>, now: Moment) -> Result<Option<Moment>> {
        transaction!(self, key(&limits), |db| {
            for limit in &limits {
                let reached = reached(db, limit, now).await?;
                if reached.is_some() {
                    return Ok(reached);
                }
            }
            // Another server may have counted in between; each statement checks again, and one that changes nothing undoes the others.
            for (at, limit) in limits.iter().enumerate() {
                if !count(db, limit, now).await? {
                    for counted in &limits[..at] {
                        take_back(db, counted).await?;
                    }
                    return Ok(Some(limit.until(now)));
                }
            }
            Ok(None)
        })
    }

    /// Takes a guess back that was counted and was right.
    pub async fn take_back_guess(&self, limits: Vec<GuessLimit>) -> Result<()> {
        transaction!(self, key(&limits), |db| {
            for limit in &limits {
                take_back(db, limit).await?;
            }
            Ok(())
        })
    }

    /// Forgets all failures on an account and on its devices.
    pub async fn unlock(&self, owner: OwnerId) -> Result<()> {
        transaction!(self, owner.0, |db| { forget_all_of(db, owner).await })
    }

    /// Deletes the failures whose period is over, and the oldest of names that no account has if they are very many.
    pub async fn forget_old_guesses(&self, now: Moment) -> Result<()> {
        transaction!(self, Uuid::nil(), |db| {
            // Rows that another server is counting in are left for the next time: to wait for them could be a deadlock.
            let old = db.either(
                "DELETE FROM login_failures WHERE until <= $1",
                "DELETE FROM login_failures WHERE (kind, subject) IN
                   (SELECT kind, subject FROM login_failures WHERE until <= $1 FOR UPDATE SKIP LOCKED)",
            );
            db.execute(old, values![now]).await?;
            let excess = db.either(
                "DELETE FROM login_failures WHERE (kind, subject) IN
                   (SELECT kind, subject FROM login_failures WHERE kind = 'name' AND owner IS NULL
                    ORDER BY until DESC LIMIT -1 OFFSET $1)",
                "DELETE FROM login_failures WHERE (kind, subject) IN
                   (SELECT kind, subject FROM login_failures WHERE kind = 'name' AND owner IS NULL
                    ORDER BY until DESC OFFSET $1 FOR UPDATE SKIP LOCKED)",
            );
            db.execute(excess, values![MAX_UNKNOWN_NAMES]).await.map(drop)
        })
    }
}

pub(crate) async fn forget_all_of(db: &mut Connection, owner: OwnerId) -> Result<()> {
    db.execute("DELETE FROM login_failures WHERE owner = $1", values![owner]).await.map(drop)
}

/// Guesses with the same limits share a transaction and others do not: each transaction of PostgreSQL then locks its rows in the order of
/// the limits, and two servers cannot deadlock.
fn key(limits: &[GuessLimit]) -> Uuid {
    let mut bytes = [0; 16];
    for limit in limits {
        bytes.iter_mut().zip(limit.subject).for_each(|(byte, other)| *byte ^= other);
    }
    Uuid::from_bytes(bytes)
}

/// A row no longer counts if its period is over; if it ends too late, since then the clock was wrong; and if
/// an account of that name was made since.
async fn reached(db: &mut Connection, limit: &GuessLimit, now: Moment) -> Result<Option<Moment>> {
    let sql = "SELECT until FROM login_failures WHERE kind = $1 AND subject = $2 AND failures >= $3
               AND until > $4 AND until <= $5 AND owner IS NOT DISTINCT FROM $6";
    let subject = limit.subject.to_vec();
    let values = values![limit.kind.as_str(), subject, limit.most, now, limit.latest(now), limit.owner];
    Ok(db.first(sql, values).await?.map(|(until,)| until))
}

/// Counts one failure, and returns whether the limit allowed it.
async fn count(db: &mut Connection, limit: &GuessLimit, now: Moment) -> Result<bool> {
    let sql = "INSERT INTO login_failures (kind, subject, owner, failures, until) VALUES ($1, $2, $3, 1, $4)
               ON CONFLICT (kind, subject) DO UPDATE SET owner = excluded.owner,
                 failures = CASE WHEN login_failures.until > $5 AND login_failures.until <= $7
                   AND login_failures.owner IS NOT DISTINCT FROM excluded.owner
                   THEN login_failures.failures + 1 ELSE 1 END,
                 until = CASE WHEN login_failures.until > $5 AND login_failures.until <= $7
                   AND login_failures.owner IS NOT DISTINCT FROM excluded.owner
                   THEN login_failures.until ELSE excluded.until END
               WHERE login_failures.failures < $6 OR login_failures.until <= $5 OR login_failures.until > $7
                 OR login_failures.owner IS DISTINCT FROM excluded.owner";
    let (subject, latest) = (limit.subject.to_vec(), limit.latest(now));
    let values =
        values![limit.kind.as_str(), subject, limit.owner, limit.until(now), now, limit.most, latest];
    Ok(db.execute(sql, values).await? == 1)
}

async fn take_back(db: &mut Connection, limit: &GuessLimit) -> Result<()> {
    let sql =
        "UPDATE login_failures SET failures = failures - 1 WHERE kind = $1 AND subject = $2 AND failures > 0";
    db.execute(sql, values![limit.kind.as_str(), limit.subject.to_vec()]).await.map(drop)
}
