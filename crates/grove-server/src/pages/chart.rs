//! Charts. Lines are drawn in a square of 100 that is stretched to the room there is; labels are HTML around it, so that their size does not
//! depend on the width.

use std::fmt::Write as _;

use grove_campaign::CurvePoint;
use grove_store::Position;

use super::progress::thinned;

/// The greatest number of points of a line.
const POINTS: usize = 200;
/// The part of a normal distribution within 90 %, in standard deviations.
const NINETY: f64 = 1.645;

/// What the chart shows beside the past.
pub(super) struct Plan<'a> {
    /// How many more votes the target takes.
    pub(super) forecast: Option<f64>,
    pub(super) target: f64,
    /// Where corrections were made, in order.
    pub(super) corrections: &'a [Position],
    /// What votes cost, if they cost anything.
    pub(super) cost: Option<&'a dyn Fn(u64) -> String>,
}

/// The expected share of correct placements over votes.
pub(super) struct Chart {
    pub(super) description: String,
    /// Labels of the horizontal axis: votes and what they cost.
    pub(super) ticks: Vec<String>,
    pub(super) line: String,
    pub(super) band: String,
    pub(super) forecast: Option<String>,
    /// The height of the target.
    pub(super) target: f64,
    /// Where corrections were made.
    pub(super) marks: Vec<f64>,
    /// All points for the readout: votes, share and what is to be read.
    pub(super) points: String,
}

impl Chart {
    pub(super) fn new(points: &[CurvePoint], plan: &Plan<'_>) -> Self {
        let now = points.iter().map(|point| point.measures.votes).max().unwrap_or(0) as f64;
        let ahead = plan.forecast.filter(|votes| votes.is_finite()).unwrap_or(0.0).min(2.0 * now.max(20.0));
        let most = (now + ahead).max(1.0);
        let x = |votes: f64| 100.0 * votes / most;
        let y = |share: f64| 100.0 - 100.0 * share.clamp(0.0, 1.0);
        let kept = thinned(points, POINTS);
        let mut readout = String::new();
        let (mut upper, mut lower, mut line) = (Vec::new(), Vec::new(), Vec::new());
        for point in &kept {
            let (measures, at) = (&point.measures, x(point.measures.votes as f64));
            let (share, spread) = share_and_spread(point);
            line.push((at, y(share)));
            upper.push((at, y(share + spread)));
            lower.push((at, y(share - spread)));
            let _ = write!(
                readout,
                "{at:.1} {:.1} {} votes: {:.0} of {} expected correct;",
                y(share),
                measures.votes,
                measures.expected_right,
                measures.concepts
            );
        }
        lower.reverse();
        let last = kept.last().map(|point| (x(point.measures.votes as f64), share_and_spread(point).0));
        let forecast = last.filter(|_| ahead > 0.0);
        let tick = |part: u64| {
            let votes = (most * part as f64 / 4.0).round() as u64;
            plan.cost.map_or_else(|| votes.to_string(), |cost| format!("{votes} · {}", cost(votes)))
        };
        Self {
            description: kept.last().map_or_else(String::new, |last| {
                format!(
                    "After {} votes, {:.0} of {} concepts are expected to be correct.",
                    last.measures.votes, last.measures.expected_right, last.measures.concepts
                )
            }),
            ticks: (0..=4).map(tick).collect(),
            band: path(upper.iter().chain(&lower)) + if line.is_empty() { "" } else { "z" },
            line: path(line.iter()),
            forecast: forecast
                .map(|(at, share)| format!("M{at:.1} {:.1}L100 {:.1}", y(share), y(plan.target.max(share)))),
            target: y(plan.target),
            marks: marks(points, plan.corrections).into_iter().map(|votes| x(votes as f64)).collect(),
            points: readout,
        }
    }
}

/// The expected share of correct placements, and half the width of the band that holds it with 90 %: at most that of as many independent
/// placements of the same mean certainty.
fn share_and_spread(point: &CurvePoint) -> (f64, f64) {
    let concepts = f64::from(point.measures.concepts.max(1));
    let share = (point.measures.expected_right / concepts).clamp(0.0, 1.0);
    (share, NINETY * (share * (1.0 - share) / concepts).sqrt())
}

/// How many votes there were when each correction was made.
fn marks(points: &[CurvePoint], corrections: &[Position]) -> Vec<u64> {
    let votes = |at: &Position| {
        let later = points.partition_point(|point| point.position < *at);
        points.get(later).or(points.last()).map(|point| point.measures.votes)
    };
    corrections.iter().filter_map(votes).collect()
}

fn path<'a>(points: impl Iterator<Item = &'a (f64, f64)>) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" });
    }
    path
}

/// A bar of a small chart.
pub(super) struct Bar {
    pub(super) x: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) label: String,
    /// Its class, if it does not look like the others.
    pub(super) class: &'static str,
}

/// A small chart of bars.
#[derive(Default)]
pub(super) struct Bars {
    pub(super) bars: Vec<Bar>,
    pub(super) most: usize,
}

impl Bars {
    pub(super) fn new(counts: &[usize], name: impl Fn(usize) -> String) -> Self {
        Self::labelled(counts, |at| format!("{}: {}", name(at), counts[at]))
    }

    /// Bars that are labelled by more than their counts.
    pub(super) fn labelled(counts: &[usize], label: impl Fn(usize) -> String) -> Self {
        let most = counts.iter().copied().max().unwrap_or(0);
        let width = 100.0 / counts.len().max(1) as f64;
        let bar = |(at, count): (usize, &usize)| Bar {
            x: width * at as f64,
            width: width * 0.86,
            height: 100.0 * *count as f64 / most.max(1) as f64,
            label: label(at),
            class: "",
        };
        Self { bars: counts.iter().enumerate().map(bar).collect(), most }
    }
}

#[cfg(test)]
mod tests {
    use grove_campaign::Measures;
    use grove_store::Moment;

    use super::*;

    fn point(votes: u64) -> CurvePoint {
        let measures = Measures {
            votes,
            concepts: 4,
            expected_right: votes as f64 / 250.0,
            entropy: 8.0,
            least_certain: 0.1,
        };
        CurvePoint { position: Position(votes as i64), at: Moment(0), measures }
    }

    #[test]
    fn the_line_ends_where_the_forecast_begins() {
        let points: Vec<CurvePoint> = (0..=500).map(point).collect();
        let corrections = [Position(100)];
        let plan = Plan { forecast: Some(500.0), target: 0.9, corrections: &corrections, cost: None };
        let chart = Chart::new(&points, &plan);
        assert!(chart.line.ends_with("L50.0 50.0"), "{}", &chart.line[chart.line.len() - 20..]);
        assert_eq!(chart.forecast.as_deref(), Some("M50.0 50.0L100 10.0"));
        assert_eq!((chart.marks, chart.ticks[4].as_str()), (vec![10.0], "1000"));
        assert!(chart.description.starts_with("After 500 votes, 2 of 4"));
        let none = Chart::new(&[], &Plan { forecast: None, target: 0.9, corrections: &[], cost: None });
        assert!(none.line.is_empty() && none.forecast.is_none());
    }
}
