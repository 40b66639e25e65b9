use crate::sql::{Connection, Row, Value, values};
use crate::{CampaignId, Error, Moment, OwnerId, Position, Store};

/// A campaign as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Campaign {
    /// Its id.
    pub id: CampaignId,
    /// Whose it is; nobody's if it was made at the command line.
    pub owner: Option<OwnerId>,
    /// Its name, the only one of this name among its owner's.
    pub name: String,
    /// When it was made.
    pub created: Moment,
    /// The position of the last entry of its log.
    pub head: Position,
    /// The number of the concept added last.
    pub concepts: u32,
    /// The last position that its belief says it has read.
    pub advanced: Position,
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT id, owner, name, created, head, concepts, advanced FROM campaigns ", $rest)
    };
}

impl Store {
    /// Makes a campaign with an empty log.
    ///
    /// # Errors
    /// [`Error::NameTaken`] if the owner has one of this name, [`Error::Conflict`] if the id is in use, [`Error::BadName`].
    pub async fn create_campaign(
        &self,
        id: CampaignId,
        owner: Option<OwnerId>,
        name: &str,
        at: Moment,
    ) -> Result<(), Error> {
        let name = checked_name(name)?;
        self.write(id.0, move |db| {
            Box::pin(async move {
                if named(db, owner, &name).await?.is_some() {
                    return Err(Error::NameTaken(name));
                }
                let made = db
                    .execute(
                        "INSERT INTO campaigns (id, owner, name, created, head, concepts, advanced)
                         VALUES ($1, $2, $3, $4, 0, 0, 0) ON CONFLICT DO NOTHING",
                        values![id, owner, name, at],
                    )
                    .await?;
                if made == 1 { Ok(()) } else { Err(Error::Conflict) }
            })
        })
        .await
    }

    /// The campaign with this id.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`].
    pub async fn campaign(&self, id: CampaignId) -> Result<Campaign, Error> {
        let row = self.reader().await?.row(select!("WHERE id = $1"), values![id]).await?;
        campaign(&row.ok_or(Error::UnknownCampaign(id))?)
    }

    /// The owner's campaign of this name, or with no owner the one made at the command line.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn campaign_named(
        &self,
        owner: Option<OwnerId>,
        name: &str,
    ) -> Result<Option<Campaign>, Error> {
        named(&mut self.reader().await?, owner, name).await
    }

    /// All campaigns, in the order in which they were made.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn campaigns(&self) -> Result<Vec<Campaign>, Error> {
        let rows = self.reader().await?.rows(select!("ORDER BY created, id"), &[]).await?;
        rows.iter().map(campaign).collect()
    }

    /// The campaigns of one owner, in the order in which they were made.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn campaigns_of(&self, owner: OwnerId) -> Result<Vec<Campaign>, Error> {
        let rows = self
            .reader()
            .await?
            .rows(select!("WHERE owner = $1 ORDER BY created, id"), values![owner])
            .await?;
        rows.iter().map(campaign).collect()
    }

    /// Gives a campaign another name.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], [`Error::NameTaken`], [`Error::BadName`].
    pub async fn rename_campaign(&self, id: CampaignId, name: &str) -> Result<(), Error> {
        let name = checked_name(name)?;
        let owner = self.campaign(id).await?.owner;
        self.write(id.0, move |db| {
            Box::pin(async move {
                if named(db, owner, &name).await?.is_some_and(|other| other.id != id) {
                    return Err(Error::NameTaken(name));
                }
                one(db, "UPDATE campaigns SET name = $2 WHERE id = $1", values![id, name], id).await
            })
        })
        .await
    }

    /// Gives a campaign to another owner.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`], [`Error::Unknown`] owner, [`Error::NameTaken`] if that owner has one of the same name.
    pub async fn give_campaign(&self, id: CampaignId, owner: OwnerId) -> Result<(), Error> {
        let name = self.campaign(id).await?.name;
        self.write(id.0, move |db| {
            Box::pin(async move {
                db.row("SELECT name FROM owners WHERE id = $1", values![owner])
                    .await?
                    .ok_or(Error::Unknown("owner"))?;
                if named(db, Some(owner), &name).await?.is_some_and(|other| other.id != id) {
                    return Err(Error::NameTaken(name));
                }
                one(db, "UPDATE campaigns SET owner = $2 WHERE id = $1", values![id, owner], id).await
            })
        })
        .await
    }

    /// Deletes a campaign with its log and everything else about it, for good.
    ///
    /// # Errors
    /// [`Error::UnknownCampaign`].
    pub async fn delete_campaign(&self, id: CampaignId) -> Result<(), Error> {
        self.write(id.0, move |db| {
            Box::pin(async move { one(db, "DELETE FROM campaigns WHERE id = $1", values![id], id).await })
        })
        .await?;
        self.end_leases(id).await
    }
}

async fn named(db: &mut Connection, owner: Option<OwnerId>, name: &str) -> Result<Option<Campaign>, Error> {
    let row = match owner {
        Some(owner) => db.row(select!("WHERE owner = $1 AND name = $2"), values![owner, name]).await?,
        None => db.row(select!("WHERE owner IS NULL AND name = $1"), values![name]).await?,
    };
    row.as_ref().map(campaign).transpose()
}

/// Runs a statement that must change one row.
async fn one(db: &mut Connection, sql: &'static str, values: &[Value], id: CampaignId) -> Result<(), Error> {
    if db.execute(sql, values).await? == 1 { Ok(()) } else { Err(Error::UnknownCampaign(id)) }
}

pub(crate) fn checked_name(name: &str) -> Result<String, Error> {
    if name.trim().is_empty() || name.len() > 200 || name.chars().any(char::is_control) {
        return Err(Error::BadName);
    }
    Ok(name.to_owned())
}

fn campaign(row: &Row) -> Result<Campaign, Error> {
    Ok(Campaign {
        id: CampaignId(row.get(0)?),
        owner: row.get::<Option<_>>(1)?.map(OwnerId),
        name: row.get(2)?,
        created: Moment(row.get(3)?),
        head: Position(row.get(4)?),
        concepts: row.small(5)?,
        advanced: Position(row.get(6)?),
    })
}
