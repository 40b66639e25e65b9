use grove_tree::Concept;

use crate::Clash;

/// Why evidence, a setting or an engine was refused.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A question, a screen or a correction that cannot be, or a reply that does not fit its screen.
    #[error(transparent)]
    Pair(#[from] grove_vocabulary::Error),
    /// A concept past the last one.
    #[error("there is no concept {concept}: the concepts are numbered 1 to {count}")]
    UnknownConcept {
        /// The number that does not exist.
        concept: Concept,
        /// How many concepts there are.
        count: usize,
    },
    /// A vote that was never recorded, or is withdrawn already.
    #[error("there is no vote {0}; it may have been withdrawn already")]
    UnknownVote(usize),
    /// A worker's number that is too large.
    #[error("worker {0} is out of range; number the workers 0, 1, 2 and so on")]
    UnknownWorker(usize),
    /// A correction that was never made, or is undone already.
    #[error("there is no correction {0}; it may have been undone already")]
    UnknownCorrection(usize),
    /// A hint by a worker that was not introduced as a pseudo-worker, or one that pseudo-workers cannot give.
    #[error(
        "a pseudo-worker must be introduced first, and can only answer path questions and place concepts"
    )]
    NoHint,
    /// A rate outside 0 to 1, or not a number.
    #[error("a rate of answers must lie between 0 and 1, not at {0}")]
    BadRate(f64),
    /// A Beta prior without positive counts.
    #[error("a worker prior needs positive counts of imaginary yes and no answers")]
    BadPrior,
    /// A chance of dividing people that is out of range.
    #[error("the chance that a concept divides people must lie between 0 and 1, not be {0}")]
    BadDissent(f64),
    /// A shrinkage that is negative or not a number.
    #[error("the shrinkage beta must be a number from 0 up, not {0}")]
    BadShrinkage(f64),
    /// Prior log-odds that are not a number, or too large.
    #[error("prior log-odds must lie between -1000000 and 1000000")]
    BadOdds,
    /// A threshold that is not a number, or out of range.
    #[error("{what}, not {value}")]
    BadThreshold {
        /// What it must be.
        what: &'static str,
        /// The value given.
        value: f64,
    },
    /// A list of possible parents that is not a distribution.
    #[error("the listed parents of concept {child} are wrong: {problem}")]
    BadCertainties {
        /// The concept whose parents were listed.
        child: Concept,
        /// What must be changed.
        problem: &'static str,
    },
    /// Bytes that are not a frozen ensemble, or not one of this evidence.
    #[error("the bytes are not an ensemble frozen with this evidence; compute it from the votes")]
    NotFrozen,
    /// A setting below its minimum.
    #[error("{0} must be at least {1}")]
    TooSmall(&'static str, usize),
    /// No concept at all.
    #[error("there must be at least one concept")]
    NoConcept,
    /// A set of corrections that no hierarchy fulfils.
    #[error("{0}")]
    Clash(Clash),
    /// An engine that needs given rates was asked to learn them.
    #[error("the {0} engine takes rates as given; choose the ensemble engine to learn them")]
    NeedsGivenRates(&'static str),
    /// Too many concepts for an engine.
    #[error("the {engine} engine takes at most {most} concepts, not {count}; choose the ensemble engine")]
    TooManyConcepts {
        /// The engine's name.
        engine: &'static str,
        /// Its limit.
        most: usize,
        /// What it was given.
        count: usize,
    },
    /// A distribution over trees that cannot be computed.
    #[error(transparent)]
    Tree(#[from] grove_tree::Error),
}
