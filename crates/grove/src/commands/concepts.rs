//! `grove concepts`: turns free tags into a list of concepts.

use std::path::{Path, PathBuf};

use grove_formats::{
    ConceptList, DropReason, DroppedTag, ListedConcept, MergeReason, MergedTag, Place, PreparedConcepts,
    TagSettings, TaggedConcept, prepare_concepts, read_tags, write_concepts,
};
use serde::Serialize;

use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::{count, section};

/// Turn free tags into a list of concepts.
///
/// Merges spellings that differ in case, typos, plural and singular; drops tags that too few people used; puts the most frequent
/// first. Shows what was merged and dropped and why, so that you can override it.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove concepts tags.txt
  grove concepts tags.csv --least-workers 3 --out concepts.csv
  grove concepts tags.csv --keep saffron --merge pop=soda --apart new=news --drop stopwords.txt
  grove concepts tags.csv --initial 20 --out first.csv --later later.csv

tags.txt holds one tag per line; tags.csv has the columns tag and worker, and optionally item.")]
pub(crate) struct Concepts {
    /// The tags.
    file: PathBuf,
    /// Drop tags used by fewer workers than this.
    #[arg(long, value_name = "N", default_value_t = 5)]
    least_workers: usize,
    /// How many of the most frequent concepts make the initial set; the others are added later.
    #[arg(long, value_name = "N", default_value_t = 50)]
    initial: usize,
    /// A file of tags to drop, one per line.
    #[arg(long, value_name = "FILE")]
    drop: Option<PathBuf>,
    /// A tag to keep as it is.
    #[arg(long, value_name = "WORD")]
    keep: Vec<String>,
    /// Merge the first tag into the second.
    #[arg(long, value_name = "A=B", value_parser = pair)]
    merge: Vec<(String, String)>,
    /// Keep two tags apart.
    #[arg(long, value_name = "A=B", value_parser = pair)]
    apart: Vec<(String, String)>,
    /// Write the concepts to this file, as CSV.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the concepts after the initial set to this file instead.
    #[arg(long, value_name = "FILE", requires = "out")]
    later: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// Parses two tags with an equals sign between them.
fn pair(text: &str) -> Result<(String, String), String> {
    let sides = text.split_once('=').map(|(one, other)| (one.trim().to_owned(), other.trim().to_owned()));
    let full = sides.filter(|(one, other)| !one.is_empty() && !other.is_empty());
    full.ok_or_else(|| "give two tags with = between them, such as pop=soda".to_owned())
}

impl Concepts {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        files::check_writable(self.out.as_deref())?;
        files::check_writable(self.later.as_deref())?;
        if self.out.is_some() && self.out == self.later {
            return Err(bad_input(
                "--out and --later name the same file; give two names, or leave --later out",
            ));
        }
        if let Some((one, other)) = self.merge.iter().find(|pair| self.apart.contains(pair)) {
            return Err(bad_input(format!(
                "{one:?} and {other:?} are in both --merge and --apart; choose one"
            )));
        }
        let settings = TagSettings {
            least_workers: self.least_workers,
            initial: self.initial,
            drop: self.drop.as_deref().map_or(Ok(Vec::new()), words)?,
            keep: self.keep.clone(),
            merge: self.merge.clone(),
            separate: self.apart.clone(),
        };
        let prepared = prepare_concepts(&read_tags(&files::read(&self.file)?)?, &settings)?;
        prepared.concept_list().map_err(|_| {
            let (file, least) = (self.file.display(), self.least_workers);
            bad_input(format!(
                "{file}: no tag was used by {least} workers, so none is left; lower --least-workers"
            ))
        })?;
        self.write(&prepared)?;
        match self.json {
            true => files::print_json(&Json {
                initial: prepared.initial(),
                later: prepared.later(),
                merged: &prepared.merged,
                dropped: &prepared.dropped,
            }),
            false if self.out.is_some() && context.quiet() => Ok(()),
            false => files::print(&text(&prepared)),
        }
    }

    fn write(&self, prepared: &PreparedConcepts) -> anyhow::Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        match &self.later {
            Some(later) => {
                files::write(Some(later), &csv(prepared.later())?)?;
                files::write(Some(out), &csv(prepared.initial())?)
            }
            None => files::write(Some(out), &csv(&[prepared.initial(), prepared.later()].concat())?),
        }
    }
}

/// The object that `--json` prints. Its field names are documented in docs/cli.md and do not change.
#[derive(Serialize)]
struct Json<'a> {
    initial: &'a [TaggedConcept],
    later: &'a [TaggedConcept],
    merged: &'a [MergedTag],
    dropped: &'a [DroppedTag],
}

/// Reads one word per line, without comments.
fn words(path: &Path) -> anyhow::Result<Vec<String>> {
    let source = files::read(path)?;
    let lines = source.text().lines().map(str::trim);
    Ok(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect())
}

fn csv(concepts: &[TaggedConcept]) -> anyhow::Result<String> {
    // A list has at least one concept; the file of an empty one holds the names of the columns alone.
    if concepts.is_empty() {
        return Ok("concept,definition,synonyms\n".to_owned());
    }
    let listed = concepts.iter().map(|concept| ListedConcept {
        name: concept.name.clone(),
        synonyms: concept.synonyms.clone(),
        ..ListedConcept::default()
    });
    Ok(write_concepts(&ConceptList::new(listed.collect(), &Place::default())?))
}

fn text(prepared: &PreparedConcepts) -> String {
    let workers = |number: usize| count(number, "worker");
    let concept = |concept: &TaggedConcept| {
        let TaggedConcept { name, synonyms, .. } = concept;
        let also =
            if synonyms.is_empty() { String::new() } else { format!(", also {}", synonyms.join(", ")) };
        format!("{name} ({}, {}{also})", workers(concept.workers), count(concept.uses, "use"))
    };
    let merged = |merged: &MergedTag| {
        let reason = match merged.reason {
            MergeReason::SameLetters => "the same letters".to_owned(),
            MergeReason::Plural => "plural and singular".to_owned(),
            MergeReason::Spelling { distance } => count(distance, "typo"),
            MergeReason::Asked => "requested".to_owned(),
        };
        format!("{} into {}: {reason} ({})", merged.tag, merged.into, workers(merged.workers))
    };
    let dropped = |dropped: &DroppedTag| {
        let reason = match dropped.reason {
            DropReason::FewWorkers => "too few workers",
            DropReason::Listed => "on the drop list",
        };
        format!("{}: {reason} ({})", dropped.tag, workers(dropped.workers))
    };
    let text = [
        section("Initial concepts", prepared.initial().iter().map(concept), usize::MAX),
        section("Concepts to add later", prepared.later().iter().map(concept), usize::MAX),
        section("Merged", prepared.merged.iter().map(merged), usize::MAX),
        section("Dropped", prepared.dropped.iter().map(dropped), usize::MAX),
        format!(
            "\n{} concepts, {} tags merged, {} dropped; override with --keep, --merge A=B, --apart A=B, --drop FILE\n",
            prepared.initial().len() + prepared.later().len(),
            prepared.merged.len(),
            prepared.dropped.len()
        ),
    ];
    text.concat().trim_start().to_owned()
}
