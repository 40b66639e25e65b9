//! A connection to PostgreSQL with a limit on the duration of each statement.
//!
//! A connection can die silently: the cable is pulled, a firewall forgets it, the other machine stops. The driver would wait for a
//! quarter of an hour, until the system gives up sending. So every statement has a limit here. A connection whose statement was not
//! finished in time, or whose caller went away in the middle, is closed and never used again: what it was doing may have happened or not.

use std::io;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};
use tokio::runtime::Handle;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use crate::{Error, Result};

/// How long a connection may take to return to its pool, which tests it first.
const RETURN: Duration = Duration::from_secs(2);

/// A connection of a pool, with a limit for each statement.
#[derive(Debug)]
pub(crate) struct LimitedConnection {
    /// None only while it is dropped.
    inner: Option<PoolConnection<Postgres>>,
    limit: Duration,
    /// Whether a statement was begun and not finished.
    is_unfinished: bool,
}

impl LimitedConnection {
    pub(crate) fn new(inner: PoolConnection<Postgres>, limit: Duration) -> Self {
        Self { inner: Some(inner), limit, is_unfinished: false }
    }

    /// Limits each further statement to this duration, until the connection returns to its pool, and returns the limit before.
    pub(crate) fn set_limit(&mut self, limit: Duration) -> Duration {
        std::mem::replace(&mut self.limit, limit)
    }

    /// Begins a statement, which [`LimitedConnection::finish`] ends.
    pub(crate) fn begin(&mut self) -> Result<(Duration, &mut PgConnection)> {
        if std::mem::replace(&mut self.is_unfinished, true) {
            return Err(too_late());
        }
        Ok((self.limit, self.inner.as_mut().ok_or(Error::Closed)?))
    }

    /// Passes on the outcome of a statement.
    pub(crate) fn finish<T>(&mut self, outcome: Result<sqlx::Result<T>, Elapsed>) -> Result<T> {
        let outcome = outcome.map_err(|_| too_late())?.map_err(Error::from);
        self.is_unfinished = matches!(outcome, Err(Error::Unreachable(_)));
        outcome
    }

    /// Closes the connection at once, with whatever transaction it is in.
    pub(crate) fn discard(mut self) {
        self.is_unfinished = true;
    }
}

impl Drop for LimitedConnection {
    fn drop(&mut self) {
        let Some(mut connection) = self.inner.take() else { return };
        match Handle::try_current() {
            Ok(runtime) if !self.is_unfinished => {
                let returning = connection.return_to_pool();
                // If it does not return in time, it is closed and its place in the pool is free.
                runtime.spawn(async move { drop(timeout(RETURN, returning).await) });
            }
            // A graceful close would wait for the other side.
            _ => drop(connection.detach()),
        }
    }
}

fn too_late() -> Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "no response in time")).into()
}
