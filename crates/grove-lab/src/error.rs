use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong in the lab.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("{}: {source}; check that the folder exists and may be written to", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A table of results is not one that the lab has written.
    #[error("{}: {problem}; put it aside and run the experiment again", path.display())]
    BadTable {
        /// Which table.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A table has no rows, or does not exist.
    #[error("{} has no results; run `grove lab {experiment}` first", path.display())]
    NoResults {
        /// Which table.
        path: PathBuf,
        /// The experiment that fills it.
        experiment: &'static str,
    },
    /// The threads for the cells could not be started.
    #[error("no threads could be started ({0}); try --threads 1")]
    Threads(String),
    /// A belief refused a setting or a vote.
    #[error(transparent)]
    Belief(#[from] grove_belief::Error),
    /// A pair of concepts that nobody can be asked about.
    #[error(transparent)]
    Question(#[from] grove_vocabulary::Error),
    /// The simulation refused a crowd or a data set.
    #[error(transparent)]
    Sim(#[from] grove_sim::Error),
    /// Weights or trees were refused.
    #[error(transparent)]
    Tree(#[from] grove_tree::Error),
    /// A hierarchy could not be drawn.
    #[error(transparent)]
    Formats(#[from] grove_formats::Error),
}

impl Error {
    /// What the system said of a path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    pub(crate) fn bad_table(path: &Path, problem: impl ToString) -> Self {
        Self::BadTable { path: path.to_owned(), problem: problem.to_string() }
    }
}
