//! PostgreSQL: several servers can share one database.

use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::timeout;

use crate::changes::{self, Changes};
use crate::leases::{LeaseService, LeaseStorage, SharedLeases};
use crate::sql::{Connection, Pool};
use crate::store::Backend;
use crate::write_queue::WriteQueue;
use crate::{Error, Result, schema};

/// How many campaigns can be written to at the same time.
const WRITERS: u32 = 4;
const READERS: u32 = 8;

/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a statement may take here. The database allows more: what it ends itself is a fault of its own.
const STATEMENT: Duration = Duration::from_secs(5);
/// The same for statements that can simply be repeated.
const QUICK: Duration = Duration::from_secs(2);
/// The same for what is known to be slow: large snapshots, backups, erasing, deleting.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// A connection is tried before it is used. How long that may take.
const PING: Duration = Duration::from_secs(1);

/// What the database does when this program disappears without closing its connections, so that no lock is held for it. The values
/// for TCP are without
/// effect on a socket file.
const SESSION: [(&str, &str); 7] = [
    ("search_path", schema::NAME),
    ("statement_timeout", "60s"),
    ("lock_timeout", "4s"),
    ("tcp_keepalives_idle", "5"),
    ("tcp_keepalives_interval", "2"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10s"),
];

/// How long a transaction may wait for its client, for those that write, which hold locks, and those that read.
const IDLE_WRITER: (&str, &str) = ("idle_in_transaction_session_timeout", "5s");
const IDLE_READER: (&str, &str) = ("idle_in_transaction_session_timeout", "60s");

pub(crate) async fn open(url: &str) -> Result<Backend> {
    let options = PgConnectOptions::from_str(url).map_err(|_| Error::BadUrl(without_password(url)))?;
    let options = options.application_name("grove").options(SESSION);

    // A pool would retry for a while; a mistyped address should be reported at once.
    let connecting = timeout(CONNECT, options.connect());
    connecting.await.map_err(|_| sqlx::Error::Io(io::ErrorKind::TimedOut.into()))??.close().await?;
    let readers = tested(READERS, options.clone().options([IDLE_READER]));
    let mut db = readers.connection().await?;
    check_settings(&mut db).await?;
    schema::migrate(&mut db).await?;
    // Its limits were those of a migration.
    db.discard();

    let options = options.options([IDLE_WRITER]);
    let writers: Vec<Pool> = (0..WRITERS).map(|_| single(options.clone(), STATEMENT)).collect();
    // Leases and heartbeats may be lost, so nobody waits until they are on disk.
    let volatile = options.options([("synchronous_commit", "off")]);
    let (leases, beats) = (single(volatile.clone(), QUICK), single(volatile.clone(), QUICK));
    let changes = Arc::new(Changes::default());
    let ears = pool_options(1).connect_lazy_with(volatile);
    let tasks = vec![
        tokio::spawn(changes::tell(changes.clone(), beats.clone())),
        tokio::spawn(changes::listen(changes.clone(), ears.clone())),
    ];
    let pools = [readers.clone(), leases.clone(), beats.clone(), Pool::Postgres(ears, QUICK)];
    Ok(Backend {
        place: without_password(url),
        readers,
        writers: writers.iter().cloned().map(WriteQueue::start).collect(),
        leases: LeaseService::start(LeaseStorage::Shared(SharedLeases::new(leases))),
        beats: Some(beats),
        changes,
        tasks,
        pools: pools.into_iter().chain(writers).collect(),
    })
}

fn pool_options(size: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(size).acquire_timeout(CONNECT).test_before_acquire(false)
}

/// Some connections, tried before use. One that does not answer at once is closed.
fn tested(size: u32, options: PgConnectOptions) -> Pool {
    let pool = pool_options(size).before_acquire(|connection, _| {
        Box::pin(async move {
            let answer = timeout(PING, connection.ping()).await;
            answer.map_err(|_| sqlx::Error::Io(io::ErrorKind::TimedOut.into()))??;
            Ok(true)
        })
    });
    Pool::Postgres(pool.connect_lazy_with(options), STATEMENT)
}

/// One connection for one task, which notices by itself when it has died: testing it before every use would take as long as a statement.
fn single(options: PgConnectOptions, limit: Duration) -> Pool {
    Pool::Postgres(pool_options(1).connect_lazy_with(options), limit)
}

/// Returns the URL as it can be shown.
pub(crate) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "this".to_owned() };
    let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
    // Parameters can hold a password too.
    let place = place.split('?').next().unwrap_or(place);
    format!("{scheme}://{place}")
}

/// Reads back the settings on which durability depends.
async fn check_settings(db: &mut Connection) -> Result<()> {
    let settings: [(_, &'static str); 3] = [
        ("fsync", "SHOW fsync"),
        ("full_page_writes", "SHOW full_page_writes"),
        ("synchronous_commit", "SHOW synchronous_commit"),
    ];
    for (setting, show) in settings {
        let found = db.setting(show).await?;
        if found == "off" {
            return Err(Error::Unsafe { setting, found, wanted: "on" });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_url_has_no_password() {
        for url in [
            "postgres://ann:secret@host:5432/grove",
            "postgres://host/grove?password=secret",
            "postgres://ann:sec@ret@host/grove",
        ] {
            let shown = without_password(url);
            assert!(!shown.contains("sec") && !shown.contains("ret"), "{shown}");
            assert!(shown.starts_with("postgres://host"), "{shown}");
        }
    }
}
