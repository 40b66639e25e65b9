use crate::campaigns::checked_name;
use crate::sql::{record, values};
use crate::write_queue::transaction;
use crate::{Error, Moment, OwnerId, Result, Store, login_failures};

/// A person who owns campaigns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owner {
    /// The id.
    pub id: OwnerId,
    /// The name, which is unique.
    pub name: String,
    /// The hash of the password, made and checked by the caller.
    pub password_hash: String,
    /// When the owner was added.
    pub created: Moment,
}

impl Store {
    /// Adds an owner.
    ///
    /// # Errors
    /// [`Error::NameTaken`], [`Error::BadName`], [`Error::Conflict`] if the id is in use.
    pub async fn add_owner(&self, owner: Owner) -> Result<()> {
        let name = checked_name(&owner.name)?;
        transaction!(self, owner.id.0, |db| {
            let sql = "INSERT INTO owners (id, name, password_hash, created) VALUES ($1, $2, $3, $4)
                       ON CONFLICT DO NOTHING";
            let values = values![owner.id, name.as_str(), owner.password_hash, owner.created];
            let is_new = db.execute(sql, values).await? == 1;
            let by_name = "SELECT id FROM owners WHERE name = $1";
            match is_new {
                true => Ok(()),
                false if db.exists(by_name, values![name.as_str()]).await? => Err(Error::NameTaken(name)),
                false => Err(Error::Conflict),
            }
        })
    }

    /// Returns an owner by id.
    pub async fn owner(&self, id: OwnerId) -> Result<Option<Owner>> {
        self.reader().await?.select_first("WHERE id = $1", values![id]).await
    }

    /// Returns an owner by name.
    ///
    /// # Errors
    /// [`Error::BadName`] for what no name can be: PostgreSQL has no texts with NUL.
    pub async fn owner_named(&self, name: &str) -> Result<Option<Owner>> {
        let name = checked_name(name)?;
        self.reader().await?.select_first("WHERE name = $1", values![name]).await
    }

    /// Returns all owners, sorted by name.
    pub async fn owners(&self) -> Result<Vec<Owner>> {
        self.reader().await?.select("ORDER BY name", &[]).await
    }

    /// Changes an owner's password, ends all their sessions, and forgets the failed logins.
    ///
    /// # Errors
    /// [`Error::Unknown`] owner.
    pub async fn set_password(&self, owner: OwnerId, password_hash: &str, now: Moment) -> Result<()> {
        let password_hash = password_hash.to_owned();
        transaction!(self, owner.0, |db| {
            let sql = "UPDATE owners SET password_hash = $2 WHERE id = $1";
            db.execute_one(sql, values![owner, password_hash], Error::Unknown("owner")).await?;
            let sql = "UPDATE credentials SET revoked = $2
                       WHERE owner = $1 AND purpose = 'session' AND revoked IS NULL";
            db.execute(sql, values![owner, now]).await?;
            login_failures::forget_all_of(db, owner).await
        })
    }

    /// Deletes an owner with their sessions and tokens. Their campaigns have to be deleted or given away first.
    ///
    /// # Errors
    /// [`Error::StillNeeded`] while they have campaigns, [`Error::Unknown`] owner.
    pub async fn delete_owner(&self, owner: OwnerId) -> Result<()> {
        transaction!(self, owner.0, |db| {
            if db.exists("SELECT id FROM campaigns WHERE owner = $1 LIMIT 1", values![owner]).await? {
                return Err(Error::StillNeeded(
                    "this owner has campaigns; delete them or give them to another owner first",
                ));
            }
            let sql = "DELETE FROM owners WHERE id = $1";
            db.execute_one(sql, values![owner], Error::Unknown("owner")).await
        })
    }
}

record!(Owner from owners: id, name, password_hash, created);
