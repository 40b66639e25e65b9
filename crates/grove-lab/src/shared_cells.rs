//! Cells that several machines compute together: a table in PostgreSQL says who computes which.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use grove_belief::ENGINE_REVISION;
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::runtime::Handle;

use crate::Error;

/// The time after which the cells of a machine that does not report any more are free again.
const CLAIM: &str = "2 minutes";

/// How often a machine reports.
const REPORT: Duration = Duration::from_secs(30);

/// The key of an advisory lock under which the table is made: `CREATE TABLE IF NOT EXISTS` alone fails if two machines try at the same time.
const TABLE_LOCK: i64 = 0x6772_6f76_655f_6c61;

/// The cells of experiments in a PostgreSQL database, for any number of machines. Each claims one cell at a time; a machine that dies loses
/// its claims after two minutes. Results of other revisions of the engine are kept apart.
pub struct SharedCells {
    pool: PgPool,
    runtime: Handle,
    /// This process among others.
    claimant: String,
}

impl SharedCells {
    /// Connects, and makes the table if there is none. The runtime that it is called in has to outlive it.
    ///
    /// # Errors
    /// [`Error::BadDatabase`] if the address makes no sense, and [`Error::Database`].
    pub async fn connect(url: &str) -> Result<Self, Error> {
        let options = PgConnectOptions::from_str(url).map_err(|_| Error::BadDatabase)?;
        let pool = PgPoolOptions::new().max_connections(4).connect_with(options).await?;
        let mut transaction = pool.begin().await?;
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(TABLE_LOCK).execute(&mut *transaction).await?;
        sqlx::query(
            "CREATE TABLE IF NOT EXISTS grove_lab_cells (
                 revision INTEGER NOT NULL,
                 study TEXT NOT NULL,
                 -- Size, settings and seed, as a JSON array.
                 cell TEXT NOT NULL,
                 -- Cells are computed in this order.
                 number INTEGER NOT NULL,
                 claimant TEXT,
                 claimed_until TIMESTAMPTZ,
                 -- Measures and seconds, as a JSON array.
                 outcome TEXT,
                 PRIMARY KEY (revision, study, cell)
             )",
        )
        .execute(&mut *transaction)
        .await?;
        let claimant: String =
            sqlx::query_scalar("SELECT gen_random_uuid()::text").fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(Self { pool, runtime: Handle::current(), claimant })
    }

    /// Makes cells known, in the order in which they should be computed.
    pub(crate) fn offer(&self, study: &str, cells: &[String]) -> Result<(), Error> {
        let insert = sqlx::query(
            "INSERT INTO grove_lab_cells (revision, study, cell, number)
             SELECT $1, $2, cell, number::integer FROM unnest($3::text[]) WITH ORDINALITY AS offered (cell, number)
             ON CONFLICT DO NOTHING",
        );
        self.runtime.block_on(insert.bind(revision()).bind(study).bind(cells).execute(&self.pool))?;
        Ok(())
    }

    /// Claims the next of these cells that has no outcome and that nobody computes.
    pub(crate) fn claim(&self, study: &str, cells: &[String]) -> Result<Option<String>, Error> {
        let update = sqlx::query_scalar(
            "UPDATE grove_lab_cells SET claimant = $4, claimed_until = now() + $5::interval
             WHERE revision = $1 AND study = $2 AND cell = (
                 SELECT cell FROM grove_lab_cells
                 WHERE revision = $1 AND study = $2 AND cell = ANY ($3) AND outcome IS NULL
                   AND (claimed_until IS NULL OR claimed_until < now())
                 ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
             RETURNING cell",
        );
        let update = update.bind(revision()).bind(study).bind(cells).bind(&self.claimant).bind(CLAIM);
        Ok(self.runtime.block_on(update.fetch_optional(&self.pool))?)
    }

    /// Stores the outcome of a cell. If there is one already, it stays.
    pub(crate) fn finish(&self, study: &str, cell: &str, values: &[String]) -> Result<(), Error> {
        let outcome = serde_json::to_string(values).expect("texts are valid JSON");
        let update = sqlx::query(
            "UPDATE grove_lab_cells SET outcome = $4 WHERE revision = $1 AND study = $2 AND cell = $3 AND outcome IS NULL",
        );
        let update = update.bind(revision()).bind(study).bind(cell).bind(outcome);
        self.runtime.block_on(update.execute(&self.pool))?;
        Ok(())
    }

    /// Returns the outcomes of those cells that have one.
    pub(crate) fn outcomes(
        &self,
        study: &str,
        cells: &[String],
    ) -> Result<HashMap<String, Vec<String>>, Error> {
        let select = sqlx::query_as::<_, (String, String)>(
            "SELECT cell, outcome FROM grove_lab_cells
             WHERE revision = $1 AND study = $2 AND cell = ANY ($3) AND outcome IS NOT NULL",
        );
        let found =
            self.runtime.block_on(select.bind(revision()).bind(study).bind(cells).fetch_all(&self.pool))?;
        let read = |(cell, outcome): (String, String)| match serde_json::from_str(&outcome) {
            Ok(values) => Ok((cell, values)),
            Err(error) => Err(Error::Database(format!("the outcome of {study} {cell} is damaged: {error}"))),
        };
        found.into_iter().map(read).collect()
    }

    /// Keeps this machine's claims until the returned sender is dropped.
    pub(crate) fn keep_claims<'scope>(
        &'scope self,
        scope: &'scope std::thread::Scope<'scope, '_>,
    ) -> Sender<()> {
        let (end, ended) = mpsc::channel();
        scope.spawn(move || {
            while ended.recv_timeout(REPORT) == Err(RecvTimeoutError::Timeout) {
                let update = sqlx::query(
                    "UPDATE grove_lab_cells SET claimed_until = now() + $2::interval
                     WHERE claimant = $1 AND outcome IS NULL AND claimed_until > now()",
                );
                // If the database cannot be reached, the next finished cell says so; at worst, a cell is computed twice.
                drop(self.runtime.block_on(update.bind(&self.claimant).bind(CLAIM).execute(&self.pool)));
            }
        });
        end
    }
}

impl fmt::Debug for SharedCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedCells").field("claimant", &self.claimant).finish_non_exhaustive()
    }
}

fn revision() -> i32 {
    i32::try_from(ENGINE_REVISION).expect("revisions are small numbers")
}
