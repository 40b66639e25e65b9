use std::collections::HashMap;

use uuid::Uuid;

use super::Book;
use super::desk::{Reply, Request, fulfil};
use crate::sql::{Connection, Pool, values};
use crate::{CampaignId, Error};

/// Books of which several servers may each have a copy.
///
/// A book is a row, and every change gives it another stamp. The desk decides by its copy; what it has decided stands if the row still has the copy's stamp, and is
/// then written in the same statement. If not, another server was faster: the row is read, and all is decided anew. So quotas, which are about
/// all leases of a question, hold for all servers together, at the cost of one statement, and no lock is held while votes are counted.
pub(crate) struct Table {
    /// One connection: the desk does one thing after the other.
    pool: Pool,
    copies: HashMap<CampaignId, Copy>,
}

/// A book as it was last read or written. Without a row there is no stamp, and there are no leases.
#[derive(Clone, Default)]
struct Copy {
    stamp: Option<Uuid>,
    book: Book,
}

impl Table {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool, copies: HashMap::new() }
    }

    pub(super) async fn serve(
        &mut self,
        campaign: CampaignId,
        requests: &[Request],
    ) -> Result<Vec<Reply>, Error> {
        let mut db = self.pool.connection().await?;
        let mut replies = self.serve_by(&mut db, campaign, requests).await;
        if let Err(Error::Unreachable(_)) = replies {
            // The connection may have died since it was used last. If a lease was written before it died, it ends by itself.
            db.discard();
            db = self.pool.connection().await?;
            replies = self.serve_by(&mut db, campaign, requests).await;
        }
        if replies.is_err() {
            db.discard();
        }
        replies
    }

    async fn serve_by(
        &mut self,
        db: &mut Connection,
        campaign: CampaignId,
        requests: &[Request],
    ) -> Result<Vec<Reply>, Error> {
        // Taken out, so that after an error the row is read again.
        let mut copy = self.copies.remove(&campaign).unwrap_or_default();
        loop {
            let mut book = copy.book.clone();
            let replies = fulfil(&mut book, Some(&mut *db), campaign, requests).await?;
            let Some(confirmed) = copy.turn_into(book, db, campaign).await? else {
                copy = Copy::read(db, campaign).await?;
                continue;
            };
            if requests.iter().any(|request| matches!(request, Request::EndAll)) {
                db.execute("DELETE FROM lease_books WHERE campaign = $1", values![campaign]).await?;
            } else {
                self.copies.insert(campaign, confirmed);
            }
            return Ok(replies);
        }
    }
}

impl Copy {
    async fn read(db: &mut Connection, campaign: CampaignId) -> Result<Self, Error> {
        let sql = "SELECT stamp, book FROM lease_books WHERE campaign = $1";
        let Some(row) = db.row(sql, values![campaign]).await? else { return Ok(Self::default()) };
        Ok(Self { stamp: Some(row.get(0)?), book: Book::from_json(&row.get::<String>(1)?)? })
    }

    /// Replaces the book, unless somebody else has done so since it was copied.
    async fn turn_into(
        &self,
        book: Book,
        db: &mut Connection,
        campaign: CampaignId,
    ) -> Result<Option<Self>, Error> {
        if book == self.book {
            let sql = "SELECT stamp FROM lease_books WHERE campaign = $1";
            let row = db.row(sql, values![campaign]).await?;
            let stamp = row.map(|row| row.get(0)).transpose()?;
            return Ok((stamp == self.stamp).then(|| self.clone()));
        }
        let sql = "INSERT INTO lease_books (campaign, stamp, book) VALUES ($1, $3, $4)
                   ON CONFLICT (campaign) DO UPDATE SET stamp = excluded.stamp, book = excluded.book
                   WHERE lease_books.stamp = $2";
        let stamp = Some(Uuid::now_v7());
        let written = db.execute(sql, values![campaign, self.stamp, stamp, book.to_json()]).await?;
        Ok((written == 1).then_some(Self { stamp, book }))
    }
}
