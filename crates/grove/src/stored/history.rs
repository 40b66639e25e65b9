//! `grove history`: what happened to a campaign.

use std::collections::HashMap;

use grove_campaign::State;
use grove_store::{Actor, Correction, CorrectionId, Entry, Event, SubmittedVote};
use serde_json::{Value, json};

use super::desk::Desk;
use super::words;
use crate::args::History;
use crate::files;

/// Prints the log, entry by entry.
pub(super) async fn run(options: &History, desk: &Desk) -> anyhow::Result<()> {
    let campaign = desk.find(&options.name).await?;
    let entries = desk.log(campaign.id).await?;
    let teller = Teller::new(&entries);
    let told: Vec<(&Entry, Option<String>)> =
        entries.iter().map(|entry| (entry, teller.tell(entry))).collect();
    let told: Vec<_> =
        told.into_iter().filter(|(_, told)| options.json || options.all || told.is_some()).collect();
    let from = options.last.map_or(0, |last| told.len().saturating_sub(last));
    match options.json {
        true => {
            let entries: Vec<Value> = told[from..].iter().map(|(entry, _)| object(entry)).collect();
            words::print_object(&json!({ "name": campaign.name, "id": campaign.id, "entries": entries }))
        }
        false => {
            told[from..].iter().try_for_each(|(entry, told)| files::print(&line(entry, told.as_deref())))
        }
    }
}

fn line(entry: &Entry, told: Option<&str>) -> String {
    let who = match &entry.actor {
        Actor::Worker(worker) => format!("{worker} "),
        Actor::Owner(_) => "the owner ".to_owned(),
        Actor::Grove => String::new(),
    };
    let told = told.unwrap_or("the belief took in what was new");
    format!("{:>6}  {}  {who}{told}\n", entry.position.0, words::time(entry.at))
}

/// The entry as it stands in the log. Its field names are a promise: see docs/cli.md.
fn object(entry: &Entry) -> Value {
    json!({
        "position": entry.position,
        "time": words::time(entry.at),
        "actor": entry.actor.to_string(),
        "event": entry.event,
    })
}

/// What the settings say of the questions; --json has all of them.
fn settings_in_words(settings: &Value) -> String {
    let text = |name: &str| settings[name].as_str().unwrap_or("").to_owned();
    format!("settings: everything under {}, asked as {}", text("root"), text("relation"))
}

/// Puts entries into words, with the names that concepts have now.
struct Teller {
    state: State,
    corrections: HashMap<CorrectionId, Correction>,
}

impl Teller {
    fn new(entries: &[Entry]) -> Self {
        let corrections = entries.iter().filter_map(|entry| match entry.event {
            Event::CorrectionMade { id, correction } => Some((id, correction)),
            _ => None,
        });
        Self { corrections: corrections.collect(), state: State::after(entries) }
    }

    /// None for what only the belief has to know.
    fn tell(&self, entry: &Entry) -> Option<String> {
        let name = |number| self.state.name_of(number);
        let because = |reason: &str| if reason.is_empty() { String::new() } else { format!(": {reason}") };
        Some(match &entry.event {
            Event::ConceptAdded { name, .. } => format!("added {name}"),
            Event::ConceptRenamed { name, concept } => format!("gave concept {concept} the name {name}"),
            Event::ConceptRedescribed { concept, .. } => format!("described {} anew", name(*concept)),
            Event::ConceptRemoved { concept } => format!("removed {}", name(*concept)),
            Event::ConceptsMerged { gone, kept } => format!("made {} a part of {}", name(*gone), name(*kept)),
            Event::VoteCast(SubmittedVote { vote, .. }) => {
                // An imported vote was written by the program; the worker is whoever voted.
                let worker = if matches!(entry.actor, Actor::Worker(_)) {
                    String::new()
                } else {
                    format!("{} ", vote.worker)
                };
                format!(
                    "{worker}said {} to {}",
                    words::answer(vote.answer),
                    words::question(&self.state, vote.question)
                )
            }
            Event::VoteWithdrawn { vote } => match self.state.votes().get(*vote) {
                Some(cast) => {
                    format!("took back the answer to {}", words::question(&self.state, cast.vote.question))
                }
                None => "took back an answer".to_owned(),
            },
            Event::CorrectionMade { correction, .. } => {
                format!("laid down: {}", words::correction(&self.state, *correction))
            }
            Event::CorrectionTakenBack { correction } => match self.corrections.get(correction) {
                Some(made) => format!("took back: {}", words::correction(&self.state, *made)),
                None => "took a correction back".to_owned(),
            },
            Event::SettingsChanged { settings } => settings_in_words(settings),
            Event::Paused { reason } => format!("paused{}", because(reason)),
            Event::Resumed { reason } => format!("resumed{}", because(reason)),
            Event::Stopped { reason } => format!("stopped{}", because(reason)),
            Event::WorkerErased { stand_in, .. } => format!("erased a worker, who is now {stand_in}"),
            _ => return None,
        })
    }
}
