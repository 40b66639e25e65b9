//! Free tags become a list of concepts, as in the paper's kitchen and food domains.

mod prepare;
mod words;

pub use prepare::prepare_concepts;

use serde::Serialize;

use crate::name::{read_name, tidy};
use crate::read::table::{Row, Table};
use crate::{ConceptList, ErrorKind, ListedConcept, Place, Result, Source};

/// One tag that somebody gave to something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// What was tagged, if known.
    pub item: Option<String>,
    /// Who gave the tag. Tags without a worker count as if each came from a different one.
    pub worker: Option<String>,
    /// The tag itself.
    pub text: String,
}

/// How tags become concepts, and the user's exceptions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TagSettings {
    /// A tag used by fewer workers than this is dropped.
    pub least_workers: usize,
    /// The number of most frequent concepts in the initial set.
    pub initial: usize,
    /// Tags to drop.
    pub drop: Vec<String>,
    /// Tags to keep as they are: neither dropped nor merged into another, unless `merge` says so.
    pub keep: Vec<String>,
    /// Tags to merge, the first into the second.
    pub merge: Vec<(String, String)>,
    /// Tags not to merge with each other.
    pub separate: Vec<(String, String)>,
}

impl Default for TagSettings {
    /// The paper's five workers, and fifty concepts in the initial set.
    fn default() -> Self {
        Self { least_workers: 5, initial: 50, drop: vec![], keep: vec![], merge: vec![], separate: vec![] }
    }
}

/// Why a tag was merged into another.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(into = "&'static str")]
pub enum MergeReason {
    /// The same letters except for case, width or white space.
    SameLetters,
    /// One is the plural of the other.
    Plural,
    /// A rare tag that looks like a misspelling of a frequent one.
    Spelling {
        /// The number of letters inserted, left out, changed, or swapped with their neighbour.
        distance: usize,
    },
    /// The settings say so.
    Asked,
}

impl From<MergeReason> for &'static str {
    fn from(reason: MergeReason) -> Self {
        match reason {
            MergeReason::SameLetters => "same_letters",
            MergeReason::Plural => "plural",
            MergeReason::Spelling { .. } => "spelling",
            MergeReason::Asked => "asked",
        }
    }
}

/// A tag that became part of another concept.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct MergedTag {
    /// The tag.
    pub tag: String,
    /// The concept.
    pub into: String,
    /// Why it was merged.
    pub reason: MergeReason,
    /// How many workers used it.
    pub workers: usize,
}

/// Why a tag was dropped.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// Too few workers used it.
    FewWorkers,
    /// The settings list it.
    Listed,
}

/// A tag that was dropped.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct DroppedTag {
    /// The tag.
    pub tag: String,
    /// Why it was dropped.
    pub reason: DropReason,
    /// How many workers used it or a tag that was merged into it.
    pub workers: usize,
}

/// A concept made of tags.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct TaggedConcept {
    /// Its most frequent spelling.
    pub name: String,
    /// How many workers used it in any spelling.
    pub workers: usize,
    /// How often it was used in total.
    pub uses: usize,
    /// Its other names: the tags that the settings merge into it.
    pub synonyms: Vec<String>,
}

/// Concepts made of tags, and what was merged and dropped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreparedConcepts {
    /// The concepts, most workers first.
    concepts: Vec<TaggedConcept>,
    initial: usize,
    /// The tags that were merged.
    pub merged: Vec<MergedTag>,
    /// The tags that were dropped.
    pub dropped: Vec<DroppedTag>,
}

impl PreparedConcepts {
    /// The initial concepts, the most frequent first.
    #[must_use]
    pub fn initial(&self) -> &[TaggedConcept] {
        &self.concepts[..self.initial]
    }

    /// The concepts to insert later.
    #[must_use]
    pub fn later(&self) -> &[TaggedConcept] {
        &self.concepts[self.initial..]
    }

    /// All concepts, as a list.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] if every tag was dropped, [`ErrorKind::TooManyConcepts`].
    pub fn concept_list(&self) -> Result<ConceptList> {
        let listed = self.concepts.iter().map(|concept| ListedConcept {
            name: concept.name.clone(),
            synonyms: concept.synonyms.clone(),
            ..ListedConcept::default()
        });
        ConceptList::new(listed.collect(), &Place::default())
    }
}

/// Reads free tags: one per line of a `.txt`, or columns `tag`, `worker` and optionally `item` of a `.csv` or `.tsv`.
///
/// # Errors
/// An unknown file type, a missing column, or an empty tag or worker.
pub fn read_tags(source: &Source) -> Result<Vec<Tag>> {
    source.require("tag")?;
    match source.extension().as_str() {
        "txt" | "text" | "" => {
            let tag = |(line, text): (usize, &'_ str)| {
                let text = read_name(text, &source.place().line(line), "tag")?;
                Ok(Tag { item: None, worker: None, text })
            };
            source.content_lines().map(tag).collect()
        }
        "csv" | "tsv" | "tab" => from_table(&Table::read(source, "tag")?),
        _ => Err(source.error(ErrorKind::UnknownFileType(".txt, .csv or .tsv"))),
    }
}

fn from_table(table: &Table) -> Result<Vec<Tag>> {
    let tag = table.require(&["tag", "label", "concept"])?;
    let worker = table.require(&["worker", "participant", "annotator"])?;
    let item = table.column(&["item", "image", "object"]);
    let read = |row: &Row| {
        Ok(Tag {
            item: Some(tidy(row.get(item))).filter(|item| !item.is_empty()),
            worker: Some(read_name(row.get(worker), &row.at, "worker")?),
            text: read_name(row.get(tag), &row.at, "tag")?,
        })
    };
    table.rows()?.iter().map(read).collect()
}
