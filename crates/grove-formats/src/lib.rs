//! Files in and out: concept lists, votes and hierarchies are read, free tags become concepts, hierarchies are laid
//! out and written for the tools people already use.
//!
//! Nothing here opens a file. The caller reads bytes into a [`Source`], so that every error names the file and the
//! line, and says in one line what is wrong and what to do.
//!
//! # Reading
//!
//! The ending of a file's name tells how it is read: [`read_concepts`], [`read_hierarchy`], [`read_votes`] and
//! [`read_tags`] each list what they know. Votes name concepts, so they are read against an index of names, in which
//! neither case nor the many ways of Unicode to write a letter matter:
//!
//! ```
//! use grove_formats::{Answer, Source, read_concepts, read_votes};
//!
//! let concepts = Source::new("food.csv", "name,synonyms\nfruit,\nCafé,coffee house|tea room\n".as_bytes())?;
//! let concepts = read_concepts(&concepts)?;
//! let votes = br#"{"worker": "ann", "upper": "FRUIT", "lower": "tea room", "answer": "no"}"#;
//! let votes = read_votes(&Source::new("votes.jsonl", votes)?, &concepts.index())?;
//! assert_eq!((votes[0].vote.question.lower.index(), votes[0].vote.answer), (2, Answer::No));
//! # Ok::<(), grove_formats::Error>(())
//! ```
//!
//! # Writing
//!
//! A [`Hierarchy`] holds each concept's parent, how certain that is, the other parents it may have, and the votes.
//! [`write()`] turns it into any [`Format`]:
//!
//! ```
//! use grove_formats::{Entry, Format, Heading, Hierarchy, Relation, WriteOptions, write};
//! use grove_tree::Concept;
//!
//! let heading = Heading { language: "en".into(), relation: Relation::IsA, ..Heading::new("food") };
//! let fruit = Entry { certainty: Some(0.99), ..Entry::new("fruit", Concept::ROOT) };
//! let tomato = Entry {
//!     certainty: Some(0.6),
//!     alternatives: vec![(Concept::ROOT, 0.4)],
//!     yes: 6,
//!     no: 4,
//!     ..Entry::new("tomato", Concept::new(1))
//! };
//! let food = Hierarchy::new(heading, vec![fruit, tomato])?;
//! let csv = write(&food, "csv".parse()?, &WriteOptions::default())?;
//! assert_eq!(csv.lines().last(), Some("tomato,fruit,0.6,6,4,food,0.4"));
//! let options = WriteOptions { base: "https://example.org/".into(), ..WriteOptions::default() };
//! let turtle = write(&food, Format::Skos, &options)?;
//! assert!(turtle.contains("skos:prefLabel \"tomato\"@en"));
//! # Ok::<(), grove_formats::Error>(())
//! ```
//!
//! JSON and SKOS keep everything and read back to the same hierarchy; CSV keeps places, certainties and votes, paths
//! the tree. How the others look to other tools is tested with those tools: rdflib, skosify, dendropy, pronto,
//! networkx and GraphViz read back what the example `every_format` writes.
//!
//! # Drawing
//!
//! [`Layout`] says where names and lines go; the SVG and the HTML report draw it, and so can a page.
//!
//! # Concepts from tags
//!
//! [`prepare_concepts`] turns what people typed into a list of concepts, and tells what it merged and dropped and why.

mod concept_list;
mod diff;
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
pub use diff::{ChangedCertainty, Difference, MovedConcept, PlacedConcept};
pub use error::Error;
pub use grove_vocabulary::{Answer, Kind};
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
pub use vote::RecordedVote;
pub use write::{Format, SampleFormat, WriteOptions, write, write_concepts, write_samples};
