//! What a language model saves, and what a useless one costs: people's votes until a hierarchy is known.

use grove_belief::{
    Answer, Belief, Calibration, Ensemble, EnsembleSettings, Evidence, Question, Settings, SoftBand,
    Strategy, Vote, Worker, choose, soft_vote,
};
use grove_sim::{Crowd, CrowdSpec, Dataset, Shares};
use grove_tree::{Concept, Tree};
use rand::RngExt;

use crate::prelude::*;
use crate::reliability::{Stated, bins, calibration_error, stated, together};

const NAME: &str = "models";
const CALIBRATION: &str = "models-calibration";

const PEOPLE: usize = 30;
/// How often the model errs about concepts at the top and about the deepest ones.
const TOP_ERROR: f64 = 0.05;
const LEAF_ERROR: f64 = 0.25;
/// How overconfident it is: the log-odds of its probabilities are multiplied by this.
const TEMPERATURE: f64 = 2.0;

/// The AUC to reach, and votes of people between two comparisons with the truth.
const WANTED: f64 = 0.97;
const EVERY: usize = 10;
/// People's votes before certainties are compared with the truth: while most is open, and when much is known.
const STATED_AFTER: [usize; 2] = [150, 600];

/// The combinations of people and models that answer.
const ALONE: &str = "people";
const MODEL: &str = "people and a model";
const COIN: &str = "people and a coin";

/// The hierarchies, with the most votes of people.
const SETS: [(Dataset, usize); 2] = [(Dataset::Food, 1_200), (Dataset::KitchenUtensils, 2_400)];

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut votes = Study::new(NAME, &["set", "who"], &["reached", "votes", "model_votes", "curve"]);
    let measures = &["statements", "certainty", "right"];
    let mut calibration = Study::new(CALIBRATION, &["set", "votes"], measures);
    let sets = size.pick(&SETS[..1], &SETS);
    for &(set, most) in sets {
        let (most, seeds) = (size.pick(20, most), seed..seed + size.pick(1, 20));
        let limit = size.pick(30, usize::MAX);
        for who in [ALONE, MODEL, COIN] {
            let cell = move |seed| until_known(set, who, most, limit, seed);
            votes.add(&[&set.name(), &who], seeds.clone(), cell);
        }
        for &votes in size.pick(&[20][..], &STATED_AFTER) {
            let seeds = seeds.clone();
            calibration.add(&[&set.name(), &votes], seeds, move |seed| statements(set, votes, limit, seed));
        }
    }
    vec![votes, calibration]
}

/// A language model that knows a hierarchy, errs the more the deeper a concept is, and exaggerates how sure it is.
struct Model<'a> {
    truth: &'a Tree,
    deepest: f64,
    is_coin: bool,
}

impl<'a> Model<'a> {
    fn new(truth: &'a Tree, is_coin: bool) -> Self {
        let deepest = Concept::all(truth.len()).map(|concept| depth(truth, concept)).max();
        let deepest = deepest.unwrap_or(1).max(1) as f64;
        Self { truth, deepest, is_coin }
    }

    /// P(yes) as the model says it.
    fn says(&self, question: Question, rng: &mut ChaCha8Rng) -> f64 {
        let share = depth(self.truth, question.lower) as f64 / self.deepest;
        let error = TOP_ERROR + (LEAF_ERROR - TOP_ERROR) * share;
        // A coin claims to know as much.
        let errs = rng.random_bool(if self.is_coin { 0.5 } else { error });
        let says_yes = self.truth.is_above(question.upper, question.lower) != errs;
        let odds = ((1.0 - error) / error).powf(TEMPERATURE);
        let sure = odds / (1.0 + odds);
        if says_yes { sure } else { 1.0 - sure }
    }
}

fn depth(tree: &Tree, concept: Concept) -> usize {
    let mut depth = 0;
    let mut at = concept;
    while at != Concept::ROOT {
        at = tree.parent(at);
        depth += 1;
    }
    depth
}

/// A belief that knows nothing of its people, and the people. A model has answered before them.
struct Run {
    belief: Ensemble,
    crowd: Crowd,
    model_votes: usize,
    rng: ChaCha8Rng,
}

impl Run {
    /// The model is asked about every pair, as `grove ask-model` does it, up to a limit.
    fn new(truth: &Tree, who: &str, limit: usize, seed: u64) -> Result<Self, Error> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let crowd = Crowd::gather(&CrowdSpec::open(PEOPLE), &Shares::none(truth), &mut rng)?;
        let mut evidence = Evidence::new(truth.len(), Settings::default())?;
        let mut model_votes = 0;
        if who != ALONE {
            let model = Model::new(truth, who == COIN);
            SoftBand::ALL.into_iter().try_for_each(|band| evidence.declare_model(voice(band)))?;
            let all = || Concept::all(truth.len());
            let pairs = all().flat_map(|upper| all().map(move |lower| (upper, lower)));
            for question in pairs.filter_map(|(upper, lower)| Question::path(upper, lower).ok()).take(limit) {
                if let Some((band, answer)) = soft_vote([model.says(question, &mut rng)])? {
                    evidence.record(Vote { question, worker: voice(band), answer })?;
                }
                model_votes += 1;
            }
        }
        let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(truth.len()) };
        Ok(Self { belief: Ensemble::new(evidence, settings)?, crowd, model_votes, rng })
    }

    /// Asks one person the best question for them. Returns whether anything was left to ask.
    fn ask(&mut self) -> Result<bool, Error> {
        let Self { belief, crowd, rng, .. } = self;
        let person = Worker::new(rng.random_range(0..PEOPLE as u32));
        let Some(choice) = choose(belief, Strategy::Gain, person, &|_| false, rng) else { return Ok(false) };
        let question = choice.question;
        let answer: Answer = crowd.answer(person, question, rng);
        belief.record(Vote { question, worker: person, answer })?;
        Ok(true)
    }
}

/// The worker who stands for all models that are so sure.
fn voice(band: SoftBand) -> Worker {
    Worker::new((PEOPLE + band.index()) as u32)
}

/// The votes of people until the hierarchy is known.
fn until_known(set: Dataset, who: &str, most: usize, limit: usize, seed: u64) -> Result<Vec<String>, Error> {
    let named = set.tree();
    let truth = named.tree();
    let mut run = Run::new(truth, who, limit, seed)?;
    let (mut votes, mut curve, mut reached) = (0, Vec::new(), None);
    while votes < most && reached.is_none() && run.ask()? {
        votes += 1;
        if votes % EVERY == 0 {
            let auc = auc(&run.belief, truth)?;
            curve.push((votes as f64, auc));
            reached = (auc >= WANTED).then_some(votes);
        }
    }
    let counts = [or_empty(reached), votes.to_string(), run.model_votes.to_string()];
    Ok(counts.into_iter().chain([Curve::new(curve).to_string()]).collect())
}

/// Whether certainties come true with a model in.
fn statements(set: Dataset, votes: usize, limit: usize, seed: u64) -> Result<Vec<String>, Error> {
    let named = set.tree();
    let truth = named.tree();
    let mut run = Run::new(truth, MODEL, limit, seed)?;
    for _ in 0..votes {
        if !run.ask()? {
            break;
        }
    }
    let refined = run.belief.refined();
    let mut calibration = Calibration::new();
    for child in Concept::all(truth.len()) {
        let (parent, certainty) = refined.parents(child)[0];
        calibration.add(certainty, truth.parent(child) == parent);
    }
    Ok(stated(&calibration).into())
}

#[derive(Deserialize)]
struct Row {
    set: String,
    who: String,
    reached: Option<f64>,
    model_votes: f64,
    curve: Curve,
}

#[derive(Deserialize)]
struct CalibrationRow {
    set: String,
    votes: usize,
    #[serde(flatten)]
    stated: Stated,
}

#[derive(Template)]
#[template(path = "models.md", escape = "none")]
struct Page {
    rows: String,
    calibration: String,
    figure: Figure,
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let (table, calibration) = (tables.read::<Row>(NAME)?, tables.read::<CalibrationRow>(CALIBRATION)?);
    let select = |set: &str, who: &str| -> Vec<&Row> {
        table.rows.iter().filter(|row| row.set == set && row.who == who).collect()
    };
    let (mut rows, mut summary) = (Vec::new(), Vec::new());
    let sets = distinct(table.rows.iter().map(|row| row.set.as_str()));
    for &set in &sets {
        let alone = median_reached(select(set, ALONE).iter().map(|row| row.reached));
        let name = set.replace('_', " ");
        for who in [ALONE, MODEL, COIN] {
            let of_arm = select(set, who);
            let reached = median_reached(of_arm.iter().map(|row| row.reached));
            let share = match (reached, alone) {
                (Some(one), Some(other)) if one.is_finite() && other.is_finite() => {
                    format!("{:.0} %", 100.0 * one / other)
                }
                _ => "-".to_owned(),
            };
            let done = of_arm.iter().filter(|row| row.reached.is_some()).count();
            rows.push([
                name.clone(),
                who.to_owned(),
                format!("{done} of {}", of_arm.len()),
                digits(reached, 0),
                share.clone(),
                digits(median(of_arm.iter().map(|row| row.model_votes)), 0),
            ]);
            if who != ALONE {
                let what = format!("people's votes to AUC 0.97 beside people alone, {who}, {name}");
                summary.push(summary_row(what, "-", share));
            }
        }
    }
    let (stated, more) = calibration_rows(&calibration.rows);
    summary.extend(more);
    let widest = sets.last().copied().unwrap_or_default();
    let y = Axis::linear("AUC of the edges").within(0.4, 1.0);
    let mut plot = Plot::new(&widest.replace('_', " "), Axis::linear("votes of people"), y);
    for (at, who) in [ALONE, MODEL, COIN].into_iter().enumerate() {
        let of_arm = select(widest, who);
        if !of_arm.is_empty() {
            let style = LineStyle::numbered(at, false);
            plot.lines.push(Line::mean(who, style, of_arm.iter().map(|row| &row.curve)));
        }
    }
    let figure = plot.figure(NAME, format!("AUC against votes of people, {}", widest.replace('_', " ")));
    let page = Page { rows: markdown_rows(rows), calibration: markdown_rows(stated), figure: figure.clone() };
    Ok(Section::new(&page, vec![figure], summary, &[table.origin, calibration.origin]))
}

/// How far certainties are from the share that is right, by hierarchy and votes: rows for the page, and for the summary.
fn calibration_rows(rows: &[CalibrationRow]) -> (Vec<[String; 6]>, Vec<[String; 3]>) {
    let cells = distinct(rows.iter().map(|row| (row.set.as_str(), row.votes)));
    let of = |(set, votes): (&str, usize)| {
        let of_cell = rows.iter().filter(|row| row.set == set && row.votes == votes);
        let runs = of_cell.clone().count().to_string();
        let bins = bins(of_cell.map(|row| &row.stated));
        let (all, name) = (together(&bins), set.replace('_', " "));
        let error = digits(calibration_error(&bins), 3);
        let what =
            format!("expected calibration error of reported parents with a model in, {name}, {votes} votes");
        let (certainty, right) = (digits(Some(all.certainty), 2), digits(Some(all.right), 2));
        let row = [name, votes.to_string(), runs, certainty, right, error.clone()];
        (row, summary_row(what, "-", error))
    };
    cells.into_iter().map(of).unzip()
}
