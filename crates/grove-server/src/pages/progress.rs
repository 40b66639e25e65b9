//! How far a campaign has come, and how far it has to go.

use askama::Template;
use axum::response::Response;
use grove_belief::{DOUBTFUL_BELOW, Money};
use grove_campaign::operations::Operation;
use grove_campaign::{CurvePoint, Edited, Status};
use grove_store::Moment;
use grove_vocabulary::Reason;

use super::campaign::CampaignHeader;
use super::chart::{Bars, Chart, Plan};
use super::hierarchy::{KeyFigures, shown_reason};
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

/// How many placements are how certain.
struct Certainties {
    bars: Bars,
    /// The placements that nobody was asked about: the first bar, if there are any, since how certain a guess is tells nothing.
    unasked: usize,
}

/// What was spent, from the first vote to the last.
struct Costs {
    bars: Bars,
    ends: [Stamp; 2],
    budget: Option<String>,
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
    certainties: Certainties,
    /// None where votes cost nothing.
    costs: Option<Costs>,
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
    let mut times: Vec<Moment> = state.votes().alive().map(|vote| vote.at).collect();
    times.sort_unstable();
    let budget = settings.budget.cents.map(|cents| currency.amount(cents));
    let rows = thinned(&points, ROWS).into_iter().rev();
    let page = ProgressPage {
        layout: header.layout(&reader),
        header,
        figures,
        chart: (snapshot.spent.questions > 0).then(|| Chart::new(&points, &plan)),
        per_hour: per_hour(&times),
        certainties: certainties(&snapshot.hierarchy),
        costs: (price > Money::default()).then(|| costs(&times, cost, budget)).flatten(),
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

fn certainties(hierarchy: &grove_formats::Hierarchy) -> Certainties {
    let (unasked, asked): (Vec<_>, Vec<_>) =
        hierarchy.entries().iter().partition(|entry| shown_reason(entry) == Reason::Unasked);
    let mut counts = vec![0usize; 10];
    for certainty in asked.iter().filter_map(|entry| entry.certainty) {
        counts[((certainty * 10.0) as usize).min(9)] += 1;
    }
    let tenths = |at: usize| format!("certainty {:.1} to {:.1}", at as f64 / 10.0, (at + 1) as f64 / 10.0);
    let unasked = unasked.len();
    if unasked == 0 {
        return Certainties { bars: Bars::new(&counts, tenths), unasked };
    }
    // Apart from the others.
    counts.splice(0..0, [unasked, 0]);
    let mut bars = Bars::new(&counts, |at| at.checked_sub(2).map_or("not asked yet".to_owned(), tenths));
    bars.bars[0].class = "unasked";
    Certainties { bars, unasked }
}

/// What was spent at equal intervals, by the times of all votes in order.
fn costs(times: &[Moment], cost: impl Fn(u64) -> String, budget: Option<String>) -> Option<Costs> {
    let (first, last) = (*times.first()?, *times.last()?);
    let end = |at: usize| Moment(last.0 - (last.0 - first.0) / BARS as i64 * (BARS - 1 - at) as i64);
    let counts: Vec<usize> = (0..BARS).map(|at| times.partition_point(|time| time.0 <= end(at).0)).collect();
    let bars = Bars::labelled(&counts, |at| format!("until {}: {}", Stamp(end(at)), cost(counts[at] as u64)));
    Some(Costs { bars, ends: [first, last].map(Stamp), budget })
}

#[cfg(test)]
mod tests {
    use grove_formats::{Entry, Heading};
    use grove_tree::Concept;

    use super::*;

    #[test]
    fn votes_are_counted_by_the_hour() {
        let hours = [10, 10, 11, 9].map(|hour| Moment(hour * HOUR + 5));
        let bars = per_hour(&hours);
        let heights: Vec<&str> = bars.bars.iter().rev().take(3).map(|bar| bar.label.as_str()).collect();
        assert_eq!(heights, ["the last hour with votes: 1", "1 h before: 2", "2 h before: 1"]);
        assert!(per_hour(&[]).bars.is_empty());
    }

    #[test]
    fn what_nobody_was_asked_about_is_not_of_low_certainty() {
        let entry = |name: &str, certainty, reason| Entry {
            certainty: Some(certainty),
            reasons: vec![reason],
            ..Entry::new(name, Concept::ROOT)
        };
        let labels = |entries: Vec<Entry>| {
            let certainties =
                certainties(&grove_formats::Hierarchy::new(Heading::new("all"), entries).unwrap());
            let shown = certainties.bars.bars.into_iter().filter(|bar| bar.height > 0.0);
            (certainties.unasked, shown.map(|bar| (bar.label, bar.class)).collect::<Vec<_>>())
        };
        let settled = entry("a", 0.95, Reason::Settled);
        let bar = ("certainty 0.9 to 1.0: 1".to_owned(), "");
        let grey = ("not asked yet: 2".to_owned(), "unasked");
        assert_eq!(labels(vec![settled.clone()]), (0, vec![bar.clone()]));
        let unasked = ["b", "c"].map(|name| entry(name, 0.05, Reason::Unasked));
        assert_eq!(labels([vec![settled], unasked.to_vec()].concat()), (2, vec![grey, bar]));
    }

    #[test]
    fn costs_add_up_to_what_was_spent() {
        let times = [0, 1, 1, 24].map(|hour| Moment(hour * HOUR));
        let costs = costs(&times, |votes| format!("{votes} euros"), None).unwrap();
        let labels: Vec<&str> = costs.bars.bars.iter().map(|bar| bar.label.as_str()).collect();
        assert!(labels[0].ends_with(": 3 euros") && labels[BARS - 1].ends_with(": 4 euros"), "{labels:?}");
        assert!(super::costs(&[], |_| String::new(), None).is_none());
    }
}
