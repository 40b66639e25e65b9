//! Which places corrections leave to a concept that moves.

use std::ops::Range;

use grove_tree::Concept;

use super::{Fate, Workspace};
use crate::ensemble::model::Model;
use crate::ensemble::shape::Shape;

impl Workspace {
    /// Finds the places that corrections rule out for a concept, and the children that must or must not join.
    pub(super) fn apply_constraints(&mut self, shape: &Shape, concept: Concept, model: Model<'_>) {
        let places = shape.len();
        let constraints = model.constraints().of(concept);
        self.reset_constraints(places);
        for &upper in &constraints.above {
            shape.place(upper).into_iter().for_each(|at| self.needed_above[at] = 1);
        }
        for &upper in &constraints.not_above {
            shape.place(upper).into_iter().for_each(|at| self.closed[at] = true);
        }
        let present =
            |list: &[Concept]| list.iter().filter(|&&other| shape.place(other).is_some()).count() as u32;
        self.close_above(shape, present(&constraints.above), 0..0);
        if let Some(pinned) = constraints.parent.and_then(|parent| shape.place(parent)) {
            (0..places).filter(|&at| at != pinned).for_each(|at| self.closed[at] = true);
        }

        for &lower in &constraints.below {
            shape.place(lower).into_iter().for_each(|at| self.needed_below[at] = 1);
        }
        for &lower in &constraints.not_below {
            shape.place(lower).into_iter().for_each(|at| self.fate[at] = Fate::MustNot);
        }
        let pinned_here = |at: usize| model.constraints().of(shape.at(at)).parent;
        let mut pinned_children = vec![0; places];
        for at in (1..places).rev() {
            let parent = shape.parent_place(at);
            let barred_inside = self.fate[at] == Fate::MustNot;
            if barred_inside {
                self.fate[parent] = Fate::MustNot;
            }
            self.needed_below[parent] += self.needed_below[at];
            let pin = pinned_here(at);
            pinned_children[parent] += u32::from(pin == Some(concept));
            let must = self.needed_below[at] > 0 || pin == Some(concept);
            let must_not = barred_inside || pin.is_some_and(|pin| pin != concept);
            self.fate[at] = match (must, must_not) {
                (true, true) => Fate::Impossible,
                (true, false) => Fate::Must,
                (false, true) => Fate::MustNot,
                (false, false) => Fate::Free,
            };
        }
        let (all_below, all_pinned) = (present(&constraints.below), present(&constraints.children));
        for (at, pinned) in pinned_children.into_iter().enumerate() {
            let itself = u32::from(constraints.below.contains(&shape.at(at)));
            self.closed[at] |= self.needed_below[at] - itself != all_below || pinned != all_pinned;
        }
    }

    pub(super) fn reset_constraints(&mut self, places: usize) {
        self.fate.clear();
        self.fate.resize(places, Fate::Free);
        self.closed.clear();
        self.closed.resize(places, false);
        for list in [&mut self.needed_above, &mut self.needed_below] {
            list.clear();
            list.resize(places, 0);
        }
    }

    /// Rules out places below a forbidden ancestor, or not below all required ones. Skips the places in `skip`.
    fn close_above(&mut self, shape: &Shape, required: u32, skip: Range<usize>) {
        for at in (1..shape.len()).filter(|at| !skip.contains(at)) {
            let parent = shape.parent_place(at);
            self.needed_above[at] += self.needed_above[parent];
            self.closed[at] |= self.closed[parent];
        }
        for at in 0..shape.len() {
            self.closed[at] |= self.needed_above[at] != required;
        }
    }

    pub(super) fn close_places(&mut self) {
        for (weight, closed) in self.weight.iter_mut().zip(&self.closed) {
            if *closed {
                *weight = f64::NEG_INFINITY;
            }
        }
    }

    /// The same for a concept with its subtree.
    pub(super) fn apply_subtree_constraints(&mut self, shape: &Shape, concept: Concept, model: Model<'_>) {
        let (places, block) = (shape.len(), shape.block(concept));
        self.reset_constraints(places);
        let mut required = 0;
        for lower in block.clone().map(|at| shape.at(at)) {
            let constraints = model.constraints().of(lower);
            for &upper in &constraints.above {
                if let Some(at) = shape.place(upper).filter(|at| !block.contains(at)) {
                    self.needed_above[at] += 1;
                    required += 1;
                }
            }
            for &upper in &constraints.not_above {
                if let Some(at) = shape.place(upper).filter(|at| !block.contains(at)) {
                    self.closed[at] = true;
                }
            }
        }
        self.close_above(shape, required, block);
        if let Some(pinned) = model.constraints().of(concept).parent.and_then(|parent| shape.place(parent)) {
            (0..places).filter(|&at| at != pinned).for_each(|at| self.closed[at] = true);
        }
    }
}
