//! Concepts that people place differently: some hold one place, the others another, and neither side errs.

use std::sync::OnceLock;

use crate::Error;

/// The shares of people who may hold the second place of a divided concept. A grid instead of a continuum makes every
/// sum exact.
pub const SHARES: [f64; 10] = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];

/// How often people place a concept differently.
///
/// Walking down a hierarchy, each concept that is not below a divided one is divided with a given chance: it has a second parent, and
/// a share of people, at most half, hold it to be there, with everything below it. Every person answers all questions by the place that
/// they hold, with their own rates.
///
/// # Formula
/// With d the chance, t the number of concepts at the top of the tree T, and A the set of divided concepts, none below another and not
/// all of the top: P(A | T) = d^|A| (1-d)^n / (1 - d^t), where n concepts are neither in A nor below one of it. The second
/// parent is the root or any concept outside the subtrees of A, other than the first parent, with weight 1 if it has others below
/// it or is the root, and otherwise with the prior's factor for one more parent. The share is any of [`SHARES`], with half the weight for one half, where the two
/// orders of the places mean the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dissent {
    chance: f64,
}

impl Dissent {
    /// A concept is divided with this chance.
    ///
    /// # Errors
    /// [`Error::BadDissent`] unless 0 < chance < 1.
    pub fn new(chance: f64) -> Result<Self, Error> {
        if chance > 0.0 && chance < 1.0 { Ok(Self { chance }) } else { Err(Error::BadDissent(chance)) }
    }

    /// The chance that a concept is divided.
    #[must_use]
    pub fn chance(&self) -> f64 {
        self.chance
    }
}

impl Default for Dissent {
    /// One concept in twenty divides people.
    fn default() -> Self {
        Self { chance: 0.05 }
    }
}

/// ln of the prior chances of [`SHARES`].
pub(crate) fn log_shares() -> &'static [f64; SHARES.len()] {
    static ALL: OnceLock<[f64; SHARES.len()]> = OnceLock::new();
    ALL.get_or_init(|| {
        let weight = |index: usize| if index == SHARES.len() - 1 { 0.5_f64 } else { 1.0 };
        std::array::from_fn(|index| (weight(index) / (SHARES.len() as f64 - 0.5)).ln())
    })
}
