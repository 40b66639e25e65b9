//! The tables, and how an old database gets the new ones.

use sqlx::{AssertSqlSafe, Executor};

use crate::Error;
use crate::sql::{Connection, values};

/// The migrations in order; the schema's number is how many of them have been done.
const MIGRATIONS: &[&str] = &[include_str!("schema/1.sql")];
const LEASES: &str = include_str!("schema/leases.sql");

/// The number of the schema that this program writes.
pub(crate) const KNOWN: i64 = MIGRATIONS.len() as i64;

/// In PostgreSQL everything is in a schema of its own, so that Grove can share a database with others.
pub(crate) const NAME: &str = "grove";

/// An arbitrary number that no other program is likely to lock.
const BEGIN_POSTGRES: &str =
    "BEGIN; SELECT pg_advisory_xact_lock(5150374812906433); CREATE SCHEMA IF NOT EXISTS grove";

/// Brings the database to this program's schema, in one transaction: another process, or one that is killed, sees
/// the old schema or the new one and nothing between.
pub(crate) async fn migrate(db: &mut Connection) -> Result<(), Error> {
    db.batch(db.either("BEGIN IMMEDIATE", BEGIN_POSTGRES)).await?;
    match migrate_within(db).await {
        Ok(()) => db.batch("COMMIT").await,
        Err(error) => {
            // The first error is the one worth telling.
            let _ = db.batch("ROLLBACK").await;
            Err(error)
        }
    }
}

async fn migrate_within(db: &mut Connection) -> Result<(), Error> {
    let found = version(db).await?;
    if found > KNOWN {
        return Err(Error::NewerSchema { found, known: KNOWN });
    }
    let done = usize::try_from(found).map_err(|_| Error::damaged(format!("its schema is {found}")))?;
    if done == MIGRATIONS.len() {
        return Ok(());
    }
    for migration in &MIGRATIONS[done..] {
        run(db, migration).await?;
    }
    if let Connection::Postgres(_) = db {
        db.batch(LEASES).await?;
    }
    db.execute("UPDATE grove_schema SET version = $1", values![KNOWN]).await.map(drop)
}

/// The schema's number, 0 for a new database.
async fn version(db: &mut Connection) -> Result<i64, Error> {
    if let Connection::Sqlite(_) = db
        && strangers(db).await?
    {
        return Err(Error::NotADatabase("the file".to_owned()));
    }
    run(
        db,
        "CREATE TABLE IF NOT EXISTS grove_schema (version {int} NOT NULL) {rows};
         INSERT INTO grove_schema (version) SELECT 0 WHERE NOT EXISTS (SELECT * FROM grove_schema)",
    )
    .await?;
    let row = db.row("SELECT version FROM grove_schema", &[]).await?;
    row.ok_or_else(|| Error::damaged("it has no schema number"))?.get(0)
}

/// Whether the file holds tables, and none of ours: some other program's database.
async fn strangers(db: &mut Connection) -> Result<bool, Error> {
    let tables = db.rows("SELECT name FROM sqlite_master WHERE type = 'table'", &[]).await?;
    let names = tables.iter().map(|row| row.get::<String>(0)).collect::<Result<Vec<_>, _>>()?;
    Ok(!names.is_empty() && !names.iter().any(|name| name == "grove_schema"))
}

async fn run(db: &mut Connection, template: &str) -> Result<(), Error> {
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
    let sql = sqlx::raw_sql(AssertSqlSafe(sql));
    match db {
        Connection::Sqlite(db) => db.execute(sql).await.map(drop)?,
        Connection::Postgres(db) => db.execute(sql).await.map(drop)?,
    }
    Ok(())
}
