//! `grove why`: the votes that support or contradict a parent.

use grove_belief::PseudoWorker;
use grove_campaign::{Follower, Hint, Reason, State};
use grove_vocabulary::Place;
use serde_json::{Value, json};

use super::remove::number_of;
use crate::context::Context;
use crate::files;
use crate::terminal::shares;
use crate::text::{answer, correction, question, section, time};

/// How many votes on other concepts are printed; --json has all that count.
const LINES: usize = 10;

/// Explain a concept's parent: whether people differ or votes are missing, the votes on the two, the votes on other
/// concepts that weigh most, and evidence from names or an initial hierarchy.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove why food tomato               with its likeliest parent
  grove why food tomato vegetable     with that parent
  grove why food tomato --json

The weight of a vote is how much it raises the log-odds of the parent, to first order.")]
pub(crate) struct Why {
    /// The campaign.
    name: String,
    /// The concept.
    child: String,
    /// The parent, or the root [default: the likeliest].
    parent: Option<String>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl Why {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let campaign = context.open(&self.name).await?;
        let child = number_of(&*campaign.state()?, &self.child)?;
        let parent = self.parent.as_deref().map(|parent| campaign.state()?.find(parent)).transpose()?;
        let explain = |follower: &Follower| {
            let (state, why) = (follower.state(), follower.why(child, parent)?);
            match self.json {
                true => files::print_json(&object(state, &why)),
                false => files::print(&text(state, &why)),
            }
        };
        context.with_belief(campaign, explain).await
    }
}

fn text(state: &State, why: &grove_campaign::Why) -> String {
    let (child, parent) = (state.name_of(why.lower), state.name_of(why.upper));
    let mut text =
        format!("{child} under {parent}: {:.2} directly, {:.2} somewhere\n", why.certainty, why.above);
    text += &explanation(state, why);
    for one in state.corrections().iter().filter(|one| *one.correction.subject() == why.lower) {
        text += &format!("correction: {}\n", correction(state, one.correction));
    }
    if why.direct.is_empty() {
        text += "\nNobody was asked about the two.\n";
    }
    let line = |reason: &Reason| {
        let response = &reason.vote.response;
        let (said, asked) = (answer(state, &response.reply), question(state, &response.screen));
        format!("{:+.2}  {} said {said} to {asked}", reason.influence, response.worker)
    };
    text += &section("Votes on the two", why.direct.iter().map(line), usize::MAX);
    text += &section("Votes on other concepts, the weightiest first", why.indirect.iter().map(line), LINES);
    let hint = |hint: &Hint| format!("{:+.2}  {}", hint.influence, source(state, hint));
    text += &section("Nobody's vote, the weightiest first", why.hints.iter().map(hint), LINES);
    text
}

/// What a hint says, and where it is from.
fn source(state: &State, hint: &Hint) -> String {
    let (upper, lower) = (state.name_of(hint.upper), state.name_of(hint.lower));
    match hint.source {
        PseudoWorker::Names => format!("the names: {upper} is the head of {lower}"),
        PseudoWorker::Hierarchy => format!("the hierarchy at the start: {lower} under {upper}"),
    }
}

/// Why the place is not settled, a line for each reason.
fn explanation(state: &State, why: &grove_campaign::Why) -> String {
    let line = |reason: &grove_vocabulary::Reason| match reason {
        grove_vocabulary::Reason::Settled => String::new(),
        grove_vocabulary::Reason::Differ => format!("people differ: {}\n", shares(&places(state, why))),
        grove_vocabulary::Reason::Open => "open: the votes so far leave several places possible\n".to_owned(),
        grove_vocabulary::Reason::Unasked => {
            "not asked: no vote tells its place from the likeliest other one\n".to_owned()
        }
    };
    why.reasons.iter().map(line).collect()
}

fn places<'a>(state: &'a State, why: &grove_campaign::Why) -> Vec<Place<&'a str>> {
    why.places.iter().map(|place| place.map(|parent| state.name_of(parent))).collect()
}

/// Field names are documented in docs/cli.md and do not change.
fn object(state: &State, why: &grove_campaign::Why) -> Value {
    let vote = |reason: &Reason| {
        let response = reason.vote.response.clone().map(|number| state.name_of(number));
        let mut object = json!(response);
        object["time"] = json!(time(reason.vote.at));
        object["weight"] = json!(reason.influence);
        object
    };
    let hint = |hint: &Hint| {
        json!({
            "source": hint.source,
            "upper": state.name_of(hint.upper),
            "lower": state.name_of(hint.lower),
            "weight": hint.influence,
        })
    };
    let mut object = json!({
        "child": state.name_of(why.lower),
        "parent": state.name_of(why.upper),
        "certainty": why.certainty,
        "above": why.above,
        "reason": why.reasons,
        "direct": why.direct.iter().map(vote).collect::<Vec<_>>(),
        "indirect": why.indirect.iter().map(vote).collect::<Vec<_>>(),
        "hints": why.hints.iter().map(hint).collect::<Vec<_>>(),
    });
    if !why.places.is_empty() {
        object["places"] = json!(places(state, why));
    }
    object
}
