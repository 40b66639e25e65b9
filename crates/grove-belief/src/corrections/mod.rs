//! Statements by the owner that override the votes.

mod constraints;
mod feasible;

use std::fmt;

use grove_tree::{Concept, Tree};

use crate::{Correction, Error};
pub(crate) use constraints::Constraints;

/// The concepts a correction names; a correction with one concept names it twice.
pub(crate) fn concepts(correction: Correction) -> [Concept; 2] {
    let lower = *correction.subject();
    [lower, correction.upper().copied().unwrap_or(lower)]
}

fn check(correction: Correction, count: usize) -> Result<(), Error> {
    correction.check()?;
    match concepts(correction).into_iter().find(|concept| concept.index() > count) {
        Some(concept) => Err(Error::UnknownConcept { concept, count }),
        None => Ok(()),
    }
}

/// The correction after renaming its concepts; `None` if that leaves nothing to correct.
fn renamed(correction: Correction, rename: &impl Fn(Concept) -> Option<Concept>) -> Option<Correction> {
    let correction = correction.try_map(|concept| rename(concept).ok_or(())).ok()?;
    correction.check().is_ok().then_some(correction)
}

/// A smallest set of corrections that no hierarchy fulfils: undo any one of them, and the rest can be fulfilled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clash(pub Vec<Correction>);

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        write!(f, "no hierarchy can have all of: {}; undo one of them", all.join(", "))
    }
}

/// A correction's number in the order in which they were made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CorrectionId(pub(crate) u32);

impl CorrectionId {
    /// The number, counting from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The corrections in force: always a set that some hierarchy fulfils.
#[derive(Clone, Debug)]
pub struct Corrections {
    given: Vec<Option<Correction>>,
    constraints: Constraints,
}

impl Corrections {
    pub(crate) fn new(count: usize) -> Self {
        Self { given: Vec::new(), constraints: Constraints::new(count, &[]) }
    }

    /// The corrections in force, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (CorrectionId, Correction)> {
        self.given.iter().enumerate().filter_map(|(at, given)| Some((CorrectionId(at as u32), (*given)?)))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.given.iter().all(Option::is_none)
    }

    /// Whether a tree fulfils them all.
    #[must_use]
    pub fn hold_in(&self, tree: &Tree) -> bool {
        self.iter().all(|(_, correction)| tree.satisfies(correction))
    }

    pub(crate) fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// A tree that fulfils them all, and is flat otherwise.
    pub(crate) fn simplest_tree(&self) -> Tree {
        feasible::simplest_tree(&self.constraints)
            .expect("a set of corrections is only kept if some tree fulfils it")
    }

    /// Adds a correction. One that clashes with others is refused with a smallest clashing set, and changes nothing.
    pub(crate) fn add(&mut self, correction: Correction) -> Result<CorrectionId, Error> {
        let count = self.constraints.count();
        check(correction, count)?;
        let mut all: Vec<Correction> = self.iter().map(|(_, given)| given).collect();
        all.push(correction);
        self.constraints = feasible(count, all)?;
        self.given.push(Some(correction));
        Ok(CorrectionId(self.given.len() as u32 - 1))
    }

    pub(crate) fn take_back(&mut self, id: CorrectionId) -> Result<Correction, Error> {
        let slot = self.given.get_mut(id.index()).ok_or(Error::UnknownCorrection(id.index()))?;
        let correction = slot.take().ok_or(Error::UnknownCorrection(id.index()))?;
        self.grow(self.constraints.count());
        Ok(correction)
    }

    /// Computes the constraints again, for this number of concepts.
    pub(crate) fn grow(&mut self, count: usize) {
        let all: Vec<Correction> = self.given.iter().flatten().copied().collect();
        self.constraints = Constraints::new(count, &all);
    }

    /// Renames the concepts; corrections about concepts that are gone go with them.
    pub(crate) fn renamed(
        &self,
        count: usize,
        rename: impl Fn(Concept) -> Option<Concept>,
    ) -> Result<Self, Error> {
        let given: Vec<_> =
            self.given.iter().map(|given| given.and_then(|given| renamed(given, &rename))).collect();
        let constraints = feasible(count, given.iter().flatten().copied().collect())?;
        Ok(Self { given, constraints })
    }
}

/// The constraints that corrections make, or a smallest clash if no tree fulfils them.
fn feasible(count: usize, all: Vec<Correction>) -> Result<Constraints, Error> {
    let constraints = Constraints::new(count, &all);
    match feasible::simplest_tree(&constraints) {
        Some(_) => Ok(constraints),
        None => Err(Error::Clash(smallest_clash(count, all))),
    }
}

/// Leaves out every correction without which the others still clash.
fn smallest_clash(count: usize, mut clashing: Vec<Correction>) -> Clash {
    let mut at = 0;
    while at < clashing.len() {
        let without: Vec<_> =
            clashing.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| *c).collect();
        if feasible::simplest_tree(&Constraints::new(count, &without)).is_none() {
            clashing = without;
        } else {
            at += 1;
        }
    }
    Clash(clashing)
}
