use grove_belief::Form;
use serde::Serialize;

use super::plan::Plan;
use super::run::Outcome;
use crate::engine_options::{AssumedNoise, CrowdNoise, Engine, PriorShape, StrategyName, name};

/// How many runs are printed; --json has all of them.
const LINES: usize = 40;

/// The object that `--json` prints. Its field names are documented in docs/cli.md and do not change.
#[derive(Serialize)]
pub(super) struct Summary<'a> {
    n: usize,
    truth: String,
    noise: Option<CrowdNoise>,
    assumed_noise: AssumedNoise,
    engine: Engine,
    prior: PriorShape,
    strategy: StrategyName,
    forms: &'a [Form],
    alone: bool,
    names: bool,
    questions: u64,
    until: Option<f64>,
    floor_questions: Option<f64>,
    median_settled: Option<f64>,
    ratio: Option<f64>,
    settled_runs: usize,
    runs: &'a [Outcome],
}

impl<'a> Summary<'a> {
    pub(super) fn new(plan: &'a Plan<'_>, runs: &'a [Outcome]) -> Self {
        let (options, median_settled) = (plan.options, median_settled(runs));
        Self {
            n: plan.truth.len(),
            truth: options.truth.to_string(),
            noise: plan.noise,
            assumed_noise: plan.assumed,
            engine: options.engine,
            prior: plan.prior(),
            strategy: options.strategy,
            forms: plan.forms(),
            alone: options.alone,
            names: !plan.heads.is_empty(),
            questions: plan.questions,
            until: options.until,
            floor_questions: plan.floor,
            median_settled,
            ratio: ratio(median_settled, plan.floor),
            settled_runs: runs.iter().filter(|run| run.settled.is_some()).count(),
            runs,
        }
    }

    /// A table of the runs, the AUC curve, and the totals.
    pub(super) fn text(&self, plan: &Plan<'_>) -> String {
        let rounded = |rate: f64| (1e4 * rate).round() / 1e4;
        let noise = self.noise.map_or_else(
            || "by relation".to_owned(),
            |noise| AssumedNoise::Two(rounded(noise.false_yes), rounded(noise.false_no)).to_string(),
        );
        let assumed = match plan.options.assume_noise {
            None if plan.options.crowd.is_none() => "the same".to_owned(),
            _ => self.assumed_noise.to_string(),
        };
        let mut text = format!(
            "{}: {} concepts, noise {noise}, assumed {assumed}, {} engine, {}, at most {} questions\n\n",
            self.truth,
            self.n,
            name(self.engine),
            self.asking(plan),
            self.questions
        );
        text.push_str("    seed  settled    votes     AUC  parents right  ms per vote\n");
        for run in self.runs.iter().take(LINES) {
            text += &format!(
                "{:>8} {:>8} {:>8} {:>7} {:>14.2} {:>12.2}\n",
                run.seed,
                run.settled.map_or_else(|| "no".to_owned(), |settled| settled.to_string()),
                run.votes,
                run.auc.map_or_else(|| "-".to_owned(), |auc| format!("{auc:.3}")),
                run.parents_right,
                1e3 * run.seconds_per_vote
            );
        }
        if self.runs.len() > LINES {
            text += &format!("  and {} more runs; --json lists them\n", self.runs.len() - LINES);
        }
        text + &self.curve() + &self.totals(plan)
    }

    /// How questions are chosen.
    fn asking(&self, plan: &Plan<'_>) -> String {
        match plan.asking {
            None => format!("{} strategy", name(self.strategy)),
            Some(_) => {
                format!("forms {}", self.forms.iter().map(|form| form.as_str()).collect::<Vec<_>>().join(","))
            }
        }
    }

    /// The median AUC at every point that at least half of the runs reached.
    fn curve(&self) -> String {
        let mut votes: Vec<usize> =
            self.runs.iter().flat_map(|run| run.auc_curve.iter().map(|point| point.votes)).collect();
        votes.sort_unstable();
        votes.dedup();
        let at = |votes: usize| {
            let points =
                self.runs.iter().filter_map(|run| run.auc_curve.iter().find(|point| point.votes == votes));
            let aucs: Vec<f64> = points.map(|point| point.auc).collect();
            let enough = 2 * aucs.len() >= self.runs.len();
            enough.then(|| median(aucs)).flatten().map(|auc| format!("{votes}: {auc:.3}"))
        };
        let points: Vec<String> = votes.into_iter().filter_map(at).collect();
        match points.is_empty() {
            true => String::new(),
            false => format!("\nAUC after votes (median of runs): {}\n", points.join(", ")),
        }
    }

    fn totals(&self, plan: &Plan<'_>) -> String {
        let settled = self.median_settled.map_or_else(
            || "less than half of them".to_owned(),
            |median| format!("median after {median} questions"),
        );
        let mut text = format!("\nsettled: {} of {} runs, {settled}\n", self.settled_runs, self.runs.len());
        if let Some(floor) = self.floor_questions {
            let times =
                self.ratio.map_or_else(String::new, |ratio| format!("; the median is {ratio:.2} times that"));
            text += &format!(
                "floor: {floor:.1} questions, which no method can beat on average over all trees{times}\n"
            );
        }
        let of_runs =
            |value: fn(&Outcome) -> f64| median(self.runs.iter().map(value).collect()).unwrap_or_default();
        let (votes, seconds) = (of_runs(|run| run.votes as f64), of_runs(|run| run.seconds_per_vote));
        text += &format!("votes: {votes} (median), ${:.2}\n", plan.dollars(votes));
        if plan.asking.is_some() {
            let (minutes, wrong) =
                (of_runs(|run| run.person_seconds / 60.0), of_runs(|run| run.certain_and_wrong as f64));
            let per_form = |form: &Form| {
                let shown =
                    self.runs.iter().map(|run| run.by_form.get(form).copied().unwrap_or_default() as f64);
                format!("{} {form}", median(shown.collect()).unwrap_or_default())
            };
            let forms = self.forms.iter().map(per_form).collect::<Vec<_>>().join(", ");
            text += &format!(
                "people's time: {minutes:.1} minutes for {forms} (medians); certain and wrong: {wrong} (median)\n"
            );
        }
        text + &format!("time: {:.2} ms for a vote and the next question (median)\n", 1e3 * seconds)
    }
}

/// A run that did not settle counts as later than any other; none if most did not settle.
fn median_settled(runs: &[Outcome]) -> Option<f64> {
    let settled = runs.iter().map(|run| run.settled.map_or(f64::INFINITY, |votes| votes as f64));
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
            screens: 10,
            by_form: [(Form::YesNo, 10)].into(),
            person_seconds: 50.0,
            certain_and_wrong: 0,
            very_certain_and_wrong: 0,
            auc: None,
            auc_curve: vec![],
            parents_right: 1.0,
            cost: 0.08,
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
