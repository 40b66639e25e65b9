use crate::sql::values;
use crate::{CampaignId, Error, Moment, Position, Store};

/// Something computed from a campaign's log, kept so that it need not be computed again. It may be thrown away at any time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Up to where the log was read for it.
    pub position: Position,
    /// When it was made.
    pub at: Moment,
    /// What it holds; the store does not read it.
    pub bytes: Vec<u8>,
}

impl Store {
    /// Keeps a snapshot of a kind that the caller names, and throws away all but the newest `keep` of that kind. One at the same position
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
    ) -> Result<(), Error> {
        let kind = kind.to_owned();
        self.write(campaign.0, move |db| {
            Box::pin(async move {
                db.row("SELECT id FROM campaigns WHERE id = $1", values![campaign])
                    .await?
                    .ok_or(Error::UnknownCampaign(campaign))?;
                db.execute(
                    "INSERT INTO snapshots (campaign, kind, position, at, bytes) VALUES ($1, $2, $3, $4, $5)
                     ON CONFLICT (campaign, kind, position) DO UPDATE SET at = excluded.at, bytes = excluded.bytes",
                    values![campaign, kind.as_str(), snapshot.position, snapshot.at, snapshot.bytes],
                )
                .await?;
                db.execute(
                    "DELETE FROM snapshots WHERE campaign = $1 AND kind = $2 AND position NOT IN
                        (SELECT position FROM snapshots WHERE campaign = $1 AND kind = $2
                         ORDER BY position DESC LIMIT $3)",
                    values![campaign, kind.as_str(), keep],
                )
                .await
                .map(drop)
            })
        })
        .await
    }

    /// The newest snapshot of a kind, or the newest that is not past a position.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn newest_snapshot(
        &self,
        campaign: CampaignId,
        kind: &str,
        not_past: Option<Position>,
    ) -> Result<Option<Snapshot>, Error> {
        let sql = "SELECT position, at, bytes FROM snapshots
                   WHERE campaign = $1 AND kind = $2 AND position <= $3 ORDER BY position DESC LIMIT 1";
        let not_past = not_past.unwrap_or(Position(i64::MAX));
        let row = self.reader().await?.row(sql, values![campaign, kind, not_past]).await?;
        row.map(|row| {
            Ok(Snapshot { position: Position(row.get(0)?), at: Moment(row.get(1)?), bytes: row.get(2)? })
        })
        .transpose()
    }
}
