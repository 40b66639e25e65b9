//! Picks and ticks in the moves of a tree: what each place gains by them, given every person's own tree.
//!
//! A factor depends on which of its options are above its lower concept, and on which of these is the lowest. Walking down the tree, that changes only
//! at an option. So what all places gain is a sum along the path to each of them, as it is for scores of pairs: an option adds what the
//! factor changes by when it joins those above it.

use std::ops::Range;

use grove_tree::Concept;

use super::dissent::Division;
use super::model::Model;
use super::shape::Shape;
use crate::factors::{Above, Factor};

/// Where the lower concept of a factor is for the person who answered: below `at`, with the options of `inside` between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stand {
    /// For those who hold the second place of a divided concept: the options in its subtree.
    pub(super) inside: Above,
    /// The lower concept, or the second place.
    pub(super) at: Concept,
    /// Whether this is a second place, which is itself above.
    pub(super) is_second: bool,
}

impl<'a> Model<'a> {
    /// Where a factor's lower concept is for the person who answered.
    pub(super) fn stand(self, shape: &Shape, factor: &Factor) -> Stand {
        let held = self
            .division_around(shape, factor.lower)
            .filter(|division| division.is_held_by(factor.worker.index()));
        match held {
            None => Stand { inside: Above::default(), at: factor.lower, is_second: false },
            Some(division) => second_stand(shape, factor, division),
        }
    }

    /// All options that are above a factor's lower concept for the person who answered.
    pub(super) fn above(self, shape: &Shape, factor: &Factor) -> Above {
        let stand = self.stand(shape, factor);
        stand.inside.under(options_over(shape, factor, stand))
    }

    /// ln of the chance of what was said, given the tree of the person who said it.
    pub(super) fn log_factor(self, shape: &Shape, factor: &Factor) -> f64 {
        factor.log(self.above(shape, factor), self.judge.forms(factor.worker))
    }
}

/// Where the lower concept is for those who hold the second place of the divided concept that it is below.
pub(super) fn second_stand(shape: &Shape, factor: &Factor, division: &Division) -> Stand {
    let block = shape.block(division.concept);
    let inside =
        options_in(shape, factor, |at, option| block.contains(&at) && shape.is_above(option, factor.lower));
    Stand { inside, at: division.second, is_second: true }
}

/// The options above a stand.
pub(super) fn options_over(shape: &Shape, factor: &Factor, stand: Stand) -> Above {
    options_in(shape, factor, |_, option| {
        shape.is_above(option, stand.at) || stand.is_second && option == stand.at
    })
}

/// The options on one path for which a condition on their place holds; the one with the last place is the lowest.
pub(super) fn options_in(shape: &Shape, factor: &Factor, holds: impl Fn(usize, Concept) -> bool) -> Above {
    let (mut above, mut last) = (Above::default(), 0);
    for (index, &option) in factor.options.iter().enumerate() {
        if let Some(at) = shape.place(option)
            && holds(at, option)
        {
            above.mask |= 1 << index;
            if above.lowest.is_none() || at > last {
                (above.lowest, last) = (Some(index as u8), at);
            }
        }
    }
    above
}

/// Something with a factor's lower concept in it that may be put anywhere.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Moving {
    /// The options that move along, all above the lower concept.
    pub(super) along: Above,
    /// The options that are above it wherever it goes, and above all others.
    pub(super) over: Above,
}

/// Calls `gain` with every option's place and with what that place and all places below it gain by having the option
/// above: outside the places that move, and within the given ones.
pub(super) fn each_gain(
    shape: &Shape,
    factor: &Factor,
    model: Model<'_>,
    Moving { along, over }: Moving,
    outside: &Range<usize>,
    within: &Range<usize>,
    mut gain: impl FnMut(usize, f64),
) {
    let rates = model.judge.forms(factor.worker);
    let is_there = |at: usize| within.contains(&at) && !outside.contains(&at);
    for (index, &option) in factor.options.iter().enumerate() {
        let Some(place) = shape.place(option).filter(|&at| is_there(at)) else { continue };
        if along.has(index) || over.has(index) {
            continue;
        }
        let wider =
            options_in(shape, factor, |at, other| is_there(at) && shape.is_above(other, option)).under(over);
        let without = factor.log(along.under(wider), rates);
        let with = factor.log(along.under(Above::one(index)).under(wider), rates);
        if with != without {
            gain(place, with - without);
        }
    }
}

/// What a factor gains if a concept that is not in the tree, one of its options, comes above a stand: as the lowest of all options above, and as one
/// above others.
pub(super) fn gains_of_option(
    shape: &Shape,
    factor: &Factor,
    model: Model<'_>,
    option: usize,
    stand: Stand,
) -> [f64; 2] {
    let rates = model.judge.forms(factor.worker);
    let above = stand.inside.under(options_over(shape, factor, stand));
    let before = factor.log(above, rates);
    [Above::one(option).under(above), above.and(option)].map(|after| factor.log(after, rates) - before)
}
