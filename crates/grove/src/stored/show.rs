//! `grove show`: the hierarchy as it is believed now.

use grove_belief::{Report, ReportOptions, Verdict};
use grove_campaign::{Campaign, NamedReport, State};
use grove_formats::Hierarchy;
use serde_json::{Value, json};

use super::desk::{Desk, refused};
use super::words;
use crate::args::Show;
use crate::terminal::{self, RED_LINE};
use crate::{files, progress};

/// Takes in what waits, and draws.
pub(super) async fn run(options: &Show, desk: &Desk) -> anyhow::Result<()> {
    let look = |campaign: &Campaign| {
        let report = report(campaign, desk)?;
        let state = campaign.follower().state();
        match options.json {
            true => words::print_object(&object(&options.name, state, report.as_ref())),
            false => files::print(&text(state, report.as_ref(), terminal::may_colour())?),
        }
    };
    desk.look(desk.open(&options.name).await?, look).await
}

/// A long look at what is believed; none without concepts.
pub(super) fn report(campaign: &Campaign, desk: &Desk) -> anyhow::Result<Option<NamedReport>> {
    let waiting = progress::spinner(desk.quiet(), "looking closely");
    let report = campaign.report(&ReportOptions::default().doubtful_below(RED_LINE)?);
    waiting.finish_and_clear();
    report.map_err(refused)
}

/// The drawing, and how far to trust it.
pub(super) fn text(state: &State, report: Option<&NamedReport>, colour: bool) -> anyhow::Result<String> {
    let flat;
    let hierarchy = match report {
        Some(named) => &named.hierarchy,
        None => {
            flat = state.flat_hierarchy().map_err(refused)?;
            &flat
        }
    };
    let mut text = terminal::draw(hierarchy, colour);
    text.push_str(&format!("\n{}\n", counts(state)));
    if let Some(named) = report {
        text.push_str(&format!("{}\n{}\n", sure(&named.report, hierarchy), trust(&named.report)));
    }
    Ok(text)
}

fn counts(state: &State) -> String {
    let votes = state.votes();
    let price = state.settings().price_cents;
    let cost = match price > 0.0 {
        true => format!(", {:.2} spent", price / 100.0 * votes.count() as f64),
        false => String::new(),
    };
    let laid_down = match state.corrections().len() {
        0 => String::new(),
        corrections => format!(", {corrections} laid down by the owner"),
    };
    format!(
        "{}, {} by {}{cost}{laid_down}",
        terminal::count(state.concepts().count(), "concept"),
        terminal::count(votes.count(), "vote"),
        terminal::count(votes.workers().len(), "worker")
    )
}

fn sure(report: &Report, hierarchy: &Hierarchy) -> String {
    format!(
        "how sure: {:.1} of {} parents expected right, {} below {RED_LINE}",
        report.expected_right,
        hierarchy.len(),
        report.doubtful.len()
    )
}

fn trust(report: &Report) -> &'static str {
    match report.health.verdict {
        Verdict::Converged => "the certainties have converged",
        Verdict::NotConverged => "the certainties have not converged: take them as rough",
        Verdict::Unchecked => {
            "the certainties agree with each other; there are too many concepts to check them further"
        }
        Verdict::Approximate => {
            "the certainties are approximate: this engine's are off by more than sampling error"
        }
    }
}

/// The object that `--json` prints. Its field names are a promise: see docs/cli.md.
fn object(name: &str, state: &State, named: Option<&NamedReport>) -> Value {
    let report = named.map(|named| &named.report);
    let doubtful = |named: &NamedReport| -> Vec<String> {
        named.report.doubtful.iter().map(|&concept| named.hierarchy.name(concept).to_owned()).collect()
    };
    json!({
        "name": name,
        "root": state.settings().root,
        "concepts": state.concepts().count(),
        "votes": state.votes().count(),
        "workers": state.votes().workers().len(),
        "position": state.position(),
        "engine": report.map(|report| report.engine),
        "converged": report.and_then(|report| match report.health.verdict {
            Verdict::Converged => Some(true),
            Verdict::NotConverged => Some(false),
            Verdict::Unchecked | Verdict::Approximate => None,
        }),
        "expected_right": report.map(|report| report.expected_right),
        "hierarchy": named.map_or_else(Vec::new, |named| words::edges(&named.hierarchy)),
        "doubtful": named.map_or_else(Vec::new, doubtful),
        "corrections": state.corrections().iter().map(|one| words::correction(state, one.correction)).collect::<Vec<_>>(),
    })
}
