//! `grove why`: the votes behind a place in the hierarchy.

use grove_campaign::{Campaign, Reason, State, Why as Reasons};
use serde_json::{Value, json};

use super::concepts::concept;
use super::desk::{Desk, refused};
use super::words;
use crate::args::Why;
use crate::files;

/// How many votes on other concepts are told; --json has all that weigh anything.
const LINES: usize = 10;

/// Tells the votes on the two concepts, then those on others that weigh most.
pub(super) async fn run(options: &Why, desk: &Desk) -> anyhow::Result<()> {
    let campaign = desk.open(&options.name).await?;
    let child = concept(campaign.state(), &options.child)?;
    let parent =
        options.parent.as_deref().map(|parent| campaign.state().find(parent)).transpose().map_err(refused)?;
    let look = |campaign: &Campaign| {
        let state = campaign.follower().state();
        let reasons = campaign.why(child, parent).map_err(refused)?;
        match options.json {
            true => words::print_object(&object(state, &reasons)),
            false => files::print(&text(state, &reasons)),
        }
    };
    desk.look(campaign, look).await
}

fn text(state: &State, reasons: &Reasons) -> String {
    let (child, parent) = (state.name_of(reasons.child), state.name_of(reasons.parent));
    let mut text = format!(
        "{child} under {parent}: {:.2} directly, {:.2} somewhere\n",
        reasons.certainty, reasons.above
    );
    for correction in state.corrections() {
        if *correction.correction.subject() == reasons.child {
            text.push_str(&format!(
                "laid down by the owner: {}\n",
                words::correction(state, correction.correction)
            ));
        }
    }
    if reasons.direct.is_empty() {
        text.push_str("\nNobody was asked about the two.\n");
    }
    section(&mut text, "Votes on the two", state, &reasons.direct, usize::MAX);
    section(&mut text, "Votes on others, the weightiest first", state, &reasons.indirect, LINES);
    text
}

fn section(text: &mut String, heading: &str, state: &State, reasons: &[Reason], most: usize) {
    if reasons.is_empty() {
        return;
    }
    text.push_str(&format!("\n{heading}:\n"));
    for reason in reasons.iter().take(most) {
        let vote = &reason.vote.vote;
        let (answer, asked) = (words::answer(vote.answer), words::question(state, vote.question));
        text.push_str(&format!("  {:+.2}  {} said {answer} to {asked}\n", reason.influence, vote.worker));
    }
    if reasons.len() > most {
        text.push_str(&format!("  and {} more; --json lists them\n", reasons.len() - most));
    }
}

/// The object that `--json` prints. Its field names are a promise: see docs/cli.md.
fn object(state: &State, reasons: &Reasons) -> Value {
    let votes = |reasons: &[Reason]| reasons.iter().map(|reason| vote(state, reason)).collect::<Vec<_>>();
    json!({
        "child": state.name_of(reasons.child),
        "parent": state.name_of(reasons.parent),
        "certainty": reasons.certainty,
        "above": reasons.above,
        "direct": votes(&reasons.direct),
        "indirect": votes(&reasons.indirect),
    })
}

fn vote(state: &State, reason: &Reason) -> Value {
    let vote = &reason.vote.vote;
    json!({
        "worker": vote.worker,
        "upper": state.name_of(vote.question.upper),
        "lower": state.name_of(vote.question.lower),
        "kind": vote.question.kind,
        "answer": vote.answer,
        "time": words::time(reason.vote.at),
        "weight": reason.influence,
    })
}
