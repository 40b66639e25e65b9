use crate::postgres::PATIENCE;
use crate::sql::{record, values};
use crate::write_queue::transaction;
use crate::{CampaignId, Error, Moment, Position, Result, Store};

/// A cached result computed from a campaign's log. It can be deleted at any time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The last position of the log that was read for it.
    pub position: Position,
    /// When it was made.
    pub at: Moment,
    /// The content; the store does not read it.
    pub bytes: Vec<u8>,
}

impl Store {
    /// Saves a snapshot of a kind that the caller names, and deletes all but the newest `keep` of that kind. One at the same position
    /// is replaced.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`].
    pub async fn save_snapshot(
        &self,
        campaign: CampaignId,
        kind: &str,
        snapshot: Snapshot,
        keep: u32,
    ) -> Result<()> {
        let kind = kind.to_owned();
        transaction!(self, campaign.0, |db| {
            db.set_limit(PATIENCE);
            let sql = "SELECT id FROM campaigns WHERE id = $1";
            db.first::<()>(sql, values![campaign]).await?.ok_or(Error::UnknownCampaign(campaign))?;
            db.execute(
                "INSERT INTO snapshots (campaign, kind, position, at, bytes) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (campaign, kind, position) DO UPDATE SET at = excluded.at, bytes = excluded.bytes",
                values![campaign, kind.as_str(), snapshot.position, snapshot.at, snapshot.bytes],
            )
            .await?;
            let prune = "DELETE FROM snapshots WHERE campaign = $1 AND kind = $2 AND position NOT IN
                            (SELECT position FROM snapshots WHERE campaign = $1 AND kind = $2
                             ORDER BY position DESC LIMIT $3)";
            db.execute(prune, values![campaign, kind, keep]).await.map(drop)
        })?;
        self.0.changes.note(campaign);
        Ok(())
    }

    /// Returns the newest snapshot of a kind, or the newest that is not past a position.
    pub async fn newest_snapshot(
        &self,
        campaign: CampaignId,
        kind: &str,
        not_past: Option<Position>,
    ) -> Result<Option<Snapshot>> {
        let newest = "WHERE campaign = $1 AND kind = $2 AND position <= $3 ORDER BY position DESC LIMIT 1";
        let not_past = not_past.unwrap_or(Position(i64::MAX));
        let mut db = self.reader().await?;
        db.set_limit(PATIENCE);
        db.select_first(newest, values![campaign, kind, not_past]).await
    }

    /// Returns the newest snapshot of a kind, if it was made after another one that is known.
    pub async fn newer_snapshot(
        &self,
        campaign: CampaignId,
        kind: &str,
        known: (Position, Moment),
    ) -> Result<Option<Snapshot>> {
        let newer = "WHERE campaign = $1 AND kind = $2 AND (position > $3 OR position = $3 AND at > $4)
                     ORDER BY position DESC LIMIT 1";
        let mut db = self.reader().await?;
        db.set_limit(PATIENCE);
        db.select_first(newer, values![campaign, kind, known.0, known.1]).await
    }
}

record!(Snapshot from snapshots: position, at, bytes);
