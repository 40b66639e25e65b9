//! Files in and out: concept lists, votes and hierarchies are read, hierarchies are laid out and written.
//!
//! Nothing here opens a file. The caller reads bytes into a [`Source`], so that every error names the file and the
//! line, and says in one line what is wrong and what to do.

mod concept_list;
mod error;
mod escape;
mod hierarchy;
mod layout;
mod name;
mod place;
mod read;
mod relation;
mod slug;
mod source;
mod tags;
mod vocabulary;
mod vote;
mod write;

pub use concept_list::{CONCEPT_LIMIT, ConceptList, ListedConcept};
pub use error::Error;
pub use hierarchy::{Entry, Heading, Hierarchy};
pub use layout::{LaidEdge, LaidNode, Layout, LayoutOptions};
pub use name::{NameIndex, name_key};
pub use place::Place;
pub use read::{read_card_sort, read_card_sort_concepts, read_concepts, read_hierarchy, read_votes};
pub use relation::Relation;
pub use source::Source;
pub use tags::{
    DropReason, DroppedTag, MergeReason, MergedTag, PreparedConcepts, Tag, TagSettings, TaggedConcept,
    prepare_concepts, read_tags,
};
pub use vote::{Answer, QuestionKind, RecordedVote};
pub use write::{Format, SampleFormat, WriteOptions, write, write_samples};
