use std::fmt;
use std::path::Path;
use std::sync::Arc;

use uuid::Uuid;

use crate::lane::{Lane, Work};
use crate::leases::Desk;
use crate::sql::{Connection, Pool};
use crate::{CampaignId, Error, Moment, Receipt, Vote, postgres, sqlite};

/// Campaigns with their logs, leases and snapshots, and the people who own them. Cheap to clone; all clones are one store.
#[derive(Clone)]
pub struct Store(Arc<Rooms>);

/// What a backend provides.
pub(crate) struct Rooms {
    /// Where it is, without a password.
    pub(crate) place: String,
    pub(crate) readers: Pool,
    /// Writes go into the lane of their key, so that the writes of one campaign meet in one transaction.
    pub(crate) writers: Vec<Lane>,
    pub(crate) desk: Desk,
    /// All pools, to be closed.
    pub(crate) pools: Vec<Pool>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.0.place).finish()
    }
}

impl Store {
    /// Opens the database at a PostgreSQL URL or at the path of an SQLite file, which is made if it is not there. Brings its
    /// tables up to date and reads its settings back.
    ///
    /// # Errors
    /// A bad URL, a file that is no database, a newer schema, settings that could lose votes, or an unreachable
    /// database.
    pub async fn open(place: &str) -> Result<Self, Error> {
        if place.starts_with("postgres://") || place.starts_with("postgresql://") {
            return postgres::open(place).await.map(|rooms| Self(Arc::new(rooms)));
        }
        let path = place.strip_prefix("sqlite://").or_else(|| place.strip_prefix("sqlite:")).unwrap_or(place);
        if path.is_empty() || path.contains("://") {
            return Err(Error::BadUrl(place.to_owned()));
        }
        sqlite::open(Path::new(path)).await.map(|rooms| Self(Arc::new(rooms)))
    }

    /// Where the store is: a path, or a URL without its password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.0.place
    }

    /// Ends all connections. What was acknowledged is safe without it.
    pub async fn close(&self) {
        for pool in &self.0.pools {
            pool.close().await;
        }
    }

    pub(crate) async fn reader(&self) -> Result<Connection, Error> {
        self.0.readers.connection().await
    }

    pub(crate) fn desk(&self) -> &Desk {
        &self.0.desk
    }

    pub(crate) async fn write<T, F>(&self, key: Uuid, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Connection) -> Work<'c, T> + Send + 'static,
    {
        self.lane(key).write(key, work).await
    }

    pub(crate) async fn write_vote(
        &self,
        campaign: CampaignId,
        at: Moment,
        vote: Vote,
    ) -> Result<Receipt, Error> {
        self.lane(campaign.0).write_vote(campaign, at, vote).await
    }

    fn lane(&self, key: Uuid) -> &Lane {
        // The remainder is below the number of lanes.
        &self.0.writers[(key.as_u128() % self.0.writers.len() as u128) as usize]
    }
}
