use serde::Serialize;

use super::plan::Plan;
use super::run::Outcome;
use crate::args::CrowdNoise;

/// The object that `--json` prints. Its field names are a promise: see docs/cli.md.
#[derive(Serialize)]
struct Object<'a> {
    n: usize,
    truth: String,
    noise: Option<NoiseValue>,
    assumed_noise: String,
    engine: &'a str,
    prior: &'a str,
    strategy: &'a str,
    questions: u64,
    until: Option<f64>,
    floor_questions: Option<f64>,
    median_settled: Option<f64>,
    ratio: Option<f64>,
    settled_runs: usize,
    runs: Vec<RunObject>,
}

/// One rate, or [false yes, false no].
#[derive(Serialize)]
#[serde(untagged)]
enum NoiseValue {
    One(f64),
    Two([f64; 2]),
}

#[derive(Serialize)]
struct RunObject {
    seed: u64,
    settled: Option<usize>,
    votes: usize,
    auc: Option<f64>,
    auc_curve: Vec<Point>,
    parents_right: f64,
    cost: f64,
    seconds_per_vote: f64,
}

#[derive(Serialize)]
struct Point {
    votes: usize,
    auc: f64,
}

/// One object, on lines of its own, with a line's end.
pub(super) fn json(plan: &Plan<'_>, outcomes: &[Outcome]) -> anyhow::Result<String> {
    let options = plan.options;
    let median = median_settled(outcomes);
    let object = Object {
        n: plan.truth.len(),
        truth: options.truth.to_string(),
        noise: plan.noise.map(|noise| match noise.false_yes == noise.false_no {
            true => NoiseValue::One(noise.false_yes),
            false => NoiseValue::Two([noise.false_yes, noise.false_no]),
        }),
        assumed_noise: plan.assumed.to_string(),
        engine: options.engine.name(),
        prior: options.prior.name(),
        strategy: options.strategy.name(),
        questions: plan.questions,
        until: options.until,
        floor_questions: plan.floor,
        median_settled: median,
        ratio: ratio(median, plan.floor),
        settled_runs: settled_runs(outcomes),
        runs: outcomes.iter().map(|outcome| run_object(plan, outcome)).collect(),
    };
    Ok(serde_json::to_string_pretty(&object)? + "\n")
}

fn run_object(plan: &Plan<'_>, outcome: &Outcome) -> RunObject {
    RunObject {
        seed: outcome.seed,
        settled: outcome.settled,
        votes: outcome.votes,
        auc: outcome.auc,
        auc_curve: outcome.auc_curve.iter().map(|&(votes, auc)| Point { votes, auc }).collect(),
        parents_right: outcome.parents_right,
        cost: dollars(plan, outcome.votes as f64),
        seconds_per_vote: outcome.seconds_per_vote,
    }
}

fn dollars(plan: &Plan<'_>, votes: f64) -> f64 {
    votes * plan.options.price / 100.0
}

/// How many lines of runs are printed.
const LINES: usize = 40;

/// A table of runs, the curve, and what it comes to.
pub(super) fn text(plan: &Plan<'_>, outcomes: &[Outcome]) -> String {
    let options = plan.options;
    let rounded = |rate: f64| (1e4 * rate).round() / 1e4;
    let noise = plan.noise.map_or_else(
        || "by relation".to_owned(),
        |CrowdNoise { false_yes, false_no }| {
            CrowdNoise { false_yes: rounded(false_yes), false_no: rounded(false_no) }.told().to_string()
        },
    );
    let assumed = match options.assume_noise {
        None if options.crowd.is_none() => "the same".to_owned(),
        _ => plan.assumed.to_string(),
    };
    let mut text = format!(
        "{}: {} concepts, noise {noise}, assumed {}, {} engine, {} strategy, at most {} questions\n\n",
        options.truth,
        plan.truth.len(),
        assumed,
        options.engine.name(),
        options.strategy.name(),
        plan.questions
    );
    text.push_str("    seed  settled    votes     AUC  parents right  ms a vote\n");
    for outcome in outcomes.iter().take(LINES) {
        text.push_str(&format!(
            "{:>8} {:>8} {:>8} {:>7} {:>14.2} {:>10.2}\n",
            outcome.seed,
            outcome.settled.map_or_else(|| "no".to_owned(), |settled| settled.to_string()),
            outcome.votes,
            outcome.auc.map_or_else(|| "-".to_owned(), |auc| format!("{auc:.3}")),
            outcome.parents_right,
            1e3 * outcome.seconds_per_vote
        ));
    }
    if outcomes.len() > LINES {
        text.push_str(&format!("  and {} more runs; --json lists them\n", outcomes.len() - LINES));
    }
    text.push_str(&curve(outcomes));
    text.push_str(&summary(plan, outcomes));
    text
}

/// The median AUC at every point that at least half of the runs reached.
fn curve(outcomes: &[Outcome]) -> String {
    let mut points: Vec<usize> =
        outcomes.iter().flat_map(|run| run.auc_curve.iter().map(|point| point.0)).collect();
    points.sort_unstable();
    points.dedup();
    let at = |votes: usize| {
        let found = outcomes.iter().filter_map(|run| run.auc_curve.iter().find(|point| point.0 == votes));
        let aucs: Vec<f64> = found.map(|point| point.1).collect();
        (2 * aucs.len() >= outcomes.len()).then(|| median(aucs)).flatten().map(|auc| (votes, auc))
    };
    let points: Vec<String> =
        points.into_iter().filter_map(at).map(|(votes, auc)| format!("{votes}: {auc:.3}")).collect();
    match points.is_empty() {
        true => String::new(),
        false => format!("\nAUC after votes (median of runs): {}\n", points.join(", ")),
    }
}

fn summary(plan: &Plan<'_>, outcomes: &[Outcome]) -> String {
    let mut text = String::from("\n");
    let settled = median_settled(outcomes).map_or_else(
        || "less than half of them".to_owned(),
        |median| format!("median after {median} questions"),
    );
    text.push_str(&format!("settled: {} of {} runs, {settled}\n", settled_runs(outcomes), outcomes.len()));
    if let Some(floor) = plan.floor {
        let times = ratio(median_settled(outcomes), plan.floor);
        let times = times.map_or_else(String::new, |ratio| format!("; the median is {ratio:.2} times that"));
        text.push_str(&format!(
            "floor: {floor:.1} questions, which no method can beat on average over all trees{times}\n"
        ));
    }
    let votes = median(outcomes.iter().map(|run| run.votes as f64).collect()).unwrap_or_default();
    let seconds = median(outcomes.iter().map(|run| run.seconds_per_vote).collect()).unwrap_or_default();
    text.push_str(&format!("votes: {votes} (median), ${:.2}\n", dollars(plan, votes)));
    text.push_str(&format!("time: {:.2} ms for a vote and the next question (median)\n", 1e3 * seconds));
    text
}

fn settled_runs(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|run| run.settled.is_some()).count()
}

/// A run that did not settle counts as later than any other; none where that leaves no number.
fn median_settled(outcomes: &[Outcome]) -> Option<f64> {
    let settled = outcomes.iter().map(|run| run.settled.map_or(f64::INFINITY, |votes| votes as f64));
    median(settled.collect()).filter(|median| median.is_finite())
}

fn ratio(median: Option<f64>, floor: Option<f64>) -> Option<f64> {
    Some(median? / floor.filter(|&floor| floor > 0.0)?)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        _ if values.is_empty() => None,
        1 => Some(values[half]),
        _ => Some((values[half - 1] + values[half]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(settled: Option<usize>) -> Outcome {
        Outcome {
            seed: 0,
            settled,
            votes: 10,
            auc: None,
            auc_curve: vec![],
            parents_right: 1.0,
            seconds_per_vote: 0.0,
        }
    }

    #[test]
    fn unsettled_runs_count_as_later_than_any() {
        let of = |settled: &[Option<usize>]| {
            median_settled(&settled.iter().copied().map(outcome).collect::<Vec<_>>())
        };
        assert_eq!(of(&[Some(4), None, Some(2)]), Some(4.0));
        assert_eq!(of(&[Some(4), Some(2)]), Some(3.0));
        assert_eq!(of(&[Some(4), None]), None);
        assert_eq!(of(&[None]), None);
        assert_eq!(ratio(Some(3.0), Some(2.0)), Some(1.5));
        assert_eq!(ratio(Some(3.0), Some(0.0)), None);
    }
}
