//! What picks and ticks say of the places of a concept that moves.

use std::ops::Range;

use grove_tree::Concept;

use super::Workspace;
use crate::ensemble::dissent::Division;
use crate::ensemble::joint::{
    Moving, Stand, each_gain, gains_of_option, options_in, options_over, second_stand,
};
use crate::ensemble::model::Model;
use crate::ensemble::shape::Shape;
use crate::factors::{Above, Factor};

impl Workspace {
    /// Adds what picks and ticks about a concept that is not in the tree say of its places: within the subtree of a divided concept, or outside
    /// all of them.
    pub(super) fn weigh_factors_about(
        &mut self,
        shape: &Shape,
        concept: Concept,
        within: Option<&Division>,
        model: Model<'_>,
    ) {
        for factor in model.evidence.factors().about(concept) {
            let (moving, block) = match within.filter(|division| division.is_held_by(factor.worker.index())) {
                None => (Moving::default(), 0..shape.len()),
                Some(division) => over_block(shape, factor, division),
            };
            each_gain(shape, factor, model, moving, &(0..0), &block, |at, gain| self.weight[at] += gain);
        }
    }

    /// Adds what picks and ticks say of having a concept above others: if it has none above it yet, it is the lowest option.
    pub(super) fn weigh_as_option(
        &mut self,
        shape: &Shape,
        concept: Concept,
        within: Option<&Division>,
        model: Model<'_>,
    ) {
        for factor in model.evidence.factors().naming(concept) {
            let (Some(lower), Some(option)) = (shape.place(factor.lower), factor.option(concept)) else {
                continue;
            };
            if shape.place(concept).is_some_and(|at| (at..at + shape.size_at(at)).contains(&lower)) {
                continue;
            }
            let stand = model.stand(shape, factor);
            let [as_lowest, as_wider] = gains_of_option(shape, factor, model, option, stand);
            let place = |option: u8| shape.place(factor.options[usize::from(option)]);
            if within.is_some() && stand.is_second {
                // It stays in the subtree, so that options outside of it are above it.
                self.below[lower] += as_lowest;
                if let Some(lowest) = stand.inside.lowest.and_then(place) {
                    self.below[lowest] += as_wider - as_lowest;
                }
                continue;
            }
            // A concept that is itself the second place takes the others along; see `take_along`.
            let Some(at) = shape.place(stand.at).filter(|&at| at > 0) else { continue };
            if stand.inside.lowest.is_some() {
                self.below[at] += as_wider;
                continue;
            }
            self.below[at] += as_lowest;
            if let Some(lowest) = options_over(shape, factor, stand).lowest.and_then(place) {
                self.below[lowest] += as_wider - as_lowest;
            }
        }
    }

    /// Adds what picks and ticks about the concepts of a subtree say of its places: within the subtree of a divided concept, or outside all of
    /// them.
    pub(super) fn weigh_factors_in(
        &mut self,
        shape: &Shape,
        block: &Range<usize>,
        within: Option<&Division>,
        model: Model<'_>,
    ) {
        if model.evidence.factors().is_empty() {
            return;
        }
        for lower in block.clone().map(|at| shape.at(at)) {
            for factor in model.evidence.factors().about(lower) {
                let all = 0..shape.len();
                let along = options_in(shape, factor, |at, option| {
                    block.contains(&at) && shape.is_above(option, lower)
                });
                let held = within.filter(|division| division.is_held_by(factor.worker.index()));
                let stand = model.stand(shape, factor);
                let (moving, places) = if let Some(division) = held {
                    let (moving, places) = over_block(shape, factor, division);
                    (Moving { along, ..moving }, places)
                } else if !stand.is_second {
                    (Moving { along, ..Moving::default() }, all)
                } else if shape.place(stand.at).is_some_and(|at| block.contains(&at)) {
                    let along = stand.inside.under(second_along(shape, factor, stand, block));
                    (Moving { along, ..Moving::default() }, all)
                } else {
                    // The second place stays where it is, and so does the concept for whoever holds it there.
                    continue;
                };
                each_gain(shape, factor, model, moving, block, &places, |at, gain| self.weight[at] += gain);
            }
        }
    }

    /// Adds what those say of the places of a second place that moves who hold it, about a concept of the subtree that it takes along.
    pub(super) fn take_factors_along(
        &mut self,
        shape: &Shape,
        division: &Division,
        moving: &Range<usize>,
        lower: Concept,
        model: Model<'_>,
    ) {
        for factor in model.evidence.factors().about(lower) {
            if !division.is_held_by(factor.worker.index()) {
                continue;
            }
            let stand = second_stand(shape, factor, division);
            // The second place itself may be an option that is not in the tree now.
            let second = match shape.place(division.second) {
                Some(_) => second_along(shape, factor, stand, moving),
                None => factor.option(division.second).map(Above::one).unwrap_or_default(),
            };
            let moves = Moving { along: stand.inside.under(second), ..Moving::default() };
            let all = 0..shape.len();
            each_gain(shape, factor, model, moves, moving, &all, |at, gain| self.weight[at] += gain);
        }
    }
}

/// For somebody who holds the second place of a divided concept, and a move within its subtree: the options over all of it, and its places.
fn over_block(shape: &Shape, factor: &Factor, division: &Division) -> (Moving, Range<usize>) {
    let second = Stand { inside: Above::default(), at: division.second, is_second: true };
    let over = options_over(shape, factor, second);
    (Moving { over, ..Moving::default() }, shape.block(division.concept))
}

/// The options that move along with a second place: it, and what is above it in the subtree that moves.
fn second_along(shape: &Shape, factor: &Factor, stand: Stand, moving: &Range<usize>) -> Above {
    options_in(shape, factor, |at, option| {
        moving.contains(&at) && (option == stand.at || shape.is_above(option, stand.at))
    })
}
