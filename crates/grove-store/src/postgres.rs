//! PostgreSQL: several servers can share one database.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::leases::{LeaseService, LeaseStorage, SharedLeases};
use crate::sql::{Connection, Pool};
use crate::store::Backend;
use crate::write_queue::WriteQueue;
use crate::{Error, Result, schema};

/// How many campaigns can be written to at the same time.
const WRITERS: u32 = 4;
const READERS: u32 = 8;

pub(crate) async fn open(url: &str) -> Result<Backend> {
    let options = PgConnectOptions::from_str(url).map_err(|_| Error::BadUrl(without_password(url)))?;
    let options = options.application_name("grove").options([("search_path", schema::NAME)]);

    // A pool would retry for a while; a mistyped address should be reported at once.
    options.connect().await?.close().await?;
    let readers = Pool::Postgres(pool_options(READERS).connect_lazy_with(options.clone()));
    let mut db = readers.connection().await?;
    check_settings(&mut db).await?;
    schema::migrate(&mut db).await?;
    drop(db);

    let writers: Vec<Pool> = (0..WRITERS).map(|_| single(options.clone())).collect();
    // Leases may be lost, so nobody waits until they are on disk.
    let leases = single(options.options([("synchronous_commit", "off")]));
    Ok(Backend {
        place: without_password(url),
        readers: readers.clone(),
        writers: writers.iter().cloned().map(WriteQueue::start).collect(),
        leases: LeaseService::start(LeaseStorage::Shared(SharedLeases::new(leases.clone()))),
        pools: [readers, leases].into_iter().chain(writers).collect(),
    })
}

fn pool_options(size: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(size).acquire_timeout(Duration::from_secs(10))
}

/// One connection for one task, which notices by itself when it has died: testing it before every use would take as long as a statement.
fn single(options: PgConnectOptions) -> Pool {
    Pool::Postgres(pool_options(1).test_before_acquire(false).connect_lazy_with(options))
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
