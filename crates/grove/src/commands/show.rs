//! `grove show`: the hierarchy as it is believed now.

use grove_belief::{DOUBTFUL_BELOW, ReportOptions};
use grove_campaign::{Estimate, Follower, NamedReport, State};
use grove_tree::Concept;
use serde_json::{Value, json};

use crate::context::Context;
use crate::files;
use crate::terminal::{self, Edge};
use crate::text::{certainty, converged, convergence, correction, count, time_left};

/// Draw the hierarchy with its certainties; doubtful concepts are red and name their second parent, or blue where people differ.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove show food
  grove show food --json | jq '.hierarchy[] | select(.certainty < 0.75)'
  grove show food --json | jq '.hierarchy[] | select(.reason | index(\"differ\")) | .child, .places'")]
pub(crate) struct Show {
    /// The campaign.
    name: String,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        let show = |follower: &Follower| {
            let (report, left, state) =
                (report(follower, context)?, follower.effort_left()?, follower.state());
            match self.json {
                true => files::print_json(&object(&self.name, state, report.as_ref(), left)),
                false => files::print(&format!("{}{}", text(state, report.as_ref())?, remaining(left))),
            }
        };
        context.with_belief(context.open(&self.name).await?, show).await
    }
}

/// A report of the belief; none without concepts.
pub(super) fn report(follower: &Follower, context: &Context) -> anyhow::Result<Option<NamedReport>> {
    let _spinner = context.spinner("drawing more trees and comparing them");
    Ok(follower.report(&ReportOptions::default().doubtful_below(DOUBTFUL_BELOW)?)?)
}

/// The drawing, and how far to trust it.
pub(super) fn text(state: &State, report: Option<&NamedReport>) -> anyhow::Result<String> {
    let draw = |hierarchy| terminal::draw(hierarchy, terminal::may_colour());
    Ok(match report {
        None => format!("{}\n{}\n", draw(&state.flat_hierarchy()?), counts(state)),
        Some(NamedReport { hierarchy, report, .. }) => {
            format!(
                "{}\n{}\n{}\n{}\n",
                draw(hierarchy),
                counts(state),
                certainty(report),
                convergence(report)
            )
        }
    })
}

/// What is left to ask, on a line of its own; empty if that is unknown.
fn remaining(left: Option<Estimate>) -> String {
    match left {
        None => String::new(),
        Some(left) if left.screens <= 0.0 => "nothing left that is worth asking\n".to_owned(),
        Some(left) => format!("{}\n", time_left(left)),
    }
}

fn counts(state: &State) -> String {
    let votes = state.votes();
    let mut text = format!(
        "{}, {} by {}",
        count(state.concepts().count(), "concept"),
        count(votes.count(), "vote"),
        count(votes.workers().len(), "worker")
    );
    let price = state.settings().price_cents;
    if price > 0.0 {
        text += &format!(", {:.2} spent", price / 100.0 * votes.count() as f64);
    }
    if !state.corrections().is_empty() {
        text += &format!(", {}", count(state.corrections().len(), "correction"));
    }
    text
}

/// Field names are documented in docs/cli.md and do not change.
fn object(name: &str, state: &State, named: Option<&NamedReport>, left: Option<Estimate>) -> Value {
    let report = named.map(|named| &named.report);
    let doubtful = |named: &NamedReport| -> Vec<String> {
        let name = |&concept: &Concept| named.hierarchy.name(concept).to_owned();
        named.report.doubtful.iter().map(name).collect()
    };
    json!({
        "name": name,
        "root": state.settings().root,
        "concepts": state.concepts().count(),
        "votes": state.votes().count(),
        "workers": state.votes().workers().len(),
        "position": state.position(),
        "engine": report.map(|report| report.engine),
        "converged": report.and_then(converged),
        "expected_right": report.map(|report| report.expected_right),
        "hierarchy": named.map_or_else(Vec::new, |named| Edge::all(&named.hierarchy)),
        "doubtful": named.map_or_else(Vec::new, doubtful),
        "left": left.map(|left| json!({ "screens": left.screens.ceil(), "seconds": left.seconds.ceil() })),
        "corrections": state.corrections().iter().map(|one| correction(state, one.correction)).collect::<Vec<_>>(),
    })
}
