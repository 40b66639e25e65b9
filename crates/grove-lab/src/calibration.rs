//! Whether stated certainties come true as often as they say, for each engine.
//!
//! Truths are uniform draws and rates are known, so the exact engine must be right; it shows what the others lack.

use grove_belief::{Answer, Belief, Calibration, Certainties, Question, Settings, Strategy, Vote, Worker};
use grove_sim::{Crowd, CrowdSpec, Interview, Shares};
use grove_tree::{Concept, Tree};
use rand::RngExt;

use crate::prelude::*;
use crate::reliability::{Bin, Stated, bins, calibration_error, stated, together};

const NAME: &str = "calibration";
const SBC: &str = "calibration-sbc";

const COUNT: usize = 10;
const NOISE: f64 = 0.1;

/// The number of questions, and of questions between two sets of statements.
const QUESTIONS: usize = 60;
const EVERY: usize = 15;

/// For simulation-based calibration: concepts, random votes, noise, draws, and bins of ranks.
const SBC_COUNT: usize = 8;
const SBC_VOTES: u32 = 30;
const SBC_NOISE: f64 = 0.15;
const DRAWS: usize = 99;
const BINS: usize = 10;

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut reliability = Study::new(NAME, &["engine"], &["statements", "certainty", "right"]);
    let mut sbc = Study::new(SBC, &["engine"], &["depths", "likelihood"]);
    for engine in Engine::ALL {
        reliability
            .add(&[&engine.name()], seed..seed + size.pick(2, 40), move |seed| parents_stated(engine, seed));
        sbc.add(&[&engine.name()], seed..seed + size.pick(5, 150), move |seed| ranks(engine, seed));
    }
    vec![reliability, sbc]
}

/// The stated parents of one run by bins of certainty.
fn parents_stated(engine: Engine, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(COUNT, &mut rng);
    let mut crowd = Crowd::gather(&CrowdSpec::one_rate(1_000, NOISE)?, &Shares::none(&truth), &mut rng)?;
    let mut belief = engine.start(COUNT, Settings::one_rate(NOISE)?, seed)?;
    let mut calibration = Calibration::new();
    for question in 1..=QUESTIONS {
        Interview { belief: &mut *belief, crowd: &mut crowd, strategy: Strategy::Gain }.ask(&mut rng)?;
        if question.is_multiple_of(EVERY) {
            calibration.add_run(&Certainties::of(&*belief)?, &truth);
        }
    }
    Ok(stated(&calibration).to_vec())
}

/// The bins of the truth's rank among draws from the belief (Talts, Betancourt, Simpson, Vehtari and Gelman 2018), by the sum of
/// depths and by the likelihood of the votes. Among equal draws the rank is drawn.
fn ranks(engine: Engine, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = Tree::random(SBC_COUNT, &mut rng);
    let mut belief = engine.start(SBC_COUNT, Settings::one_rate(SBC_NOISE)?, seed)?;
    for worker in (0..SBC_VOTES).map(Worker::new) {
        let question = any_question(&mut rng)?;
        let honest = truth.is_above(question.upper, question.lower);
        let yes = honest != (rng.random::<f64>() < SBC_NOISE);
        let answer = if yes { Answer::Yes } else { Answer::No };
        belief.record(Vote { question, worker, answer })?;
    }
    let draws = belief.sample(DRAWS, &mut rng);
    let depths = |tree: &Tree| tree.concepts().map(|concept| tree.depth(concept)).sum::<usize>();
    let mut bin = |of: &dyn Fn(&Tree) -> usize| {
        let value = of(&truth);
        let values: Vec<usize> = draws.iter().map(of).collect();
        let less = values.iter().filter(|draw| **draw < value).count();
        let equal = values.iter().filter(|draw| **draw == value).count();
        ((less + rng.random_range(0..=equal)) * BINS / (DRAWS + 1)).to_string()
    };
    Ok(vec![bin(&depths), bin(&|tree| agreeing(&*belief, tree))])
}

/// How many votes a tree agrees with: with one rate, all that the likelihood depends on.
fn agreeing(belief: &dyn Belief, tree: &Tree) -> usize {
    let agrees =
        |vote: &Vote| tree.is_above(vote.question.upper, vote.question.lower) == (vote.answer == Answer::Yes);
    belief.evidence().votes().filter(|(_, vote)| agrees(vote)).count()
}

fn any_question(rng: &mut ChaCha8Rng) -> Result<Question, Error> {
    let upper = rng.random_range(1..=SBC_COUNT);
    let lower = (upper + rng.random_range(1..SBC_COUNT) - 1) % SBC_COUNT + 1;
    Ok(Question::path(Concept::new(upper), Concept::new(lower))?)
}

#[derive(Deserialize)]
struct Row {
    engine: Engine,
    #[serde(flatten)]
    stated: Stated,
}

#[derive(Deserialize)]
struct SbcRow {
    engine: Engine,
    depths: usize,
    likelihood: usize,
}

#[derive(Template)]
#[template(path = "calibration.md", escape = "none")]
struct Page<'a> {
    figures: &'a [Figure; 2],
    errors: String,
    evenness: String,
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let (table, sbc) = (tables.read::<Row>(NAME)?, tables.read::<SbcRow>(SBC)?);
    let bins = Engine::ALL.map(|engine| {
        (engine, bins(table.rows.iter().filter(|row| row.engine == engine).map(|row| &row.stated)))
    });
    let figures = [reliability(&bins), histogram(&sbc.rows)];
    let errors = bins.iter().map(|(engine, bins)| {
        let all = together(bins);
        let [certainty, right] = [all.certainty, all.right].map(|mean| digits(Some(mean), 3));
        let error = digits(calibration_error(bins), 3);
        [engine.name().to_owned(), thousands(all.count), certainty, right, error]
    });
    let page = Page { figures: &figures, errors: markdown_rows(errors), evenness: evenness(&sbc.rows) };
    let error = |(engine, bins): &(Engine, Vec<Bin>)| {
        format!("{} {}", engine.name(), digits(calibration_error(bins), 3))
    };
    let what = "expected calibration error of stated parents";
    let summary = vec![summary_row(what, "-", list(bins.iter().map(error)))];
    Ok(Section::new(&page, figures.to_vec(), summary, &[table.origin, sbc.origin]))
}

fn reliability(engines: &[(Engine, Vec<Bin>)]) -> Figure {
    let axis = |label| Axis::linear(label).within(0.0, 1.0);
    let mut plot =
        Plot::new("How often stated parents are right", axis("stated certainty"), axis("share right"));
    plot.diagonal = true;
    for (at, (engine, bins)) in engines.iter().enumerate() {
        // Two standard errors of a share; bins of a handful of statements say nothing.
        let point = |bin: &Bin| {
            let error = 2.0 * (bin.right * (1.0 - bin.right) / bin.count).sqrt();
            let spread = Some(((bin.right - error).max(0.0), (bin.right + error).min(1.0)));
            Point { x: bin.certainty, y: bin.right, spread }
        };
        let points = bins.iter().filter(|bin| bin.count >= 20.0).map(point).collect();
        plot.lines.push(Line::new(engine.name(), LineStyle::numbered(at, true), points));
    }
    plot.figure(NAME, "Share of right parents against their stated certainty")
}

/// How often the truth was in each bin.
fn counts(rows: &[SbcRow], engine: Engine, of: fn(&SbcRow) -> usize) -> Vec<f64> {
    let mut counts = vec![0.0; BINS];
    rows.iter().filter(|row| row.engine == engine).for_each(|row| counts[of(row)] += 1.0);
    counts
}

fn histogram(rows: &[SbcRow]) -> Figure {
    let title = "Ranks of the truth among draws from the belief";
    let x = Axis::linear(&format!("tenth of {DRAWS} draws, from the least agreeing"));
    let mut plot = Plot::new(title, x, Axis::linear("worlds"));
    plot.groups = (1..=BINS).map(|bin| bin.to_string()).collect();
    for engine in Engine::ALL {
        let counts = counts(rows, engine, |row| row.likelihood);
        plot.guides = vec![(counts.iter().sum::<f64>() / BINS as f64, "even".to_owned())];
        let bars = counts.into_iter().map(|count| Some(Point::new(0.0, count))).collect();
        plot.series.push((engine.name().to_owned(), bars));
    }
    plot.figure(SBC, "Ranks of the truth, for each engine")
}

fn evenness(rows: &[SbcRow]) -> String {
    markdown_rows(Engine::ALL.map(|engine| {
        let p = |of: fn(&SbcRow) -> usize| {
            let counts = counts(rows, engine, of);
            let expected = counts.iter().sum::<f64>() / BINS as f64;
            let chi_square = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
            let p = chi_square_tail(chi_square, BINS - 1);
            if p < 1e-4 { "below 0.0001".to_owned() } else { format!("{p:.4}") }
        };
        let worlds = rows.iter().filter(|row| row.engine == engine).count();
        [engine.name().to_owned(), worlds.to_string(), p(|row| row.likelihood), p(|row| row.depths)]
    }))
}
