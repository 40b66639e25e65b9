//! Whether stated certainties come true as often as they say, for each engine.
//!
//! Truths are uniform draws and rates are told, so that the exact engine must be right; what the others lack shows beside it.

use grove_belief::{Answer, Belief, Calibration, Certainties, Question, Settings, Strategy, Vote, Worker};
use grove_sim::{Crowd, CrowdSpec, Shares};
use grove_tree::{Concept, Tree};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::asking::{Engine, interview};
use crate::curves::numbers;
use crate::experiment::Tables;
use crate::markdown::{MarkdownTable, digits, thousands};
use crate::plot::{Axis, Bar, Bars, Chart, Line, Look, Point};
use crate::report::{Figure, Section};
use crate::statistics::chi_square_tail;
use crate::study::{Cell, Size, Study};
use crate::table::{Table, pack};
use crate::{Error, Experiment};

const NAME: &str = "calibration";
const SBC: &str = "calibration-sbc";

const COUNT: usize = 10;
const NOISE: f64 = 0.1;

/// Questions, and how often the certainties on the way are judged.
const QUESTIONS: usize = 60;
const EVERY: usize = 15;

/// For simulation-based calibration: concepts, votes at random, noise, draws, and bins of ranks.
const WORLD: (usize, usize, f64) = (8, 30, 0.15);
const DRAWS: usize = 99;
const BINS: usize = 10;

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let (mut reliability, mut sbc) = (Vec::new(), Vec::new());
    for engine in Engine::ALL {
        let settings = || vec![engine.name().to_owned()];
        for seed in seed..seed + size.pick(2, 40) {
            reliability.push(Cell::new(settings(), seed, move || stated(engine, seed)));
        }
        for seed in seed..seed + size.pick(5, 150) {
            sbc.push(Cell::new(settings(), seed, move || ranks(engine, seed)));
        }
    }
    let measures = &["statements", "certainty", "right"];
    vec![
        Study { name: NAME, settings: &["engine"], measures, cells: reliability, alone: false },
        Study {
            name: SBC,
            settings: &["engine"],
            measures: &["depths", "likelihood"],
            cells: sbc,
            alone: false,
        },
    ]
}

/// The reported parents of one run by bins of certainty.
fn stated(engine: Engine, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(COUNT, &mut rng);
    let mut crowd = Crowd::gather(&CrowdSpec::one_rate(1_000, NOISE)?, &Shares::none(&truth), &mut rng)?;
    let mut belief = engine.start(COUNT, Settings::one_rate(NOISE)?, seed)?;
    let mut calibration = Calibration::new();
    for question in 1..=QUESTIONS {
        interview(&mut *belief, &mut crowd, Strategy::Gain).ask(&mut rng)?;
        if question.is_multiple_of(EVERY) {
            calibration.add_run(&Certainties::of(&*belief)?, &truth);
        }
    }
    let bins = || calibration.bins().iter().enumerate().filter(|(_, bin)| bin.count() > 0);
    Ok(vec![
        pack(bins().map(|(at, bin)| (at, bin.count() as f64))),
        pack(bins().map(|(at, bin)| (at, bin.mean_certainty().unwrap_or_default()))),
        pack(bins().map(|(at, bin)| (at, bin.share_right().unwrap_or_default()))),
    ])
}

/// The bins of the truth's rank among draws from the belief (Talts, Betancourt, Simpson, Vehtari and Gelman 2018), by the sum of depths and by
/// the likelihood of the votes. Among equal draws the place is drawn.
fn ranks(engine: Engine, seed: u64) -> Result<Vec<String>, Error> {
    let (count, votes, noise) = WORLD;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(count, &mut rng);
    let mut belief = engine.start(count, Settings::one_rate(noise)?, seed)?;
    for voter in 0..votes {
        let question = any_question(count, &mut rng)?;
        let honest = truth.is_above(question.upper, question.lower);
        let yes = honest != (rng.random::<f64>() < noise);
        let answer = if yes { Answer::Yes } else { Answer::No };
        belief.record(Vote { question, worker: Worker::new(voter as u32), answer })?;
    }
    let draws = belief.sample(DRAWS, &mut rng);
    let depths = |tree: &Tree| tree.concepts().map(|concept| tree.depth(concept)).sum::<usize>() as f64;
    let agreeing = |tree: &Tree| agreeing(&*belief, tree) as f64;
    let mut bin = |of: &dyn Fn(&Tree) -> f64| {
        let value = of(&truth);
        let values: Vec<f64> = draws.iter().map(of).collect();
        let less = values.iter().filter(|draw| **draw < value).count();
        let equal = values.iter().filter(|draw| **draw == value).count();
        (less + rng.random_range(0..=equal)) * BINS / (DRAWS + 1)
    };
    Ok(vec![bin(&depths).to_string(), bin(&agreeing).to_string()])
}

/// How many votes a tree agrees with: with one rate, all that the likelihood depends on.
fn agreeing(belief: &dyn Belief, tree: &Tree) -> usize {
    let agrees =
        |vote: &Vote| tree.is_above(vote.question.upper, vote.question.lower) == (vote.answer == Answer::Yes);
    belief.evidence().votes().filter(|(_, vote)| agrees(vote)).count()
}

fn any_question(count: usize, rng: &mut ChaCha8Rng) -> Result<Question, Error> {
    let upper = rng.random_range(1..=count);
    let lower = (upper + rng.random_range(1..count) - 1) % count + 1;
    Ok(Question::path(Concept::new(upper), Concept::new(lower))?)
}

pub(crate) fn tell(tables: &Tables) -> Result<Section, Error> {
    let (table, sbc) = (tables.read(NAME)?, tables.read(SBC)?);
    let figures = vec![reliability(&table)?, histogram(&sbc)?];
    let text = format!(
        "{COUNT} concepts, {} % noise, told; {QUESTIONS} questions by gain, and after every {EVERY} of them each concept's likeliest parent with its certainty. A \
         certainty of 0.8 should be right four times in five. Statements of one run hang together, so that an error of some hundredths is chance; the exact engine shows how much.\n\n![{}]\n\n{}\nSimulation-based calibration: {} concepts, {} random votes with {} % noise; the truth must be just another draw from \
         the belief, so its rank among {DRAWS} draws must be even. Ranks by how many votes a tree agrees with:\n\n![{}]\n\n{}",
        NOISE * 100.0,
        figures[0].file,
        errors(&table)?,
        WORLD.0,
        WORLD.1,
        WORLD.2 * 100.0,
        figures[1].file,
        evenness(&sbc)?
    );
    Section::new(Experiment::Calibration, "Calibration", &[&table, &sbc], text, figures, summary(&table)?)
}

/// Statements, their mean certainty and their share right, for every bin that has any.
fn gathered(table: &Table, engine: Engine) -> Result<Vec<[f64; 3]>, Error> {
    let mut bins = vec![[0.0; 3]; 10];
    for row in table.find(&[("engine", engine.name())]) {
        let curves = ["statements", "certainty", "right"].map(|column| row.curve(column));
        let [statements, certainty, right] = curves;
        for ((count, certainty), right) in statements?.into_iter().zip(certainty?).zip(right?) {
            let bin: &mut [f64; 3] = &mut bins[count.0 as usize];
            bin[0] += count.1;
            bin[1] += count.1 * certainty.1;
            bin[2] += count.1 * right.1;
        }
    }
    bins.retain(|bin| bin[0] > 0.0);
    Ok(bins.into_iter().map(|[count, certainty, right]| [count, certainty / count, right / count]).collect())
}

fn reliability(table: &Table) -> Result<Figure, Error> {
    let x = Axis::linear("stated certainty").within(0.0, 1.0);
    let mut chart =
        Chart::new("How often stated parents are right", x, Axis::linear("share right").within(0.0, 1.0));
    chart.diagonal = true;
    for (at, engine) in Engine::ALL.into_iter().enumerate() {
        // Two standard errors of a share; bins of a handful of statements say nothing.
        let point = |[count, x, y]: [f64; 3]| {
            let error = 2.0 * (y * (1.0 - y) / count).sqrt();
            Point { x, y, spread: Some(((y - error).max(0.0), (y + error).min(1.0))) }
        };
        let points = gathered(table, engine)?.into_iter().filter(|bin| bin[0] >= 20.0).map(point).collect();
        chart.lines.push(Line {
            name: engine.name().to_owned(),
            look: Look { colour: at, dash: at, marks: true },
            points,
        });
    }
    Ok(Figure::new(NAME, "Share of right parents against their stated certainty", chart.svg()))
}

fn errors(table: &Table) -> Result<String, Error> {
    let mut out = MarkdownTable::new(&[
        "engine",
        "stated parents",
        "mean certainty",
        "share right",
        "expected calibration error",
    ]);
    for engine in Engine::ALL {
        let bins = gathered(table, engine)?;
        let all: f64 = bins.iter().map(|bin| bin[0]).sum();
        let mean = |of: &dyn Fn(&[f64; 3]) -> f64| bins.iter().map(|bin| bin[0] * of(bin)).sum::<f64>() / all;
        out.row(&[
            engine.name(),
            &thousands(all),
            &digits(Some(mean(&|bin| bin[1])), 3),
            &digits(Some(mean(&|bin| bin[2])), 3),
            &digits(calibration_error(&bins), 3),
        ]);
    }
    Ok(out.text().to_owned())
}

/// How often each bin was the truth's.
fn counts(table: &Table, engine: Engine, column: &str) -> Result<Vec<f64>, Error> {
    let mut counts = vec![0.0; BINS];
    for bin in numbers(&table.find(&[("engine", engine.name())]), column)? {
        counts[bin as usize] += 1.0;
    }
    Ok(counts)
}

fn histogram(table: &Table) -> Result<Figure, Error> {
    let mut series = Vec::new();
    let mut expected = 0.0;
    for engine in Engine::ALL {
        let counts = counts(table, engine, "likelihood")?;
        expected = counts.iter().sum::<f64>() / BINS as f64;
        let bars = counts.into_iter().map(|y| Some(Bar { y, spread: None })).collect();
        series.push((engine.name().to_owned(), bars));
    }
    let bars = Bars {
        title: "Ranks of the truth among draws from the belief".to_owned(),
        x: format!("tenth of {DRAWS} draws, from the least agreeing"),
        y: Axis::linear("worlds"),
        groups: (1..=BINS).map(|bin| bin.to_string()).collect(),
        series,
        guides: vec![(expected, "even".to_owned())],
    };
    Ok(Figure::new(SBC, "Ranks of the truth, for each engine", bars.svg()))
}

fn evenness(table: &Table) -> Result<String, Error> {
    let mut out =
        MarkdownTable::new(&["engine", "worlds", "p by agreement with votes", "p by the sum of depths"]);
    for engine in Engine::ALL {
        let p = |column: &str| -> Result<f64, Error> {
            let counts = counts(table, engine, column)?;
            let expected = counts.iter().sum::<f64>() / BINS as f64;
            let chi_square = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
            Ok(chi_square_tail(chi_square, BINS - 1))
        };
        let worlds = table.find(&[("engine", engine.name())]).len();
        let p = [p("likelihood")?, p("depths")?]
            .map(|p| if p < 1e-4 { "below 0.0001".to_owned() } else { digits(Some(p), 4) });
        out.row(&[engine.name(), &worlds.to_string(), &p[0], &p[1]]);
    }
    Ok(format!(
        "The chance of ranks this uneven if all were alike (Pearson's chi-square); below 0.0001 is a fault, and in the weights the known one: they forget, and hold too many trees possible.\n\n{}",
        out.text()
    ))
}

fn summary(table: &Table) -> Result<Vec<[String; 3]>, Error> {
    let mut words = Vec::new();
    for engine in Engine::ALL {
        words.push(format!("{} {}", engine.name(), digits(calibration_error(&gathered(table, engine)?), 3)));
    }
    Ok(vec![["expected calibration error of stated parents".to_owned(), "-".to_owned(), words.join(", ")]])
}

/// The mean over statements of how far their bin's certainty is from its share right.
fn calibration_error(bins: &[[f64; 3]]) -> Option<f64> {
    let all: f64 = bins.iter().map(|bin| bin[0]).sum();
    let sum: f64 = bins.iter().map(|bin| bin[0] * (bin[1] - bin[2]).abs()).sum();
    (all > 0.0).then(|| sum / all)
}
