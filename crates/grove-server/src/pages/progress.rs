use askama::Template;
use axum::response::Response;
use grove_belief::Money;
use grove_campaign::operations::CurvePoint;
use std::fmt::Write as _;

use super::campaign::CampaignHeader;
use super::layout::{Layout, money, render};
use super::overview::KeyFigures;
use crate::auth::CampaignAccess;
use crate::convert::cents;
use crate::http_error::Result;

/// The edges of the plot in the coordinates of the drawing.
const LEFT: f64 = 40.0;
const RIGHT: f64 = 630.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 212.0;
/// The greatest number of points of a line, and of rows of the table.
const POINTS: usize = 300;
const ROWS: usize = 20;

/// The quality of the hierarchy over votes, as two lines.
struct Chart {
    description: String,
    /// Labels of the horizontal axis: votes and what they cost.
    ticks: Vec<(f64, String)>,
    /// Labels of the vertical axis.
    grid: Vec<(f64, &'static str)>,
    correct: String,
    uncertainty: String,
}

#[derive(Template)]
#[template(path = "campaign/progress.html")]
struct ProgressPage<'a> {
    layout: Layout,
    header: CampaignHeader,
    figures: KeyFigures,
    chart: Chart,
    price: Money,
    rows: Vec<&'a CurvePoint>,
}

impl ProgressPage<'_> {
    fn cost(&self, votes: &u64) -> String {
        cost(self.price, *votes)
    }
}

fn cost(price: Money, votes: u64) -> String {
    money(cents(price.times(votes).unwrap_or_default()))
}

pub(super) async fn show(campaign: CampaignAccess) -> Result<Response> {
    let points = campaign.curve().await?;
    let price = campaign.state()?.settings().price();
    let header = CampaignHeader::new(&campaign, "Progress", None)?;
    render(&ProgressPage {
        layout: header.layout(&campaign),
        header,
        figures: KeyFigures::new(&campaign)?,
        chart: Chart::new(&points, (price > Money::default()).then_some(price)),
        price,
        rows: thinned(&points, ROWS).into_iter().rev().collect(),
    })
}

/// At most so many points, evenly spaced, always with the last one.
fn thinned(points: &[CurvePoint], most: usize) -> Vec<&CurvePoint> {
    let step = points.len().div_ceil(most).max(1);
    let mut kept: Vec<&CurvePoint> = points.iter().rev().step_by(step).collect();
    kept.reverse();
    kept
}

impl Chart {
    fn new(points: &[CurvePoint], price: Option<Money>) -> Self {
        let votes = points.iter().map(|point| point.measures.votes).max().unwrap_or(0);
        let share = |part: f64, point: &CurvePoint| part / f64::from(point.measures.concepts.max(1));
        let most_bits =
            points.iter().map(|point| share(point.measures.entropy, point)).fold(f64::MIN_POSITIVE, f64::max);
        let line = |height: &dyn Fn(&CurvePoint) -> f64| {
            let mut path = String::new();
            for (at, point) in thinned(points, POINTS).into_iter().enumerate() {
                let x = LEFT + (RIGHT - LEFT) * point.measures.votes as f64 / votes.max(1) as f64;
                let y = BOTTOM - (BOTTOM - TOP) * height(point).clamp(0.0, 1.0);
                let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" });
            }
            path
        };
        let description = match points.last() {
            Some(last) => format!(
                "After {} votes, {:.0} of {} concepts are expected to be correct.",
                last.measures.votes, last.measures.expected_right, last.measures.concepts
            ),
            None => "There are no votes yet.".to_owned(),
        };
        let grid = [(0.0, "0 %"), (0.25, "25 %"), (0.5, "50 %"), (0.75, "75 %"), (1.0, "100 %")];
        let tick = |part: u64| {
            let (x, votes) = (LEFT + (RIGHT - LEFT) * part as f64 / 4.0, votes * part / 4);
            (x, price.map_or_else(|| votes.to_string(), |price| format!("{votes} · {}", cost(price, votes))))
        };
        Self {
            description,
            ticks: (1..=4).map(tick).collect(),
            grid: grid.map(|(height, name)| (BOTTOM - (BOTTOM - TOP) * height, name)).to_vec(),
            correct: line(&|point| share(point.measures.expected_right, point)),
            uncertainty: line(&|point| share(point.measures.entropy, point) / most_bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grove_campaign::Measures;
    use grove_store::{Moment, Position};

    #[test]
    fn the_chart_ends_at_the_last_point() {
        let point = |votes: u64| CurvePoint {
            position: Position(1),
            at: Moment(0),
            measures: Measures {
                votes,
                concepts: 4,
                expected_right: votes as f64 / 250.0,
                entropy: 8.0,
                least_certain: 0.1,
            },
        };
        let points: Vec<CurvePoint> = (0..=1_000).map(point).collect();
        let kept = thinned(&points, POINTS);
        assert!(kept.len() <= POINTS && kept.last().unwrap().measures.votes == 1_000);
        let chart = Chart::new(&points, None);
        assert!(chart.correct.ends_with("L630.0 12.0"), "{}", &chart.correct[chart.correct.len() - 20..]);
        assert!(Chart::new(&[], None).correct.is_empty());
    }
}
