//! Secret keys of the database, which all its servers share.

use uuid::Uuid;

use crate::sql::{record, values};
use crate::write_queue::transaction;
use crate::{Error, Result, Store};

/// A key with its name.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) key: Vec<u8>,
}

record!(Key from keys: name, key);

impl Store {
    /// Returns the key of a name. If there is none yet it is the given one from now on, for every program that uses the database.
    pub async fn key(&self, name: &'static str, new: [u8; 32]) -> Result<Vec<u8>> {
        const NAMED: &str = "WHERE name = $1";
        if let Some(Key { key, .. }) = self.reader().await?.select_first(NAMED, values![name]).await? {
            return Ok(key);
        }
        transaction!(self, Uuid::nil(), |db| {
            let sql = "INSERT INTO keys (name, key) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            db.execute(sql, values![name, new.to_vec()]).await?;
            let stored: Option<Key> = db.select_first(NAMED, values![name]).await?;
            stored.map(|stored| stored.key).ok_or_else(|| Error::damaged("a key cannot be stored"))
        })
    }
}
