//! Reads concept lists, votes and hierarchies, turns free tags into concepts, lays hierarchies out, and writes them for
//! other tools.
//!
//! Nothing here opens a file. The caller puts its bytes into a [`Source`], so that every error names the file and the
//! line, and says in one line what is wrong and what to do.
//!
//! # Reading
//!
//! The ending of a file's name determines its format: [`read_concepts`], [`read_hierarchy`], [`read_votes`] and
//! [`read_tags`] each list the formats they read. Votes refer to concepts by name, so they are read with an index of
//! names, which ignores case and the different ways to write a letter in Unicode:
//!
//! ```
//! use grove_formats::{Answer, Source, read_concepts, read_votes};
//!
//! let concepts = Source::new("food.csv", "name,synonyms\nfruit,\nCafé,coffee house|tea room\n".as_bytes())?;
//! let concepts = read_concepts(&concepts)?;
//! let votes = br#"{"worker": "ann", "upper": "FRUIT", "lower": "tea room", "answer": "no"}"#;
//! let votes = read_votes(&Source::new("votes.jsonl", votes)?, &concepts.index())?;
//! let vote = votes[0].vote().ok_or("it is a yes/no question")?;
//! assert_eq!((vote.question.lower.index(), vote.answer), (2, Answer::No));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Writing
//!
//! A [`Hierarchy`] has each concept's parent, how certain that is and why, the other possible parents, the places between which people
//! differ, and the votes.
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
//! assert_eq!(csv.lines().last(), Some("tomato,fruit,0.6,6,4,food,0.4,,"));
//! let options = WriteOptions { base: "https://example.org/".into(), ..WriteOptions::default() };
//! let turtle = write(&food, Format::Skos, &options)?;
//! assert!(turtle.contains("skos:prefLabel \"tomato\"@en"));
//! # Ok::<(), grove_formats::Error>(())
//! ```
//!
//! JSON and SKOS keep everything and read back to the same hierarchy; CSV keeps parents, certainties, reasons and votes, paths
//! only the tree. The other formats are tested with the tools that read them: rdflib, skosify, dendropy, pronto,
//! networkx and GraphViz read back what the example `every_format` writes.
//!
//! # Drawing
//!
//! [`Layout`] computes the positions of names and lines, for the SVG, the HTML report and the pages of the server.
//!
//! # Concepts from tags
//!
//! [`prepare_concepts`] turns free tags into a list of concepts, and reports what it merged and dropped, and why.

mod article;
mod concept_list;
mod diff;
mod error;
mod escape;
mod heads;
mod hierarchy;
mod layout;
mod look_alike;
mod name;
mod nested;
mod origin;
mod paths;
mod read;
mod source;
mod tags;
mod vocabulary;
mod write;

pub use article::Article;
pub use concept_list::{CONCEPT_LIMIT, ConceptList, ListedConcept};
pub use diff::{ChangedCertainty, Difference, MovedConcept, PlacedConcept};
pub use error::{Error, ErrorKind, Place, Result};
pub use grove_vocabulary::{Answer, Form, Kind, Reason, Reply, Response, Screen};
pub use heads::{HeadIndex, head_pairs};
pub use hierarchy::{Entry, Heading, Hierarchy, Relation};
pub use layout::{LaidEdge, LaidNode, Layout, LayoutOptions};
pub use look_alike::{Likeness, LookAlike, look_alikes};
pub use name::{NameIndex, name_key};
pub use origin::{Fact, FactValue, Origin};
pub use read::{
    Placement, RecordedVote, read_card_sort, read_card_sort_concepts, read_concepts, read_hierarchy,
    read_placements, read_votes,
};
pub use source::Source;
pub use tags::{
    DropReason, DroppedTag, MergeReason, MergedTag, PreparedConcepts, Tag, TagSettings, TaggedConcept,
    prepare_concepts, read_tags,
};
pub use write::{
    Format, NamedVote, SampleFormat, VoteFormat, WriteOptions, write, write_concepts, write_samples,
    write_votes,
};

/// Keeps the README's example true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
