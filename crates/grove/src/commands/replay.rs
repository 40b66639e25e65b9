//! `grove replay`: how the hierarchy developed.

use std::collections::HashSet;

use grove_campaign::{Follower, Measures, read_log};
use grove_formats::{Difference, Hierarchy, MovedConcept};
use grove_store::{Entry, Event, Position};
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::terminal::{self, Edge};

/// How many moves of a step are printed; --json has all of them.
const MOVES: usize = 3;

/// Compute the campaign again from its log: how the hierarchy developed, and whether the replay gives the same bits.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove replay food               ten steps, and what moved in each
  grove replay food --steps 40
  grove replay food --at 30       the hierarchy after 30 votes")]
pub(crate) struct Replay {
    /// The campaign.
    name: String,
    /// How many steps to print.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with = "at")]
    steps: u32,
    /// Draw the hierarchy as it was after this many votes.
    #[arg(long, value_name = "VOTES")]
    at: Option<u64>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl Replay {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let campaign = context.find(&self.name).await?;
        let entries = read_log(context.store().await?, campaign.id, Position::START).await?;
        let bar = context.bar(entries.len() as u64, "entries");
        if let Some(votes) = self.at {
            let step = step_at(&entries, votes, &bar)?;
            drop(bar);
            return if self.json {
                files::print_json(&StepJson::new(None, &step))
            } else {
                files::print(&step.draw())
            };
        }
        let (steps, follower) = replay(&entries, self.steps as usize, &bar)?;
        drop(bar);
        if self.json {
            let same_bits = follower.astray().is_none();
            let steps: Vec<StepJson<'_>> =
                with_previous(&steps).map(|(previous, step)| StepJson::new(previous, step)).collect();
            return files::print_json(&json!({ "name": self.name, "same_bits": same_bits, "steps": steps }));
        }
        files::print(&text(&steps, &follower))
    }
}

/// The belief after one of its updates.
struct Step {
    measures: Measures,
    hierarchy: Hierarchy,
}

impl Step {
    fn of(follower: &Follower) -> anyhow::Result<Option<Self>> {
        let Some(measures) = follower.measures() else { return Ok(None) };
        Ok(Some(Self { measures, hierarchy: follower.hierarchy()? }))
    }

    fn draw(&self) -> String {
        let Measures { votes, expected_right, concepts, .. } = self.measures;
        let drawing = terminal::draw(&self.hierarchy, terminal::may_colour());
        format!(
            "{drawing}\nafter {votes} votes: {expected_right:.1} of {concepts} parents expected to be right\n"
        )
    }
}

/// The belief when this many votes counted.
fn step_at(entries: &[Entry], votes: u64, bar: &ProgressBar) -> anyhow::Result<Step> {
    let mut follower = Follower::new();
    let mut most = 0;
    for entry in entries {
        follower.read_all(std::slice::from_ref(entry))?;
        bar.inc(1);
        if is_update(entry)
            && let Some(step) = Step::of(&follower)?
        {
            most = most.max(step.measures.votes);
            if step.measures.votes >= votes {
                return Ok(step);
            }
        }
    }
    Err(bad_input(format!("the belief never had {votes} votes; give --at a number up to {most}")))
}

/// At most so many updates of the belief, the last one among them, and the belief at the end.
fn replay(entries: &[Entry], count: usize, bar: &ProgressBar) -> anyhow::Result<(Vec<Step>, Follower)> {
    let updates = entries.iter().filter(|entry| is_update(entry));
    let chosen = evenly(&updates.map(|entry| entry.position).collect::<Vec<_>>(), count);
    let mut follower = Follower::new();
    let mut steps = Vec::new();
    for entry in entries {
        follower.read_all(std::slice::from_ref(entry))?;
        bar.inc(1);
        if chosen.contains(&entry.position) {
            steps.extend(Step::of(&follower)?);
        }
    }
    Ok((steps, follower))
}

fn is_update(entry: &Entry) -> bool {
    matches!(entry.event, Event::Advanced { .. })
}

/// At most so many of the positions: the last, and others at equal distances before it.
fn evenly(positions: &[Position], count: usize) -> HashSet<Position> {
    let chosen =
        (1..=count).filter_map(|step| positions.get((step * positions.len() / count).checked_sub(1)?));
    chosen.copied().collect()
}

/// Every step with the one before it.
fn with_previous(steps: &[Step]) -> impl Iterator<Item = (Option<&Step>, &Step)> {
    std::iter::once(None).chain(steps.iter().map(Some)).zip(steps)
}

fn moves(previous: Option<&Step>, step: &Step) -> Vec<MovedConcept> {
    previous.map_or_else(Vec::new, |previous| {
        Difference::between(&previous.hierarchy, &step.hierarchy, 1.0).moved
    })
}

fn text(steps: &[Step], follower: &Follower) -> String {
    let mut text = String::from(" votes  expected right  least certain  moved\n");
    for (previous, step) in with_previous(steps) {
        let Measures { votes, expected_right, concepts, least_certain, .. } = step.measures;
        let right = format!("{expected_right:.1} of {concepts}");
        let moved = moves(previous, step);
        let place = |moved: &MovedConcept| format!("{} under {}", moved.concept, moved.new_parent);
        let mut shown: Vec<String> = moved.iter().take(MOVES).map(place).collect();
        if moved.len() > MOVES {
            shown.push(format!("{} others", moved.len() - MOVES));
        }
        let line = format!("{votes:>6}  {right:>14}  {least_certain:>13.2}  {}", shown.join(", "));
        text += &format!("{}\n", line.trim_end());
    }
    text + &match follower.astray() {
        None => "\nthe replay gives the same bits\n".to_owned(),
        Some(position) => format!(
            "\nfrom entry {position} on the replay gives other bits than were recorded, which is a fault; the votes are intact, the \
             certainties may differ\n"
        ),
    }
}

/// Field names are documented in docs/cli.md and do not change.
#[derive(Serialize)]
struct StepJson<'a> {
    #[serde(flatten)]
    measures: Measures,
    moved: Vec<Value>,
    hierarchy: Vec<Edge<'a>>,
}

impl<'a> StepJson<'a> {
    fn new(previous: Option<&Step>, step: &'a Step) -> Self {
        let moved = moves(previous, step).into_iter().map(
            |moved| json!({ "concept": moved.concept, "from": moved.old_parent, "to": moved.new_parent }),
        );
        Self { measures: step.measures, moved: moved.collect(), hierarchy: Edge::all(&step.hierarchy) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_spread_and_end_with_the_last() {
        let positions: Vec<Position> = (1..=10).map(Position).collect();
        let chosen = |count| {
            let mut chosen: Vec<i64> =
                evenly(&positions, count).into_iter().map(|position| position.0).collect();
            chosen.sort_unstable();
            chosen
        };
        assert_eq!(chosen(1), [10]);
        assert_eq!(chosen(3), [3, 6, 10]);
        assert_eq!(chosen(40), (1..=10).collect::<Vec<_>>());
        assert!(evenly(&[], 5).is_empty());
    }
}
