use std::sync::Arc;

use crate::{CampaignId, Moment, Position, Question, VoteId};

/// What can go wrong with the store. Messages say what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither a path nor a PostgreSQL URL.
    #[error("{0} is no database: give the path of a file, or postgres://user:password@host/name")]
    BadUrl(String),
    /// The file holds something else.
    #[error("{0} is not a Grove database: give another path, or move that file away")]
    NotADatabase(String),
    /// A file that should be read is missing, or one that should be written exists.
    #[error("{path}: {problem}")]
    File {
        /// Which file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The database was written by a later program.
    #[error("the database has schema {found}, this program knows only {known}: install the newer program")]
    NewerSchema {
        /// The database's schema.
        found: i64,
        /// This program's.
        known: i64,
    },
    /// A setting of the database would let acknowledged votes be lost.
    #[error("the database's {setting} is {found}, and must be {wanted}, or power loss could cost votes")]
    Unsafe {
        /// Which setting.
        setting: &'static str,
        /// What it is.
        found: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// Another process has held the database for too long.
    #[error("another program is writing to the database; try again when it has finished")]
    Busy,
    /// The database may not be written to.
    #[error("the database may only be read; see who may write to its file and folder")]
    ReadOnly,
    /// The disk is full.
    #[error("the disk with the database is full; free some space and try again")]
    DiskFull,
    /// The database cannot be reached.
    #[error("the database cannot be reached ({0}); see that it runs and accepts connections")]
    Unreachable(Arc<sqlx::Error>),
    /// The store was closed while something waited for it.
    #[error("the store is closed; open it again")]
    Closed,
    /// Anything else the database says.
    #[error("the database refuses: {0}")]
    Database(Arc<sqlx::Error>),
    /// What is stored contradicts itself.
    #[error("the database is damaged: {0}; run the doctor, and restore a backup")]
    Damaged(String),

    /// No campaign with this id.
    #[error("there is no campaign {0}")]
    UnknownCampaign(CampaignId),
    /// Something else that is asked for is not there.
    #[error("there is no such {0}")]
    Unknown(&'static str),
    /// A name that must be the only one of its kind.
    #[error("{0} is taken; choose another name")]
    NameTaken(String),
    /// A worker's id that cannot be one.
    #[error("a worker's id has 1 to 200 bytes and no control characters")]
    BadWorker,
    /// A name that cannot be one.
    #[error("a name has 1 to 200 bytes and no control characters")]
    BadName,
    /// An event about a concept that was never added, or that makes no sense of its two concepts.
    #[error("concept {0} is not one of the campaign's, or cannot stand in this place")]
    BadConcept(u32),
    /// A new concept with a number that is not the next one.
    #[error("the next concept's number is {expected}, not {found}; read the log and try again")]
    WrongConceptNumber {
        /// The number that the next concept must have.
        expected: u32,
        /// The number that was given.
        found: u32,
    },
    /// An id that was used before, for something else.
    #[error("this id was used before with other content; make a new id")]
    Conflict,
    /// The worker has answered the question already.
    #[error("this worker has answered the question already, with vote {}", .vote.0)]
    AlreadyAnswered {
        /// The earlier vote.
        vote: VoteId,
        /// What was asked.
        question: Question,
    },
    /// An event that has a method of its own.
    #[error("{0} is not appended; there is a method for it")]
    NotAppended(&'static str),
    /// Somebody else runs the campaign's belief.
    #[error(
        "another program runs this campaign's belief; read its snapshots, or take over when its lease ends"
    )]
    NotTheHolder,
    /// The belief says it has read what is not yet written, or what it had read before.
    #[error("the belief cannot have advanced to {to}: it was at {from}, and the log ends at {head}")]
    BadAdvance {
        /// Where it says it is.
        to: Position,
        /// Where it was.
        from: Position,
        /// The end of the log.
        head: Position,
    },
    /// Something ends before it begins.
    #[error("the end, {until:?}, must be later than {now:?}")]
    EndsBeforeItBegins {
        /// When it would begin.
        now: Moment,
        /// When it would end.
        until: Moment,
    },
    /// Something is still needed by something else.
    #[error("{0}")]
    StillNeeded(&'static str),
}

impl Error {
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }

    pub(crate) fn file(path: &std::path::Path, problem: impl std::fmt::Display) -> Self {
        Self::File { path: path.display().to_string(), problem: problem.to_string() }
    }

    /// Whether the connection, or the transaction as a whole, is lost; such an error is never one request's own.
    pub(crate) fn spoils_all(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::DiskFull | Self::Busy | Self::Closed)
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
            E::Database(refusal) => match Refusal::of(refusal.code().as_deref().unwrap_or_default()) {
                Refusal::Busy => Self::Busy,
                Refusal::DiskFull => Self::DiskFull,
                Refusal::ReadOnly => Self::ReadOnly,
                Refusal::NotADatabase => Self::NotADatabase("the file".to_owned()),
                Refusal::Gone => Self::Unreachable(Arc::new(error)),
                Refusal::Other => Self::Database(Arc::new(error)),
            },
            E::ColumnDecode { .. } | E::Decode(_) => Self::damaged(error.to_string()),
            _ => Self::Database(Arc::new(error)),
        }
    }
}

/// What a database's error code means for us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Refusal {
    Busy,
    DiskFull,
    ReadOnly,
    NotADatabase,
    Gone,
    Other,
}

impl Refusal {
    /// SQLite's codes are numbers below 10,000, of which the last byte is the kind; PostgreSQL's have five characters.
    fn of(code: &str) -> Self {
        match code {
            "55P03" | "40P01" | "40001" => return Self::Busy,
            "53100" => return Self::DiskFull,
            "25006" => return Self::ReadOnly,
            "53300" => return Self::Gone,
            _ if code.starts_with("57P") || code.starts_with("08") => return Self::Gone,
            _ if code.len() == 5 => return Self::Other,
            _ => {}
        }
        match code.parse::<u32>().map(|code| code & 0xff) {
            Ok(5 | 6) => Self::Busy,
            Ok(8) => Self::ReadOnly,
            Ok(13) => Self::DiskFull,
            Ok(26) => Self::NotADatabase,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_apart() {
        let codes = [
            ("5", Refusal::Busy),
            ("517", Refusal::Busy),
            ("1032", Refusal::ReadOnly),
            ("13", Refusal::DiskFull),
            ("26", Refusal::NotADatabase),
            ("2067", Refusal::Other),
            ("53100", Refusal::DiskFull),
            ("57P01", Refusal::Gone),
            ("08006", Refusal::Gone),
            ("23505", Refusal::Other),
            ("", Refusal::Other),
        ];
        for (code, refusal) in codes {
            assert_eq!(Refusal::of(code), refusal, "{code}");
        }
    }
}
