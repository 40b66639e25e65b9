use crate::Concept;

/// What can be wrong with a tree or with a distribution over trees.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A list of parents names a concept past its own end.
    #[error("concept {child} has the parent {parent}, but there are only {count} concepts")]
    UnknownParent {
        /// The concept with the impossible parent.
        child: Concept,
        /// The parent that does not exist.
        parent: Concept,
        /// How many concepts there are.
        count: usize,
    },
    /// Following parents comes back to the same concept.
    #[error("concepts stand above themselves: {}", chain(.0))]
    Cycle(Vec<Concept>),
    /// The same, with names.
    #[error("concepts stand above themselves: {}; remove one of these parents", chain(.0))]
    NamedCycle(Vec<String>),
    /// No pairs, hence no concept.
    #[error("there is no concept: give at least one child and its parent")]
    Empty,
    /// More than one name has no parent.
    #[error("several names are never a child, but only one can be the root: {}; put all but one under another", .0.join(", "))]
    SeveralRoots(Vec<String>),
    /// A concept occurs with two parents.
    #[error("{child} is given two parents, {} and {}; keep one of them", .parents[0], .parents[1])]
    TwoParents {
        /// The concept.
        child: String,
        /// Its two parents, in the order given.
        parents: [String; 2],
    },
    /// A listed concept has no parent.
    #[error("{0} has no parent; give it one, or the root")]
    NoParent(String),
    /// The root stands as a child.
    #[error("{0} is the root and cannot have a parent")]
    RootHasParent(String),
    /// A name occurs twice in a list of concepts.
    #[error("{0} is listed twice; each concept, and the root, needs a name of its own")]
    RepeatedName(String),
    /// A pair names something that is not in the list of concepts.
    #[error("{0} is not in the list of concepts; add it there or correct the name")]
    UnknownName(String),
    /// The number of names is not the number of concepts.
    #[error("{names} names for {concepts} concepts")]
    NamesMismatch {
        /// How many names were given.
        names: usize,
        /// How many concepts the tree has.
        concepts: usize,
    },
}

/// "a under b under a" for the cycle [a, b].
fn chain(cycle: &[impl ToString]) -> String {
    let around = cycle.iter().chain(cycle.first());
    around.map(ToString::to_string).collect::<Vec<_>>().join(" under ")
}
