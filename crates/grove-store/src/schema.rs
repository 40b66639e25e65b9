//! The tables, and how an older database is upgraded.
//!
//! The version of a schema is the number of migrations that made it; the table `grove_schema` holds it. Opening a database applies the
//! migrations that it lacks, all in one transaction, and refuses a database that a newer program has upgraded.
//!
//! A program may still be running when a newer one upgrades its database. So every transaction that appends to a log reads the version
//! along with the campaign's row, which it reads anyway, and fails with [`Error::NewerSchema`] if the database has moved on.
//!
//! | version | tables |
//! |---|---|
//! | 1 | `owners`, `campaigns`, `log`, `votes`, `corrections`, `snapshots`, `holders`, `credentials` |
//! | 2 | `login_failures` |
//! | 3 | `votes` of any form, `servers`, `audit`, `holders.epoch`; `panels`, `panel_people`, `submissions`, `webhooks`, `bonuses`, `model_calls` |
//! | 4 | `members` |
//! | 5 | `campaigns.votes`, `votes.link`; `keys`, `link_limits` |
//! | 6 | `model_spending`, `model_probes`; `panels.places`, `.places_asked`, `.places_asked_at`, `.commitments`, `.paused_with_campaign`, `.read_after_end` |

use std::time::Duration;

use sqlx::AssertSqlSafe;

use crate::sql::{Connection, values};
use crate::{Error, Result};

/// The migrations in order.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
];
/// Leases are short-lived, so they are not migrated.
const LEASES: &str = include_str!("schema/leases.sql");

/// The PostgreSQL schema that holds all tables, so that Grove can share a database with other programs.
pub(crate) const NAME: &str = "grove";

/// The number locked is arbitrary; no other program is likely to use it. Upgrading a large database may take a while.
const BEGIN_POSTGRES: &str = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
    SELECT pg_advisory_xact_lock(5150374812906433); CREATE SCHEMA IF NOT EXISTS grove";
/// How long each statement of a migration may take.
const LIMIT: Duration = Duration::from_secs(3600);

/// Upgrades the database to this program's schema in one transaction: other processes, and the next one if this one is killed, see the
/// old schema or the new one and nothing in between.
pub(crate) async fn migrate(db: &mut Connection) -> Result<()> {
    migrate_by(db, MIGRATIONS).await
}

/// Fails if the version read from the database is newer than this program's.
pub(crate) fn check(found: i64) -> Result<()> {
    check_against(MIGRATIONS.len() as i64, found)
}

fn check_against(known: i64, found: i64) -> Result<()> {
    if found > known { Err(Error::NewerSchema { found, known }) } else { Ok(()) }
}

async fn migrate_by(db: &mut Connection, migrations: &[&str]) -> Result<()> {
    db.set_limit(LIMIT);
    db.batch(db.either("BEGIN IMMEDIATE", BEGIN_POSTGRES)).await?;
    match migrate_within(db, migrations).await {
        Ok(()) => db.batch("COMMIT").await,
        Err(error) => {
            // The first error is the one worth reporting.
            let _ = db.batch("ROLLBACK").await;
            Err(error)
        }
    }
}

async fn migrate_within(db: &mut Connection, migrations: &[&str]) -> Result<()> {
    let (found, known) = (version(db).await?, migrations.len() as i64);
    check_against(known, found)?;
    let done = usize::try_from(found).map_err(|_| Error::damaged(format!("its schema is {found}")))?;
    if let Connection::Postgres(_) = db {
        db.batch(LEASES).await?;
        if (1..migrations.len()).contains(&done) {
            // Waits for appends that have read the old version, and makes those that follow read the new one. (In SQLite the
            // transaction holds the only lock.)
            db.batch("LOCK TABLE campaigns IN EXCLUSIVE MODE").await?;
        }
    }
    for migration in &migrations[done..] {
        run(db, migration).await?;
    }
    db.execute("UPDATE grove_schema SET version = $1 WHERE version <> $1", values![known]).await.map(drop)
}

/// Returns the version of the schema, 0 for a new database.
async fn version(db: &mut Connection) -> Result<i64> {
    if let Connection::Sqlite(_) = db {
        let tables: Vec<(String,)> =
            db.all("SELECT name FROM sqlite_master WHERE type = 'table'", &[]).await?;
        if !tables.is_empty() && !tables.iter().any(|(name,)| name == "grove_schema") {
            return Err(Error::NotADatabase("the file".to_owned()));
        }
    }
    run(
        db,
        "CREATE TABLE IF NOT EXISTS grove_schema (version {int} NOT NULL) {rows};
         INSERT INTO grove_schema (version) SELECT 0 WHERE NOT EXISTS (SELECT * FROM grove_schema)",
    )
    .await?;
    let row = db.first("SELECT version FROM grove_schema", &[]).await?;
    row.map(|(version,)| version).ok_or_else(|| Error::damaged("it has no schema version"))
}

/// Runs statements that are written for both databases.
async fn run(db: &mut Connection, template: &str) -> Result<()> {
    let words = match db {
        Connection::Sqlite(_) => [
            ("{int}", "INTEGER"),
            ("{id}", "BLOB"),
            ("{bytes}", "BLOB"),
            ("{rows}", "STRICT"),
            ("{clustered}", "STRICT, WITHOUT ROWID"),
        ],
        Connection::Postgres(_) => {
            [("{int}", "BIGINT"), ("{id}", "UUID"), ("{bytes}", "BYTEA"), ("{rows}", ""), ("{clustered}", "")]
        }
    };
    let sql = words.iter().fold(template.to_owned(), |sql, (word, meaning)| sql.replace(word, meaning));
    // Safe: the template and the words are constants of this file.
    db.batch(AssertSqlSafe(sql)).await
}

#[cfg(test)]
#[path = "../tests/conformance/postgres.rs"]
mod postgres;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
    use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

    use super::*;
    use crate::sql::Pool;

    async fn in_memory() -> Connection {
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.connect_lazy_with(SqliteConnectOptions::new().in_memory(true));
        Pool::Sqlite(pool).connection().await.unwrap()
    }

    async fn tables(db: &mut Connection) -> Vec<String> {
        let sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
        db.all::<(String,)>(sql, &[]).await.unwrap().into_iter().map(|(name,)| name).collect()
    }

    #[tokio::test]
    async fn a_migration_that_fails_leaves_no_trace() {
        let db = &mut in_memory().await;
        let first = "CREATE TABLE one (x {int}) {rows}";
        let faulty = "CREATE TABLE two (x {int}) {rows}; CREATE TABLE one (x {int}) {rows}";
        assert!(migrate_by(db, &[first, faulty]).await.is_err());
        assert_eq!(tables(db).await, [""; 0]);
        migrate_by(db, &[first]).await.unwrap();
        assert!(migrate_by(db, &[first, faulty]).await.is_err());
        assert_eq!(tables(db).await, ["grove_schema", "one"]);
        assert_eq!(version(db).await.unwrap(), 1);
        migrate_by(db, &[first, "CREATE TABLE two (x {int}) {rows}"]).await.unwrap();
        assert_eq!(version(db).await.unwrap(), 2);
        assert!(matches!(migrate_by(db, &[first]).await, Err(Error::NewerSchema { found: 2, known: 1 })));
    }

    /// What models have used before the sums were stored is in them.
    #[tokio::test]
    async fn earlier_spending_of_models_counts() {
        let db = &mut in_memory().await;
        migrate_by(db, &MIGRATIONS[..5]).await.unwrap();
        db.batch(
            "INSERT INTO campaigns (id, name, created, head, concepts, advanced) VALUES (x'01', 'food', 0, 0, 0, 0);
             INSERT INTO panels (id, campaign, name, settings, key, status, created) VALUES (x'02', x'01', 'p', '{}', x'', 'open', 0)",
        )
        .await
        .unwrap();
        let most = i64::MAX;
        let calls = [
            ("x'03'", "small", 3),
            ("x'04'", "small", 4),
            ("x'05'", "large", 5),
            ("x'06'", "odd", most),
            ("x'07'", "odd", most),
        ];
        for (id, endpoint, input) in calls {
            let cost = input.saturating_mul(10);
            let row = format!(
                "INSERT INTO model_calls (id, campaign, worker, endpoint, model, mode, prompt, call, screen, reply, input, output, cost, milliseconds, at)
                 VALUES ({id}, x'01', 'w', '{endpoint}', 'm', 'plain', '', '', '', '', {input}, 1, {cost}, 0, 0)"
            );
            db.batch(AssertSqlSafe(row)).await.unwrap();
        }
        migrate(db).await.unwrap();
        let sums: Vec<(String, i64, i64)> =
            db.all("SELECT endpoint, tokens, cost FROM model_spending ORDER BY endpoint", &[]).await.unwrap();
        let sums: Vec<_> = sums.iter().map(|(name, tokens, cost)| (name.as_str(), *tokens, *cost)).collect();
        assert_eq!(sums, [("large", 6, 50), ("odd", 2_000_002, 2_000_000_000_000_000), ("small", 9, 70)]);
        let panel: Option<(Option<i64>, i64)> =
            db.first("SELECT places, paused_with_campaign FROM panels", &[]).await.unwrap();
        assert_eq!(panel, Some((None, 0)));
    }

    /// An append that has read the old version is committed before the new one exists.
    #[tokio::test]
    async fn an_upgrade_waits_for_appends() {
        if postgres::is_missing() {
            return;
        }
        let options: PgConnectOptions = postgres::new_database().await.parse().unwrap();
        let options = options.options([("search_path", NAME)]);
        let pool = Pool::Postgres(PgPoolOptions::new().connect_lazy_with(options), LIMIT);
        let (mut append, mut upgrade) = (pool.connection().await.unwrap(), pool.connection().await.unwrap());
        migrate(&mut append).await.unwrap();
        append.batch("BEGIN; SELECT id FROM campaigns FOR UPDATE").await.unwrap();
        let upgrade = tokio::spawn(async move {
            let migrations = [MIGRATIONS, &["CREATE TABLE two (x {int}) {rows}"]].concat();
            migrate_by(&mut upgrade, &migrations).await
        });
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert!(!upgrade.is_finished());
        append.batch("COMMIT").await.unwrap();
        upgrade.await.unwrap().unwrap();
        assert_eq!(version(&mut append).await.unwrap(), MIGRATIONS.len() as i64 + 1);
    }

    /// A lookup that reads all votes of a campaign would grow slower with every vote.
    #[tokio::test]
    async fn lookups_do_not_read_a_whole_campaign() {
        let db = &mut in_memory().await;
        migrate(db).await.unwrap();
        let lookups: [&'static str; 4] = [
            "EXPLAIN QUERY PLAN SELECT votes.position, log.body FROM votes JOIN log
               ON log.campaign = votes.campaign AND log.position = votes.position
             WHERE votes.campaign = $1 AND votes.vote = $2
                OR votes.campaign = $1 AND votes.worker = $3 AND votes.screen = $4 AND votes.withdrawn IS NULL",
            "EXPLAIN QUERY PLAN SELECT count(*) - count(withdrawn) FROM votes WHERE campaign = $1 AND screen = $2",
            "EXPLAIN QUERY PLAN SELECT count(*) FROM votes
             WHERE campaign = $1 AND worker = $2 AND screen = $3 AND withdrawn IS NULL",
            "EXPLAIN QUERY PLAN SELECT votes.position, log.body FROM votes JOIN log
               ON log.campaign = votes.campaign AND log.position = votes.position
             WHERE votes.campaign = $1 AND votes.worker = $2 ORDER BY votes.position",
        ];
        for lookup in lookups {
            let plan = plan(db, lookup).await;
            assert!(!plan.contains("SCAN") && !plan.contains("(campaign=?)"), "{lookup}: {plan}");
        }
        // The control: a plan that reads the whole campaign.
        let all =
            plan(db, "EXPLAIN QUERY PLAN SELECT vote FROM votes WHERE campaign = $1 AND withdrawn = $2")
                .await;
        assert!(all.contains("(campaign=?)") || all.contains("SCAN"), "{all}");
    }

    async fn plan(db: &mut Connection, lookup: &'static str) -> String {
        let steps: Vec<(i64, i64, i64, String)> = db.all(lookup, &[]).await.unwrap();
        steps.into_iter().map(|(.., detail)| detail).collect::<Vec<_>>().join("; ")
    }
}
