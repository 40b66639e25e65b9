//! Words that stand for engines, priors, forms and strategies: the same as on the command line.

use grove_belief::{Form, Strategy};
use taxogrove::inference::{Engine, PriorShape};

use crate::error::Failure;

/// A choice among words.
pub(crate) trait Word: Copy + PartialEq + 'static {
    /// All choices with their words.
    const ALL: &'static [(&'static str, Self)];
}

impl Word for Engine {
    const ALL: &'static [(&'static str, Self)] =
        &[("ensemble", Self::Ensemble), ("exact", Self::Exact), ("weights", Self::Weights)];
}

impl Word for PriorShape {
    const ALL: &'static [(&'static str, Self)] = &[("taxonomy", Self::Taxonomy), ("uniform", Self::Uniform)];
}

impl Word for Form {
    const ALL: &'static [(&'static str, Self)] =
        &[("yesno", Self::YesNo), ("pick", Self::Pick), ("tick", Self::Tick), ("place", Self::Place)];
}

impl Word for Strategy {
    const ALL: &'static [(&'static str, Self)] =
        &[("gain", Self::Gain), ("worst-case", Self::WorstCase), ("random", Self::Random)];
}

/// The choice that a word stands for.
pub(crate) fn parse<W: Word>(what: &str, word: &str) -> Result<W, Failure> {
    let found = W::ALL.iter().find(|(name, _)| *name == word);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let words: Vec<&str> = W::ALL.iter().map(|(name, _)| *name).collect();
        Failure::input(format!("{word:?} is no {what}; give one of {}", words.join(", ")))
    })
}

/// The word for a choice.
pub(crate) fn of<W: Word>(choice: W) -> String {
    W::ALL.iter().find(|(_, one)| *one == choice).map_or_else(String::new, |(name, _)| (*name).to_owned())
}
