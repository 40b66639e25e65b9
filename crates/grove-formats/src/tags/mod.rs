//! From free tags to a list of concepts, as the paper prepared its kitchen and food words.

mod group;
mod plural;
mod prepare;
mod read;
mod spelling;

pub use prepare::prepare_concepts;
pub use read::read_tags;

use crate::{ConceptList, Error, ListedConcept, Place};

/// One tag that somebody gave to something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// What was tagged, where the file says so.
    pub item: Option<String>,
    /// Who gave it. Of tags without a worker each counts as another worker's.
    pub worker: Option<String>,
    /// The tag itself.
    pub text: String,
}

/// How tags become concepts, and what a person overrules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TagSettings {
    /// A tag used by fewer workers than this is dropped.
    pub least_workers: usize,
    /// How many of the most frequent concepts make the initial set.
    pub initial: usize,
    /// Tags to drop.
    pub drop: Vec<String>,
    /// Tags to keep as they are: neither dropped nor merged into another unasked.
    pub keep: Vec<String>,
    /// Tags to merge, the first into the second.
    pub merge: Vec<(String, String)>,
    /// Tags not to merge with each other.
    pub separate: Vec<(String, String)>,
}

impl Default for TagSettings {
    /// The paper's five workers; half a hundred concepts to begin with.
    fn default() -> Self {
        Self { least_workers: 5, initial: 50, drop: vec![], keep: vec![], merge: vec![], separate: vec![] }
    }
}

/// Why a tag was merged into another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MergeReason {
    /// The same letters, but for case, width or white space.
    SameLetters,
    /// One is the plural of the other.
    Plural,
    /// A rare tag so many letters away from a frequent one.
    Spelling {
        /// Letters put in, left out, changed, or swapped with their neighbour.
        distance: usize,
    },
    /// The settings say so.
    Asked,
}

/// A tag that became part of another concept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergedTag {
    /// The tag.
    pub tag: String,
    /// The concept.
    pub into: String,
    /// Why.
    pub reason: MergeReason,
    /// How many workers used it.
    pub workers: usize,
}

/// Why a tag became no concept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropReason {
    /// Too few workers used it.
    FewWorkers,
    /// The settings say so.
    Listed,
}

/// A tag that became no concept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DroppedTag {
    /// The tag.
    pub tag: String,
    /// Why.
    pub reason: DropReason,
    /// How many workers used it, or what was merged into it.
    pub workers: usize,
}

/// A concept made of tags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaggedConcept {
    /// Its most frequent spelling.
    pub name: String,
    /// How many workers used it in any spelling.
    pub workers: usize,
    /// How often it was used in all.
    pub uses: usize,
    /// The tags that a person asked to merge into it: its other names.
    pub synonyms: Vec<String>,
}

/// Concepts made of tags, and everything that happened on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreparedConcepts {
    /// The concepts, most workers first.
    concepts: Vec<TaggedConcept>,
    initial: usize,
    /// What was merged into what.
    pub merged: Vec<MergedTag>,
    /// What was dropped.
    pub dropped: Vec<DroppedTag>,
}

impl PreparedConcepts {
    /// The concepts to begin with, the most frequent first.
    #[must_use]
    pub fn initial(&self) -> &[TaggedConcept] {
        &self.concepts[..self.initial]
    }

    /// The concepts to insert later.
    #[must_use]
    pub fn later(&self) -> &[TaggedConcept] {
        &self.concepts[self.initial..]
    }

    /// Both, as a list.
    ///
    /// # Errors
    /// [`Error::Empty`] if every tag was dropped, [`Error::TooManyConcepts`].
    pub fn concept_list(&self) -> Result<ConceptList, Error> {
        let listed = self.concepts.iter().map(|concept| ListedConcept {
            name: concept.name.clone(),
            synonyms: concept.synonyms.clone(),
            ..ListedConcept::default()
        });
        ConceptList::new(listed.collect(), &Place::none())
    }
}
