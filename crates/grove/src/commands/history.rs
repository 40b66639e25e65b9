//! `grove history`: the log of a campaign in words.

use std::collections::HashMap;

use grove_campaign::{State, read_log};
use grove_store::{Actor, Correction, CorrectionId, Entry, Event, Position, SubmittedVote};
use serde_json::{Value, json};

use crate::context::Context;
use crate::files;
use crate::text::{answer, because, correction, count, question, time};

/// Print what happened to a campaign, entry by entry of its log.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove history food
  grove history food --last 20
  grove history food --json | jq .entries[].event")]
pub(crate) struct History {
    /// The campaign.
    name: String,
    /// Include updates of the belief.
    #[arg(long)]
    all: bool,
    /// Print only the last entries.
    #[arg(long, value_name = "ENTRIES")]
    last: Option<usize>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl History {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let campaign = context.find(&self.name).await?;
        let entries = read_log(context.store().await?, campaign.id, Position::START).await?;
        let formatter = EventFormatter::new(&entries);
        let mut lines: Vec<(&Entry, Option<String>)> =
            entries.iter().map(|entry| (entry, formatter.format(entry))).collect();
        lines.retain(|(_, text)| self.json || self.all || text.is_some());
        let last = &lines[self.last.map_or(0, |last| lines.len().saturating_sub(last))..];
        if self.json {
            let entries: Vec<Value> = last.iter().map(|(entry, _)| object(entry)).collect();
            return files::print_json(
                &json!({ "name": campaign.name, "id": campaign.id, "entries": entries }),
            );
        }
        files::print(&last.iter().map(|(entry, text)| line(entry, text.as_deref())).collect::<String>())
    }
}

fn line(entry: &Entry, text: Option<&str>) -> String {
    let who = match &entry.actor {
        Actor::Worker(worker) => format!("{worker} "),
        Actor::Owner(_) => "the owner ".to_owned(),
        Actor::Grove => String::new(),
    };
    format!("{:>6}  {}  {who}{}\n", entry.position.0, time(entry.at), text.unwrap_or("updated the belief"))
}

/// The entry as it is in the log. Field names are documented in docs/cli.md and do not change.
fn object(entry: &Entry) -> Value {
    json!({
        "position": entry.position,
        "time": time(entry.at),
        "actor": entry.actor.to_string(),
        "event": entry.event,
    })
}

/// Describes entries of a log with the names that concepts have now.
struct EventFormatter {
    state: State,
    corrections: HashMap<CorrectionId, Correction>,
}

impl EventFormatter {
    fn new(entries: &[Entry]) -> Self {
        let corrections = entries.iter().filter_map(|entry| match entry.event {
            Event::CorrectionMade { id, correction } => Some((id, correction)),
            _ => None,
        });
        Self { corrections: corrections.collect(), state: State::after(entries) }
    }

    /// None for updates of the belief.
    fn format(&self, entry: &Entry) -> Option<String> {
        let state = &self.state;
        let name = |number| state.name_of(number);
        Some(match &entry.event {
            Event::ConceptAdded { name, .. } => format!("added {name}"),
            Event::ConceptRenamed { name, concept } => format!("renamed concept {concept} to {name}"),
            Event::ConceptRedescribed { concept, .. } => {
                format!("changed the description of {}", name(*concept))
            }
            Event::ConceptArticleSet { concept, article } => match article.as_str() {
                "" => format!("left the article of {} to the rules", name(*concept)),
                article => format!("set the article of {} to {article}", name(*concept)),
            },
            Event::ConceptRemoved { concept } => format!("removed {}", name(*concept)),
            Event::ConceptsMerged { gone, kept } => format!("merged {} into {}", name(*gone), name(*kept)),
            Event::ConceptRestored { concept } => format!("restored {}", name(*concept)),
            Event::HierarchyGiven { places } => {
                format!("gave an initial hierarchy with {}", count(places.len(), "place"))
            }
            Event::VoteCast(SubmittedVote { response, .. }) => {
                let (said, asked) = (answer(state, &response.reply), question(state, &response.screen));
                match entry.actor {
                    Actor::Worker(_) => format!("said {said} to {asked}"),
                    // An imported vote was written by the program; the worker is whoever voted.
                    _ => format!("{} said {said} to {asked}", response.worker),
                }
            }
            Event::VoteWithdrawn { vote } => match state.votes().get(*vote) {
                Some(cast) => format!("withdrew the answer to {}", question(state, &cast.response.screen)),
                None => "withdrew an answer".to_owned(),
            },
            Event::CorrectionMade { correction: made, .. } => {
                format!("corrected: {}", correction(state, *made))
            }
            Event::CorrectionTakenBack { correction: id } => match self.corrections.get(id) {
                Some(made) => format!("undid the correction: {}", correction(state, *made)),
                None => "undid a correction".to_owned(),
            },
            // --json has all settings.
            Event::SettingsChanged { settings } => {
                let text = |name: &str| settings[name].as_str().unwrap_or_default();
                format!("changed settings: root {}, relation {}", text("root"), text("relation"))
            }
            Event::Paused { reason } => format!("paused{}", because(reason)),
            Event::Resumed { reason } => format!("resumed{}", because(reason)),
            Event::Stopped { reason } => format!("stopped{}", because(reason)),
            Event::Excluded { source } => format!("excluded the votes of {source}"),
            Event::Included { source } => format!("included the votes of {source} again"),
            Event::WorkerErased { stand_in, .. } => format!("erased a worker, who is now {stand_in}"),
            _ => return None,
        })
    }
}
