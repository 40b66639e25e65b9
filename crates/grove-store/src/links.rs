//! Limits of invitation links, and what came through them.

use std::collections::BTreeSet;

use crate::sql::{Connection, values, whole_row};
use crate::write_queue::transaction;
use crate::{CampaignId, CredentialId, Error, Result, Store, WorkerId};

/// How much may come through a link. One for a single person has `most_workers` 1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkLimits {
    /// The most people.
    pub most_workers: Option<u32>,
    /// The most votes that are not withdrawn.
    pub most_votes: Option<u32>,
}

impl LinkLimits {
    /// Whether there is any limit.
    #[must_use]
    pub fn is_some(self) -> bool {
        self != Self::default()
    }
}

/// What came through a link.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkTally {
    /// People who have voted, also those who withdrew all their votes.
    pub workers: u32,
    /// Votes that were not withdrawn.
    pub votes: u32,
}

/// The limits of a link, as they are stored.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct LimitRow {
    link: CredentialId,
    most_workers: Option<u32>,
    most_votes: Option<u32>,
}

whole_row!(LimitRow of link_limits: link, most_workers, most_votes);

impl From<LimitRow> for LinkLimits {
    fn from(row: LimitRow) -> Self {
        Self { most_workers: row.most_workers, most_votes: row.most_votes }
    }
}

impl Store {
    /// Limits a new link. Limits do not change later, so that whoever has read them need not read them again.
    ///
    /// # Errors
    /// [`Error::Conflict`] if it has limits already.
    pub async fn limit_link(&self, link: CredentialId, limits: LinkLimits) -> Result<()> {
        transaction!(self, link.0, |db| {
            let LinkLimits { most_workers, most_votes } = limits;
            db.insert_new(LimitRow { link, most_workers, most_votes }).await
        })
    }

    /// Returns the limits of a link.
    pub async fn link_limits(&self, link: CredentialId) -> Result<LinkLimits> {
        Ok(limits(&mut self.reader().await?, link).await?.unwrap_or_default())
    }

    /// Returns what came through each link of a campaign; those through which nothing came are left out.
    pub async fn link_tallies(&self, campaign: CampaignId) -> Result<Vec<(CredentialId, LinkTally)>> {
        let sql = "SELECT link, count(DISTINCT worker), count(*) - count(withdrawn) FROM votes
                   WHERE campaign = $1 AND link IS NOT NULL GROUP BY link";
        let rows: Vec<(CredentialId, u32, u32)> = self.reader().await?.all(sql, values![campaign]).await?;
        Ok(rows.into_iter().map(|(link, workers, votes)| (link, LinkTally { workers, votes })).collect())
    }

    /// Whether a worker could cast another vote through a link. The transaction that stores a vote decides; this tells beforehand.
    pub async fn link_has_room(&self, link: CredentialId, worker: &WorkerId) -> Result<bool> {
        let mut db = self.reader().await?;
        let Some(limits) = limits(&mut db, link).await? else { return Ok(true) };
        let tally = tally(&mut db, link).await?;
        if limits.most_votes.is_some_and(|most| tally.votes >= most) {
            return Ok(false);
        }
        if limits.most_workers.is_none_or(|most| tally.workers < most) {
            return Ok(true);
        }
        let sql = "SELECT vote FROM votes WHERE link = $1 AND worker = $2 LIMIT 1";
        db.exists(sql, values![link, worker]).await
    }
}

async fn limits(db: &mut Connection, link: CredentialId) -> Result<Option<LinkLimits>> {
    let row: Option<LimitRow> = db.select_first("WHERE link = $1", values![link]).await?;
    Ok(row.map(LinkLimits::from))
}

async fn tally(db: &mut Connection, link: CredentialId) -> Result<LinkTally> {
    let sql = "SELECT count(DISTINCT worker), count(*) - count(withdrawn) FROM votes WHERE link = $1";
    let row = db.first(sql, values![link]).await?;
    Ok(row.map_or_else(LinkTally::default, |(workers, votes)| LinkTally { workers, votes }))
}

/// Fails if more came through one of these links than may: called when the votes are inserted, in the same transaction, under the campaign's lock.
pub(crate) async fn check(db: &mut Connection, links: BTreeSet<CredentialId>) -> Result<()> {
    for link in links {
        let Some(limits) = limits(db, link).await? else { continue };
        let tally = tally(db, link).await?;
        let is_over = |most: Option<u32>, count: u32| most.is_some_and(|most| count > most);
        if is_over(limits.most_workers, tally.workers) || is_over(limits.most_votes, tally.votes) {
            return Err(Error::LinkFull);
        }
    }
    Ok(())
}
