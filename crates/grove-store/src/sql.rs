//! One small layer over the two databases, so that every statement is written once.
//!
//! Statements number their parameters `$1`, `$2`, ..., which both understand.

use sqlx::pool::PoolConnection;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Executor, PgPool, Postgres, Row as _, Sqlite, SqlitePool};
use uuid::Uuid;

use crate::Error;

/// No statement gets more rows of values at once; both databases limit the number of parameters.
const MOST_ROWS: usize = 256;

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

impl Connection {
    /// Runs a statement; the number of rows that it changed.
    pub(crate) async fn execute(&mut self, sql: &'static str, values: &[Value]) -> Result<u64, Error> {
        Ok(match self {
            Self::Sqlite(db) => bound!(sql, values).execute(&mut **db).await?.rows_affected(),
            Self::Postgres(db) => bound!(sql, values).execute(&mut **db).await?.rows_affected(),
        })
    }

    /// Runs a statement over rows of values: `head (..), (..), .. tail`. Rows are taken 256, 128, .., 1 at a time, so that there are few
    /// statements to prepare. Returns how many rows were changed.
    pub(crate) async fn execute_rows(
        &mut self,
        head: &'static str,
        tail: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<u64, Error> {
        let mut changed = 0;
        let mut rest = &rows[..];
        while !rest.is_empty() {
            let size = if rest.len() >= MOST_ROWS { MOST_ROWS } else { 1 << rest.len().ilog2() };
            let (rows, others) = rest.split_at(size);
            // Safe: constants, and numbers of parameters.
            let sql = format!("{head}{}{tail}", placeholders(size, rows[0].len()));
            let (sql, values) = (AssertSqlSafe(sql), rows.iter().flatten());
            changed += match self {
                Self::Sqlite(db) => bound!(sql, values).execute(&mut **db).await?.rows_affected(),
                Self::Postgres(db) => bound!(sql, values).execute(&mut **db).await?.rows_affected(),
            };
            rest = others;
        }
        Ok(changed)
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

/// `($1, $2), ($3, $4)` for two rows of two.
fn placeholders(rows: usize, columns: usize) -> String {
    let row = |row: usize| {
        let numbers: Vec<_> = (1..=columns).map(|column| format!("${}", row * columns + column)).collect();
        format!("({})", numbers.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
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
