//! One small layer over the two databases, so that every statement is written once.
//!
//! Statements number their parameters `$1`, `$2`, ..., which both understand.

use sqlx::pool::PoolConnection;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Executor, PgPool, Postgres, Row as _, Sqlite, SqlitePool};
use uuid::Uuid;

use crate::Error;

/// No statement of SQLite gets more rows of values at once: the number of parameters is limited.
const MOST_ROWS: usize = 256;
/// No statement of PostgreSQL gets more: a message has to be built in memory.
const MOST_IN_ARRAYS: usize = 8_192;

/// A pool of connections to either database.
#[derive(Clone, Debug)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

impl Pool {
    pub(crate) async fn connection(&self) -> Result<Connection, Error> {
        Ok(match self {
            Self::Sqlite(pool) => Connection::Sqlite(pool.acquire().await?),
            Self::Postgres(pool) => Connection::Postgres(pool.acquire().await?),
        })
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

/// One connection to either database.
#[derive(Debug)]
pub(crate) enum Connection {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
}

macro_rules! bound {
    ($sql:expr, $values:expr) => {{
        let mut query = sqlx::query($sql);
        for value in $values {
            query = match value {
                Value::Int(value) => query.bind(*value),
                Value::Text(value) => query.bind(value.as_deref()),
                Value::Bytes(value) => query.bind(value.as_deref()),
                Value::Uuid(value) => query.bind(*value),
            };
        }
        query
    }};
}

macro_rules! column_of {
    ($rows:expr, $column:expr, $kind:ident, $take:expr) => {
        $rows
            .iter()
            .map(|row| match &row[$column] {
                Value::$kind(value) => $take(value),
                // A column has one type.
                _ => None,
            })
            .collect::<Vec<_>>()
    };
}

macro_rules! bound_columns {
    ($sql:expr, $rows:expr) => {{
        let mut query = sqlx::query($sql);
        for (column, first) in $rows[0].iter().enumerate() {
            query = match first {
                Value::Int(_) => query.bind(column_of!($rows, column, Int, |value: &Option<i64>| *value)),
                Value::Text(_) => query.bind(column_of!($rows, column, Text, Option::<String>::as_deref)),
                Value::Bytes(_) => query.bind(column_of!($rows, column, Bytes, Option::<Vec<u8>>::as_deref)),
                Value::Uuid(_) => query.bind(column_of!($rows, column, Uuid, |value: &Option<Uuid>| *value)),
            };
        }
        query
    }};
}

impl Connection {
    /// Runs a statement; the number of rows that it changed.
    pub(crate) async fn execute(&mut self, sql: &'static str, values: &[Value]) -> Result<u64, Error> {
        Ok(match self {
            Self::Sqlite(db) => bound!(sql, values).execute(&mut **db).await?.rows_affected(),
            Self::Postgres(db) => bound!(sql, values).execute(&mut **db).await?.rows_affected(),
        })
    }

    /// Runs a statement over rows of values, each column of one type: `head rows tail`. Returns how many rows were changed. (Safe: the statement is made of
    /// constants and the numbers of its parameters.)
    pub(crate) async fn execute_rows(
        &mut self,
        head: &'static str,
        tail: &'static str,
        rows: &[Vec<Value>],
    ) -> Result<u64, Error> {
        let mut changed = 0;
        match self {
            Self::Sqlite(db) => {
                for rows in in_parts(rows) {
                    let sql = AssertSqlSafe(format!("{head}{}{tail}", placeholders(rows)));
                    changed += bound!(sql, rows.iter().flatten()).execute(&mut **db).await?.rows_affected();
                }
            }
            Self::Postgres(db) => {
                for rows in rows.chunks(MOST_IN_ARRAYS) {
                    let sql = AssertSqlSafe(format!("{head}{}{tail}", arrays(rows)));
                    changed += bound_columns!(sql, rows).execute(&mut **db).await?.rows_affected();
                }
            }
        }
        Ok(changed)
    }

    /// All rows of a query over rows of values; else as [`Connection::execute_rows`].
    pub(crate) async fn rows_for(
        &mut self,
        head: &'static str,
        tail: &'static str,
        rows: &[Vec<Value>],
    ) -> Result<Vec<Row>, Error> {
        let mut found = Vec::new();
        match self {
            Self::Sqlite(db) => {
                for rows in in_parts(rows) {
                    let sql = AssertSqlSafe(format!("{head}{}{tail}", placeholders(rows)));
                    let part = bound!(sql, rows.iter().flatten()).fetch_all(&mut **db).await?;
                    found.extend(part.into_iter().map(Row::Sqlite));
                }
            }
            Self::Postgres(db) => {
                for rows in rows.chunks(MOST_IN_ARRAYS) {
                    let sql = AssertSqlSafe(format!("{head}{}{tail}", arrays(rows)));
                    let part = bound_columns!(sql, rows).fetch_all(&mut **db).await?;
                    found.extend(part.into_iter().map(Row::Postgres));
                }
            }
        }
        Ok(found)
    }

    /// All rows of a query.
    pub(crate) async fn rows(&mut self, sql: &'static str, values: &[Value]) -> Result<Vec<Row>, Error> {
        Ok(match self {
            Self::Sqlite(db) => {
                bound!(sql, values).fetch_all(&mut **db).await?.into_iter().map(Row::Sqlite).collect()
            }
            Self::Postgres(db) => {
                bound!(sql, values).fetch_all(&mut **db).await?.into_iter().map(Row::Postgres).collect()
            }
        })
    }

    /// The first row of a query, if there is one.
    pub(crate) async fn row(&mut self, sql: &'static str, values: &[Value]) -> Result<Option<Row>, Error> {
        Ok(match self {
            Self::Sqlite(db) => bound!(sql, values).fetch_optional(&mut **db).await?.map(Row::Sqlite),
            Self::Postgres(db) => bound!(sql, values).fetch_optional(&mut **db).await?.map(Row::Postgres),
        })
    }

    /// Runs statements without parameters, several at once.
    pub(crate) async fn batch(&mut self, sql: &'static str) -> Result<(), Error> {
        match self {
            Self::Sqlite(db) => db.execute(sqlx::raw_sql(sql)).await.map(drop)?,
            Self::Postgres(db) => db.execute(sqlx::raw_sql(sql)).await.map(drop)?,
        }
        Ok(())
    }

    /// Picks the statement for the database at hand, where the two differ.
    pub(crate) fn either(&self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite,
            Self::Postgres(_) => postgres,
        }
    }

    /// Throws the connection away, with whatever transaction it was in.
    pub(crate) fn discard(self) {
        match self {
            Self::Sqlite(mut db) => db.close_on_drop(),
            Self::Postgres(mut db) => db.close_on_drop(),
        }
    }
}

/// Rows 256, 128, .., 1 at a time, so that SQLite has few statements to prepare.
fn in_parts(rows: &[Vec<Value>]) -> impl Iterator<Item = &[Vec<Value>]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let size = 1 << rest.len().min(MOST_ROWS).checked_ilog2()?;
        let (part, others) = rest.split_at(size);
        rest = others;
        Some(part)
    })
}

/// Rows as SQLite takes them: `VALUES ($1, $2), ($3, $4)` for two rows of two.
fn placeholders(rows: &[Vec<Value>]) -> String {
    let mut numbers = 1..;
    let mut row = |row: &Vec<Value>| {
        let numbers: Vec<_> = numbers.by_ref().take(row.len()).map(|number| format!("${number}")).collect();
        format!("({})", numbers.join(", "))
    };
    format!("VALUES {}", rows.iter().map(&mut row).collect::<Vec<_>>().join(", "))
}

/// Rows as PostgreSQL takes them: each column is an array, so that there is one statement to prepare, however many rows there are.
fn arrays(rows: &[Vec<Value>]) -> String {
    let array = |(value, number): (&Value, usize)| match value {
        Value::Int(_) => format!("${number}::bigint[]"),
        Value::Text(_) => format!("${number}::text[]"),
        Value::Bytes(_) => format!("${number}::bytea[]"),
        Value::Uuid(_) => format!("${number}::uuid[]"),
    };
    let columns: Vec<_> = rows[0].iter().zip(1..).map(array).collect();
    format!("SELECT * FROM unnest({})", columns.join(", "))
}

/// What a statement's parameter can be.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Int(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
    Uuid(Option<Uuid>),
}

macro_rules! value_from {
    ($($variant:ident: $from:ty, $name:ident => $to:expr;)*) => {$(
        impl From<$from> for Value {
            fn from($name: $from) -> Self {
                Self::$variant(Some($to))
            }
        }
        impl From<Option<$from>> for Value {
            fn from(value: Option<$from>) -> Self {
                Self::$variant(value.map(|$name| $to))
            }
        }
    )*};
}

value_from! {
    Int: i64, number => number;
    Int: u32, number => i64::from(number);
    Int: crate::Moment, moment => moment.0;
    Int: crate::Position, position => position.0;
    Text: &str, text => text.to_owned();
    Text: String, text => text;
    Text: &crate::WorkerId, worker => worker.as_str().to_owned();
    Bytes: Vec<u8>, bytes => bytes;
    Bytes: &[u8], bytes => bytes.to_vec();
    Uuid: Uuid, id => id;
    Uuid: crate::CampaignId, id => id.0;
    Uuid: crate::VoteId, id => id.0;
    Uuid: crate::CorrectionId, id => id.0;
    Uuid: crate::OwnerId, id => id.0;
    Uuid: crate::CredentialId, id => id.0;
    Uuid: crate::HolderId, id => id.0;
}

/// Parameters of a statement, each turned into a [`Value`].
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::Value::from($value)),*] };
}
pub(crate) use values;

/// A row of either database.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// What a column can be read as, in both databases.
pub(crate) trait Column: Sized {
    fn of(row: &Row, index: usize) -> Result<Self, Error>;
}

macro_rules! column {
    ($($type:ty),*) => {$(
        impl Column for $type {
            fn of(row: &Row, index: usize) -> Result<Self, Error> {
                Ok(match row {
                    Row::Sqlite(row) => row.try_get(index)?,
                    Row::Postgres(row) => row.try_get(index)?,
                })
            }
        }
    )*};
}

column!(i64, String, Vec<u8>, Uuid, Option<i64>, Option<String>, Option<Uuid>, Option<Vec<u8>>);

impl Row {
    pub(crate) fn get<T: Column>(&self, index: usize) -> Result<T, Error> {
        T::of(self, index)
    }

    /// A concept's number, or another small count.
    pub(crate) fn small(&self, index: usize) -> Result<u32, Error> {
        let number: i64 = self.get(index)?;
        u32::try_from(number).map_err(|_| Error::damaged(format!("{number} where a small number should be")))
    }
}
