//! Who runs a campaign's belief: one program at a time, for a while at a time.
//!
//! Clocks of different machines may disagree; that can make a take-over early or late, and nothing worse: [`Store::advance`] asks, in the
//! same transaction, whether the holder is still the holder.

use crate::sql::{Connection, values};
use crate::{CampaignId, Error, HolderId, Moment, Store};

/// Who runs a campaign's belief, and until when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holding {
    /// Which run of which program.
    pub holder: HolderId,
    /// What it calls itself, for people to read.
    pub name: String,
    /// When it has to have asked again.
    pub until: Moment,
}

impl Store {
    /// Asks for a campaign's belief, or to keep it. Answers who has it now: the caller, if nobody else has it or their time has ended.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], [`Error::EndsBeforeItBegins`].
    pub async fn hold_belief(
        &self,
        campaign: CampaignId,
        wish: Holding,
        now: Moment,
    ) -> Result<Holding, Error> {
        if wish.until <= now {
            return Err(Error::EndsBeforeItBegins { now, until: wish.until });
        }
        self.write(campaign.0, move |db| {
            Box::pin(async move {
                lock(db, campaign).await?;
                db.execute(
                    "INSERT INTO holders (campaign, holder, name, until) VALUES ($1, $2, $3, $4)
                     ON CONFLICT (campaign) DO UPDATE
                     SET holder = excluded.holder, name = excluded.name, until = excluded.until
                     WHERE holders.holder = excluded.holder OR holders.until <= $5",
                    values![campaign, wish.holder, wish.name.as_str(), wish.until, now],
                )
                .await?;
                holding(db, campaign).await?.ok_or_else(|| Error::damaged("a holder vanished"))
            })
        })
        .await
    }

    /// Gives a campaign's belief back, so that another can take it at once. Nothing happens if the holder is another.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`].
    pub async fn release_belief(&self, campaign: CampaignId, holder: HolderId) -> Result<(), Error> {
        self.write(campaign.0, move |db| {
            Box::pin(async move {
                lock(db, campaign).await?;
                let sql = "DELETE FROM holders WHERE campaign = $1 AND holder = $2";
                db.execute(sql, values![campaign, holder]).await.map(drop)
            })
        })
        .await
    }

    /// Who has a campaign's belief, if somebody has taken it and not given it back; their time may have ended.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn belief_holder(&self, campaign: CampaignId) -> Result<Option<Holding>, Error> {
        holding(&mut self.reader().await?, campaign).await
    }
}

/// Takes the lock that writing the log takes, so that a holder cannot change while it writes.
async fn lock(db: &mut Connection, campaign: CampaignId) -> Result<(), Error> {
    let sql = db.either(
        "SELECT id FROM campaigns WHERE id = $1",
        "SELECT id FROM campaigns WHERE id = $1 FOR UPDATE",
    );
    db.row(sql, values![campaign]).await?.map(drop).ok_or(Error::UnknownCampaign(campaign))
}

async fn holding(db: &mut Connection, campaign: CampaignId) -> Result<Option<Holding>, Error> {
    let sql = "SELECT holder, name, until FROM holders WHERE campaign = $1";
    let row = db.row(sql, values![campaign]).await?;
    row.map(|row| {
        Ok(Holding { holder: HolderId(row.get(0)?), name: row.get(1)?, until: Moment(row.get(2)?) })
    })
    .transpose()
}
