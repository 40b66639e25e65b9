//! A comparison with CASCADE and DELUGE (section 4.3 of the paper), on 33 labels with 100 items.

mod benchmark;
mod cascade;
mod deluge;
mod grove;
mod nesting;

use grove_belief::Settings;

use crate::prelude::*;
use benchmark::{Benchmark, PEOPLE};

const NAME: &str = "rivals";

/// The numbers of votes at which the rivals are measured, and those that the paper reports.
const MARKS: [usize; 8] = [400, 800, 1_600, 3_200, 6_000, 12_000, 24_000, 49_500];
const PAPER: [usize; 3] = [1_600, 6_000, 49_500];

/// The AUC that Grove is to reach.
const WANTED: f64 = 0.97;

/// DELUGE in the tables, and how much votes on other labels count in it.
const CORRELATIONS: [(&str, f64); 3] = [("deluge 0", 0.0), ("deluge 0.3", 0.3), ("deluge 1", 1.0)];

/// The crowds; the last are open workers who disagree where some items and labels belong.
const NOISES: [&str; 4] = ["open", "qualified", "perfect", DIVIDED];
const DIVIDED: &str = "open, divided";

/// The systems, and their names in the report.
const SYSTEMS: [(&str, &str); 4] = [
    (GROVE, "Grove, nothing told"),
    (GROVE_TOLD, "Grove, rates told"),
    (DELUGE, "DELUGE, best"),
    (CASCADE, "CASCADE"),
];
const GROVE: &str = "grove, nothing told";
const GROVE_TOLD: &str = "grove, rates told";
const DELUGE: &str = "deluge";
const CASCADE: &str = "cascade";

/// Grove takes a minute per run, the rivals a second.
fn runs(system: &str, noise: &str) -> u64 {
    match (system, noise) {
        (GROVE, "open") => 4,
        (GROVE_TOLD, "open") => 3,
        (GROVE | GROVE_TOLD, "qualified") | (GROVE, DIVIDED) => 2,
        (GROVE | GROVE_TOLD, _) => 1,
        _ => 10,
    }
}

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut study = Study::new(NAME, &["system", "noise"], &["curve", "soft_curve"]);
    let deluge = CORRELATIONS.map(|(name, _)| name);
    for system in [GROVE, GROVE_TOLD, CASCADE].into_iter().chain(deluge) {
        for noise in size.pick(&NOISES[..1], &NOISES) {
            let seeds = seed..seed + size.pick(1, runs(system, noise));
            study.add(&[&system, noise], seeds, move |seed| measure(system, noise, seed, size));
        }
    }
    vec![study]
}

fn measure(system: &str, noise: &str, seed: u64, size: Size) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let spec = crowd_named(noise, PEOPLE)?;
    let mut benchmark = Benchmark::new(&spec, noise == DIVIDED, &mut rng)?;
    let marks = size.pick(&MARKS[..3], &MARKS);
    let mut soft = Curve::default();
    let deluge = CORRELATIONS.into_iter().find(|(name, _)| *name == system);
    let curve = if let Some((_, correlation)) = deluge {
        let curve = deluge::run(&mut benchmark, correlation, marks, &mut rng)?;
        soft = Curve::new(curve.iter().map(|&(votes, [_, soft])| (votes, soft)));
        Curve::new(curve.into_iter().map(|(votes, [decided, _])| (votes, decided)))
    } else if system == CASCADE {
        cascade::run(&mut benchmark, marks, &mut rng)?
    } else {
        let (chosen, later) = size.pick((100, &[][..]), (PAPER[0], &PAPER[1..]));
        let told = system == GROVE_TOLD;
        let settings = if told { grove::known_rates(&spec)? } else { Settings::default() };
        grove::run(&mut benchmark, settings, chosen, later, seed, &mut rng)?
    };
    Ok(vec![curve.to_string(), soft.to_string()])
}

#[derive(Deserialize)]
struct Row {
    system: String,
    noise: String,
    curve: Curve,
    soft_curve: Curve,
}

#[derive(Template)]
#[template(path = "rivals.md", escape = "none")]
struct Page<'a> {
    figures: &'a [Figure],
    aucs: String,
    verdicts: Vec<Verdict>,
}

/// Whether Grove reaches the wanted AUC with 1,600 votes, and whether DELUGE is still below with 49,500.
struct Verdict {
    noise: &'static str,
    grove: f64,
    deluge: f64,
    grove_reached: Option<f64>,
    deluge_reached: Option<f64>,
}

impl Verdict {
    fn of(rows: &[Row], noise: &'static str) -> Option<Self> {
        let (grove, deluge) = (Best::of(rows, GROVE, noise), Best::of(rows, DELUGE, noise));
        Some(Self {
            noise,
            grove: grove.at(PAPER[0])?.y,
            deluge: deluge.at(PAPER[2])?.y,
            grove_reached: grove.reaches(),
            deluge_reached: deluge.reaches(),
        })
    }

    fn reached(&self, votes: &Option<f64>) -> String {
        match votes {
            Some(votes) => format!("reaches {WANTED} after {} votes", thousands(*votes)),
            None => format!("does not reach {WANTED}"),
        }
    }

    /// How many times the votes DELUGE needs.
    fn ratio(&self) -> Option<String> {
        Some(format!("{:.0}", self.deluge_reached? / self.grove_reached?))
    }
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let table = tables.read::<Row>(NAME)?;
    let rows = &table.rows;
    let noises = distinct(rows.iter().map(|row| row.noise.as_str()));
    let figures: Vec<Figure> =
        noises.iter().filter(|noise| **noise != "perfect").map(|noise| curves(rows, noise)).collect();
    let aucs = noises.iter().flat_map(|noise| {
        SYSTEMS.map(|(system, name)| {
            let best = Best::of(rows, system, noise);
            let [first, second, third] = PAPER.map(|votes| match best.at(votes) {
                Some(Point { y, spread: Some((low, high)), .. }) => format!("{y:.3} ({low:.3} to {high:.3})"),
                other => digits(other.map(|point| point.y), 3),
            });
            let reached = best.reaches().unwrap_or(f64::INFINITY);
            [(*noise).to_owned(), name.to_owned(), first, second, third, digits(Some(reached), 0)]
        })
    });
    let verdicts = ["open", DIVIDED].into_iter().filter_map(|noise| Verdict::of(rows, noise)).collect();
    let page = Page { figures: &figures, aucs: markdown_rows(aucs), verdicts };
    let open = |system: &str| {
        let best = Best::of(rows, system, "open");
        list(PAPER.map(|votes| digits(best.at(votes).map(|point| point.y), 3)))
    };
    let what = "AUC of 33 labels at 1,600, 6,000 and 49,500 votes of open workers";
    let summary = vec![
        summary_row(what, "0.82, 0.97, -", format!("{}, nothing told", open(GROVE))),
        summary_row("the same, DELUGE", "0.79, -, 0.82", open(DELUGE)),
        summary_row("the same, CASCADE", "-", open(CASCADE)),
    ];
    Ok(Section::new(&page, figures.clone(), summary, &[table.origin]))
}

/// The best of a system's parameters at every number of votes.
struct Best(Vec<Point>);

impl Best {
    fn of(rows: &[Row], system: &str, noise: &str) -> Self {
        let names = if system == DELUGE { CORRELATIONS.map(|(name, _)| name).to_vec() } else { vec![system] };
        let mut lines = Vec::new();
        for name in names {
            let rows = || rows.iter().filter(|row| row.system == name && row.noise == noise);
            let style = LineStyle::default();
            lines.push(Line::mean(system, style, rows().map(|row| &row.curve)));
            lines.push(Line::mean(system, style, rows().map(|row| &row.soft_curve)));
        }
        lines.retain(|line| !line.points.is_empty());
        let xs = lines.first().map_or(&[][..], |line| &line.points).iter().map(|point| point.x);
        let at = |x: f64| {
            let points = lines.iter().filter_map(|line| line.points.iter().find(|point| point.x == x));
            points.copied().max_by(|a, b| a.y.total_cmp(&b.y))
        };
        Self(xs.filter_map(at).collect())
    }

    fn at(&self, votes: usize) -> Option<&Point> {
        self.0.iter().find(|point| point.x == votes as f64)
    }

    /// The votes after which the wanted AUC is reached for good.
    fn reaches(&self) -> Option<f64> {
        Curve::new(self.0.iter().map(|point| (point.x, point.y))).reaches_for_good(WANTED)
    }
}

fn curves(rows: &[Row], noise: &str) -> Figure {
    let title = format!("33 labels, {noise} workers");
    let x = Axis::log("votes").within(100.0, 50_000.0);
    let mut plot = Plot::new(&title, x, Axis::linear("AUC of the edges").within(0.4, 1.0));
    plot.guides.push((WANTED, format!("AUC {WANTED}")));
    for (at, (system, name)) in SYSTEMS.into_iter().enumerate() {
        let mut points = Best::of(rows, system, noise).0;
        points.retain(|point| point.x >= 100.0);
        plot.lines.push(Line::new(name, LineStyle::numbered(at, true), points));
    }
    let paper = [
        ("the paper's system", [(1_600.0, 0.82), (6_000.0, 0.97)]),
        ("the paper's DELUGE", [(1_600.0, 0.79), (49_500.0, 0.82)]),
    ];
    for (colour, (name, points)) in (4..).zip(paper) {
        let points = points.map(|(x, y)| Point::new(x, y)).to_vec();
        plot.lines.push(Line::new(name, LineStyle { colour, dash: 2, marks: true }, points));
    }
    plot.figure(format!("{NAME}-{}", noise.replace(", ", "-")), format!("AUC against votes, {title}"))
}
