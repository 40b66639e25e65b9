//! Grove beside CASCADE and DELUGE (section 4.3 of the paper), on 33 labels with 100 items under them.

mod benchmark;
mod cascade;
mod deluge;
mod grove;
mod nesting;

use grove_sim::CrowdSpec;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::curves::line;
use crate::experiment::Tables;
use crate::markdown::{MarkdownTable, digits, thousands};
use crate::plot::{Axis, Chart, Line, Look, Point};
use crate::report::{Figure, Section};
use crate::statistics::reaches_for_good;
use crate::study::{Cell, Size, Study};
use crate::table::{Table, pack};
use crate::{Error, Experiment};
use benchmark::{Agreement, Benchmark, PEOPLE};
use grove::Told;

const NAME: &str = "rivals";

/// Votes at which the rivals are measured, and among them the paper's.
const MARKS: [usize; 8] = [400, 800, 1_600, 3_200, 6_000, 12_000, 24_000, 49_500];
const PAPER: [usize; 3] = [1_600, 6_000, 49_500];

/// What Grove is to reach.
const WANTED: f64 = 0.97;

/// How far other labels' votes count in DELUGE.
const CORRELATIONS: [f64; 3] = [0.0, 0.3, 1.0];

/// Who answers: the last are open workers who do not all agree where items and labels belong.
const NOISES: [&str; 4] = ["open", "qualified", "perfect", DIVIDED];
const DIVIDED: &str = "open, divided";

fn crowd(noise: &str) -> Result<CrowdSpec, Error> {
    Ok(match noise {
        "open" | DIVIDED => CrowdSpec::open(PEOPLE),
        "qualified" => CrowdSpec::qualified(PEOPLE),
        _ => CrowdSpec::one_rate(PEOPLE, 0.0)?,
    })
}

#[derive(Clone, Copy)]
enum System {
    Cascade,
    Deluge(f64),
    Grove(Told),
}

impl System {
    fn name(self) -> String {
        match self {
            Self::Cascade => "cascade".to_owned(),
            Self::Deluge(correlation) => format!("deluge {correlation}"),
            Self::Grove(Told::Nothing) => "grove, nothing told".to_owned(),
            Self::Grove(Told::Rates) => "grove, rates told".to_owned(),
        }
    }

    fn all() -> Vec<Self> {
        let mut all = vec![Self::Grove(Told::Nothing), Self::Grove(Told::Rates), Self::Cascade];
        all.extend(CORRELATIONS.map(Self::Deluge));
        all
    }
}

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut cells = Vec::new();
    for system in System::all() {
        for noise in size.pick(&NOISES[..1], &NOISES[..]) {
            for seed in seed..seed + size.pick(1, runs(system, noise)) {
                let settings = vec![system.name(), (*noise).to_owned()];
                cells.push(Cell::new(settings, seed, move || measure(system, noise, seed, size)));
            }
        }
    }
    let measures = &["curve", "soft_curve"];
    vec![Study { name: NAME, settings: &["system", "noise"], measures, cells, alone: false }]
}

/// Grove takes a minute a run, and the rivals a second.
fn runs(system: System, noise: &str) -> u64 {
    match (system, noise) {
        (System::Grove(Told::Nothing), "open") => 4,
        (System::Grove(Told::Rates), "open") => 3,
        (System::Grove(_), "qualified") | (System::Grove(Told::Nothing), DIVIDED) => 2,
        (System::Grove(_), _) => 1,
        _ => 10,
    }
}

fn measure(system: System, noise: &str, seed: u64, size: Size) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let spec = crowd(noise)?;
    let agreement = if noise == DIVIDED { Agreement::Divided } else { Agreement::Full };
    let mut benchmark = Benchmark::new(&spec, agreement, &mut rng)?;
    let marks = size.pick(&MARKS[..3], &MARKS[..]);
    let (mut curve, mut soft) = (Vec::new(), Vec::new());
    match system {
        System::Cascade => curve = cascade::run(&mut benchmark, marks, &mut rng)?,
        System::Deluge(correlation) => {
            for (votes, [decided, as_chances]) in deluge::run(&mut benchmark, correlation, marks, &mut rng)? {
                curve.push((votes, decided));
                soft.push((votes, as_chances));
            }
        }
        System::Grove(told) => {
            let (chosen, later) = size.pick((100, &[][..]), (PAPER[0], &PAPER[1..]));
            curve = grove::run(&mut benchmark, &spec, told, chosen, later, seed, &mut rng)?;
        }
    }
    Ok(vec![pack(curve), pack(soft)])
}

pub(crate) fn tell(tables: &Tables) -> Result<Section, Error> {
    let table = tables.read(NAME)?;
    let mut text = String::from(WHAT);
    let mut figures = Vec::new();
    for noise in table.values("noise").iter().filter(|noise| *noise != "perfect") {
        curves(&table, noise)?.show(&mut text, &mut figures);
    }
    text.push_str(&format!("\n{}\n{}\n{WHY}", aucs(&table)?, verdict(&table)?));
    Section::new(Experiment::Rivals, "Beside CASCADE and DELUGE", &[&table], text, figures, summary(&table)?)
}

const WHAT: &str = "\
The paper compares on 33 FIGER labels with WordNet as the truth and 100 items; neither the labels nor the 49,500 votes are public. This stand-in takes 33 FIGER \
labels in WordNet's order (`data/figer33.tsv`), 100 items of which every label has one at least, and 60 simulated people with rates of their own around \
.83/.20 (open: yes to true and to false statements), .94/.05 (qualified) or 1/0 (perfect); \"divided\" are open workers of whom four in ten place three labels, and three items in ten, \
elsewhere. The same people answer \"is ITEM a kind of LABEL\" for the rivals and \"is LABEL a kind of \
LABEL\" for Grove. CASCADE gives every pair of item and label the same number of votes; DELUGE chooses by information gain, learns people's rates and how labels \
go together; both nest a label in the smallest larger one that holds over 75 % of its items. DELUGE was run with three strengths of label correlation, with labels decided \
or kept as probabilities, and every number below is the best of these six. Grove chooses its first 1,600 votes one by one; later \
ones are spread evenly over all pairs.\n";

const WHY: &str = "\
Why Grove needs fewer: 33 labels have 1,056 ordered pairs and one answer about a pair says something about all that is above and below, whereas the rivals must \
first settle 3,300 pairs of item and label, and learn about the hierarchy only what 100 items happen to show: a label with three items is contained by accident as easily as by \
nature. What the stand-in cannot show: how the real labels, items and people of 2013 behaved. Simulated people err independently, so that fifteen votes on every pair wash \
nearly all errors out, and DELUGE and CASCADE end far above the 0.82 of the paper's DELUGE; real people err together on the same confusing pairs, and real items are of labels in ways that no tree holds. \
People who divide over items show a little of that.\n";

/// The curves of a system under a noise: DELUGE's are of all its parameters.
fn candidates(table: &Table, system: &str, noise: &str) -> Result<Vec<Line>, Error> {
    let names: Vec<String> = match system {
        "deluge" => CORRELATIONS.map(|correlation| System::Deluge(correlation).name()).to_vec(),
        other => vec![other.to_owned()],
    };
    let mut lines = Vec::new();
    for name in names {
        let rows = table.find(&[("system", &name), ("noise", noise)]);
        for column in ["curve", "soft_curve"] {
            let line = line(system, Look::default(), &rows, column)?;
            lines.extend((!line.points.is_empty()).then_some(line));
        }
    }
    Ok(lines)
}

/// The best of a system's parameters at every number of votes.
fn best(table: &Table, system: &str, noise: &str) -> Result<Vec<Point>, Error> {
    let lines = candidates(table, system, noise)?;
    let xs: Vec<f64> =
        lines.first().map_or_else(Vec::new, |line| line.points.iter().map(|point| point.x).collect());
    let at = |x: f64| {
        let points = lines.iter().filter_map(|line| line.points.iter().find(|point| point.x == x));
        points.copied().max_by(|a, b| a.y.total_cmp(&b.y))
    };
    Ok(xs.into_iter().filter_map(at).collect())
}

const SYSTEMS: [(&str, &str); 4] = [
    ("grove, nothing told", "Grove, nothing told"),
    ("grove, rates told", "Grove, rates told"),
    ("deluge", "DELUGE, best"),
    ("cascade", "CASCADE"),
];

fn curves(table: &Table, noise: &str) -> Result<Figure, Error> {
    let title = format!("33 labels, {noise} workers");
    let mut chart = Chart::new(
        &title,
        Axis::log("votes").within(100.0, 50_000.0),
        Axis::linear("AUC of the edges").within(0.4, 1.0),
    );
    chart.guides.push((WANTED, format!("AUC {WANTED}")));
    for (colour, (system, name)) in SYSTEMS.iter().enumerate() {
        let mut points = best(table, system, noise)?;
        points.retain(|point| point.x >= 100.0);
        let look = Look { colour, dash: colour, marks: true };
        chart.lines.push(Line { name: (*name).to_owned(), look, points });
    }
    let point = |(x, y)| Point { x, y, spread: None };
    let paper = [
        ("the paper's system", 4, vec![(1_600.0, 0.82), (6_000.0, 0.97)]),
        ("the paper's DELUGE", 5, vec![(1_600.0, 0.79), (49_500.0, 0.82)]),
    ];
    for (name, colour, points) in paper {
        let look = Look { colour, dash: 2, marks: true };
        chart.lines.push(Line {
            name: name.to_owned(),
            look,
            points: points.into_iter().map(point).collect(),
        });
    }
    let file = format!("{NAME}-{}", noise.replace(", ", "-"));
    Ok(Figure::new(file, format!("AUC against votes, {title}"), chart.svg()))
}

fn aucs(table: &Table) -> Result<String, Error> {
    let mut out = MarkdownTable::new(&[
        "workers",
        "system",
        "1,600 votes",
        "6,000 votes",
        "49,500 votes",
        "votes to AUC 0.97",
    ]);
    for noise in table.values("noise") {
        for (system, name) in SYSTEMS {
            let points = best(table, system, &noise)?;
            let at = |votes: usize| points.iter().find(|point| point.x == votes as f64);
            let cell = |votes: usize| match at(votes) {
                Some(Point { y, spread: Some((low, high)), .. }) => format!("{y:.3} ({low:.3} to {high:.3})"),
                other => digits(other.map(|point| point.y), 3),
            };
            let [first, second, third] = PAPER.map(cell);
            let curve: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.y)).collect();
            let reached =
                reaches_for_good(&curve, WANTED).map_or_else(|| "not reached".to_owned(), thousands);
            out.row(&[noise.as_str(), name, &first, &second, &third, &reached]);
        }
    }
    out.row(&["the paper's", "the paper's system", "0.82", "0.97", "-", "6,000"]);
    out.row(&["the paper's", "DELUGE", "0.79", "-", "0.82", "not reached"]);
    Ok(format!("Mean AUC, and the middle 80 % of runs:\n\n{}", out.text()))
}

/// Whether Grove reaches what is wanted with 1,600 votes of open workers, and whether DELUGE with 49,500 is below that.
fn verdict(table: &Table) -> Result<String, Error> {
    let mut text = String::new();
    for noise in ["open", DIVIDED] {
        let at = |system, votes: usize| -> Result<Option<f64>, Error> {
            Ok(best(table, system, noise)?.iter().find(|point| point.x == votes as f64).map(|point| point.y))
        };
        let (Some(grove), Some(deluge)) = (at(SYSTEMS[0].0, PAPER[0])?, at("deluge", PAPER[2])?) else {
            continue;
        };
        let votes = |system: &str| -> Result<Option<f64>, Error> {
            let curve: Vec<(f64, f64)> =
                best(table, system, noise)?.iter().map(|point| (point.x, point.y)).collect();
            Ok(reaches_for_good(&curve, WANTED))
        };
        let (ours, theirs) = (votes(SYSTEMS[0].0)?, votes("deluge")?);
        let words = |votes: Option<f64>| match votes {
            Some(votes) => format!("reaches {WANTED} after {} votes", thousands(votes)),
            None => format!("does not reach {WANTED}"),
        };
        text.push_str(&format!(
            "* {noise} workers: {}. Grove, nothing told, {} (AUC {grove:.3} after 1,600). DELUGE, its parameters chosen with hindsight, {}, and has {deluge:.3} after 49,500{}.\n",
            match (grove >= WANTED, deluge < WANTED) {
                (true, true) => "met, Grove reaches with 1,600 votes what DELUGE does not with 49,500",
                (true, false) => "met in part, Grove reaches it with 1,600 votes, and DELUGE does too in the end",
                (false, _) => "missed",
            },
            words(ours),
            words(theirs),
            match (ours, theirs) {
                (Some(ours), Some(theirs)) => format!(": {:.0} times the votes", theirs / ours),
                _ => String::new(),
            }
        ));
    }
    Ok(text)
}

fn summary(table: &Table) -> Result<Vec<[String; 3]>, Error> {
    let at = |system: &str, votes: usize| -> Result<String, Error> {
        let points = best(table, system, "open")?;
        Ok(digits(points.iter().find(|point| point.x == votes as f64).map(|point| point.y), 3))
    };
    let of = |system: &str| -> Result<String, Error> {
        let [first, second, third] = PAPER.map(|votes| at(system, votes));
        Ok(format!("{}, {}, {}", first?, second?, third?))
    };
    Ok(vec![
        [
            "AUC of 33 labels at 1,600, 6,000 and 49,500 votes of open workers".to_owned(),
            "0.82, 0.97, -".to_owned(),
            format!("{}, nothing told", of(SYSTEMS[0].0)?),
        ],
        ["the same, DELUGE".to_owned(), "0.79, -, 0.82".to_owned(), of("deluge")?],
        ["the same, CASCADE".to_owned(), "-".to_owned(), of("cascade")?],
    ])
}
