//! `grove diff`: what became of one hierarchy in another.

use std::process::ExitCode;

use grove_formats::{ChangedCertainty, Difference, MovedConcept, PlacedConcept};
use serde_json::{Value, json};

use crate::args::Diff;
use crate::files;

/// Compares two hierarchies and tells the difference.
pub(crate) fn run(options: &Diff) -> anyhow::Result<ExitCode> {
    let (old, new) = (files::read_tree(&options.old)?, files::read_tree(&options.new)?);
    let difference = Difference::between(&old, &new, options.least);
    match options.json {
        true => files::print(&(serde_json::to_string_pretty(&object(&difference))? + "\n"))?,
        false => files::print(&text(&difference))?,
    }
    let differs = options.exit_code && !difference.is_empty();
    Ok(if differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn text(difference: &Difference) -> String {
    let mut text = String::new();
    let mut section = |heading: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            text.push_str(&format!("{heading}:\n"));
            lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
            text.push('\n');
        }
    };
    let sure = |certainty: Option<f64>| certainty.map_or_else(String::new, |sure| format!(" {sure:.2}"));
    let moved = |moved: &MovedConcept| {
        let (old, new) = (sure(moved.old_certainty), sure(moved.new_certainty));
        format!("{}: from {}{old} to {}{new}", moved.concept, moved.old_parent, moved.new_parent)
    };
    let placed = |placed: &PlacedConcept| {
        format!("{} under {}{}", placed.concept, placed.parent, sure(placed.certainty))
    };
    let changed = |changed: &ChangedCertainty| {
        let (old, new) = (changed.old_certainty, changed.new_certainty);
        format!(
            "{} under {}: {old:.2} to {new:.2} ({:+.2})",
            changed.concept,
            changed.parent,
            changed.change()
        )
    };
    section("Moved", difference.moved.iter().map(moved).collect());
    section("New", difference.new.iter().map(placed).collect());
    section("Gone", difference.gone.iter().map(placed).collect());
    section("Surer", difference.surer.iter().map(changed).collect());
    section("Less sure", difference.less_sure.iter().map(changed).collect());
    text.push_str(&format!(
        "{} moved, {} new, {} gone, {} surer, {} less sure; {} under the same parent\n",
        difference.moved.len(),
        difference.new.len(),
        difference.gone.len(),
        difference.surer.len(),
        difference.less_sure.len(),
        difference.same_parent
    ));
    text
}

/// The object that `--json` prints. Its field names are a promise: see docs/cli.md.
fn object(difference: &Difference) -> Value {
    let moved = |moved: &MovedConcept| {
        json!({
            "concept": moved.concept,
            "old_parent": moved.old_parent,
            "new_parent": moved.new_parent,
            "old_certainty": moved.old_certainty,
            "new_certainty": moved.new_certainty,
        })
    };
    let placed = |placed: &PlacedConcept| json!({ "concept": placed.concept, "parent": placed.parent, "certainty": placed.certainty });
    let changed = |changed: &ChangedCertainty| {
        json!({
            "concept": changed.concept,
            "parent": changed.parent,
            "old_certainty": changed.old_certainty,
            "new_certainty": changed.new_certainty,
            "change": changed.change(),
        })
    };
    json!({
        "moved": difference.moved.iter().map(moved).collect::<Vec<_>>(),
        "new": difference.new.iter().map(placed).collect::<Vec<_>>(),
        "gone": difference.gone.iter().map(placed).collect::<Vec<_>>(),
        "surer": difference.surer.iter().map(changed).collect::<Vec<_>>(),
        "less_sure": difference.less_sure.iter().map(changed).collect::<Vec<_>>(),
        "same_parent": difference.same_parent,
    })
}
