//! `grove replay`: how the hierarchy grew.

use std::collections::HashSet;

use grove_campaign::{Follower, Measures};
use grove_formats::{Difference, Hierarchy, MovedConcept};
use grove_store::{Entry, Event, Position};
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::desk::{Desk, refused};
use super::words;
use crate::args::Replay;
use crate::failure::bad_input;
use crate::{files, progress, terminal};

/// How many moves of a step are told; --json has all of them.
const MOVES: usize = 3;

/// A record of the belief, computed again.
struct Step {
    measures: Measures,
    hierarchy: Hierarchy,
}

/// Computes everything again and tells what came of it.
pub(super) async fn run(options: &Replay, desk: &Desk) -> anyhow::Result<()> {
    let campaign = desk.find(&options.name).await?;
    let entries = desk.log(campaign.id).await?;
    let bar = progress::bar(desk.quiet(), entries.len() as u64, "entries");
    let text = match options.at {
        Some(votes) => {
            let step = after(&entries, votes, &bar)?;
            if options.json { pretty(&step_object(None, &step))? } else { drawn(&step) }
        }
        None => {
            let (steps, follower) = growth(&entries, options.steps as usize, &bar)?;
            if options.json {
                pretty(&object(&options.name, &steps, &follower))?
            } else {
                text(&steps, &follower)
            }
        }
    };
    bar.finish_and_clear();
    files::print(&text)
}

/// The belief as it was when so many votes counted.
fn after(entries: &[Entry], votes: u64, bar: &ProgressBar) -> anyhow::Result<Step> {
    let mut follower = Follower::new();
    let mut most = 0;
    for entry in entries {
        follower.read_all(std::slice::from_ref(entry)).map_err(refused)?;
        bar.inc(1);
        if is_record(entry)
            && let Some(step) = step(&follower)?
        {
            most = most.max(step.measures.votes);
            if step.measures.votes >= votes {
                return Ok(step);
            }
        }
    }
    Err(bad_input(format!("the belief never had {votes} votes; give --at a number up to {most}")))
}

/// So many records, from the first to the last, and the belief at the end.
fn growth(entries: &[Entry], count: usize, bar: &ProgressBar) -> anyhow::Result<(Vec<Step>, Follower)> {
    let records: Vec<Position> =
        entries.iter().filter(|entry| is_record(entry)).map(|entry| entry.position).collect();
    let told = evenly(&records, count);
    let mut follower = Follower::new();
    let mut steps = Vec::new();
    for entry in entries {
        follower.read_all(std::slice::from_ref(entry)).map_err(refused)?;
        bar.inc(1);
        if told.contains(&entry.position) {
            steps.extend(step(&follower)?);
        }
    }
    Ok((steps, follower))
}

fn is_record(entry: &Entry) -> bool {
    matches!(entry.event, Event::Advanced { .. })
}

/// At most so many of the places: the last, and the others at equal distances before it.
fn evenly(places: &[Position], count: usize) -> HashSet<Position> {
    let chosen = (1..=count).filter_map(|step| places.get((step * places.len() / count).checked_sub(1)?));
    chosen.copied().collect()
}

fn step(follower: &Follower) -> anyhow::Result<Option<Step>> {
    let Some(measures) = follower.measures() else { return Ok(None) };
    Ok(Some(Step { measures, hierarchy: follower.hierarchy().map_err(refused)? }))
}

fn drawn(step: &Step) -> String {
    let Measures { votes, expected_right, concepts, .. } = step.measures;
    let drawing = terminal::draw(&step.hierarchy, terminal::may_colour());
    format!("{drawing}\nafter {votes} votes: {expected_right:.1} of {concepts} parents expected right\n")
}

fn text(steps: &[Step], follower: &Follower) -> String {
    let mut text = String::from(" votes  expected right  least certain  moved\n");
    for (before, step) in befores(steps).zip(steps) {
        let Measures { votes, expected_right, concepts, least_certain, .. } = step.measures;
        let right = format!("{expected_right:.1} of {concepts}");
        let moved = moves(before, step);
        text.push_str(format!("{votes:>6}  {right:>14}  {least_certain:>13.2}  {}", told(&moved)).trim_end());
        text.push('\n');
    }
    text.push_str(&format!("\n{}\n", faithful(follower)));
    text
}

/// What stood before each step; nothing before the first.
fn befores(steps: &[Step]) -> impl Iterator<Item = Option<&Step>> {
    std::iter::once(None).chain(steps.iter().map(Some))
}

fn moves(before: Option<&Step>, step: &Step) -> Vec<MovedConcept> {
    before.map_or_else(Vec::new, |before| Difference::between(&before.hierarchy, &step.hierarchy, 1.0).moved)
}

fn told(moved: &[MovedConcept]) -> String {
    let mut told: Vec<String> = moved
        .iter()
        .take(MOVES)
        .map(|moved| format!("{} under {}", moved.concept, moved.new_parent))
        .collect();
    if moved.len() > MOVES {
        told.push(format!("{} others", moved.len() - MOVES));
    }
    told.join(", ")
}

fn faithful(follower: &Follower) -> String {
    match follower.astray() {
        None => "computed again to the same bits".to_owned(),
        Some(position) => format!(
            "from entry {position} on the belief was computed by another version of the program: the votes are the same, the \
             certainties may differ a little"
        ),
    }
}

fn pretty(object: &Value) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(object)? + "\n")
}

/// The object that `--json` prints. Its field names are a promise: see docs/cli.md.
fn object(name: &str, steps: &[Step], follower: &Follower) -> Value {
    let steps: Vec<Value> =
        befores(steps).zip(steps).map(|(before, step)| step_object(before, step)).collect();
    json!({ "name": name, "same_bits": follower.astray().is_none(), "steps": steps })
}

fn step_object(before: Option<&Step>, step: &Step) -> Value {
    let moved = moves(before, step);
    let moved: Vec<Value> = moved
        .iter()
        .map(|moved| json!({ "concept": moved.concept, "from": moved.old_parent, "to": moved.new_parent }))
        .collect();
    json!({
        "votes": step.measures.votes,
        "concepts": step.measures.concepts,
        "expected_right": step.measures.expected_right,
        "least_certain": step.measures.least_certain,
        "entropy": step.measures.entropy,
        "moved": moved,
        "hierarchy": words::edges(&step.hierarchy),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_spread_and_end_with_the_last() {
        let places: Vec<Position> = (1..=10).map(Position).collect();
        let chosen = |count| {
            let mut chosen: Vec<i64> =
                evenly(&places, count).into_iter().map(|position| position.0).collect();
            chosen.sort_unstable();
            chosen
        };
        assert_eq!(chosen(1), [10]);
        assert_eq!(chosen(3), [3, 6, 10]);
        assert_eq!(chosen(40), (1..=10).collect::<Vec<_>>());
        assert!(evenly(&[], 5).is_empty());
    }
}
