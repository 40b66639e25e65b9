//! `grove diff`: what changed between two hierarchies.

use std::path::PathBuf;
use std::process::ExitCode;

use grove_formats::{ChangedCertainty, Difference, MovedConcept, PlacedConcept};

use crate::context::Context;
use crate::engine_options::probability;
use crate::files;
use crate::text::section;

/// Compare two hierarchies: what moved, what is new or gone, and what is more or less certain.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove diff monday.json friday.json
  grove diff reference.tsv found.ttl --json
  grove diff old.csv new.csv --exit-code || echo 'the hierarchy changed'

Compares any two formats that hold a hierarchy. Names are matched whatever their case. The exit code is 0
whether the hierarchies differ or not; with --exit-code it is 1 if they do.")]
pub(crate) struct Diff {
    /// The earlier hierarchy.
    old: PathBuf,
    /// The later hierarchy.
    new: PathBuf,
    /// Ignore changes of certainty smaller than this.
    #[arg(long, allow_negative_numbers = true, value_name = "CHANGE", default_value = "0.05", value_parser = probability)]
    least: f64,
    /// Exit with 1 if there is any difference.
    #[arg(long)]
    exit_code: bool,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl Diff {
    pub(crate) async fn run(&self, _: &Context) -> anyhow::Result<ExitCode> {
        let (old, new) = (files::read_tree(&self.old)?, files::read_tree(&self.new)?);
        let difference = Difference::between(&old, &new, self.least);
        match self.json {
            true => files::print_json(&difference)?,
            false => files::print(&text(&difference))?,
        }
        let differs = self.exit_code && !difference.is_empty();
        Ok(if differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn text(difference: &Difference) -> String {
    let Difference { moved, new, gone, surer, less_sure, same_parent } = difference;
    let certainty = |certainty: Option<f64>| certainty.map_or_else(String::new, |it| format!(" {it:.2}"));
    let moved_line = |moved: &MovedConcept| {
        let (old, new) = (certainty(moved.old_certainty), certainty(moved.new_certainty));
        format!("{}: from {}{old} to {}{new}", moved.concept, moved.old_parent, moved.new_parent)
    };
    let placed_line = |placed: &PlacedConcept| {
        format!("{} under {}{}", placed.concept, placed.parent, certainty(placed.certainty))
    };
    let changed_line = |changed: &ChangedCertainty| {
        let ChangedCertainty { concept, parent, old_certainty, new_certainty, change } = changed;
        format!("{concept} under {parent}: {old_certainty:.2} to {new_certainty:.2} ({change:+.2})")
    };
    let text = [
        section("Moved", moved.iter().map(moved_line), usize::MAX),
        section("New", new.iter().map(placed_line), usize::MAX),
        section("Gone", gone.iter().map(placed_line), usize::MAX),
        section("More certain", surer.iter().map(changed_line), usize::MAX),
        section("Less certain", less_sure.iter().map(changed_line), usize::MAX),
        format!(
            "\n{} moved, {} new, {} gone, {} more certain, {} less certain; {same_parent} under the same parent\n",
            moved.len(),
            new.len(),
            gone.len(),
            surer.len(),
            less_sure.len(),
        ),
    ];
    text.concat().trim_start().to_owned()
}
