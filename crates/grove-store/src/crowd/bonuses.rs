use serde::{Deserialize, Serialize};

use crate::sql::{values, whole_row};
use crate::write_queue::transaction;
use crate::{BonusId, Error, Moment, PanelId, Result, Store};

/// An entry of the journal of bonuses.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bonus {
    /// Its id, made by whoever decides on it.
    pub id: BonusId,
    /// The panel.
    pub panel: PanelId,
    /// The submission that it is paid for.
    pub submission: String,
    /// How much, in cents.
    pub cents: i64,
    /// `intended`, `sent`, `paid` or `refused`.
    pub status: String,
    /// The payment at the service that it is part of.
    pub batch: Option<String>,
    /// When it was decided.
    pub created: Moment,
    /// When it was about to be sent.
    pub sent: Option<Moment>,
}

whole_row!(Bonus of bonuses: id, panel, submission, cents, status, batch, created, sent);

impl Store {
    /// Writes bonuses into the journal, all or none.
    ///
    /// # Errors
    /// [`Error::Conflict`] if one of the submissions has a bonus under way.
    pub async fn intend_bonuses(&self, panel: PanelId, bonuses: Vec<Bonus>) -> Result<()> {
        transaction!(self, panel.0, |db| {
            for bonus in bonuses {
                db.insert_new(bonus).await?;
            }
            Ok(())
        })
    }

    /// The journal of a panel, the oldest first.
    pub async fn bonuses_of(&self, panel: PanelId) -> Result<Vec<Bonus>> {
        self.reader().await?.select("WHERE panel = $1 ORDER BY created, id", values![panel]).await
    }

    /// Marks intended bonuses as sent, all or none, **before** they are sent: whoever gets `Ok` is the only one who sends them. `seen` is the number
    /// of commitments by which it was decided that the budget is enough.
    ///
    /// # Errors
    /// [`Error::Conflict`] if one of them is no longer intended, or money was committed since; then nothing must be sent.
    pub async fn send_bonuses(
        &self,
        panel: PanelId,
        ids: Vec<BonusId>,
        batch: String,
        at: Moment,
        seen: i64,
    ) -> Result<()> {
        transaction!(self, panel.0, |db| {
            super::panels::commit(db, panel, seen).await?;
            for id in ids {
                let sql = "UPDATE bonuses SET status = 'sent', batch = $3, sent = $4
                           WHERE id = $1 AND panel = $2 AND status = 'intended'";
                db.execute_one(sql, values![id, panel, batch.as_str(), at], Error::Conflict).await?;
            }
            Ok(())
        })
    }

    /// Records what became of a bonus that was sent in a batch. Returns whether it was still waiting for that: if it was sent again meanwhile, what
    /// became of the first batch says nothing about the second.
    pub async fn settle_bonus(
        &self,
        panel: PanelId,
        id: BonusId,
        batch: String,
        status: &'static str,
    ) -> Result<bool> {
        transaction!(self, panel.0, |db| {
            let sql = "UPDATE bonuses SET status = $3 WHERE id = $1 AND status = 'sent' AND batch = $2";
            Ok(db.execute(sql, values![id, batch.as_str(), status]).await? == 1)
        })
    }

    /// Records that the service does not take a bonus, which was therefore not sent. Returns whether it was still intended.
    pub async fn refuse_bonus(&self, panel: PanelId, id: BonusId) -> Result<bool> {
        transaction!(self, panel.0, |db| {
            let sql = "UPDATE bonuses SET status = 'refused' WHERE id = $1 AND status = 'intended'";
            Ok(db.execute(sql, values![id]).await? == 1)
        })
    }
}
