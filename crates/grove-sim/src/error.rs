/// What can be wrong with a crowd, with how its people disagree, or with the files that describe them.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A line of a file cannot be read.
    #[error("line {line}: {problem}")]
    BadLine {
        /// The line's number, from 1.
        line: usize,
        /// What is wrong, and what to do about it.
        problem: String,
    },
    /// Some people could place a concept below itself.
    #[error(
        "some people would place {}; remove one of these shares",
        .0.iter().chain(.0.first()).map(String::as_str).collect::<Vec<_>>().join(" under ")
    )]
    CycleByShares(
        /// The names on the cycle, each followed by a possible parent.
        Vec<String>,
    ),
    /// A chance or a share of people is not within 0 and 1.
    #[error("{what} must lie within 0 and 1, not at {value}")]
    NotAChance {
        /// What it is the chance of.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// The shares of people with bad habits sum to more than one.
    #[error("always_yes, always_no, coin and inverted sum to {0}; lower them to 1 or less")]
    TooManyHabits(f64),
    /// The concentration of people's rates is below 1.
    #[error(
        "the concentration must be a number of at least 1, not {0}; give none for people who are all alike"
    )]
    BadConcentration(f64),
    /// A crowd has no people.
    #[error("there must be at least one person in a crowd")]
    NoPeople,
    /// A balanced tree in which no concept may have children.
    #[error("a balanced tree needs a branching of at least 1")]
    NoBranching,
    /// The belief refused a setting or a vote.
    #[error(transparent)]
    Belief(#[from] grove_belief::Error),
    /// A question about the root, or about a concept and itself.
    #[error(transparent)]
    Question(#[from] grove_vocabulary::Error),
    /// The edges do not form a hierarchy.
    #[error(transparent)]
    Tree(#[from] grove_tree::Error),
}

impl Error {
    pub(crate) fn line(line: usize, problem: String) -> Self {
        Self::BadLine { line, problem }
    }
}

/// Checks that a value is a probability.
pub(crate) fn chance(what: &'static str, value: f64) -> Result<f64, Error> {
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(Error::NotAChance { what, value }) }
}
