use std::collections::HashMap;

use uuid::Uuid;

use super::service::{Request, handle};
use super::{Lease, LeaseTable};
use crate::sql::{Connection, Pool, values};
use crate::{CampaignId, Error, Result};

/// Leases that several servers share.
///
/// The leases of a campaign are one row, and every change gives it a new stamp. Requests are decided on a cached copy; the decision holds
/// if the row still has the copy's stamp, and is then written by the same statement. Otherwise another server was faster: the row is read
/// again and all is decided anew. So quotas, which concern all leases of a screen, hold for all servers together, at the cost of
/// one statement, and no lock is held while votes are counted.
pub(crate) struct SharedLeases {
    /// One connection: requests are handled one after the other.
    pool: Pool,
    cache: HashMap<CampaignId, CachedLeases>,
}

/// Leases as last read or written. Without a row there is no stamp, and there are no leases.
#[derive(Clone, Default)]
struct CachedLeases {
    stamp: Option<Uuid>,
    table: LeaseTable,
}

impl SharedLeases {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool, cache: HashMap::new() }
    }

    pub(super) async fn handle(
        &mut self,
        campaign: CampaignId,
        requests: &[Request],
    ) -> Result<Vec<Vec<Lease>>> {
        let mut db = self.pool.connection().await?;
        let mut replies = self.handle_on(&mut db, campaign, requests).await;
        if let Err(Error::Unreachable(_)) = replies {
            // The connection may have died since it was last used. If it died after writing a lease, that lease expires.
            db.discard();
            db = self.pool.connection().await?;
            replies = self.handle_on(&mut db, campaign, requests).await;
        }
        if replies.is_err() {
            db.discard();
        }
        replies
    }

    async fn handle_on(
        &mut self,
        db: &mut Connection,
        campaign: CampaignId,
        requests: &[Request],
    ) -> Result<Vec<Vec<Lease>>> {
        // Removed, so that after an error the row is read again.
        let mut cached = self.cache.remove(&campaign).unwrap_or_default();
        loop {
            let mut table = cached.table.clone();
            let replies = handle(&mut table, Some(&mut *db), campaign, requests).await?;
            let Some(written) = cached.replace(table, db, campaign).await? else {
                cached = CachedLeases::read(db, campaign).await?;
                continue;
            };
            if requests.iter().any(|request| matches!(request, Request::EndAll)) {
                db.execute("DELETE FROM lease_books WHERE campaign = $1", values![campaign]).await?;
            } else {
                self.cache.insert(campaign, written);
            }
            return Ok(replies);
        }
    }
}

impl CachedLeases {
    async fn read(db: &mut Connection, campaign: CampaignId) -> Result<Self> {
        let sql = "SELECT stamp, book FROM lease_books WHERE campaign = $1";
        let row: Option<(_, String)> = db.first(sql, values![campaign]).await?;
        let Some((stamp, table)) = row else { return Ok(Self::default()) };
        Ok(Self { stamp: Some(stamp), table: LeaseTable::from_json(&table) })
    }

    /// Replaces the row and returns what is written, or `None` if another server has replaced it since it was cached.
    async fn replace(
        &self,
        table: LeaseTable,
        db: &mut Connection,
        campaign: CampaignId,
    ) -> Result<Option<Self>> {
        if table == self.table {
            let sql = "SELECT stamp FROM lease_books WHERE campaign = $1";
            let stamp = db.first(sql, values![campaign]).await?.map(|(stamp,)| stamp);
            return Ok((stamp == self.stamp).then(|| self.clone()));
        }
        let sql = "INSERT INTO lease_books (campaign, stamp, book) VALUES ($1, $3, $4)
                   ON CONFLICT (campaign) DO UPDATE SET stamp = excluded.stamp, book = excluded.book
                   WHERE lease_books.stamp = $2";
        let stamp = Some(Uuid::now_v7());
        let written = db.execute(sql, values![campaign, self.stamp, stamp, table.to_json()]).await?;
        Ok((written == 1).then_some(Self { stamp, table }))
    }
}
