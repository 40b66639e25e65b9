use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::changes::Changes;
use crate::leases::LeaseService;
use crate::sql::{Connection, Pool};
use crate::write_queue::{Work, WriteQueue};
use crate::{Error, Result, postgres, schema, sqlite};

/// Campaigns with their logs, leases and snapshots, and the people who own them. Cheap to clone; all clones are one store.
#[derive(Clone)]
pub struct Store(pub(crate) Arc<Backend>);

/// The connections to either database, and the tasks that use them.
pub(crate) struct Backend {
    /// The path or URL, without a password.
    pub(crate) place: String,
    pub(crate) readers: Pool,
    /// Each key has its queue, so that the writes of one campaign share transactions.
    pub(crate) writers: Vec<WriteQueue>,
    pub(crate) leases: LeaseService,
    /// For heartbeats; none where no other server can share the database.
    pub(crate) beats: Option<Pool>,
    pub(crate) changes: Arc<Changes>,
    /// They end with the store.
    pub(crate) tasks: Vec<JoinHandle<()>>,
    /// All pools, to be closed.
    pub(crate) pools: Vec<Pool>,
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// How the store is doing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Health {
    /// The number of writes that wait.
    pub queued: usize,
    /// The number of transactions that failed since the store was opened: what was in them was not acknowledged.
    pub failed: u64,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.0.place).finish()
    }
}

impl Store {
    /// Opens the database at a PostgreSQL URL or at the path of an SQLite file, which is created if it does not exist. Upgrades an older
    /// schema and checks the settings.
    ///
    /// # Errors
    /// A bad URL, a file that is not a database, a newer schema, settings that could lose votes, or an unreachable
    /// database.
    pub async fn open(place: &str) -> Result<Self> {
        let backend = match Self::path_of(place)? {
            Some(path) => sqlite::open(&path).await?,
            None => postgres::open(place).await?,
        };
        Ok(Self(Arc::new(backend)))
    }

    /// Returns the path of an SQLite file, or `None` if the place is a PostgreSQL URL.
    ///
    /// # Errors
    /// [`Error::BadUrl`] if it is neither.
    pub fn path_of(place: &str) -> Result<Option<PathBuf>> {
        if place.starts_with("postgres://") || place.starts_with("postgresql://") {
            return Ok(None);
        }
        let path = place.strip_prefix("sqlite://").or_else(|| place.strip_prefix("sqlite:")).unwrap_or(place);
        if path.is_empty() || path.contains("://") {
            return Err(Error::BadUrl(postgres::without_password(place)));
        }
        Ok(Some(PathBuf::from(path)))
    }

    /// The path of the database, or its URL without the password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.0.place
    }

    /// Closes all connections. What was acknowledged is safe without it.
    pub async fn close(&self) {
        self.0.tasks.iter().for_each(JoinHandle::abort);
        for pool in &self.0.pools {
            pool.close().await;
        }
    }

    /// Checks that the database responds, and that no newer program has upgraded it since it was opened.
    ///
    /// # Errors
    /// [`Error::NewerSchema`].
    pub async fn check(&self) -> Result<()> {
        let row = self.reader().await?.first("SELECT version FROM grove_schema", &[]).await?;
        schema::check(row.map_or(0, |(version,): (i64,)| version))
    }

    /// Returns how the store is doing.
    #[must_use]
    pub fn health(&self) -> Health {
        let queues = self.0.writers.iter().map(WriteQueue::health);
        queues.fold(Health::default(), |all, one| Health {
            queued: all.queued + one.queued,
            failed: all.failed + one.failed,
        })
    }

    pub(crate) async fn reader(&self) -> Result<Connection> {
        self.0.readers.connection().await
    }

    /// Reads a consistent snapshot of the database, whoever writes meanwhile. Continues if the caller stops waiting, so that the
    /// transaction is always ended.
    pub(crate) async fn read_snapshot<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Connection) -> Work<'c, T> + Send + 'static,
    {
        let mut db = self.reader().await?;
        db.set_limit(postgres::PATIENCE);
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

    pub(crate) fn write_queue(&self, key: Uuid) -> &WriteQueue {
        // The remainder is below the number of queues.
        &self.0.writers[(key.as_u128() % self.0.writers.len() as u128) as usize]
    }
}
