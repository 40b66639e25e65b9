//! `grove concepts`: free tags in, a list of concepts out.

use std::path::Path;

use grove_formats::{
    ConceptList, DropReason, DroppedTag, ListedConcept, MergeReason, MergedTag, Place, PreparedConcepts,
    TagSettings, TaggedConcept, prepare_concepts, read_tags, write_concepts,
};
use serde_json::{Value, json};

use crate::args::Concepts;
use crate::failure::bad_input;
use crate::{files, terminal};

/// Prepares the concepts, writes them where that was asked for, and tells what was done.
pub(crate) fn run(options: &Concepts, quiet: bool) -> anyhow::Result<()> {
    for out in [&options.out, &options.later].into_iter().flatten() {
        files::check_writable(out)?;
    }
    if options.out.is_some() && options.out == options.later {
        return Err(bad_input("--out and --later name the same file; give two names, or leave --later out"));
    }
    if let Some((one, other)) = options.merge.iter().find(|pair| options.apart.contains(pair)) {
        return Err(bad_input(format!("{one:?} and {other:?} are to be merged and kept apart; choose one")));
    }
    let tags = read_tags(&files::read(&options.file)?).map_err(bad_input)?;
    let settings = TagSettings {
        least_workers: options.least_workers,
        initial: options.initial,
        drop: options.drop.as_deref().map_or(Ok(Vec::new()), words)?,
        keep: options.keep.clone(),
        merge: options.merge.clone(),
        separate: options.apart.clone(),
    };
    let prepared = prepare_concepts(&tags, &settings).map_err(bad_input)?;
    prepared.concept_list().map_err(|_| nothing_left(options))?;
    write(options, &prepared)?;
    match (options.json, options.out.is_some() && quiet) {
        (true, _) => files::print(&(serde_json::to_string_pretty(&object(&prepared))? + "\n")),
        (false, true) => Ok(()),
        (false, false) => files::print(&text(&prepared)),
    }
}

/// One word a line, without comments.
fn words(path: &Path) -> anyhow::Result<Vec<String>> {
    let source = files::read(path)?;
    let lines =
        source.text().lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

fn nothing_left(options: &Concepts) -> anyhow::Error {
    let (file, least) = (options.file.display(), options.least_workers);
    bad_input(format!("{file}: no tag was used by {least} workers, so none is left; lower --least-workers"))
}

fn write(options: &Concepts, prepared: &PreparedConcepts) -> anyhow::Result<()> {
    let Some(out) = &options.out else { return Ok(()) };
    match &options.later {
        Some(later) => {
            files::write(Some(later), &csv(prepared.later())?)?;
            files::write(Some(out), &csv(prepared.initial())?)
        }
        None => files::write(Some(out), &csv(&[prepared.initial(), prepared.later()].concat())?),
    }
}

fn csv(concepts: &[TaggedConcept]) -> anyhow::Result<String> {
    let listed = concepts.iter().map(|concept| ListedConcept {
        name: concept.name.clone(),
        synonyms: concept.synonyms.clone(),
        ..ListedConcept::default()
    });
    let listed: Vec<ListedConcept> = listed.collect();
    // An empty list is none; its file holds the names of the columns alone.
    match listed.is_empty() {
        true => Ok("concept,definition,synonyms\n".to_owned()),
        false => Ok(write_concepts(&ConceptList::new(listed, &Place::none()).map_err(bad_input)?)),
    }
}

fn text(prepared: &PreparedConcepts) -> String {
    let mut text = String::new();
    let mut section = |heading: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            text.push_str(&format!("{heading}:\n"));
            lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
            text.push('\n');
        }
    };
    let workers = |count: usize| terminal::count(count, "worker");
    let concept = |concept: &TaggedConcept| {
        let also = match concept.synonyms.is_empty() {
            true => String::new(),
            false => format!(", also {}", concept.synonyms.join(", ")),
        };
        format!(
            "{} ({}, {}{also})",
            concept.name,
            workers(concept.workers),
            terminal::count(concept.uses, "use")
        )
    };
    let merged = |merged: &MergedTag| {
        format!(
            "{} into {}: {} ({})",
            merged.tag,
            merged.into,
            merge_reason(merged.reason),
            workers(merged.workers)
        )
    };
    let dropped = |dropped: &DroppedTag| {
        format!("{}: {} ({})", dropped.tag, drop_reason(dropped.reason), workers(dropped.workers))
    };
    section("Concepts to begin with", prepared.initial().iter().map(concept).collect());
    section("Concepts to insert later", prepared.later().iter().map(concept).collect());
    section("Merged", prepared.merged.iter().map(merged).collect());
    section("Dropped", prepared.dropped.iter().map(dropped).collect());
    text.push_str(&format!(
        "{} concepts, {} tags merged, {} dropped; overrule with --keep, --merge A=B, --apart A=B, --drop FILE\n",
        prepared.initial().len() + prepared.later().len(),
        prepared.merged.len(),
        prepared.dropped.len()
    ));
    text
}

fn merge_reason(reason: MergeReason) -> String {
    match reason {
        MergeReason::SameLetters => "the same letters".to_owned(),
        MergeReason::Plural => "plural and singular".to_owned(),
        MergeReason::Spelling { distance: 1 } => "one slip of the pen".to_owned(),
        MergeReason::Spelling { distance } => format!("{distance} slips of the pen"),
        MergeReason::Asked => "asked for".to_owned(),
    }
}

fn drop_reason(reason: DropReason) -> &'static str {
    match reason {
        DropReason::FewWorkers => "too few workers",
        DropReason::Listed => "on the drop list",
    }
}

/// The object that `--json` prints. Its field names are a promise: see docs/cli.md.
fn object(prepared: &PreparedConcepts) -> Value {
    let concept = |concept: &TaggedConcept| json!({ "name": concept.name, "workers": concept.workers, "uses": concept.uses, "synonyms": concept.synonyms });
    let merged = |merged: &MergedTag| {
        let reason = match merged.reason {
            MergeReason::SameLetters => "same_letters",
            MergeReason::Plural => "plural",
            MergeReason::Spelling { .. } => "spelling",
            MergeReason::Asked => "asked",
        };
        json!({ "tag": merged.tag, "into": merged.into, "reason": reason, "workers": merged.workers })
    };
    let dropped = |dropped: &DroppedTag| {
        let reason = match dropped.reason {
            DropReason::FewWorkers => "few_workers",
            DropReason::Listed => "listed",
        };
        json!({ "tag": dropped.tag, "reason": reason, "workers": dropped.workers })
    };
    json!({
        "initial": prepared.initial().iter().map(concept).collect::<Vec<_>>(),
        "later": prepared.later().iter().map(concept).collect::<Vec<_>>(),
        "merged": prepared.merged.iter().map(merged).collect::<Vec<_>>(),
        "dropped": prepared.dropped.iter().map(dropped).collect::<Vec<_>>(),
    })
}
