use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use uuid::Uuid;

use crate::lane::{Lane, Work};
use crate::leases::Desk;
use crate::sql::{Connection, Pool};
use crate::{CampaignId, Error, Moment, Receipt, SubmittedVote, postgres, sqlite};

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
        let rooms = match Self::path_of(place)? {
            Some(path) => sqlite::open(&path).await?,
            None => postgres::open(place).await?,
        };
        Ok(Self(Arc::new(rooms)))
    }

    /// The path of an SQLite file; none if the place is a PostgreSQL URL.
    ///
    /// # Errors
    /// [`Error::BadUrl`] for what is neither.
    pub fn path_of(place: &str) -> Result<Option<PathBuf>, Error> {
        if place.starts_with("postgres://") || place.starts_with("postgresql://") {
            return Ok(None);
        }
        let path = place.strip_prefix("sqlite://").or_else(|| place.strip_prefix("sqlite:")).unwrap_or(place);
        if path.is_empty() || path.contains("://") {
            return Err(Error::BadUrl(postgres::without_password(place)));
        }
        Ok(Some(PathBuf::from(path)))
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

    /// Reads several things as they are at one moment, whoever writes meanwhile. Goes on if the caller stops waiting, so that the
    /// transaction is always ended.
    pub(crate) async fn read_at_one_moment<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Connection) -> Work<'c, T> + Send + 'static,
    {
        let mut db = self.reader().await?;
        let reading = tokio::spawn(async move {
            db.batch(db.either("BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")).await?;
            let outcome = work(&mut db).await;
            if db.batch("ROLLBACK").await.is_err() {
                db.discard();
            }
            outcome
        });
        reading.await.map_err(|_| Error::Closed)?
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
        vote: SubmittedVote,
    ) -> Result<Receipt, Error> {
        self.lane(campaign.0).write_vote(campaign, at, vote).await
    }

    fn lane(&self, key: Uuid) -> &Lane {
        // The remainder is below the number of lanes.
        &self.0.writers[(key.as_u128() % self.0.writers.len() as u128) as usize]
    }
}
