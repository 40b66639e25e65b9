//! Wrong noise, straight-liners, disagreement, priors, many people at once, and several votes per question.

use grove_belief::{Noise, Prior, Rates, Settings};
use grove_sim::{CrowdSpec, Dataset};

use crate::prelude::*;

const NAME: &str = "robustness";

/// So many people that hardly anybody is asked twice; they all have the same rate anyway.
const MANY: usize = 1_000;

/// The topics, with their titles in the report.
const TOPICS: [(&str, &str); 6] = [
    ("noise", "A wrong rate of noise"),
    ("straight-liners", "People who do not read"),
    ("divided", "Questions that divide people"),
    ("priors", "Prior beliefs"),
    ("batches", "Many people at once"),
    ("votes", "Several votes on one question"),
];

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut study = Study::new(NAME, &["about", "world", "arm"], &["votes", "reached", "auc", "curve"]);
    add_arms(&mut study, size, seed).expect("every rate and penalty below is valid");
    vec![study]
}

fn add_arms(study: &mut Study, size: Size, seed: u64) -> Result<(), Error> {
    // `wanted` is the AUC to reach.
    let mut add = |about, world: &str, arm: &str, runs, wanted, trial: Trial| {
        // A quick run has the first two arms of each topic.
        let known = study.cells.iter().filter(|cell| cell.settings[0] == about).count();
        if size == Size::Quick && known == 2 {
            return;
        }
        let trial = Trial { votes: size.pick(16, trial.votes), ..trial };
        study.add(&[&about, &world, &arm], seed..seed + size.pick(1, runs), move |seed| {
            let curve = trial.run(seed)?.curve();
            let (votes, auc) = curve.last().unwrap_or_default();
            let reached = or_empty(curve.reaches_for_good(wanted));
            Ok(vec![votes.to_string(), reached, format!("{auc:.5}"), curve.to_string()])
        });
    };
    let food = Truth::Agreed(Dataset::Food);

    // The engine assumes a rate that is not the crowd's, or learns it.
    let world = "15 random concepts, noise 0.1";
    for told in [0.01, 0.05, 0.1, 0.2, 0.3].map(Some).into_iter().chain([None]) {
        let learnt = || Ok(Settings { prior: Prior::uniform(), ..Settings::default() });
        let settings = told.map_or_else(learnt, Settings::one_rate)?;
        let arm = told.map_or_else(|| "learnt".to_owned(), |noise| format!("told {noise}"));
        let crowd = CrowdSpec::one_rate(20, 0.1)?;
        add("noise", world, &arm, 10, 0.97, Trial::new(Truth::Random(15), crowd, settings, 225, 5));
    }

    let readers = Noise::Given(Rates::two(0.2, 0.17)?);
    let readers = Settings { noise: readers, dissent: None, prior: Prior::taxonomy() };
    for share in [0.0, 0.15, 0.3] {
        for (arm, settings) in
            [("nothing told", Settings::default()), ("rates of readers told", readers.clone())]
        {
            let crowd = CrowdSpec { always_yes: share / 2.0, always_no: share / 2.0, ..CrowdSpec::open(30) };
            let world = format!("food, open workers, {:.0} % of them straight-liners", share * 100.0);
            add("straight-liners", &world, arm, 5, 0.97, Trial::new(food, crowd, settings, 720, 20));
        }
    }

    let undivided = Settings { dissent: None, ..Settings::default() };
    for (arm, settings) in [("may divide", Settings::default()), ("every question has one answer", undivided)]
    {
        let world = "food, open workers, three foods divided";
        let truth = Truth::Divided(Dataset::Food);
        add("divided", world, arm, 5, 0.97, Trial::new(truth, CrowdSpec::open(30), settings, 720, 20));
    }

    let sets = [(Dataset::Food, 300), (Dataset::BodyParts, 600), (Dataset::KitchenUtensils, 1_200)];
    for (set, votes) in sets {
        let priors = [Prior::uniform(), Prior::shallow(1.0)?, Prior::taxonomy()];
        for (arm, prior) in ["uniform", "shallow", "taxonomy"].into_iter().zip(priors) {
            let (truth, crowd) = (Truth::Agreed(set), CrowdSpec::one_rate(MANY, 0.05)?);
            let settings = Settings { prior, ..Settings::one_rate(0.05)? };
            let world = format!("{}, noise 0.05 told", truth.name());
            add("priors", &world, arm, 5, 0.97, Trial::new(truth, crowd, settings, votes, 20));
        }
    }

    for (arm, asking) in [("1", Asking::OneByOne), ("8", Asking::AtOnce(8)), ("64", Asking::AtOnce(64))] {
        let settings = Settings { prior: Prior::taxonomy(), ..Settings::one_rate(0.05)? };
        let one_by_one = Trial::new(food, CrowdSpec::one_rate(MANY, 0.05)?, settings, 384, 8);
        let world = "food, noise 0.05 told, people at once";
        add("batches", world, arm, 5, 0.97, Trial { asking, ..one_by_one });
    }

    for each in [1, 3, 8] {
        let (crowd, settings) = (CrowdSpec::one_rate(MANY, 0.1)?, Settings::one_rate(0.1)?);
        let single = Trial::new(Truth::Random(10), crowd, settings, 480, each);
        let several = Trial { engine: Engine::Exact, asking: Asking::Each(each), ..single };
        let world = "10 random concepts, noise 0.1 told, votes a question";
        add("votes", world, &each.to_string(), 30, 0.999, several);
    }
    Ok(())
}

#[derive(Deserialize)]
struct Row {
    about: String,
    world: String,
    arm: String,
    votes: f64,
    reached: Option<f64>,
    auc: f64,
}

/// A topic of the report: its title, the rows of its table, and its plot if anything was reached.
struct Topic {
    title: &'static str,
    rows: String,
    figure: Option<Figure>,
}

#[derive(Template)]
#[template(path = "robustness.md", escape = "none")]
struct Page {
    topics: Vec<Topic>,
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let table = tables.read::<Row>(NAME)?;
    let mut topics = Vec::new();
    for (about, title) in TOPICS {
        let rows: Vec<&Row> = table.rows.iter().filter(|row| row.about == about).collect();
        if !rows.is_empty() {
            let figure = bars(&rows, about, title);
            topics.push(Topic { title, rows: outcomes(&rows), figure });
        }
    }
    let votes: Vec<&Row> = table.rows.iter().filter(|row| row.about == "votes").collect();
    let words = arms_of(&votes).into_iter().map(|(_, arm)| {
        let reached = votes.iter().filter(|row| row.arm == arm).map(|row| row.reached);
        format!("{arm}: {}", digits(median_reached(reached), 0))
    });
    let what = "votes to AUC 0.999 with so many votes per question, 10 concepts, 10 % noise";
    let summary = vec![summary_row(what, "always 8", list(words))];
    let figures = topics.iter().filter_map(|topic| topic.figure.clone()).collect();
    Ok(Section::new(&Page { topics }, figures, summary, &[table.origin]))
}

fn outcomes(rows: &[&Row]) -> String {
    markdown_rows(arms_of(rows).into_iter().map(|(world, arm)| {
        let rows: Vec<&&Row> = rows.iter().filter(|row| row.world == world && row.arm == arm).collect();
        [
            world.to_owned(),
            arm.to_owned(),
            rows.len().to_string(),
            rows.iter().filter(|row| row.reached.is_some()).count().to_string(),
            digits(median_reached(rows.iter().map(|row| row.reached)), 0),
            digits(mean(rows.iter().map(|row| row.auc)), 3),
            digits(median(rows.iter().map(|row| row.votes)), 0),
        ]
    }))
}

/// The worlds and arms of a topic: worlds by name, arms by the number in them.
fn arms_of<'a>(rows: &[&'a Row]) -> Vec<(&'a str, &'a str)> {
    let number = |text: &str| text.split_whitespace().find_map(|word| word.parse::<f64>().ok());
    let mut arms = distinct(rows.iter().map(|row| (row.world.as_str(), row.arm.as_str())));
    arms.sort_by(|a, b| {
        a.0.cmp(b.0).then(number(a.1).partial_cmp(&number(b.1)).unwrap_or(std::cmp::Ordering::Equal))
    });
    arms
}

/// Bars of the votes needed; none if nothing was reached.
fn bars(rows: &[&Row], about: &str, title: &str) -> Option<Figure> {
    let arms = arms_of(rows);
    let worlds = distinct(arms.iter().map(|arm| arm.0));
    let bar = |world: &str, arm: &str| {
        let of = || rows.iter().filter(|row| row.world == world && row.arm == arm).map(|row| row.reached);
        let finite = |at: f64| {
            let votes = of().map(|votes| votes.unwrap_or(f64::INFINITY));
            quantile(votes, at).filter(|votes| votes.is_finite())
        };
        finite(0.5).map(|y| Point { x: 0.0, y, spread: finite(0.1).zip(finite(0.9)) })
    };
    let series = distinct(arms.iter().map(|arm| arm.1))
        .into_iter()
        .map(|arm| (arm.to_owned(), worlds.iter().map(|world| bar(world, arm)).collect()));
    let series: Vec<(String, Vec<Option<Point>>)> = series.collect();
    if series.iter().all(|(_, bars)| bars.iter().all(Option::is_none)) {
        return None;
    }
    let (x, groups) = match worlds[..] {
        [world] => (world, vec![String::new()]),
        _ => ("", worlds.iter().map(|world| short(world)).collect()),
    };
    let mut plot = Plot::new(title, Axis::linear(x), Axis::linear("votes needed, median"));
    (plot.groups, plot.series) = (groups, series);
    Some(plot.figure(format!("{NAME}-{about}"), format!("{title}: votes needed")))
}

/// The part of a world's name that distinguishes it from the others.
fn short(world: &str) -> String {
    let last = world.rsplit(", ").next().unwrap_or(world);
    let first = world.split(", ").next().unwrap_or(world);
    if last.starts_with("noise") { first.to_owned() } else { last.replace(" of them straight-liners", "") }
}
