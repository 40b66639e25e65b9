//! SQLite: one file, one writer.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::lane::{Lane, Manner};
use crate::leases::{Desk, Shelf};
use crate::sql::{Connection, Pool};
use crate::store::Rooms;
use crate::{Error, schema};

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);
const READERS: u32 = 4;

/// Between two attempts at a file that is busy.
const PAUSE: Duration = Duration::from_millis(20);

/// The writer takes the file's lock before it reads: a transaction that begins by reading cannot wait for the lock later.
const WRITING: Manner = Manner { begin: "BEGIN IMMEDIATE; SAVEPOINT request", one_key_each: false };

pub(crate) async fn open(path: &Path) -> Result<Rooms, Error> {
    open_with(path, SqliteSynchronous::Full).await
}

/// With another `synchronous` the store does not open; it is an argument so that this can be shown.
async fn open_with(path: &Path, synchronous: SqliteSynchronous) -> Result<Rooms, Error> {
    let named = |error| match error {
        Error::NotADatabase(_) => Error::NotADatabase(path.display().to_string()),
        error => error,
    };
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        // An erased worker's name must not stay in free pages.
        .pragma("secure_delete", "ON");

    let writer = Pool::Sqlite(kept(1).connect_lazy_with(options.clone()));
    let mut db = first_connection(&writer).await.map_err(|error| opening(path, error))?;
    check(&mut db).await?;
    schema::migrate(&mut db).await.map_err(named)?;
    drop(db);

    let readers = Pool::Sqlite(kept(READERS).connect_lazy_with(options.pragma("query_only", "ON")));
    Ok(Rooms {
        place: path.display().to_string(),
        readers: readers.clone(),
        writers: vec![Lane::start(writer.clone(), WRITING)],
        desk: Desk::open(Shelf::Memory(HashMap::new(), readers.clone())),
        pools: vec![readers, writer],
    })
}

/// The connection that turns the write-ahead log on. While another program does the same, SQLite says that the file is busy without waiting
/// for it, whatever the timeout: two that both read and want to write would wait for each other.
async fn first_connection(writer: &Pool) -> Result<Connection, Error> {
    let end = Instant::now() + PATIENCE;
    loop {
        match writer.connection().await {
            Err(Error::Busy) if Instant::now() < end => tokio::time::sleep(PAUSE).await,
            connection => return connection,
        }
    }
}

/// A pool that never closes a connection by itself.
fn kept(size: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(size)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_secs(60))
}

fn opening(path: &Path, error: Error) -> Error {
    match error {
        Error::NotADatabase(_) => Error::NotADatabase(path.display().to_string()),
        Error::Database(cause) => match cause.as_database_error().and_then(|error| error.code()).as_deref() {
            // SQLITE_CANTOPEN.
            Some("14") => {
                Error::file(path, "cannot be opened; see that its folder exists and may be written to")
            }
            _ => Error::Database(cause),
        },
        error => error,
    }
}

/// Reads back what durability rests on.
async fn check(db: &mut Connection) -> Result<(), Error> {
    let wal = setting(db, "SELECT journal_mode FROM pragma_journal_mode").await?;
    if wal != "wal" {
        return Err(Error::Unsafe { setting: "journal_mode", found: wal, wanted: "wal" });
    }
    let synchronous = setting(db, "SELECT CAST(synchronous AS TEXT) FROM pragma_synchronous").await?;
    if synchronous != "2" {
        return Err(Error::Unsafe { setting: "synchronous", found: synchronous, wanted: "2 (FULL)" });
    }
    let keys = setting(db, "SELECT CAST(foreign_keys AS TEXT) FROM pragma_foreign_keys").await?;
    if keys != "1" {
        return Err(Error::Unsafe { setting: "foreign_keys", found: keys, wanted: "1" });
    }
    Ok(())
}

async fn setting(db: &mut Connection, sql: &'static str) -> Result<String, Error> {
    db.row(sql, &[]).await?.ok_or_else(|| Error::damaged("a setting cannot be read"))?.get(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_flushes_less_is_not_opened() {
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
