//! How far a campaign has come, and how far it has to go.

use askama::Template;
use axum::response::Response;
use grove_belief::{DOUBTFUL_BELOW, Money};
use grove_campaign::operations::Operation;
use grove_campaign::{CurvePoint, Edited, Status};
use grove_store::Moment;

use super::campaign::CampaignHeader;
use super::chart::{Bars, Chart, Plan};
use super::hierarchy::KeyFigures;
use super::layout::{Layout, render};
use super::money::Currency;
use crate::auth::CampaignAccess;
use crate::convert::cents;
use crate::http_error::Result;
use crate::time::Stamp;

/// The rows of the table, and the bars of a small chart.
const ROWS: usize = 20;
const BARS: usize = 24;
const HOUR: i64 = 3600 * 1_000_000;

struct Row {
    point: CurvePoint,
    at: Stamp,
    spent: String,
}

#[derive(Template)]
#[template(path = "campaign/progress.html")]
struct ProgressPage {
    layout: Layout,
    header: CampaignHeader,
    figures: KeyFigures,
    /// None before the first votes.
    chart: Option<Chart>,
    per_hour: Bars,
    certainties: Bars,
    rows: Vec<Row>,
    /// What stopping now would save, where the target is reached and questions are still asked.
    reached: Option<Option<String>>,
    can_stop: bool,
    can_invite: bool,
}

pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    let reader = campaign.reader();
    let points = campaign.curve()?;
    let (snapshot, _) = campaign.snapshot()?;
    let header = CampaignHeader::new(&reader, "Progress", None).await?;
    let figures = KeyFigures::new(&campaign)?;
    let state = campaign.state()?;
    let settings = state.settings();
    let (price, currency) = (settings.price(), Currency::of(settings));
    let cost = |votes: u64| currency.amount(cents(price.times(votes).unwrap_or_default()));
    let target = settings.target.map_or(DOUBTFUL_BELOW, |target| target.certainty);
    let corrections: Vec<_> = state
        .history()
        .iter()
        .filter(|edit| matches!(edit.what, Edited::Corrected { .. }))
        .map(|edit| edit.position)
        .collect();
    let plan = Plan {
        forecast: snapshot.forecast.and_then(|forecast| forecast.questions),
        target,
        corrections: &corrections,
        cost: (price > Money::default()).then_some(&cost),
    };
    let is_reached = snapshot.measures.is_some_and(|now| now.votes > 0 && now.least_certain >= target);
    let left = settings.budget.votes.map(|votes| votes.saturating_sub(snapshot.spent.questions));
    let saved = left.filter(|left| *left > 0 && price > Money::default()).map(&cost);
    let times: Vec<Moment> = state.votes().alive().map(|vote| vote.at).collect();
    let rows = thinned(&points, ROWS).into_iter().rev();
    let page = ProgressPage {
        layout: header.layout(&reader),
        header,
        figures,
        chart: (snapshot.spent.questions > 0).then(|| Chart::new(&points, &plan)),
        per_hour: per_hour(&times),
        certainties: certainties(&snapshot.hierarchy),
        rows: rows
            .map(|point| Row { point: *point, at: Stamp(point.at), spent: cost(point.measures.votes) })
            .collect(),
        reached: (is_reached && state.status() == Status::Asking).then_some(saved),
        can_stop: reader.may(Operation::Pause),
        can_invite: reader.may(Operation::Invite),
    };
    drop(state);
    render(&page)
}

/// At most so many points, evenly spaced, always with the last one.
pub(super) fn thinned(points: &[CurvePoint], most: usize) -> Vec<&CurvePoint> {
    let step = points.len().div_ceil(most).max(1);
    let mut kept: Vec<&CurvePoint> = points.iter().rev().step_by(step).collect();
    kept.reverse();
    kept
}

/// The votes of the last hours, an hour a bar.
fn per_hour(times: &[Moment]) -> Bars {
    let Some(last) = times.iter().map(|at| at.0 / HOUR).max() else { return Bars::default() };
    let mut counts = [0usize; BARS];
    for at in times {
        let ago = (last - at.0 / HOUR) as usize;
        if ago < BARS {
            counts[BARS - 1 - ago] += 1;
        }
    }
    Bars::new(&counts, |at| match BARS - 1 - at {
        0 => "the last hour with votes".to_owned(),
        ago => format!("{ago} h before"),
    })
}

/// How many concepts have which certainty.
fn certainties(hierarchy: &grove_formats::Hierarchy) -> Bars {
    let mut counts = [0usize; 10];
    for certainty in hierarchy.entries().iter().filter_map(|entry| entry.certainty) {
        counts[((certainty * 10.0) as usize).min(9)] += 1;
    }
    Bars::new(&counts, |at| format!("certainty {:.1} to {:.1}", at as f64 / 10.0, (at + 1) as f64 / 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_are_counted_by_the_hour() {
        let hours = [10, 10, 11, 9].map(|hour| Moment(hour * HOUR + 5));
        let bars = per_hour(&hours);
        let heights: Vec<&str> = bars.bars.iter().rev().take(3).map(|bar| bar.label.as_str()).collect();
        assert_eq!(heights, ["the last hour with votes: 1", "1 h before: 2", "2 h before: 1"]);
        assert!(per_hour(&[]).bars.is_empty());
    }
}
