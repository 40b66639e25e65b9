//! PostgreSQL: several servers may share one database.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::lane::{Lane, Manner};
use crate::leases::{Desk, Shelf, Table};
use crate::sql::{Connection, Pool};
use crate::store::Rooms;
use crate::{Error, schema};

/// How many campaigns can be written to at the same time.
const WRITERS: u32 = 4;
const READERS: u32 = 8;

/// A lane writes to one campaign at a time and locks its row, so what it reads stays true until it commits.
const WRITING: Manner = Manner { begin: "BEGIN; SAVEPOINT request", one_key_each: true };

pub(crate) async fn open(url: &str) -> Result<Rooms, Error> {
    let options = PgConnectOptions::from_str(url).map_err(|_| Error::BadUrl(without_password(url)))?;
    let options = options.application_name("grove").options([("search_path", schema::NAME)]);

    // A pool would try again for a while; who has mistyped the address wants to know at once.
    options.connect().await?.close().await?;
    let readers = Pool::Postgres(kept(READERS).connect_lazy_with(options.clone()));
    let mut db = readers.connection().await?;
    check(&mut db).await?;
    schema::migrate(&mut db).await?;
    drop(db);

    let writers: Vec<Pool> = (0..WRITERS).map(|_| one(options.clone())).collect();
    // Leases may be lost, so nobody waits until they are on disk.
    let leases = one(options.options([("synchronous_commit", "off")]));
    Ok(Rooms {
        place: without_password(url),
        readers: readers.clone(),
        writers: writers.iter().map(|writer| Lane::start(writer.clone(), WRITING)).collect(),
        desk: Desk::open(Shelf::Table(Table::new(leases.clone()))),
        pools: [readers, leases].into_iter().chain(writers).collect(),
    })
}

fn kept(size: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(size).acquire_timeout(Duration::from_secs(10))
}

/// One connection, for one task that finds out by itself when it has died: to test it before every use would take as long as a statement.
fn one(options: PgConnectOptions) -> Pool {
    Pool::Postgres(kept(1).test_before_acquire(false).connect_lazy_with(options))
}

/// The URL as it may be shown.
pub(crate) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "this".to_owned() };
    let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
    // Parameters may hold a password too.
    let place = place.split('?').next().unwrap_or(place);
    format!("{scheme}://{place}")
}

/// Reads back what durability rests on.
async fn check(db: &mut Connection) -> Result<(), Error> {
    let settings: [(&'static str, &'static str); 3] = [
        ("fsync", "SHOW fsync"),
        ("full_page_writes", "SHOW full_page_writes"),
        ("synchronous_commit", "SHOW synchronous_commit"),
    ];
    for (setting, show) in settings {
        let row = db.row(show, &[]).await?.ok_or_else(|| Error::damaged("a setting cannot be read"))?;
        let found: String = row.get(0)?;
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
