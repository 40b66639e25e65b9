use askama::Template;
use axum::extract::State;
use axum::response::Response;
use grove_belief::Money;
use grove_store::Moment;
use std::fmt::Write as _;

use super::campaign::Bar;
use super::overview::Figures;
use super::shell::{Shell, money, page};
use crate::api::{CurvePoint, cents, curve_of};
use crate::app::App;
use crate::auth::Owned;
use crate::fault::Fault;
use crate::time::spoken;

/// The measures of the drawing, in its own units.
const LEFT: f64 = 40.0;
const RIGHT: f64 = 630.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 212.0;
/// The most points that a line has, and rows that the table has.
const POINTS: usize = 300;
const ROWS: usize = 20;

/// How good the hierarchy has been, as two lines.
struct Curve {
    spoken: String,
    /// Places along the votes, with how many they are and what they cost.
    ticks: Vec<(f64, String)>,
    /// Heights with their names.
    grid: Vec<(f64, &'static str)>,
    right: String,
    entropy: String,
}

struct Row {
    votes: u64,
    at: String,
    right: String,
    entropy: String,
    least: String,
    spent: String,
}

#[derive(Template)]
#[template(path = "campaign/progress.html")]
struct ProgressPage {
    shell: Shell,
    bar: Bar,
    figures: Figures,
    curve: Curve,
    rows: Vec<Row>,
}

pub(super) async fn show(State(app): State<App>, owned: Owned) -> Result<Response, Fault> {
    let points = curve_of(app.store(), owned.id).await?;
    let price = owned.campaign.look(|state| state.settings().price());
    let row = |point: &CurvePoint| Row {
        votes: point.votes,
        at: spoken(Moment(point.at)),
        right: format!("{:.1} of {}", point.expected_right, point.concepts),
        entropy: format!("{:.1}", point.entropy),
        least: format!("{:.2}", point.least_certain),
        spent: money(cents(price.times(point.votes).unwrap_or_default())),
    };
    let rows = thinned(&points, ROWS).into_iter().rev().map(row).collect();
    let bar = Bar::new(&owned, "Progress", None);
    let figures = Figures::new(&owned.campaign);
    let cost = |votes: u64| money(cents(price.times(votes).unwrap_or_default()));
    let curve = Curve::new(&points, (price > Money::default()).then_some(&cost));
    page(&ProgressPage { shell: bar.shell(&owned), bar, figures, curve, rows })
}

/// At most so many points, evenly over the list, the last always among them.
fn thinned(points: &[CurvePoint], most: usize) -> Vec<&CurvePoint> {
    let step = points.len().div_ceil(most).max(1);
    let mut kept: Vec<&CurvePoint> = points.iter().rev().step_by(step).collect();
    kept.reverse();
    kept
}

impl Curve {
    fn new(points: &[CurvePoint], cost: Option<&dyn Fn(u64) -> String>) -> Self {
        let votes = points.iter().map(|point| point.votes).max().unwrap_or(0);
        let share = |part: f64, point: &CurvePoint| part / f64::from(point.concepts.max(1));
        let most_bits =
            points.iter().map(|point| share(point.entropy, point)).fold(f64::MIN_POSITIVE, f64::max);
        let line = |height: &dyn Fn(&CurvePoint) -> f64| {
            let mut path = String::new();
            for (at, point) in thinned(points, POINTS).into_iter().enumerate() {
                let x = LEFT + (RIGHT - LEFT) * point.votes as f64 / votes.max(1) as f64;
                let y = BOTTOM - (BOTTOM - TOP) * height(point).clamp(0.0, 1.0);
                let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { "M" } else { "L" });
            }
            path
        };
        let spoken = match points.last() {
            Some(last) => format!(
                "After {} votes, {:.0} of {} concepts are expected to be in their place.",
                last.votes, last.expected_right, last.concepts
            ),
            None => "Nothing has been answered yet.".to_owned(),
        };
        let grid = [(0.0, "0 %"), (0.25, "25 %"), (0.5, "50 %"), (0.75, "75 %"), (1.0, "100 %")];
        let tick = |part: u64| {
            let (x, votes) = (LEFT + (RIGHT - LEFT) * part as f64 / 4.0, votes * part / 4);
            (x, cost.map_or_else(|| votes.to_string(), |cost| format!("{votes} · {}", cost(votes))))
        };
        Self {
            spoken,
            ticks: (1..=4).map(tick).collect(),
            grid: grid.map(|(height, name)| (BOTTOM - (BOTTOM - TOP) * height, name)).to_vec(),
            right: line(&|point| share(point.expected_right, point)),
            entropy: line(&|point| share(point.entropy, point) / most_bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_end_at_the_last_point() {
        let point = |votes: u64| CurvePoint {
            position: 1,
            at: 0,
            votes,
            concepts: 4,
            expected_right: votes as f64 / 250.0,
            entropy: 8.0,
            least_certain: 0.1,
        };
        let points: Vec<CurvePoint> = (0..=1_000).map(point).collect();
        let kept = thinned(&points, POINTS);
        assert!(kept.len() <= POINTS && kept.last().unwrap().votes == 1_000);
        let curve = Curve::new(&points, None);
        assert!(curve.right.ends_with("L630.0 12.0"), "{}", &curve.right[curve.right.len() - 20..]);
        assert!(Curve::new(&[], None).right.is_empty());
    }
}
