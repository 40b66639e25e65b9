use crate::ids::is_valid_name;
use crate::postgres::PATIENCE;
use crate::sql::{Connection, record, values};
use crate::write_queue::transaction;
use crate::{CampaignId, Error, Member, MemberRole, Moment, OwnerId, Position, Result, Store, members};

/// A campaign without its log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Campaign {
    /// The id.
    pub id: CampaignId,
    /// The owner; `None` if it was created at the command line.
    pub owner: Option<OwnerId>,
    /// The name, unique among the campaigns of its owner.
    pub name: String,
    /// When it was created.
    pub created: Moment,
    /// The position of the last entry of its log.
    pub head: Position,
    /// The number of the last concept added.
    pub concepts: u32,
    /// The last position that its belief has read.
    pub advanced: Position,
    /// How many of its votes were not withdrawn.
    pub votes: u32,
}

impl Store {
    /// Creates a campaign with an empty log.
    ///
    /// # Errors
    /// [`Error::NameTaken`] if the owner has one of this name, [`Error::Conflict`] if the id is in use, [`Error::BadName`].
    pub async fn create_campaign(
        &self,
        id: CampaignId,
        owner: Option<OwnerId>,
        name: &str,
        at: Moment,
    ) -> Result<()> {
        let name = checked_name(name)?;
        transaction!(self, id.0, |db| {
            if find_named(db, owner, &name).await?.is_some() {
                return Err(Error::NameTaken(name));
            }
            let sql = "INSERT INTO campaigns (id, owner, name, created, head, concepts, advanced)
                       VALUES ($1, $2, $3, $4, 0, 0, 0) ON CONFLICT DO NOTHING";
            db.execute_one(sql, values![id, owner, name, at], Error::Conflict).await
        })
    }

    /// Returns the campaign with this id.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`].
    pub async fn campaign(&self, id: CampaignId) -> Result<Campaign> {
        let campaign = self.reader().await?.select_first("WHERE id = $1", values![id]).await?;
        campaign.ok_or(Error::UnknownCampaign(id))
    }

    /// Returns the owner's campaign of this name, or without an owner the one created at the command line.
    pub async fn campaign_named(&self, owner: Option<OwnerId>, name: &str) -> Result<Option<Campaign>> {
        find_named(&mut self.reader().await?, owner, name).await
    }

    /// Returns all campaigns, the oldest first.
    pub async fn campaigns(&self) -> Result<Vec<Campaign>> {
        self.reader().await?.select("ORDER BY created, id", &[]).await
    }

    /// Returns the campaigns of one owner, the oldest first.
    pub async fn campaigns_of(&self, owner: OwnerId) -> Result<Vec<Campaign>> {
        self.reader().await?.select("WHERE owner = $1 ORDER BY created, id", values![owner]).await
    }

    /// Gives a campaign to another owner.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], [`Error::Unknown`] owner, [`Error::NameTaken`] if that owner has one of the same name.
    pub async fn give_campaign(&self, id: CampaignId, owner: OwnerId) -> Result<()> {
        self.hand_over(id, owner, None).await
    }

    /// The same; the former owner stays as a member, from a moment on.
    ///
    /// # Errors
    /// As [`Store::give_campaign`].
    pub async fn hand_over(
        &self,
        id: CampaignId,
        owner: OwnerId,
        former: Option<(MemberRole, Moment)>,
    ) -> Result<()> {
        let Campaign { name, owner: before, .. } = self.campaign(id).await?;
        transaction!(self, id.0, |db| {
            let sql = "SELECT id FROM owners WHERE id = $1";
            db.first::<()>(sql, values![owner]).await?.ok_or(Error::Unknown("owner"))?;
            if find_named(db, Some(owner), &name).await?.is_some_and(|other| other.id != id) {
                return Err(Error::NameTaken(name));
            }
            let sql = "UPDATE campaigns SET owner = $2 WHERE id = $1";
            db.execute_one(sql, values![id, owner], Error::UnknownCampaign(id)).await?;
            members::remove(db, id, owner).await?;
            match (before.filter(|before| *before != owner), former) {
                (Some(before), Some((role, since))) => {
                    members::insert(db, Member { campaign: id, owner: before, role, since }).await
                }
                _ => Ok(()),
            }
        })
    }

    /// Deletes a campaign with its log and everything else about it, permanently.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`].
    pub async fn delete_campaign(&self, id: CampaignId) -> Result<()> {
        transaction!(self, id.0, |db| {
            db.set_limit(PATIENCE);
            let sql = "DELETE FROM campaigns WHERE id = $1";
            db.execute_one(sql, values![id], Error::UnknownCampaign(id)).await
        })?;
        self.end_leases(id).await
    }
}

async fn find_named(db: &mut Connection, owner: Option<OwnerId>, name: &str) -> Result<Option<Campaign>> {
    match owner {
        Some(owner) => db.select_first("WHERE owner = $1 AND name = $2", values![owner, name]).await,
        None => db.select_first("WHERE owner IS NULL AND name = $1", values![name]).await,
    }
}

pub(crate) fn checked_name(name: &str) -> Result<String> {
    if is_valid_name(name) && !name.trim().is_empty() { Ok(name.to_owned()) } else { Err(Error::BadName) }
}

record!(Campaign from campaigns: id, owner, name, created, head, concepts, advanced, votes);
