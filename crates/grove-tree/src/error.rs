use crate::Concept;

/// The result of what can fail with an [`Error`] of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can be wrong with a tree or with a distribution over trees.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Sampling by walks would take too long.
    #[error(
        "a walk would take {expected_steps:e} steps per tree; sample with `SamplingMethod::Restore` instead"
    )]
    WalkTooLong {
        /// The expected number of steps for one tree.
        expected_steps: f64,
    },
    /// A list of parents names a concept that does not exist.
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
    #[error("concepts are above themselves: {}; remove one of these parents", chain(.0))]
    Cycle(Vec<Concept>),
    /// The same cycle, by name.
    #[error("concepts are above themselves: {}; remove one of these parents", chain(.0))]
    NamedCycle(Vec<String>),
    /// There is no pair, and so no concept.
    #[error("there is no concept: give at least one child and its parent")]
    Empty,
    /// More than one name has no parent.
    #[error("several names are never a child, but only one can be the root: {}; put all but one under another", .0.join(", "))]
    SeveralRoots(Vec<String>),
    /// A concept is given two parents.
    #[error("{child} is given two parents, {} and {}; keep one of them", .parents[0], .parents[1])]
    TwoParents {
        /// The concept.
        child: String,
        /// Its two parents, in the order given.
        parents: [String; 2],
    },
    /// A listed concept has no parent.
    #[error("{0} has no parent; put it under another concept or under the root")]
    NoParent(String),
    /// The root is given a parent.
    #[error("{0} is the root and cannot have a parent")]
    RootHasParent(String),
    /// A name occurs twice in a list of concepts.
    #[error("{0} is listed twice; each concept and the root need different names")]
    RepeatedName(String),
    /// A pair names something that is not in the list of concepts.
    #[error("{0} is not in the list of concepts; add it there or correct the name")]
    UnknownName(String),
    /// The number of names is not the number of concepts.
    #[error("there are {names} names for {concepts} concepts; give one name per concept")]
    NamesMismatch {
        /// How many names were given.
        names: usize,
        /// How many concepts the tree has.
        concepts: usize,
    },
    /// A log-weight is NaN, positive infinity, or finite beyond 1e100.
    #[error(
        "the log-weight of {parent} -> {child} is {value}; give a number, or negative infinity to forbid the edge"
    )]
    NotALogWeight {
        /// The edge's upper end.
        parent: Concept,
        /// The edge's lower end.
        child: Concept,
        /// The value given.
        value: f64,
    },
    /// An edge leads from a concept to itself, into the root, or to a concept that does not exist.
    #[error(
        "{parent} -> {child} is not an edge between {count} concepts; children are 1 to {count}, parents 0 to {count}"
    )]
    NoSuchEdge {
        /// The edge's upper end.
        parent: Concept,
        /// The edge's lower end.
        child: Concept,
        /// How many concepts there are.
        count: usize,
    },
    /// Two values have different numbers of concepts.
    #[error("expected {expected} concepts, found {found}; use the same concepts for both")]
    CountMismatch {
        /// How many were expected.
        expected: usize,
        /// How many the other value has.
        found: usize,
    },
    /// No tree is possible: every path from these concepts to the root is forbidden.
    #[error("no tree is possible: every path to the root is forbidden from {}; allow an edge out of this group", list(.0))]
    Unreachable(Vec<Concept>),
    /// A noise rate is not strictly between 0 and 1.
    #[error("the noise rate is {0}; give a number between 0 and 1, both excluded")]
    NotANoiseRate(f64),
    /// A divergence is infinite, because one distribution allows an edge that the other forbids.
    #[error(
        "the divergence is infinite: {parent} -> {child} is possible here but forbidden in the other distribution; allow it there"
    )]
    InfiniteDivergence {
        /// The edge's upper end.
        parent: Concept,
        /// The edge's lower end.
        child: Concept,
    },
    /// The caller cancelled the work.
    #[error("cancelled before the work was done")]
    Cancelled,
    /// The number of samples is 0.
    #[error("the number of samples is 0; give at least 1")]
    NoSamples,
    /// A target probability of a fit is not between 0 and 1.
    #[error("the target probability of {parent} -> {child} is {value}; give a number from 0 to 1")]
    NotAProbability {
        /// The edge's upper end.
        parent: Concept,
        /// The edge's lower end.
        child: Concept,
        /// The value given.
        value: f64,
    },
    /// A child's target probabilities do not sum to one.
    #[error(
        "the target probabilities of the parents of {child} sum to {sum}, not 1; divide each of them by the sum"
    )]
    TargetsDoNotSumToOne {
        /// The child.
        child: Concept,
        /// Their sum.
        sum: f64,
    },
    /// A fit's shrinkage is negative or not finite.
    #[error("the shrinkage of {parent} -> {child} is {value}; give 0 or a positive number")]
    NotAShrinkage {
        /// The edge's upper end.
        parent: Concept,
        /// The edge's lower end.
        child: Concept,
        /// The value given.
        value: f64,
    },
    /// A fit has a target probability for an edge that its starting weights forbid.
    #[error("{parent} -> {child} is forbidden but has a target probability; allow it or set the target to 0")]
    TargetForbidden {
        /// The edge's upper end.
        parent: Concept,
        /// The edge's lower end.
        child: Concept,
    },
    /// An edge has the target 0 and no shrinkage, so the fit would drive its log-weight to negative infinity.
    #[error(
        "{parent} -> {child} has the target 0 and no shrinkage, so its best log-weight is negative infinity; \
         forbid the edge in the starting weights or give it some shrinkage"
    )]
    OptimumAtInfinity {
        /// The edge's upper end.
        parent: Concept,
        /// The edge's lower end.
        child: Concept,
    },
}

/// "1, 2, 3".
fn list(concepts: &[Concept]) -> String {
    concepts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// "a under b under a" for the cycle [a, b].
fn chain(cycle: &[impl ToString]) -> String {
    let around = cycle.iter().chain(cycle.first());
    around.map(ToString::to_string).collect::<Vec<_>>().join(" under ")
}
