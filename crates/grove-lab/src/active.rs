//! Chosen and random questions (section 4.2 of the paper): N = 5, 10 and 15, three rates of noise, three engines; then more
//! concepts than the paper tries, and hierarchies that people made.
//!
//! The engines know the rate of noise. Chosen questions are those of greatest expected gain; for the weights also those of the
//! paper's rule, the least entropy after the worse answer.

use grove_belief::{Answer, LEAST_RATE, Settings, Strategy};
use grove_sim::{CrowdSpec, Dataset, floor_questions};

use crate::prelude::*;

const NAME: &str = "active";
const BEYOND: &str = "active-beyond";

/// So many people that hardly anybody is asked the same question twice; they all have the same rate anyway.
const PEOPLE: usize = 1_000;

/// As many trees as in the paper.
const RUNS: u64 = 10;

const NOISES: [f64; 3] = [0.0, 0.05, 0.1];

/// The paper counts the yes answers among this many.
const FIRST: usize = 200;

/// The noise of the larger hierarchies, and the questions between two comparisons with the truth.
const BEYOND_NOISE: f64 = 0.05;
const BEYOND_EVERY: usize = 20;

/// The larger hierarchies, with the number of questions.
const TRUTHS: [(Truth, usize); 6] = [
    (Truth::Random(50), 800),
    (Truth::Random(100), 1_600),
    (Truth::Agreed(Dataset::Food), 300),
    (Truth::Agreed(Dataset::BodyParts), 600),
    (Truth::Agreed(Dataset::KitchenUtensils), 1_200),
    (Truth::Agreed(Dataset::Cookware), 1_200),
];

/// An engine, and how its questions are chosen.
type Arm = (Engine, Strategy);

/// Chosen questions before random ones.
const ARMS: [Arm; 7] = [
    (Engine::Exact, Strategy::Gain),
    (Engine::Ensemble, Strategy::Gain),
    (Engine::Weights, Strategy::WorstCase),
    (Engine::Weights, Strategy::Gain),
    (Engine::Exact, Strategy::Random),
    (Engine::Ensemble, Strategy::Random),
    (Engine::Weights, Strategy::Random),
];

/// The exact engine handles at most 16 concepts.
const BEYOND_ARMS: [Arm; 3] = [ARMS[1], ARMS[5], ARMS[2]];

fn strategy_name(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Gain => "gain",
        Strategy::WorstCase => "worst case",
        Strategy::Random => "random",
    }
}

fn arm_name((engine, strategy): Arm) -> String {
    format!("{}, {}", engine.name(), strategy_name(strategy))
}

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut paper = Study::new(NAME, &["n", "noise", "engine", "strategy"], &["settled", "yes", "curve"]);
    for &count in size.pick(&[5][..], &[15, 10, 5]) {
        for arm in ARMS {
            for &noise in size.pick(&NOISES[1..2], &NOISES) {
                let (engine, strategy, seeds) =
                    (arm.0.name(), strategy_name(arm.1), seed..seed + size.pick(2, RUNS));
                let work = move |seed| measure(count, noise, arm, seed, size);
                paper.add(&[&count, &noise, &engine, &strategy], seeds, work);
            }
        }
    }
    let settings = &["hierarchy", "n", "engine", "strategy"];
    let mut beyond = Study::new(BEYOND, settings, &["settled", "auc", "curve"]);
    for &(truth, questions) in size.pick(&TRUTHS[2..3], &TRUTHS) {
        let questions = size.pick(BEYOND_EVERY, questions);
        for &arm in size.pick(&BEYOND_ARMS[..2], &BEYOND_ARMS) {
            let (engine, strategy, seeds) =
                (arm.0.name(), strategy_name(arm.1), seed..seed + size.pick(1, 3));
            let work = move |seed| measure_beyond(truth, questions, arm, seed);
            beyond.add(&[&truth.name(), &truth.count(), &engine, &strategy], seeds, work);
        }
    }
    vec![beyond, paper]
}

fn measure(count: usize, noise: f64, arm: Arm, seed: u64, size: Size) -> Result<Vec<String>, Error> {
    // 2 N^2 questions at N = 5, N^2 at N = 15. The exact engine computes all parents for each comparison, which takes as long
    // as a hundred questions.
    let questions = size.pick(25, [50, 150, 225][count / 5 - 1]);
    let every = if arm.0 == Engine::Exact && count == 15 { 9 } else { count / 5 };
    let outcome = run(Truth::Random(count), noise, arm, questions, every, seed)?;
    let votes = outcome.belief.evidence().votes().take(FIRST);
    let yes = votes.filter(|(_, vote)| vote.answer == Answer::Yes).count();
    Ok(vec![or_empty(outcome.course.settled), yes.to_string(), outcome.whole_curve().to_string()])
}

fn measure_beyond(truth: Truth, questions: usize, arm: Arm, seed: u64) -> Result<Vec<String>, Error> {
    let outcome = run(truth, BEYOND_NOISE, arm, questions, BEYOND_EVERY, seed)?;
    let curve = outcome.whole_curve();
    let auc = curve.last().map_or(0.0, |point| point.1);
    Ok(vec![or_empty(outcome.course.settled), format!("{auc:.5}"), curve.to_string()])
}

fn run(truth: Truth, noise: f64, arm: Arm, votes: usize, every: usize, seed: u64) -> Result<Outcome, Error> {
    let (engine, strategy) = arm;
    let mut settings = Settings::one_rate(noise.max(LEAST_RATE))?;
    if engine == Engine::Ensemble {
        // The paper's engine knows only the uniform prior.
        settings.prior = truth.prior();
    }
    let crowd = CrowdSpec::one_rate(PEOPLE, noise)?;
    Trial { engine, strategy, ..Trial::new(truth, crowd, settings, votes, every) }.run(seed)
}

/// A row of either table.
#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    hierarchy: String,
    n: usize,
    #[serde(default)]
    noise: f64,
    engine: Engine,
    strategy: String,
    settled: Option<f64>,
    #[serde(default)]
    yes: f64,
    #[serde(default)]
    auc: f64,
    curve: Curve,
}

impl Row {
    fn is_of(&self, (engine, strategy): Arm) -> bool {
        self.engine == engine && self.strategy == strategy_name(strategy)
    }
}

#[derive(Template)]
#[template(path = "active.md", escape = "none")]
struct Page<'a> {
    figures: &'a [Figure],
    settled: String,
    most: usize,
    yes: String,
    /// Noise-free runs, and those that settled within N^2 questions.
    noise_free: usize,
    within: usize,
    beyond_figures: &'a [Figure],
    beyond: String,
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let (table, beyond) = (tables.read::<Row>(NAME)?, tables.read::<Row>(BEYOND)?);
    let rows = &table.rows;
    let (counts, noises) = (sorted(rows.iter().map(|row| row.n)), sorted(rows.iter().map(|row| row.noise)));
    let most = counts.last().copied().unwrap_or_default();
    let shown_noise = if table.origin.size == Size::Full { 0.1 } else { 0.05 };
    let select = |n: usize, noise: f64, arm: Arm| -> Vec<&Row> {
        rows.iter().filter(|row| row.n == n && row.noise == noise && row.is_of(arm)).collect()
    };
    let figure = |&n: &usize| {
        let title = format!("{n} concepts, {} % noise", shown_noise * 100.0);
        curves(format!("{NAME}-{n}"), &title, &ARMS, |arm| select(n, shown_noise, arm))
    };
    let figures: Vec<Figure> = counts.iter().map(figure).collect();
    let settled = |n: usize, noise: f64, arm: Arm| {
        let settled: Vec<Option<f64>> = select(n, noise, arm).iter().map(|row| row.settled).collect();
        let median = digits(median_reached(settled.iter().copied()), 0);
        format!("{median} ({} of {})", settled.iter().flatten().count(), settled.len())
    };
    let mut settled_rows = Vec::new();
    for &n in &counts {
        for &noise in &noises {
            let floor = floor_questions(n, noise)?;
            let percent = format!("{} %", noise * 100.0);
            let mut row = vec![n.to_string(), percent, format!("{floor:.0}"), (n * n).to_string()];
            row.extend(ARMS.map(|arm| settled(n, noise, arm)));
            settled_rows.push(row);
        }
    }
    let least_noise = noises.first().copied().unwrap_or_default();
    let yes =
        |at, places| digits(mean(select(most, least_noise, ARMS[at]).iter().map(|row| row.yes)), places);
    let yes_rows = ARMS.into_iter().enumerate().map(|(at, (engine, strategy))| {
        let paper = if strategy == Strategy::Random { "54" } else { "141" };
        [engine.name().to_owned(), strategy_name(strategy).to_owned(), yes(at, 1), paper.to_owned()]
    });
    let noise_free =
        || rows.iter().filter(|row| row.noise == 0.0 && (row.is_of(ARMS[0]) || row.is_of(ARMS[1])));
    let within = noise_free().filter(|row| row.settled.is_some_and(|votes| votes < (row.n * row.n) as f64));
    let (beyond_rows, beyond_figures) = beyond_results(&beyond.rows)?;
    let page = Page {
        figures: &figures,
        settled: markdown_rows(settled_rows),
        most,
        yes: markdown_rows(yes_rows),
        noise_free: noise_free().count(),
        within: within.count(),
        beyond_figures: &beyond_figures,
        beyond: markdown_rows(beyond_rows),
    };
    let what = format!("questions to settle {most} concepts, {} % noise", least_noise * 100.0);
    let [paper, ensemble] = [ARMS[2], ARMS[1]].map(|arm| settled(most, least_noise, arm));
    let here = format!("the paper's engine and rule {paper}; the ensemble {ensemble}");
    let [paper, ensemble] =
        [(2, 6), (1, 5)].map(|(chosen, random)| [yes(chosen, 0), yes(random, 0)].join(" and "));
    let yes_here = format!("{paper} with the paper's engine; {ensemble} with the ensemble");
    let yes_what = "yes among the first 200 answers there, chosen and random";
    let summary =
        vec![summary_row(what, "fewer than N^2 = 225", here), summary_row(yes_what, "141 and 54", yes_here)];
    let all = [&figures[..], &beyond_figures].concat();
    Ok(Section::new(&page, all, summary, &[table.origin, beyond.origin]))
}

/// A plot with a line for every arm that has rows.
fn curves<'a>(file: String, title: &str, arms: &[Arm], rows: impl Fn(Arm) -> Vec<&'a Row>) -> Figure {
    let y = Axis::linear("AUC of the edges").within(0.4, 1.0);
    let mut plot = Plot::new(title, Axis::linear("questions"), y);
    for &arm @ (engine, strategy) in arms {
        let rows = rows(arm);
        let colour = if strategy == Strategy::WorstCase { 3 } else { engine as usize };
        let style = LineStyle { colour, dash: usize::from(strategy == Strategy::Random), marks: false };
        if !rows.is_empty() {
            plot.lines.push(Line::mean(&arm_name(arm), style, rows.iter().map(|row| &row.curve)));
        }
    }
    plot.figure(file, format!("AUC against questions, {title}"))
}

/// A row and a plot for each of the larger hierarchies.
fn beyond_results(rows: &[Row]) -> Result<(Vec<Vec<String>>, Vec<Figure>), Error> {
    let (mut table, mut figures) = (Vec::new(), Vec::new());
    for (n, name) in sorted(rows.iter().map(|row| (row.n, &row.hierarchy))) {
        let select = |arm: Arm| -> Vec<&Row> {
            rows.iter().filter(|row| row.n == n && row.hierarchy == *name && row.is_of(arm)).collect()
        };
        let first = select(BEYOND_ARMS[0]);
        let asked = median(first.iter().filter_map(|row| row.curve.last()).map(|last| last.0));
        let floor = floor_questions(n, BEYOND_NOISE)?;
        let mut row = vec![name.clone(), thousands(n as f64), thousands(floor)];
        row.extend([thousands(asked.unwrap_or_default()), first.len().to_string()]);
        row.extend(BEYOND_ARMS.map(|arm| {
            let rows = select(arm);
            let settled =
                median_reached(rows.iter().map(|row| row.settled)).filter(|votes| votes.is_finite());
            match (settled, mean(rows.iter().map(|row| row.auc))) {
                (Some(settled), _) => thousands(settled),
                (None, Some(auc)) => format!("AUC {auc:.3}"),
                (None, None) => String::new(),
            }
        }));
        table.push(row);
        let title = format!("{name}, {n} concepts, {} % noise", BEYOND_NOISE * 100.0);
        let file = format!("{BEYOND}-{}-{n}", name.replace(' ', "-"));
        figures.push(curves(file, &title, &BEYOND_ARMS, select));
    }
    Ok((table, figures))
}
