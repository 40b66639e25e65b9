use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong in the lab.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("{}: {source}; check that the folder exists and may be written to", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A table of results is damaged, or was not written by the lab.
    #[error("{}: {problem}; move it away and run the experiment again", path.display())]
    BadTable {
        /// The table.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A table has no rows, or does not exist.
    #[error("{} has no results; run `grove lab {experiment}` first", path.display())]
    NoResults {
        /// The table.
        path: PathBuf,
        /// The experiment that fills it.
        experiment: &'static str,
    },
    /// A folder to merge has no tables.
    #[error("{} has no tables of the lab; give the folder that was --out of `grove lab`", .0.display())]
    NoTables(PathBuf),
    /// The address of a database makes no sense.
    #[error("the database has to be an address such as postgres://user@host/name")]
    BadDatabase,
    /// The database of shared cells failed.
    #[error(
        "the database failed: {0}; run the command again when it can be reached, nothing that was computed is lost"
    )]
    Database(String),
    /// The threads for the cells could not be started.
    #[error("no threads could be started ({0}); try --threads 1")]
    Threads(String),
    /// The belief refused a setting or a vote.
    #[error(transparent)]
    Belief(#[from] grove_belief::Error),
    /// A question about the root, or about a concept and itself.
    #[error(transparent)]
    Question(#[from] grove_vocabulary::Error),
    /// The simulation refused a crowd or a data set.
    #[error(transparent)]
    Sim(#[from] grove_sim::Error),
    /// The weights or trees are not valid.
    #[error(transparent)]
    Tree(#[from] grove_tree::Error),
    /// A hierarchy could not be drawn.
    #[error(transparent)]
    Formats(#[from] grove_formats::Error),
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.to_string())
    }
}

impl Error {
    /// Adds the path to an I/O error.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn bad_table(path: &Path, problem: impl ToString) -> Self {
        Self::BadTable { path: path.to_owned(), problem: problem.to_string() }
    }
}
