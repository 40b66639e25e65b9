use crate::campaigns::checked_name;
use crate::sql::{Row, values};
use crate::{Error, Moment, OwnerId, Store};

/// Somebody who owns campaigns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owner {
    /// Their id.
    pub id: OwnerId,
    /// Their name, the only one of its kind.
    pub name: String,
    /// Their password's hash, made and checked by the caller.
    pub password_hash: String,
    /// Since when.
    pub created: Moment,
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT id, name, password_hash, created FROM owners ", $rest)
    };
}

impl Store {
    /// Adds an owner.
    ///
    /// # Errors
    /// [`Error::NameTaken`], [`Error::BadName`], [`Error::Conflict`] if the id is in use.
    pub async fn add_owner(&self, owner: Owner) -> Result<(), Error> {
        let name = checked_name(&owner.name)?;
        self.write(owner.id.0, move |db| {
            Box::pin(async move {
                let added = db
                    .execute(
                        "INSERT INTO owners (id, name, password_hash, created) VALUES ($1, $2, $3, $4)
                         ON CONFLICT DO NOTHING",
                        values![owner.id, name.as_str(), owner.password_hash, owner.created],
                    )
                    .await?;
                if added == 1 {
                    return Ok(());
                }
                match db.row("SELECT id FROM owners WHERE name = $1", values![name.as_str()]).await? {
                    Some(_) => Err(Error::NameTaken(name)),
                    None => Err(Error::Conflict),
                }
            })
        })
        .await
    }

    /// An owner by id.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn owner(&self, id: OwnerId) -> Result<Option<Owner>, Error> {
        let row = self.reader().await?.row(select!("WHERE id = $1"), values![id]).await?;
        row.as_ref().map(owner).transpose()
    }

    /// An owner by name.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn owner_named(&self, name: &str) -> Result<Option<Owner>, Error> {
        let row = self.reader().await?.row(select!("WHERE name = $1"), values![name]).await?;
        row.as_ref().map(owner).transpose()
    }

    /// All owners by name.
    ///
    /// # Errors
    /// Only the database's own.
    pub async fn owners(&self) -> Result<Vec<Owner>, Error> {
        self.reader().await?.rows(select!("ORDER BY name"), &[]).await?.iter().map(owner).collect()
    }

    /// Gives an owner another password and ends all their sessions.
    ///
    /// # Errors
    /// [`Error::Unknown`] owner.
    pub async fn set_password(&self, owner: OwnerId, password_hash: &str, now: Moment) -> Result<(), Error> {
        let password_hash = password_hash.to_owned();
        self.write(owner.0, move |db| {
            Box::pin(async move {
                let sql = "UPDATE owners SET password_hash = $2 WHERE id = $1";
                if db.execute(sql, values![owner, password_hash]).await? == 0 {
                    return Err(Error::Unknown("owner"));
                }
                let sql = "UPDATE credentials SET revoked = $2
                           WHERE owner = $1 AND purpose = 'session' AND revoked IS NULL";
                db.execute(sql, values![owner, now]).await.map(drop)
            })
        })
        .await
    }

    /// Deletes an owner with their sessions and tokens. Their campaigns have to be deleted or given away before.
    ///
    /// # Errors
    /// [`Error::StillNeeded`] while they have campaigns, [`Error::Unknown`] owner.
    pub async fn delete_owner(&self, owner: OwnerId) -> Result<(), Error> {
        self.write(owner.0, move |db| {
            Box::pin(async move {
                let has = db.row("SELECT id FROM campaigns WHERE owner = $1 LIMIT 1", values![owner]).await?;
                if has.is_some() {
                    return Err(Error::StillNeeded(
                        "this owner has campaigns; delete them or give them to another first",
                    ));
                }
                match db.execute("DELETE FROM owners WHERE id = $1", values![owner]).await? {
                    0 => Err(Error::Unknown("owner")),
                    _ => Ok(()),
                }
            })
        })
        .await
    }
}

fn owner(row: &Row) -> Result<Owner, Error> {
    Ok(Owner {
        id: OwnerId(row.get(0)?),
        name: row.get(1)?,
        password_hash: row.get(2)?,
        created: Moment(row.get(3)?),
    })
}
