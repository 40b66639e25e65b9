//! Seconds and memory a vote by the number of concepts, and questions a concept.

use std::fs;

use grove_belief::{Belief, Prior, Settings, Strategy};
use grove_sim::{Crowd, CrowdSpec, Interview, Shares, floor_questions};
use grove_tree::Tree;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::asking::Engine;
use crate::curves::{numbers, point, reached};
use crate::experiment::Tables;
use crate::markdown::{MarkdownTable, digits, thousands};
use crate::plot::{Axis, Chart, Line, Look};
use crate::report::{Figure, Section};
use crate::robustness::{Asking, Trial};
use crate::statistics::{mean, median, reaches_for_good};
use crate::stopwatch::Stopwatch;
use crate::study::{Cell, Size, Study};
use crate::table::{Table, or_nothing, pack};
use crate::truth::{Reference, Truth, hierarchies};
use crate::{Error, Experiment};

const NAME: &str = "scale";
const QUESTIONS: &str = "scale-questions";

const NOISE: f64 = 0.05;

/// Engines by name, with whether they have to learn people's rates, and the numbers of concepts that they are tried on.
const ENGINES: [(&str, Engine, bool, &[usize]); 4] = [
    ("exact", Engine::Exact, false, &[5, 10, 12, 14, 16]),
    ("weights", Engine::Weights, false, &[10, 20, 50, 100, 200]),
    ("ensemble, told", Engine::Ensemble, false, &[10, 20, 50, 100, 200, 500, 1_000, 10_000]),
    ("ensemble, learnt", Engine::Ensemble, true, &[10, 20, 50, 100, 200, 500, 1_000, 10_000]),
];

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut cells = Vec::new();
    for (name, engine, learnt, counts) in ENGINES {
        for &count in counts.iter().filter(|&&count| size == Size::Full || count <= 12) {
            let settings = vec![name.to_owned(), count.to_string()];
            cells.push(Cell::new(settings, seed, move || speed(engine, learnt, count, seed)));
        }
    }
    let measures = &["milliseconds", "megabytes"];
    vec![
        Study { name: NAME, settings: &["engine", "n"], measures, cells, alone: true },
        questions(size, seed),
    ]
}

/// Mean milliseconds for a vote and the next question on one thread, after some votes; and the most memory held meanwhile.
fn speed(engine: Engine, learnt: bool, count: usize, seed: u64) -> Result<Vec<String>, Error> {
    let (before, timed) = if count > 1_000 { (10, 10) } else { (count.min(100), 20) };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(count, &mut rng);
    let mut crowd = Crowd::gather(&CrowdSpec::one_rate(30, NOISE)?, &Shares::none(&truth), &mut rng)?;
    let nothing = Settings { prior: Prior::uniform(), ..Settings::default() };
    let settings = if learnt { nothing } else { Settings::one_rate(NOISE)? };
    forget_peak();
    let mut belief: Box<dyn Belief> = engine.start(count, settings, seed)?;
    let mut interview = Interview { belief: &mut *belief, crowd: &mut crowd, strategy: Strategy::Gain };
    for _ in 0..before {
        interview.ask(&mut rng)?;
    }
    let watch = Stopwatch::start();
    for _ in 0..timed {
        interview.ask(&mut rng)?;
    }
    let milliseconds = 1e3 * watch.seconds() / f64::from(timed);
    Ok(vec![format!("{milliseconds:.3}"), or_nothing(peak_megabytes())])
}

/// Begins to count the most memory anew, where the system is Linux and allows it; elsewhere the peak is that of the whole run.
fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").ok();
}

/// The most memory that this process held since, as Linux tells it.
fn peak_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some((kilobytes / 100.0).round() / 10.0)
}

/// How many questions it takes, by the number of concepts and the shape of the hierarchy.
fn questions(size: Size, seed: u64) -> Study {
    let sets: &[(Truth, usize)] = &[
        (Truth::Random(15), 200),
        (Truth::Agreed(Reference::Food), 300),
        (Truth::Agreed(Reference::BodyParts), 600),
        (Truth::Random(50), 800),
        (Truth::Agreed(Reference::KitchenUtensils), 1_200),
        (Truth::Agreed(Reference::Cookware), 1_200),
        (Truth::Random(100), 1_600),
        (Truth::Agreed(Reference::EdibleFruit), 3_200),
    ];
    let mut cells = Vec::new();
    for &(truth, votes) in &sets[..size.pick(1, sets.len())] {
        for seed in seed..seed + size.pick(1, 3) {
            let settings = vec![truth.name().to_owned(), truth.count().to_string()];
            let votes = size.pick(40, votes);
            cells.push(Cell::new(settings, seed, move || asked(truth, votes, seed)));
        }
    }
    let measures = &["votes", "reached_97", "reached_999", "auc", "curve"];
    Study { name: QUESTIONS, settings: &["hierarchy", "n"], measures, cells, alone: false }
}

fn asked(truth: Truth, votes: usize, seed: u64) -> Result<Vec<String>, Error> {
    let settings = Settings { prior: truth.prior(), ..Settings::one_rate(NOISE)? };
    let crowd = CrowdSpec::one_rate(1_000, NOISE)?;
    let (engine, asking) = (Engine::Ensemble, Asking::OneByOne);
    let curve = Trial { truth, crowd, engine, settings, asking, votes, every: 20 }.run(seed)?;
    let points: Vec<(f64, f64)> = curve.iter().map(|&(votes, auc)| (votes as f64, auc)).collect();
    let last = points.last().copied().unwrap_or_default();
    Ok(vec![
        last.0.to_string(),
        or_nothing(reaches_for_good(&points, 0.97)),
        or_nothing(reaches_for_good(&points, 0.999)),
        format!("{:.5}", last.1),
        pack(curve),
    ])
}

pub(crate) fn tell(tables: &Tables) -> Result<Section, Error> {
    let (table, questions) = (tables.read(NAME)?, tables.read(QUESTIONS)?);
    let figures = vec![times(&table)?];
    let text = format!(
        "Milliseconds for a vote and the next question by gain, one thread, {} % noise, after at most 100 votes; and the most memory that the process held meanwhile. The weights draw 10,000 trees a vote. \
         The exact engine stops at 16 concepts and the weights at 500.\n\n![{}]\n\n{}\n{}",
        NOISE * 100.0,
        figures[0].file,
        speeds(&table)?,
        needed(&questions)?
    );
    Section::new(Experiment::Scale, "Scale", &[&table, &questions], text, figures, summary(&table)?)
}

fn times(table: &Table) -> Result<Figure, Error> {
    let mut chart = Chart::new("Time of a vote", Axis::log("concepts"), Axis::log("milliseconds"));
    for (at, (name, ..)) in ENGINES.into_iter().enumerate() {
        let mut points = Vec::new();
        for count in table.numbers("n")? {
            let rows = table.find(&[("engine", name), ("n", &count.to_string())]);
            // What is too short to be measured has no place on a logarithmic axis.
            let measured = point(count, &numbers(&rows, "milliseconds")?).filter(|point| point.y > 0.0);
            points.extend(measured);
        }
        chart.lines.push(Line {
            name: name.to_owned(),
            look: Look { colour: at, dash: at, marks: true },
            points,
        });
    }
    Ok(Figure::new(NAME, "Milliseconds a vote against the number of concepts", chart.svg()))
}

fn speeds(table: &Table) -> Result<String, Error> {
    let mut head = vec!["N".to_owned()];
    head.extend(ENGINES.iter().map(|engine| format!("{}: ms, MB", engine.0)));
    let mut out = MarkdownTable::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for count in table.numbers("n")? {
        let mut row = vec![thousands(count)];
        for (name, ..) in ENGINES {
            let rows = table.find(&[("engine", name), ("n", &count.to_string())]);
            row.push(match mean(&numbers(&rows, "milliseconds")?) {
                Some(milliseconds) => {
                    let megabytes = digits(mean(&numbers(&rows, "megabytes")?), 0);
                    format!(
                        "{}, {megabytes}",
                        digits(Some(milliseconds), if milliseconds < 10.0 { 2 } else { 0 })
                    )
                }
                None => String::new(),
            });
        }
        out.row(&row);
    }
    Ok(out.text().to_owned())
}

fn needed(table: &Table) -> Result<String, Error> {
    let mut out = MarkdownTable::new(&[
        "hierarchy",
        "N",
        "runs",
        "floor for random trees",
        "votes to AUC 0.97",
        "a concept",
        "votes to AUC 0.999",
        "a concept",
        "AUC at the end",
        "after votes",
    ]);
    for (name, count) in hierarchies(table)? {
        let rows = table.find(&[("hierarchy", &name), ("n", &count.to_string())]);
        let votes = ["reached_97", "reached_999"].map(|column| reached(&rows, column));
        let [most, all] = votes.map(|votes| votes.map(|votes| median(&votes)));
        let (most, all) = (most?, all?);
        let floor = floor_questions(count as usize, NOISE)?;
        let each = |votes: Option<f64>| digits(votes.map(|votes| votes / count), 1);
        out.row(&[
            name,
            thousands(count),
            rows.len().to_string(),
            thousands(floor),
            digits(most, 0),
            each(most),
            digits(all, 0),
            each(all),
            digits(mean(&numbers(&rows, "auc")?), 3),
            digits(median(&numbers(&rows, "votes")?), 0),
        ]);
    }
    Ok(format!(
        "Questions by gain, 5 % noise told, the ensemble; the uniform prior for random trees, the taxonomy prior for hierarchies that people made. \
         Wide ones take more than their size would suggest: of two siblings that are alike in everything else, only a question about the two says that neither is above the other.\n\n{}",
        out.text()
    ))
}

fn summary(table: &Table) -> Result<Vec<[String; 3]>, Error> {
    let mut rows = Vec::new();
    for (name, ..) in ENGINES {
        let mut words = Vec::new();
        for count in table.numbers("n")? {
            let found = numbers(&table.find(&[("engine", name), ("n", &count.to_string())]), "milliseconds")?;
            words.extend(mean(&found).map(|milliseconds| format!("{}: {milliseconds:.1}", thousands(count))));
        }
        rows.push([format!("milliseconds a vote by concepts, {name}"), "-".to_owned(), words.join(", ")]);
    }
    Ok(rows)
}
