use std::sync::Arc;

use grove_formats::{Article, Origin};
use grove_store::Position;
use grove_tree::Concept;

/// What has become of a concept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is part of the campaign.
    Present,
    /// It was removed.
    Removed {
        /// The position in the log.
        at: Position,
    },
    /// It was merged into another.
    Merged {
        /// The concept that was kept.
        into: u32,
        /// The position in the log.
        at: Position,
    },
}

/// A concept with everything that people are shown of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConceptState {
    /// Its number in the campaign, counting from 1; never used again for another.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// Its definition; may be empty.
    pub definition: String,
    /// Other names of it.
    pub synonyms: Vec<String>,
    /// What stands before its name in a question.
    pub article: Article,
    /// What else the source file says about it.
    pub origin: Option<Arc<Origin>>,
    /// What has become of it.
    pub fate: Fate,
}

/// All concepts that were ever added, and the belief's numbers of those present.
///
/// A campaign's numbers never change; the belief's have no gaps. Both are in the order in which concepts were added.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Concepts {
    all: Vec<ConceptState>,
    /// The numbers of those present, in order.
    present: Vec<u32>,
}

/// The campaign's number of a concept, given the numbers of all: that of concept j at j - 1; 0 for the root.
#[must_use]
pub fn number(numbers: &[u32], concept: Concept) -> u32 {
    concept.index().checked_sub(1).map_or(0, |at| numbers[at])
}

impl Concepts {
    /// All that were ever added, by number.
    #[must_use]
    pub fn all(&self) -> &[ConceptState] {
        &self.all
    }

    /// Those present, in the order of the belief's numbers.
    pub fn present(&self) -> impl ExactSizeIterator<Item = &ConceptState> {
        self.present.iter().map(|&number| &self.all[number as usize - 1])
    }

    /// The numbers of those present: that of concept j of the belief at j - 1.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.present
    }

    /// How many are present.
    #[must_use]
    pub fn count(&self) -> usize {
        self.present.len()
    }

    /// A concept by its number, present or not.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&ConceptState> {
        self.all.get((number as usize).checked_sub(1)?)
    }

    /// The belief's number of a concept, or of the one that it was merged into; none if it is gone.
    #[must_use]
    pub fn belief_number(&self, number: u32) -> Option<Concept> {
        let alive = self.resolve(number)?;
        if alive == 0 {
            return Some(Concept::ROOT);
        }
        self.present.binary_search(&alive).ok().map(|at| Concept::new(at + 1))
    }

    /// The campaign's number of a concept that the belief knows; 0 for the root.
    #[must_use]
    pub fn number(&self, concept: Concept) -> u32 {
        number(&self.present, concept)
    }

    /// The concept itself, or what it was merged into; none if that is gone.
    pub(crate) fn resolve(&self, mut number: u32) -> Option<u32> {
        loop {
            if number == 0 {
                return Some(0);
            }
            match self.get(number)?.fate {
                Fate::Present => return Some(number),
                Fate::Merged { into, .. } => number = into,
                Fate::Removed { .. } => return None,
            }
        }
    }

    /// Adds a concept, which gets the next number.
    pub(super) fn add(&mut self, concept: ConceptState) {
        let number = self.all.len() as u32 + 1;
        self.all.push(ConceptState { number, ..concept });
        self.present.push(number);
    }

    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut ConceptState> {
        self.all.get_mut((number as usize).checked_sub(1)?)
    }

    /// Brings back a concept that is gone.
    pub(super) fn begin_again(&mut self, number: u32) {
        if let Some(concept) = self.get_mut(number) {
            concept.fate = Fate::Present;
        }
        if let Err(at) = self.present.binary_search(&number) {
            self.present.insert(at, number);
        }
    }

    /// Removes a present concept.
    pub(super) fn end(&mut self, number: u32, fate: Fate) {
        if let Some(concept) = self.get_mut(number) {
            concept.fate = fate;
        }
        self.present.retain(|&present| present != number);
    }
}
