//! The tables, and how an old database gets the new ones.

use sqlx::{AssertSqlSafe, Executor};

use crate::Error;
use crate::sql::{Connection, values};

/// The migrations in order; the schema's number is how many of them have been done.
const MIGRATIONS: &[&str] = &[include_str!("schema/1.sql")];
/// Leases end, so there is nothing to migrate; the table is made anew where its form has changed.
const LEASES: &str = include_str!("schema/leases.sql");

/// In PostgreSQL everything is in a schema of its own, so that Grove can share a database with others.
pub(crate) const NAME: &str = "grove";

/// An arbitrary number that no other program is likely to lock.
const BEGIN_POSTGRES: &str =
    "BEGIN; SELECT pg_advisory_xact_lock(5150374812906433); CREATE SCHEMA IF NOT EXISTS grove";

/// Brings the database to this program's schema, in one transaction: another process, or one that is killed, sees
/// the old schema or the new one and nothing between.
pub(crate) async fn migrate(db: &mut Connection) -> Result<(), Error> {
    migrate_by(db, MIGRATIONS).await
}

async fn migrate_by(db: &mut Connection, migrations: &[&str]) -> Result<(), Error> {
    db.batch(db.either("BEGIN IMMEDIATE", BEGIN_POSTGRES)).await?;
    match migrate_within(db, migrations).await {
        Ok(()) => db.batch("COMMIT").await,
        Err(error) => {
            // The first error is the one worth telling.
            let _ = db.batch("ROLLBACK").await;
            Err(error)
        }
    }
}

async fn migrate_within(db: &mut Connection, migrations: &[&str]) -> Result<(), Error> {
    let (found, known) = (version(db).await?, migrations.len() as i64);
    if found > known {
        return Err(Error::NewerSchema { found, known });
    }
    let done = usize::try_from(found).map_err(|_| Error::damaged(format!("its schema is {found}")))?;
    if let Connection::Postgres(_) = db {
        db.batch(LEASES).await?;
    }
    if done == migrations.len() {
        return Ok(());
    }
    for migration in &migrations[done..] {
        run(db, migration).await?;
    }
    db.execute("UPDATE grove_schema SET version = $1", values![known]).await.map(drop)
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

#[cfg(test)]
mod tests {
    use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

    use super::*;
    use crate::sql::Pool;

    async fn in_memory() -> Connection {
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.connect_lazy_with(SqliteConnectOptions::new().in_memory(true));
        Pool::Sqlite(pool).connection().await.unwrap()
    }

    async fn tables(db: &mut Connection) -> Vec<String> {
        let rows =
            db.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", &[]).await.unwrap();
        rows.iter().map(|row| row.get(0).unwrap()).collect()
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

    /// A lookup that reads all votes of a campaign would grow slower with every vote.
    #[tokio::test]
    async fn lookups_do_not_read_a_whole_campaign() {
        let db = &mut in_memory().await;
        migrate(db).await.unwrap();
        let lookups: [&'static str; 4] = [
            "EXPLAIN QUERY PLAN SELECT answer FROM votes WHERE campaign = $1 AND vote = $2 OR campaign = $1 AND worker = $3
               AND kind = $4 AND upper = $5 AND lower = $6 AND withdrawn IS NULL",
            "EXPLAIN QUERY PLAN SELECT count(*), count(CASE WHEN worker = $5 THEN 1 END) FROM votes
             WHERE campaign = $1 AND kind = $2 AND upper = $3 AND lower = $4 AND withdrawn IS NULL",
            "EXPLAIN QUERY PLAN SELECT answer FROM votes WHERE campaign = $1 AND kind = $2 AND upper = $3 AND lower = $4
             ORDER BY position",
            "EXPLAIN QUERY PLAN SELECT answer FROM votes WHERE campaign = $1 AND worker = $2 ORDER BY position",
        ];
        for lookup in lookups {
            let plan = plan(db, lookup).await;
            assert!(!plan.contains("SCAN") && !plan.contains("(campaign=?)"), "{lookup}: {plan}");
        }
        // The control: what would be wrong looks like this.
        let all =
            plan(db, "EXPLAIN QUERY PLAN SELECT answer FROM votes WHERE campaign = $1 AND answer = $2").await;
        assert!(all.contains("(campaign=?)") || all.contains("SCAN"), "{all}");
    }

    async fn plan(db: &mut Connection, lookup: &'static str) -> String {
        let steps = db.rows(lookup, &[]).await.unwrap();
        steps.iter().map(|step| step.get::<String>(3).unwrap()).collect::<Vec<_>>().join("; ")
    }
}
