//! A thin layer over the two databases, so that each statement is written once.
//!
//! Statements number their parameters `$1`, `$2`, ..., which both databases understand.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{
    AssertSqlSafe, ColumnIndex, Decode, Executor, PgPool, Postgres, Row as _, SqlSafeStr, Sqlite, SqlitePool,
    Type,
};
use tokio::time::timeout;
use uuid::Uuid;

use crate::limited::LimitedConnection;
use crate::{
    BonusId, CampaignId, CorrectionId, CredentialId, Error, HolderId, Moment, OwnerId, PanelId, Position,
    Result, VoteId, WorkerId,
};

/// The most rows in one statement of SQLite, which limits the number of parameters.
const MAX_ROWS: usize = 256;
/// The most rows in one statement of PostgreSQL, whose messages are built in memory.
const MAX_ARRAY_LENGTH: usize = 8_192;

/// Evaluates the same expression for either database.
macro_rules! for_either {
    ($type:ident, $value:expr, $inner:pat => $body:expr) => {
        match $value {
            $type::Sqlite($inner) => $body,
            $type::Postgres($inner) => $body,
        }
    };
}

/// A pool of connections to either database.
#[derive(Clone, Debug)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
    /// With the limit for each statement.
    Postgres(PgPool, Duration),
}

impl Pool {
    pub(crate) async fn connection(&self) -> Result<Connection> {
        Ok(match self {
            Self::Sqlite(pool) => Connection::Sqlite(pool.acquire().await?),
            Self::Postgres(pool, limit) => {
                Connection::Postgres(LimitedConnection::new(pool.acquire().await?, *limit))
            }
        })
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool, _) => pool.close().await,
        }
    }
}

/// One connection to either database.
#[derive(Debug)]
pub(crate) enum Connection {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(LimitedConnection),
}

/// Runs a statement on either connection, on PostgreSQL's within its limit, and evaluates an expression of what it returns.
macro_rules! run {
    ($connection:expr, |$db:ident| $statement:expr, |$found:pat_param| $result:expr) => {
        match $connection {
            Connection::Sqlite(connection) => {
                let $db = &mut **connection;
                let $found = $statement.await?;
                $result
            }
            Connection::Postgres(connection) => {
                let (limit, $db) = connection.begin()?;
                let outcome = timeout(limit, $statement).await;
                let $found = connection.finish(outcome)?;
                $result
            }
        }
    };
}

/// A statement with its parameters.
macro_rules! bind {
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

/// A statement whose parameters are the columns of some rows, as arrays.
macro_rules! bind_columns {
    ($sql:expr, $rows:expr, $($kind:ident),*) => {{
        let mut query = sqlx::query($sql);
        for (column, first) in $rows[0].iter().enumerate() {
            query = match first {
                $(Value::$kind(_) => {
                    let column = $rows.iter().map(|row| match &row[column] {
                        Value::$kind(value) => value.as_ref(),
                        // A column has one type.
                        _ => None,
                    });
                    query.bind(column.collect::<Vec<_>>())
                })*
            };
        }
        query
    }};
}

/// Runs a statement made of `$head`, rows of values and `$tail`, as often as the number of rows requires. (Safe: the statement consists of
/// constants and the numbers of its parameters.)
macro_rules! for_rows {
    ($connection:expr, $head:expr, $rows:expr, $tail:expr, |$query:ident, $db:ident| $statement:expr, |$found:ident| $result:expr) => {
        match $connection {
            Connection::Sqlite(connection) => {
                for part in powers_of_two($rows) {
                    let sql = AssertSqlSafe(format!("{}{}{}", $head, placeholders(part), $tail));
                    let ($query, $db) = (bind!(sql, part.iter().flatten()), &mut **connection);
                    let $found = $statement.await?;
                    $result;
                }
            }
            Connection::Postgres(connection) => {
                for part in $rows.chunks(MAX_ARRAY_LENGTH) {
                    let sql = AssertSqlSafe(format!("{}{}{}", $head, arrays(part), $tail));
                    let $query = bind_columns!(sql, part, Int, Text, Bytes, Uuid);
                    let (limit, $db) = connection.begin()?;
                    let outcome = timeout(limit, $statement).await;
                    let $found = connection.finish(outcome)?;
                    $result;
                }
            }
        }
    };
}

impl Connection {
    /// Runs a statement and returns the number of rows that it changed.
    pub(crate) async fn execute(&mut self, sql: &'static str, values: &[Value]) -> Result<u64> {
        Ok(run!(self, |db| bind!(sql, values).execute(db), |done| done.rows_affected()))
    }

    /// Runs a statement that should change one row, and fails with `otherwise` if it does not.
    pub(crate) async fn execute_one(
        &mut self,
        sql: &'static str,
        values: &[Value],
        otherwise: Error,
    ) -> Result<()> {
        if self.execute(sql, values).await? == 1 { Ok(()) } else { Err(otherwise) }
    }

    /// Runs `head rows tail` and returns the number of rows that it changed. All values of a column have the same type.
    pub(crate) async fn execute_rows(
        &mut self,
        head: &'static str,
        rows: &[Vec<Value>],
        tail: &'static str,
    ) -> Result<u64> {
        let mut changed = 0;
        for_rows!(self, head, rows, tail, |query, db| query.execute(db), |done| {
            changed += done.rows_affected();
        });
        Ok(changed)
    }

    /// Inserts a row, unless there is one with the same key. Returns whether it was inserted.
    pub(crate) async fn insert<T: Insert>(&mut self, row: T) -> Result<bool> {
        let inserted = self.execute_rows(T::INSERT, &[row.into_values()], " ON CONFLICT DO NOTHING").await?;
        Ok(inserted == 1)
    }

    /// Inserts a row, and fails with [`Error::Conflict`] if there is one with the same key.
    pub(crate) async fn insert_new<T: Insert>(&mut self, row: T) -> Result<()> {
        if self.insert(row).await? { Ok(()) } else { Err(Error::Conflict) }
    }

    /// Returns all rows of the query `head rows tail`.
    pub(crate) async fn query_rows<T: FromRow>(
        &mut self,
        head: &'static str,
        rows: &[Vec<Value>],
        tail: &'static str,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        for_rows!(self, head, rows, tail, |query, db| query.fetch_all(db), |rows| {
            for row in rows {
                found.push(T::from_row(&row.into())?);
            }
        });
        Ok(found)
    }

    /// Returns all rows of a query.
    pub(crate) async fn all<T: FromRow>(&mut self, sql: impl SqlSafeStr, values: &[Value]) -> Result<Vec<T>> {
        run!(self, |db| bind!(sql, values).fetch_all(db), |rows| {
            rows.into_iter().map(|row| T::from_row(&row.into())).collect()
        })
    }

    /// Returns the first row of a query, if there is one.
    pub(crate) async fn first<T: FromRow>(
        &mut self,
        sql: impl SqlSafeStr,
        values: &[Value],
    ) -> Result<Option<T>> {
        run!(self, |db| bind!(sql, values).fetch_optional(db), |row| {
            row.map(|row| T::from_row(&row.into())).transpose()
        })
    }

    /// Returns the rows of a table that `clauses` (`WHERE ...`, `ORDER BY ...`) select.
    pub(crate) async fn select<T: Record>(
        &mut self,
        clauses: &'static str,
        values: &[Value],
    ) -> Result<Vec<T>> {
        self.all(AssertSqlSafe(format!("{} {clauses}", T::SELECT)), values).await
    }

    /// Returns the first row of a table that `clauses` select.
    pub(crate) async fn select_first<T: Record>(
        &mut self,
        clauses: &'static str,
        values: &[Value],
    ) -> Result<Option<T>> {
        self.first(AssertSqlSafe(format!("{} {clauses}", T::SELECT)), values).await
    }

    /// Whether a query finds anything.
    pub(crate) async fn exists(&mut self, sql: &'static str, values: &[Value]) -> Result<bool> {
        Ok(self.first::<()>(sql, values).await?.is_some())
    }

    /// Returns the value of a setting, by a query that has one row.
    pub(crate) async fn setting(&mut self, sql: &'static str) -> Result<String> {
        let row = self.first(sql, &[]).await?;
        row.map(|(value,)| value).ok_or_else(|| Error::damaged("a setting cannot be read"))
    }

    /// Runs statements without parameters, several at once.
    pub(crate) async fn batch(&mut self, sql: impl SqlSafeStr) -> Result<()> {
        run!(self, |db| db.execute(sqlx::raw_sql(sql)), |_| Ok(()))
    }

    /// Picks the statement for this database, where the two differ.
    pub(crate) fn either(&self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite,
            Self::Postgres(_) => postgres,
        }
    }

    /// Closes the connection, with whatever transaction it is in.
    pub(crate) fn discard(self) {
        match self {
            Self::Sqlite(mut db) => db.close_on_drop(),
            Self::Postgres(db) => db.discard(),
        }
    }

    /// Limits each further statement on this connection to this duration, and returns the limit before. (SQLite has no limit: there is
    /// no network.)
    pub(crate) fn set_limit(&mut self, limit: Duration) -> Duration {
        match self {
            Self::Sqlite(_) => Duration::MAX,
            Self::Postgres(db) => db.set_limit(limit),
        }
    }
}

/// Splits rows into parts of 256, 128, .., 1, so that SQLite has few statements to prepare.
fn powers_of_two(rows: &[Vec<Value>]) -> impl Iterator<Item = &[Vec<Value>]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let size = 1 << rest.len().min(MAX_ROWS).checked_ilog2()?;
        rest.split_off(..size)
    })
}

/// Rows for SQLite: `VALUES ($1, $2), ($3, $4)` for two rows of two.
fn placeholders(rows: &[Vec<Value>]) -> String {
    let mut numbers = 1..;
    let mut row = |row: &Vec<Value>| {
        let numbers: Vec<_> = numbers.by_ref().take(row.len()).map(|number| format!("${number}")).collect();
        format!("({})", numbers.join(", "))
    };
    format!("VALUES {}", rows.iter().map(&mut row).collect::<Vec<_>>().join(", "))
}

/// Rows for PostgreSQL: each column is an array, so that there is one statement to prepare, however many rows there are.
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

/// A parameter of a statement.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Int(Option<i64>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
    Uuid(Option<Uuid>),
}

/// Parameters of a statement, each converted to a [`Value`].
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::Value::from($value)),*] };
}
pub(crate) use values;

/// A row of either database.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl From<SqliteRow> for Row {
    fn from(row: SqliteRow) -> Self {
        Self::Sqlite(row)
    }
}

impl From<PgRow> for Row {
    fn from(row: PgRow) -> Self {
        Self::Postgres(row)
    }
}

impl Row {
    /// Reads a column by its number or its name.
    pub(crate) fn get<T: Column>(
        &self,
        column: impl ColumnIndex<SqliteRow> + ColumnIndex<PgRow>,
    ) -> Result<T> {
        T::decode(for_either!(Self, self, row => row.try_get(column)?))
    }
}

/// What a row can be read as. (sqlx's trait of this name is for one database.)
pub(crate) trait FromRow: Sized {
    fn from_row(row: &Row) -> Result<Self>;
}

/// What is read from a table of its own.
pub(crate) trait Record: Sized {
    /// `SELECT columns FROM table`
    const SELECT: &'static str;

    fn read(row: &Row) -> Result<Self>;
}

/// A record that is a whole row of a table.
pub(crate) trait Insert: Record {
    /// To be followed by rows of values.
    const INSERT: &str;

    fn into_values(self) -> Vec<Value>;
}

/// Implements [`Record`] for a struct whose fields are columns of a table: `record!(Owner from owners: id, name)`.
macro_rules! record {
    ($record:ident from $table:ident: $first:ident $(, $field:ident)*) => {
        impl $crate::sql::Record for $record {
            const SELECT: &str = concat!(
                "SELECT ", stringify!($first), $(", ", stringify!($field),)* " FROM ", stringify!($table)
            );

            fn read(row: &$crate::sql::Row) -> $crate::Result<Self> {
                Ok(Self { $first: row.get(stringify!($first))?, $($field: row.get(stringify!($field))?),* })
            }
        }
    };
}
pub(crate) use record;

/// Implements [`Record`] and [`Insert`] for a struct that is a whole row of a table: `whole_row!(Bonus of bonuses: id, panel)`.
macro_rules! whole_row {
    ($record:ident of $table:ident: $first:ident $(, $field:ident)*) => {
        $crate::sql::record!($record from $table: $first $(, $field)*);

        impl $crate::sql::Insert for $record {
            const INSERT: &str = concat!(
                "INSERT INTO ", stringify!($table), " (", stringify!($first), $(", ", stringify!($field),)* ") "
            );

            fn into_values(self) -> Vec<$crate::sql::Value> {
                let Self { $first, $($field),* } = self;
                vec![$crate::sql::Value::from($first), $($crate::sql::Value::from($field)),*]
            }
        }
    };
}
pub(crate) use whole_row;

impl<T: Record> FromRow for T {
    fn from_row(row: &Row) -> Result<Self> {
        T::read(row)
    }
}

macro_rules! tuple_from_row {
    ($($type:ident $index:literal),*) => {
        impl<$($type: Column),*> FromRow for ($($type,)*) {
            fn from_row(_row: &Row) -> Result<Self> {
                Ok(($(_row.get($index)?,)*))
            }
        }
    };
}
tuple_from_row!();
tuple_from_row!(A 0);
tuple_from_row!(A 0, B 1);
tuple_from_row!(A 0, B 1, C 2);
tuple_from_row!(A 0, B 1, C 2, D 3);
tuple_from_row!(A 0, B 1, C 2, D 3, E 4);

/// What a column can be read as.
pub(crate) trait Column: Sized {
    /// The type of the column in both databases.
    type Stored: for<'r> Decode<'r, Sqlite> + Type<Sqlite> + for<'r> Decode<'r, Postgres> + Type<Postgres>;

    fn decode(stored: Self::Stored) -> Result<Self>;
}

impl<T: Column> Column for Option<T> {
    type Stored = Option<T::Stored>;

    fn decode(stored: Self::Stored) -> Result<Self> {
        stored.map(T::decode).transpose()
    }
}

/// How types are stored: the kind of [`Value`] and its type, what a value becomes in a statement, and what a column becomes when read.
macro_rules! stored {
    ($($kind:ident($stored:ty): $type:ty, $value:pat => $to:expr, $column:pat => $from:expr;)*) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                Self::$kind(Some($to))
            }
        }
        impl From<Option<$type>> for Value {
            fn from(value: Option<$type>) -> Self {
                Self::$kind(value.map(|$value| $to))
            }
        }
        impl Column for $type {
            type Stored = $stored;

            fn decode($column: $stored) -> Result<Self> {
                $from
            }
        }
    )*};
}

stored! {
    Int(i64): i64, it => it, it => Ok(it);
    Int(i64): u32, it => i64::from(it), it => u32::try_from(it).map_err(|_| unexpected(it));
    Int(i64): Moment, Moment(it) => it, it => Ok(Self(it));
    Int(i64): Position, Position(it) => it, it => Ok(Self(it));
    Text(String): String, it => it, it => Ok(it);
    Text(String): WorkerId, it => it.into(), it => Self::new(it);
    Bytes(Vec<u8>): Vec<u8>, it => it, it => Ok(it);
    Uuid(Uuid): Uuid, it => it, it => Ok(it);
    Uuid(Uuid): CampaignId, CampaignId(it) => it, it => Ok(Self(it));
    Uuid(Uuid): VoteId, VoteId(it) => it, it => Ok(Self(it));
    Uuid(Uuid): CorrectionId, CorrectionId(it) => it, it => Ok(Self(it));
    Uuid(Uuid): OwnerId, OwnerId(it) => it, it => Ok(Self(it));
    Uuid(Uuid): CredentialId, CredentialId(it) => it, it => Ok(Self(it));
    Uuid(Uuid): HolderId, HolderId(it) => it, it => Ok(Self(it));
    Uuid(Uuid): PanelId, PanelId(it) => it, it => Ok(Self(it));
    Uuid(Uuid): BonusId, BonusId(it) => it, it => Ok(Self(it));
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<&WorkerId> for Value {
    fn from(worker: &WorkerId) -> Self {
        worker.as_str().into()
    }
}

fn unexpected(value: impl std::fmt::Debug) -> Error {
    Error::damaged(format!("a column holds the unexpected value {value:?}"))
}
