//! The servers that share a database, and whether they are alive, by the clock of the database.

use std::time::Duration;

use crate::sql::values;
use crate::{Error, HolderId, Moment, Result, Store};

/// What a server learns from its heartbeat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Presence {
    /// The time by the clock of the database.
    pub now: Moment,
    /// The others that are alive.
    pub others: Vec<HolderId>,
    /// Whether it counted as alive until now. If not, what it held may be another's by now.
    pub was_alive: bool,
}

/// How long servers that are gone are kept.
const GONE: Duration = Duration::from_secs(60);

impl Store {
    /// Whether several servers can share the database.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.0.beats.is_some()
    }

    /// Records the heartbeat of a server, which counts as alive for some time. As long as it does, it keeps what it holds.
    ///
    /// # Errors
    /// [`Error::Closed`] for a database that cannot be shared.
    pub async fn announce(&self, server: HolderId, name: &str, term: Duration) -> Result<Presence> {
        // All parts see the table as it was before.
        let sql = "WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now),
                        alive AS (INSERT INTO servers (id, name, until) SELECT $1, $2, now + $3 FROM clock
                                  ON CONFLICT (id) DO UPDATE SET until = excluded.until),
                        gone AS (DELETE FROM servers WHERE id <> $1 AND until < (SELECT now FROM clock) - $4)
                   SELECT now, id FROM clock LEFT JOIN servers ON until > now";
        let (term, gone) = (micros(term), micros(GONE));
        let mut db = self.0.beats.as_ref().ok_or(Error::Closed)?.connection().await?;
        let rows: Vec<(Moment, Option<HolderId>)> = db.all(sql, values![server, name, term, gone]).await?;
        let now = rows
            .first()
            .map(|&(now, _)| now)
            .ok_or_else(|| Error::damaged("the database did not return the time"))?;
        let mut others: Vec<HolderId> = rows.into_iter().filter_map(|(_, id)| id).collect();
        let all = others.len();
        others.retain(|other| *other != server);
        self.0.changes.set_others(!others.is_empty());
        Ok(Presence { now, was_alive: others.len() < all, others })
    }

    /// Records that a server is gone, and releases all that it holds.
    pub async fn leave(&self, server: HolderId) -> Result<()> {
        let Some(beats) = &self.0.beats else { return Ok(()) };
        let mut db = beats.connection().await?;
        db.execute("DELETE FROM servers WHERE id = $1", values![server]).await?;
        let sql = "UPDATE holders SET holder = $2, until = 0 WHERE holder = $1";
        db.execute(sql, values![server, HolderId::NOBODY]).await.map(drop)
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
