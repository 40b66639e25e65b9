use std::sync::Arc;

use crate::{CampaignId, Moment, Position, VoteId};

/// The result of a call of the store.
///
/// Every call can fail with an error of the database ([`Error::Unreachable`], [`Error::Busy`] ...); the `# Errors` of a method lists the others.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the store. Its message says what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither a path nor a PostgreSQL URL.
    #[error("{0} is not a database: give the path of a file, or postgres://user:password@host/name")]
    BadUrl(String),
    /// The file is not a database, or another program's.
    #[error("{0} is not a Grove database: give another path, or move that file away")]
    NotADatabase(String),
    /// A file cannot be read or written, or exists although it should be new.
    #[error("{path}: {problem}")]
    File {
        /// The path of the file.
        path: String,
        /// The problem with it.
        problem: String,
    },
    /// The database has been upgraded by a newer version of the program.
    #[error(
        "the database has schema version {found}, but this program knows only {known}: install the newer version of Grove"
    )]
    NewerSchema {
        /// The schema version of the database.
        found: i64,
        /// The newest schema version that this program knows.
        known: i64,
    },
    /// A setting of the database would let acknowledged votes be lost.
    #[error("the database's {setting} is {found} but must be {wanted}, or a power failure could lose votes")]
    Unsafe {
        /// The name of the setting.
        setting: &'static str,
        /// Its value.
        found: String,
        /// The value that it must have.
        wanted: &'static str,
    },
    /// Another process has locked the database for too long.
    #[error("another program is writing to the database; try again when it has finished")]
    Busy,
    /// The database cannot be written to.
    #[error("the database is read-only; check the permissions of its file and folder")]
    ReadOnly,
    /// The disk is full.
    #[error("the disk with the database is full; free some space and try again")]
    DiskFull,
    /// The database cannot be reached.
    #[error("the database cannot be reached ({0}); check that it is running and accepts connections")]
    Unreachable(Arc<sqlx::Error>),
    /// The store was closed before the request was finished.
    #[error("the store is closed; open it again")]
    Closed,
    /// Any other error of the database.
    #[error("the database reports an error: {0}")]
    Database(Arc<sqlx::Error>),
    /// The stored data is inconsistent.
    #[error("the database is damaged: {0}; run `grove doctor`, and restore a backup")]
    Damaged(String),

    /// There is no campaign with this id.
    #[error("there is no campaign {0}")]
    UnknownCampaign(CampaignId),
    /// Something else that a request names does not exist.
    #[error("there is no such {0}")]
    Unknown(&'static str),
    /// A name that has to be unique is in use.
    #[error("{0} is taken; choose another name")]
    NameTaken(String),
    /// Not a valid id for a worker.
    #[error("a worker's id has 1 to 200 bytes and no control characters")]
    BadWorker,
    /// Not a valid name.
    #[error("a name has 1 to 200 bytes and no control characters")]
    BadName,
    /// An event about a concept that was never added, or that cannot be used in this place.
    #[error("concept {0} does not exist in this campaign, or cannot be used here")]
    BadConcept(u32),
    /// A new concept does not have the next number.
    #[error("the next concept's number is {expected}, not {found}; read the log and try again")]
    WrongConceptNumber {
        /// The number of the next concept.
        expected: u32,
        /// The number that was given.
        found: u32,
    },
    /// An id was used before, for something else.
    #[error("this id was used before with different content; make a new id")]
    Conflict,
    /// The worker has already answered the screen, or one that shows one of its pairs in the same form.
    #[error("this worker has already answered the question, with vote {}", .vote.0)]
    AlreadyAnswered {
        /// The earlier vote.
        vote: VoteId,
    },
    /// The campaign has as many votes as it may have.
    #[error("this study is full: it has all the answers it needs; yours was not stored")]
    Full,
    /// As many people or votes as may have come through the link.
    #[error(
        "this link has been used up: it is for a limited number of people or answers; ask for another one"
    )]
    LinkFull,
    /// Somebody else has changed the campaign meanwhile.
    #[error("somebody else changed the campaign at the same moment; look at it again and repeat the change")]
    Changed,
    /// The event is written by a method of its own.
    #[error("{0} events cannot be appended; use the method that writes them")]
    NotAppended(&'static str),
    /// Another program runs the campaign's belief.
    #[error(
        "another program runs this campaign's belief; read its snapshots, or take over when its lease ends"
    )]
    NotTheHolder,
    /// The belief claims to have read entries that do not exist, or to have gone backwards.
    #[error("the belief cannot advance to {to}: it was at {from}, and the log ends at {head}")]
    BadAdvance {
        /// The position it claims.
        to: Position,
        /// The position it had.
        from: Position,
        /// The end of the log.
        head: Position,
    },
    /// A lease would end before it begins.
    #[error("the end, {until:?}, must be later than {now:?}")]
    EndsBeforeItBegins {
        /// The beginning.
        now: Moment,
        /// The end.
        until: Moment,
    },
    /// Something else still depends on it.
    #[error("{0}")]
    StillNeeded(&'static str),
}

impl Error {
    pub(crate) fn damaged(problem: impl Into<String>) -> Self {
        Self::Damaged(problem.into())
    }

    pub(crate) fn file(path: &std::path::Path, problem: impl std::fmt::Display) -> Self {
        Self::File { path: path.display().to_string(), problem: problem.to_string() }
    }

    /// Whether the error concerns the connection or the transaction as a whole, not only the request that met it.
    pub(crate) fn fails_transaction(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_)
                | Self::DiskFull
                | Self::ReadOnly
                | Self::Busy
                | Self::Closed
                | Self::NewerSchema { .. }
        )
    }

    /// Whether what was to be written may have been written all the same.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Busy | Self::Closed | Self::Database(_))
    }

    /// The meaning of a database's error code. SQLite's codes are numbers below 10,000, of which the last byte is the kind; PostgreSQL's
    /// have five characters.
    fn from_code(code: &str, error: sqlx::Error) -> Self {
        let sqlite = code.parse::<u32>().ok().filter(|_| code.len() != 5).map(|code| code & 0xff);
        match (code, sqlite) {
            ("55P03" | "40P01" | "40001" | "57014", _) | (_, Some(5 | 6)) => Self::Busy,
            ("53100", _) | (_, Some(13)) => Self::DiskFull,
            ("25006", _) | (_, Some(8)) => Self::ReadOnly,
            (_, Some(26)) => Self::NotADatabase("the file".to_owned()),
            _ if ["53300", "57P", "25P03", "08"].iter().any(|class| code.starts_with(class)) => {
                Self::Unreachable(Arc::new(error))
            }
            _ => Self::Database(Arc::new(error)),
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error as E;
        match &error {
            E::PoolClosed => Self::Closed,
            E::Io(_) | E::Tls(_) | E::PoolTimedOut | E::WorkerCrashed | E::Protocol(_) => {
                Self::Unreachable(Arc::new(error))
            }
            E::Database(cause) => {
                let code = cause.code().unwrap_or_default().into_owned();
                Self::from_code(&code, error)
            }
            E::ColumnDecode { .. } | E::Decode(_) => Self::damaged(error.to_string()),
            _ => Self::Database(Arc::new(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_codes_are_told_apart() {
        let codes = [
            ("5", "Busy"),
            ("517", "Busy"),
            ("1032", "ReadOnly"),
            ("13", "DiskFull"),
            ("26", "NotADatabase"),
            ("2067", "Database"),
            ("53100", "DiskFull"),
            ("57P01", "Unreachable"),
            ("08006", "Unreachable"),
            ("23505", "Database"),
            ("", "Database"),
        ];
        for (code, expected) in codes {
            let error = format!("{:?}", Error::from_code(code, sqlx::Error::RowNotFound));
            assert_eq!(error.split('(').next(), Some(expected), "{code}");
        }
    }
}
