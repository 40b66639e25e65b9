use grove_belief::Money;
use grove_tree::Concept;

/// The campaign's number of a concept, given the numbers of all; 0 for the root.
pub(crate) fn number(numbers: &[u32], concept: Concept) -> u32 {
    concept.index().checked_sub(1).map_or(0, |at| numbers[at])
}

/// An amount of money in cents.
pub(crate) fn cents(money: Money) -> f64 {
    money.micros() as f64 / 1e4
}
