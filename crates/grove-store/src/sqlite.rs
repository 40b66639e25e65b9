//! SQLite: one file, one writer.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::leases::{LeaseService, LeaseStorage};
use crate::sql::{Connection, Pool};
use crate::store::Backend;
use crate::write_queue::WriteQueue;
use crate::{Error, Result, private, schema};

/// How long to wait for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait between two attempts at a busy file.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
const READERS: u32 = 4;

pub(crate) async fn open(path: &Path) -> Result<Backend> {
    if !path.exists() && path != Path::new(":memory:") {
        // SQLite would make one that everybody may read. If this fails, opening it says why.
        let _ = private::create_new(path);
    }
    open_with(path, SqliteSynchronous::Full).await.map_err(|error| match error {
        Error::NotADatabase(_) => Error::NotADatabase(path.display().to_string()),
        Error::Database(cause) if is_cannot_open(&cause) => {
            Error::file(path, "cannot be opened; check that its folder exists and can be written to")
        }
        error => error,
    })
}

fn is_cannot_open(error: &sqlx::Error) -> bool {
    // SQLITE_CANTOPEN
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "14")
}

/// With any other `synchronous` the store refuses to open; it is an argument so that tests can check that.
async fn open_with(path: &Path, synchronous: SqliteSynchronous) -> Result<Backend> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        // An erased worker's name must not stay in free pages.
        .pragma("secure_delete", "ON");

    let writer = pool(1, options.clone());
    let mut db = first_connection(&writer).await?;
    check_settings(&mut db).await?;
    schema::migrate(&mut db).await?;
    drop(db);

    let readers = pool(READERS, options.pragma("query_only", "ON"));
    Ok(Backend {
        place: path.display().to_string(),
        readers: readers.clone(),
        writers: vec![WriteQueue::start(writer.clone())],
        leases: LeaseService::start(LeaseStorage::Memory(HashMap::new(), readers.clone())),
        beats: None,
        changes: Arc::default(),
        tasks: Vec::new(),
        pools: vec![readers, writer],
    })
}

/// Makes the connection that turns on the write-ahead log. While another program does the same, SQLite reports that the file is busy
/// at once, whatever the timeout: two connections that have both read and want to write would wait for each other.
async fn first_connection(writer: &Pool) -> Result<Connection> {
    let end = Instant::now() + BUSY_TIMEOUT;
    loop {
        match writer.connection().await {
            Err(Error::Busy) if Instant::now() < end => tokio::time::sleep(RETRY_INTERVAL).await,
            connection => return connection,
        }
    }
}

/// A pool that never closes a connection by itself.
fn pool(size: u32, options: SqliteConnectOptions) -> Pool {
    let pool = SqlitePoolOptions::new()
        .max_connections(size)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_secs(60));
    Pool::Sqlite(pool.connect_lazy_with(options))
}

/// Reads back the settings on which durability depends.
async fn check_settings(db: &mut Connection) -> Result<()> {
    let settings: [(_, &'static str, _, _); 3] = [
        ("journal_mode", "SELECT journal_mode FROM pragma_journal_mode", "wal", "wal"),
        ("synchronous", "SELECT CAST(synchronous AS TEXT) FROM pragma_synchronous", "2", "2 (FULL)"),
        ("foreign_keys", "SELECT CAST(foreign_keys AS TEXT) FROM pragma_foreign_keys", "1", "1"),
    ];
    for (setting, sql, expected, wanted) in settings {
        let found = db.setting(sql).await?;
        if found != expected {
            return Err(Error::Unsafe { setting, found, wanted });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn weaker_flushing_is_refused() {
        let path = std::env::temp_dir().join(format!("grove-flush-{}.db", uuid::Uuid::now_v7()));
        for less in [SqliteSynchronous::Normal, SqliteSynchronous::Off] {
            let refusal = open_with(&path, less).await.map(drop);
            assert!(matches!(refusal, Err(Error::Unsafe { setting: "synchronous", .. })), "{refusal:?}");
        }
        assert!(open_with(&path, SqliteSynchronous::Full).await.is_ok());
        // A database in memory cannot have a write-ahead log.
        let refusal = open(Path::new(":memory:")).await.map(drop);
        assert!(matches!(refusal, Err(Error::Unsafe { setting: "journal_mode", .. })), "{refusal:?}");
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
    }
}
