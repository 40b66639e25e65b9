//! Whether the engine distinguishes people who differ from too few votes, without being told anything about them.

use grove_belief::{
    Belief, Calibration, Certainties, Ensemble, EnsembleSettings, Evidence, Report, ReportOptions, Settings,
    Strategy, WorkerVerdict,
};
use grove_sim::{Crowd, CrowdSpec, Dataset, Habit, Interview, Schedule};
use grove_tree::{Concept, Tree};

use crate::prelude::*;
use crate::reliability::{Bin, Stated, bins, calibration_error, stated};

const NAME: &str = "dissent";
const CALIBRATION: &str = "dissent-calibration";

const SETS: [Dataset; 2] = [Dataset::Food, Dataset::BodyParts];
const PEOPLE: usize = 30;
const STRAIGHT_LINERS: f64 = 0.15;

/// Votes of a run, and of a run for calibration.
const VOTES: usize = 1_500;
const FEW_VOTES: usize = 600;
/// Votes between two comparisons with the truth.
const EVERY: usize = 25;
/// The votes of a person of whom it can be said whether they read.
const ENOUGH: usize = 20;

/// More likely than not.
const DIFFER_ABOVE: f64 = 0.5;

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let measures = &[
        "reached",
        "auc",
        "apart",
        "apart_named",
        "nested",
        "nested_named",
        "undivided",
        "called",
        "errors",
    ];
    let mut places = Study::new(NAME, &["set"], measures);
    for &set in size.pick(&SETS[..1], &SETS) {
        let votes = size.pick(EVERY, VOTES);
        places.add(&[&set.name()], seed..seed + size.pick(1, 20), move |seed| places_found(set, votes, seed));
    }
    let measures = &[
        "statements",
        "certainty",
        "right",
        "agreed_certainty",
        "agreed_right",
        "divided_certainty",
        "divided_right",
        "careless",
        "named",
        "caught",
    ];
    let mut calibration = Study::new(CALIBRATION, &["set"], measures);
    let (set, votes) = (Dataset::Food, size.pick(EVERY, FEW_VOTES));
    calibration.add(&[&set.name()], seed..seed + size.pick(1, 100), move |seed| statements(set, votes, seed));
    vec![places, calibration]
}

/// A belief that knows nothing of its people, and the people.
struct Run {
    belief: Ensemble,
    crowd: Crowd,
    rng: ChaCha8Rng,
}

impl Run {
    fn new(set: Dataset, seed: u64) -> Result<Self, Error> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let careless = STRAIGHT_LINERS / 2.0;
        let spec = CrowdSpec { always_yes: careless, always_no: careless, ..CrowdSpec::open(PEOPLE) };
        let crowd = Crowd::gather(&spec, &set.shares(), &mut rng)?;
        let evidence = Evidence::new(set.tree().names().len(), Settings::default())?;
        let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(evidence.count()) };
        Ok(Self { belief: Ensemble::new(evidence, settings)?, crowd, rng })
    }

    fn ask(&mut self, truth: &Tree, votes: usize) -> Result<Curve, Error> {
        let Self { belief, crowd, rng } = self;
        let mut interview = Interview { belief, crowd, strategy: Strategy::Gain };
        let course = interview.settle(truth, Schedule::every(EVERY, votes), rng)?;
        Ok(Curve::new(course.curve.iter().map(|&(votes, auc)| (votes as f64, auc))))
    }
}

/// Whether the places of divided concepts are named, and how many undivided ones are called divided.
fn places_found(set: Dataset, votes: usize, seed: u64) -> Result<Vec<String>, Error> {
    let named_truth = set.tree();
    let truth = named_truth.tree();
    let mut run = Run::new(set, seed)?;
    let curve = run.ask(truth, votes)?;
    let (refined, held) = (run.belief.refined(), run.crowd.truth_shares());
    let [mut apart, mut nested] = [(0, 0); 2];
    let (mut undivided, mut called, mut errors) = (0, 0, Vec::new());
    for child in Concept::all(truth.len()) {
        let planted: Vec<Concept> = held.parents(child).iter().map(|place| place.0).collect();
        let (chance, places) = refined.places(child);
        let differ = chance > DIFFER_ABOVE;
        let &[one, other] = planted.as_slice() else {
            undivided += 1;
            called += usize::from(differ);
            continue;
        };
        let named = differ && places.iter().all(|place| planted.contains(&place.parent));
        // Where one place is above the other, a single pair tells them apart.
        let is_apart =
            ![(one, other), (other, one)].iter().any(|&(upper, lower)| truth.is_above(upper, lower));
        let count = if is_apart { &mut apart } else { &mut nested };
        *count = (count.0 + 1, count.1 + usize::from(named));
        if named && is_apart {
            errors.push((places[0].share - held.parent(places[0].parent, child)).abs());
        }
    }
    let reached = curve.0.iter().find(|point| point.1 >= 0.97).map(|point| point.0);
    let counts = [apart.0, apart.1, nested.0, nested.1, undivided, called].map(|count| count.to_string());
    let auc = Certainties::of(&refined)?.edge_auc(truth).unwrap_or(1.0);
    let errors = Curve::new((0_u32..).zip(errors)).to_string();
    let first = [or_empty(reached), format!("{auc:.5}")];
    Ok(first.into_iter().chain(counts).chain([errors]).collect())
}

/// Whether a parent that is reported with certainty p is the one that a share p of the crowd has in mind, for concepts on which people agree and for those
/// that divide them; and who of those who do not read are found: how many there are, are named, and are named correctly.
fn statements(set: Dataset, votes: usize, seed: u64) -> Result<Vec<String>, Error> {
    let mut run = Run::new(set, seed)?;
    run.ask(set.tree().tree(), votes)?;
    let refined = run.belief.refined();
    let people = run.crowd.people();
    let (shares, held) = (set.shares(), run.crowd.truth_shares());
    let mut calibration = Calibration::new();
    // The certainty and the share right, of concepts on which people agree and of those that divide them.
    let [mut agreed, mut divided] = [Vec::new(), Vec::new()];
    for child in Concept::all(refined.evidence().count()) {
        let (parent, certainty) = refined.parents(child)[0];
        people.iter().for_each(|person| calibration.add(certainty, person.tree().parent(child) == parent));
        let group = if shares.parents(child).len() > 1 { &mut divided } else { &mut agreed };
        group.push([certainty, held.parent(parent, child)]);
    }
    let report = Report::of(&run.belief, &ReportOptions::default());
    let [mut careless, mut named, mut caught] = [0; 3];
    for worker in report.workers.iter().filter(|worker| worker.votes.yes + worker.votes.no >= ENOUGH) {
        let habit = people[worker.worker.index()].habit();
        let is_careless = matches!(habit, Habit::AlwaysYes | Habit::AlwaysNo);
        let is_named = worker.verdict == WorkerVerdict::Straightliner;
        careless += u32::from(is_careless);
        named += u32::from(is_named);
        caught += u32::from(is_careless && is_named);
    }
    let mean_of =
        |group: &[[f64; 2]], at: usize| mean(group.iter().map(|stated| stated[at])).unwrap_or_default();
    let means = [&agreed, &divided].into_iter().flat_map(|group| [0, 1].map(|at| mean_of(group, at)));
    let means = means.map(|mean| format!("{mean:.5}"));
    let found = [careless, named, caught].map(|count| count.to_string());
    Ok(stated(&calibration).into_iter().chain(means).chain(found).collect())
}

#[derive(Deserialize)]
struct Row {
    set: String,
    reached: Option<f64>,
    auc: f64,
    apart: f64,
    apart_named: f64,
    nested: f64,
    nested_named: f64,
    undivided: f64,
    called: f64,
    errors: Curve,
}

#[derive(Deserialize)]
struct CalibrationRow {
    #[serde(flatten)]
    stated: Stated,
    agreed_certainty: f64,
    agreed_right: f64,
    divided_certainty: f64,
    divided_right: f64,
    careless: f64,
    named: f64,
    caught: f64,
}

#[derive(Template)]
#[template(path = "dissent.md", escape = "none")]
struct Page {
    places: String,
    runs: usize,
    error: String,
    agreed: [String; 2],
    divided: [String; 2],
    recall: String,
    precision: String,
    figure: Figure,
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let (table, calibration) = (tables.read::<Row>(NAME)?, tables.read::<CalibrationRow>(CALIBRATION)?);
    let mut places = Vec::new();
    let mut summary = Vec::new();
    for set in distinct(table.rows.iter().map(|row| row.set.as_str())) {
        let rows = || table.rows.iter().filter(|row| row.set == set);
        let sum = |of: fn(&Row) -> f64| rows().map(of).sum::<f64>();
        let part = |some: f64, all: f64| {
            if all > 0.0 {
                format!("{some:.0} of {all:.0} ({:.0} %)", 100.0 * some / all)
            } else {
                "-".to_owned()
            }
        };
        let errors = || rows().flat_map(|row| row.errors.0.iter().map(|error| error.1));
        let named = part(sum(|row| row.apart_named), sum(|row| row.apart));
        places.push([
            set.replace('_', " "),
            rows().count().to_string(),
            named.clone(),
            digits(median(errors()), 3),
            digits(quantile(errors(), 0.9), 3),
            part(sum(|row| row.nested_named), sum(|row| row.nested)),
            part(sum(|row| row.called), sum(|row| row.undivided)),
            digits(median_reached(rows().map(|row| row.reached)), 0),
            digits(mean(rows().map(|row| row.auc)), 3),
        ]);
        let what = format!("both places of a divided concept named, {}", set.replace('_', " "));
        summary.push(summary_row(what, "shown for tomato, ear and wrist", named));
    }
    let rows = &calibration.rows;
    let bins = bins(rows.iter().map(|row| &row.stated));
    let sum = |of: fn(&CalibrationRow) -> f64| rows.iter().map(of).sum::<f64>();
    let [careless, named, caught] = [sum(|row| row.careless), sum(|row| row.named), sum(|row| row.caught)];
    let of_runs = |of: fn(&CalibrationRow) -> f64| digits(mean(rows.iter().map(of)), 2);
    let share = |all: f64| digits((all > 0.0).then(|| caught / all), 2);
    let axis = |label| Axis::linear(label).within(0.0, 1.0);
    let mut plot =
        Plot::new("Parents that people have in mind", axis("stated certainty"), axis("share right"));
    plot.diagonal = true;
    let enough = |bin: &&Bin| bin.count >= (20 * PEOPLE) as f64;
    let points = bins.iter().filter(enough).map(|bin| Point::new(bin.certainty, bin.right));
    plot.lines.push(Line::new("ensemble", LineStyle::numbered(0, true), points.collect()));
    let figure =
        plot.figure(CALIBRATION, "Share of people who hold the reported parent against its certainty");
    let error = digits(calibration_error(&bins), 3);
    let what = "expected calibration error of reported parents, nothing told, three foods divided";
    summary.push(summary_row(what, "-", error.clone()));
    let page = Page {
        places: markdown_rows(places),
        runs: rows.len(),
        error,
        agreed: [of_runs(|row| row.agreed_certainty), of_runs(|row| row.agreed_right)],
        divided: [of_runs(|row| row.divided_certainty), of_runs(|row| row.divided_right)],
        recall: share(careless),
        precision: share(named),
        figure: figure.clone(),
    };
    Ok(Section::new(&page, vec![figure], summary, &[table.origin, calibration.origin]))
}
