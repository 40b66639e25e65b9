/// What can be wrong with a crowd, with how it divides, or with the files that describe them.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A line of a file does not have the columns it needs.
    #[error("line {line}: expected {expected}, separated by tabs, but found {found:?}")]
    Columns {
        /// The line's number, from 1.
        line: usize,
        /// What the columns are.
        expected: &'static str,
        /// What the line is.
        found: String,
    },
    /// A shares file names something that is not in the hierarchy.
    #[error("line {line}: {name} is not in the hierarchy; correct the name, or add the concept there")]
    UnknownName {
        /// The line's number, from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// A shares file gives the root a parent.
    #[error("line {line}: {name} is the root and has no parent; remove the line")]
    RootDivided {
        /// The line's number, from 1.
        line: usize,
        /// The root's name.
        name: String,
    },
    /// A share is not a number above 0 and up to 1.
    #[error("line {line}: the share is {found:?}; give a number above 0 and up to 1, such as 0.6")]
    BadShare {
        /// The line's number, from 1.
        line: usize,
        /// What was given.
        found: String,
    },
    /// The same concept and parent occur twice.
    #[error("line {line}: the share of {concept} under {parent} was given before; keep one of them")]
    RepeatedShare {
        /// The line's number, from 1.
        line: usize,
        /// The concept.
        concept: String,
        /// The parent.
        parent: String,
    },
    /// The shares of a concept sum to more than one.
    #[error("line {line}: the shares of {concept} sum to {sum}; lower them to 1 or less")]
    SharesOverOne {
        /// The line at which the sum passes one, from 1.
        line: usize,
        /// The concept.
        concept: String,
        /// The sum.
        sum: f64,
    },
    /// Somebody could place concepts above themselves.
    #[error(
        "some people would place {}; remove one of these shares",
        .0.iter().chain(.0.first()).map(String::as_str).collect::<Vec<_>>().join(" under ")
    )]
    CycleByShares(
        /// The names on the cycle, each followed by a possible parent.
        Vec<String>,
    ),
    /// A crowd description has a line without an equals sign.
    #[error("line {line}: expected `key = value`, but found {found:?}")]
    NoValue {
        /// The line's number, from 1.
        line: usize,
        /// What the line is.
        found: String,
    },
    /// A crowd description has a key that means nothing.
    #[error("line {line}: {key:?} is not known; the keys are {}", .known.join(", "))]
    UnknownKey {
        /// The line's number, from 1.
        line: usize,
        /// The key.
        key: String,
        /// All keys there are.
        known: &'static [&'static str],
    },
    /// A crowd description has a key twice.
    #[error("line {line}: {key} was given before; keep one of the lines")]
    RepeatedKey {
        /// The line's number, from 1.
        line: usize,
        /// The key.
        key: String,
    },
    /// A crowd description has a value of the wrong kind.
    #[error("line {line}: {key} is {found:?}; give {expected}")]
    BadValue {
        /// The line's number, from 1.
        line: usize,
        /// The key.
        key: String,
        /// What was given.
        found: String,
        /// What is needed.
        expected: &'static str,
    },
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
    /// The concentration of people's rates is not positive.
    #[error("the concentration must be a number above 0, not {0}; give none for people who are all alike")]
    BadConcentration(f64),
    /// A crowd without people.
    #[error("there must be at least one person in a crowd")]
    NoPeople,
    /// A balanced tree whose concepts may have no children.
    #[error("a balanced tree needs a branching of at least 1")]
    NoBranching,
    /// Something that the belief's own rules refuse.
    #[error(transparent)]
    Belief(#[from] grove_belief::Error),
    /// A hierarchy that is none.
    #[error(transparent)]
    Tree(#[from] grove_tree::Error),
}

/// Passes a chance on if it is one.
pub(crate) fn chance(what: &'static str, value: f64) -> Result<f64, Error> {
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(Error::NotAChance { what, value }) }
}
