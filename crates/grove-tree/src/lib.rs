//! Rooted labelled trees, and probability distributions over all of them.
//!
//! A hierarchy of N concepts is a [`Tree`]: every concept has one parent, and the root (number 0) is above all.

mod best_tree;
mod concept;
#[cfg(test)]
mod enumeration;
mod error;
mod fit;
mod named;
mod outline;
mod random;
mod tree;
mod weights;

pub use best_tree::{best_sparse_tree, best_tree};
pub use concept::Concept;
pub use error::{Error, Result};
pub use fit::{Fit, FitLimits, FitOutcome, MaxEntropy};
pub use named::NamedTree;
pub use outline::Outline;
pub use tree::Tree;
pub use weights::{EdgeMarginals, EdgeWeights, PathMarginals, SampledTree, Sampler, SamplingMethod};

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
