//! `grove why`: the votes that support or contradict a parent.

use grove_campaign::{Follower, Reason, State};
use serde_json::{Value, json};

use super::remove::number_of;
use crate::context::Context;
use crate::files;
use crate::text::{answer, correction, question, section, time};

/// How many votes on other concepts are printed; --json has all that count.
const LINES: usize = 10;

/// Explain a concept's parent: the votes on the two, and the votes on other concepts that weigh most.
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
    for one in state.corrections().iter().filter(|one| *one.correction.subject() == why.lower) {
        text += &format!("correction: {}\n", correction(state, one.correction));
    }
    if why.direct.is_empty() {
        text += "\nNobody was asked about the two.\n";
    }
    let line = |reason: &Reason| {
        let vote = &reason.vote.vote;
        let (said, asked) = (answer(vote.answer), question(state, vote.question));
        format!("{:+.2}  {} said {said} to {asked}", reason.influence, vote.worker)
    };
    text += &section("Votes on the two", why.direct.iter().map(line), usize::MAX);
    text += &section("Votes on other concepts, the weightiest first", why.indirect.iter().map(line), LINES);
    text
}

/// Field names are documented in docs/cli.md and do not change.
fn object(state: &State, why: &grove_campaign::Why) -> Value {
    let vote = |reason: &Reason| {
        let vote = &reason.vote.vote;
        json!({
            "worker": vote.worker,
            "upper": state.name_of(vote.question.upper),
            "lower": state.name_of(vote.question.lower),
            "kind": vote.question.kind,
            "answer": vote.answer,
            "time": time(reason.vote.at),
            "weight": reason.influence,
        })
    };
    json!({
        "child": state.name_of(why.lower),
        "parent": state.name_of(why.upper),
        "certainty": why.certainty,
        "above": why.above,
        "direct": why.direct.iter().map(vote).collect::<Vec<_>>(),
        "indirect": why.indirect.iter().map(vote).collect::<Vec<_>>(),
    })
}
