//! Time and memory per vote by the number of concepts, and questions per concept.

use grove_belief::{Prior, Settings, Strategy};
use grove_sim::{Crowd, CrowdSpec, Dataset, Interview, Shares, floor_questions};
use grove_tree::Tree;

use crate::prelude::*;
use crate::process::{Stopwatch, peak_megabytes, reset_peak_memory};

const NAME: &str = "scale";
const QUESTIONS: &str = "scale-questions";

const NOISE: f64 = 0.05;

/// Engines by name, whether they have to learn people's rates, and the numbers of concepts that they are tried on.
const ENGINES: [(&str, Engine, bool, &[usize]); 4] = [
    ("exact", Engine::Exact, false, &[5, 10, 12, 14, 16]),
    ("weights", Engine::Weights, false, &[10, 20, 50, 100, 200]),
    ("ensemble, told", Engine::Ensemble, false, &[10, 20, 50, 100, 200, 500, 1_000, 10_000]),
    ("ensemble, learnt", Engine::Ensemble, true, &[10, 20, 50, 100, 200, 500, 1_000, 10_000]),
];

/// Hierarchies, and how many questions are asked about them.
const TRUTHS: [(Truth, usize); 8] = [
    (Truth::Random(15), 200),
    (Truth::Agreed(Dataset::Food), 300),
    (Truth::Agreed(Dataset::BodyParts), 600),
    (Truth::Random(50), 800),
    (Truth::Agreed(Dataset::KitchenUtensils), 1_200),
    (Truth::Agreed(Dataset::Cookware), 1_200),
    (Truth::Random(100), 1_600),
    (Truth::Agreed(Dataset::EdibleFruit), 3_200),
];

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut speeds = Study::new(NAME, &["engine", "n"], &["milliseconds", "megabytes"]);
    speeds.alone = true;
    for (name, engine, learnt, counts) in ENGINES {
        for &count in counts.iter().filter(|&&count| size == Size::Full || count <= 12) {
            speeds.add(&[&name, &count], seed..=seed, move |seed| speed(engine, learnt, count, seed));
        }
    }
    let measures = &["votes", "reached_97", "reached_999", "auc", "curve"];
    let mut questions = Study::new(QUESTIONS, &["hierarchy", "n"], measures);
    for &(truth, votes) in size.pick(&TRUTHS[..1], &TRUTHS) {
        let (votes, seeds) = (size.pick(40, votes), seed..seed + size.pick(1, 3));
        questions.add(&[&truth.name(), &truth.count()], seeds, move |seed| asked(truth, votes, seed));
    }
    vec![speeds, questions]
}

/// Mean milliseconds for a vote and the next question on one thread, after some votes; and the peak memory meanwhile.
fn speed(engine: Engine, learnt: bool, count: usize, seed: u64) -> Result<Vec<String>, Error> {
    let (before, timed) = if count > 1_000 { (10, 10) } else { (count.min(100), 20) };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(count, &mut rng);
    let mut crowd = Crowd::gather(&CrowdSpec::one_rate(30, NOISE)?, &Shares::none(&truth), &mut rng)?;
    let defaults = Settings { prior: Prior::uniform(), ..Settings::default() };
    let settings = if learnt { defaults } else { Settings::one_rate(NOISE)? };
    reset_peak_memory();
    let mut belief = engine.start(count, settings, seed)?;
    let mut interview = Interview { belief: &mut *belief, crowd: &mut crowd, strategy: Strategy::Gain };
    for _ in 0..before {
        interview.ask(&mut rng)?;
    }
    let watch = Stopwatch::start();
    for _ in 0..timed {
        interview.ask(&mut rng)?;
    }
    let milliseconds = 1e3 * watch.seconds() / f64::from(timed);
    Ok(vec![format!("{milliseconds:.3}"), or_empty(peak_megabytes())])
}

fn asked(truth: Truth, votes: usize, seed: u64) -> Result<Vec<String>, Error> {
    let settings = Settings { prior: truth.prior(), ..Settings::one_rate(NOISE)? };
    let trial = Trial::new(truth, CrowdSpec::one_rate(1_000, NOISE)?, settings, votes, 20);
    let curve = trial.run(seed)?.curve();
    let (votes, auc) = curve.last().unwrap_or_default();
    let [most, all] = [0.97, 0.999].map(|wanted| or_empty(curve.reaches_for_good(wanted)));
    Ok(vec![votes.to_string(), most, all, format!("{auc:.5}"), curve.to_string()])
}

#[derive(Deserialize)]
struct SpeedRow {
    engine: String,
    n: usize,
    milliseconds: f64,
    megabytes: Option<f64>,
}

#[derive(Deserialize)]
struct QuestionsRow {
    hierarchy: String,
    n: usize,
    votes: f64,
    reached_97: Option<f64>,
    reached_999: Option<f64>,
    auc: f64,
}

#[derive(Template)]
#[template(path = "scale.md", escape = "none")]
struct Page<'a> {
    figure: &'a Figure,
    speeds: String,
    questions: String,
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let (table, questions) = (tables.read::<SpeedRow>(NAME)?, tables.read::<QuestionsRow>(QUESTIONS)?);
    let counts = sorted(table.rows.iter().map(|row| row.n));
    let select = |engine: &str, n: usize| -> Vec<&SpeedRow> {
        table.rows.iter().filter(|row| row.engine == engine && row.n == n).collect()
    };
    let mut plot = Plot::new("Time of a vote", Axis::log("concepts"), Axis::log("milliseconds"));
    let mut summary = Vec::new();
    for (at, (name, ..)) in ENGINES.into_iter().enumerate() {
        let (mut points, mut words) = (Vec::new(), Vec::new());
        for &n in &counts {
            let times: Vec<f64> = select(name, n).iter().map(|row| row.milliseconds).collect();
            let Some(point) = Point::mean(n as f64, &times) else { continue };
            words.push(format!("{}: {:.1}", thousands(point.x), point.y));
            // Times too short to be measured have no place on a logarithmic axis.
            points.extend((point.y > 0.0).then_some(point));
        }
        plot.lines.push(Line::new(name, LineStyle::numbered(at, true), points));
        summary.push(summary_row(format!("milliseconds per vote by concepts, {name}"), "-", list(words)));
    }
    let figure = plot.figure(NAME, "Milliseconds per vote against the number of concepts");
    let speeds = counts.iter().map(|&n| {
        let mut row = vec![thousands(n as f64)];
        row.extend(ENGINES.map(|(name, ..)| {
            let rows = select(name, n);
            mean(rows.iter().map(|row| row.milliseconds)).map_or_else(String::new, |milliseconds| {
                let time = digits(Some(milliseconds), if milliseconds < 10.0 { 2 } else { 0 });
                format!("{time}, {}", digits(mean(rows.iter().filter_map(|row| row.megabytes)), 0))
            })
        }));
        row
    });
    let page = Page { figure: &figure, speeds: markdown_rows(speeds), questions: needed(&questions.rows)? };
    Ok(Section::new(&page, vec![figure.clone()], summary, &[table.origin, questions.origin]))
}

fn needed(rows: &[QuestionsRow]) -> Result<String, Error> {
    let mut table = Vec::new();
    for (n, name) in sorted(rows.iter().map(|row| (row.n, &row.hierarchy))) {
        let rows = || rows.iter().filter(|row| row.n == n && row.hierarchy == *name);
        let most = median_reached(rows().map(|row| row.reached_97));
        let all = median_reached(rows().map(|row| row.reached_999));
        let each = |votes: Option<f64>| digits(votes.map(|votes| votes / n as f64), 1);
        table.push([
            name.clone(),
            thousands(n as f64),
            rows().count().to_string(),
            thousands(floor_questions(n, NOISE)?),
            digits(most, 0),
            each(most),
            digits(all, 0),
            each(all),
            digits(mean(rows().map(|row| row.auc)), 3),
            digits(median(rows().map(|row| row.votes)), 0),
        ]);
    }
    Ok(markdown_rows(table))
}
