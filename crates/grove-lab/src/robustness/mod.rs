//! Wrong noise, straight-liners, divided people, priors, many people at once, and several votes a question.

mod trial;

use grove_belief::{Noise, Prior, Rates, Settings};
use grove_sim::{CrowdSpec, Dataset};

use crate::asking::Engine;
use crate::curves::{numbers, reached};
use crate::experiment::Tables;
use crate::markdown::{MarkdownTable, digits};
use crate::plot::{Axis, Bar, Bars};
use crate::report::{Figure, Section};
use crate::statistics::{mean, median, quantile, reaches_for_good};
use crate::study::{Cell, Size, Study};
use crate::table::{Table, or_nothing, pack};
use crate::truth::{Reference, Truth};
use crate::{Error, Experiment};
pub(crate) use trial::{Asking, Trial};

const NAME: &str = "robustness";

/// A question of the experiment with one of its answers.
struct Arm {
    about: &'static str,
    world: String,
    arm: String,
    runs: u64,
    wanted: f64,
    trial: Trial,
}

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let mut arms = arms().expect("every rate and penalty below is one");
    if size == Size::Quick {
        // Two arms about each question, which are the first of it.
        let abouts: Vec<&str> = arms.iter().map(|arm| arm.about).collect();
        let mut at = 0;
        arms.retain(|arm| {
            at += 1;
            abouts[..at].iter().filter(|about| **about == arm.about).count() <= 2
        });
        arms.iter_mut().for_each(|arm| (arm.runs, arm.trial.votes) = (1, 16));
    }
    let mut cells = Vec::new();
    for arm in arms {
        for seed in seed..seed + arm.runs {
            let settings = vec![arm.about.to_owned(), arm.world.clone(), arm.arm.clone()];
            let (trial, wanted) = (arm.trial.clone(), arm.wanted);
            cells.push(Cell::new(settings, seed, move || measure(&trial, wanted, seed)));
        }
    }
    let measures = &["votes", "reached", "auc", "curve"];
    vec![Study { name: NAME, settings: &["about", "world", "arm"], measures, cells, alone: false }]
}

fn arms() -> Result<Vec<Arm>, Error> {
    let mut arms = noise()?;
    arms.extend(straightliners()?);
    arms.extend(divided());
    arms.extend(priors()?);
    arms.extend(batches()?);
    arms.extend(votes()?);
    Ok(arms)
}

fn measure(trial: &Trial, wanted: f64, seed: u64) -> Result<Vec<String>, Error> {
    let curve = trial.run(seed)?;
    let points: Vec<(f64, f64)> = curve.iter().map(|&(votes, auc)| (votes as f64, auc)).collect();
    let last = points.last().copied().unwrap_or_default();
    let reached = reaches_for_good(&points, wanted);
    Ok(vec![last.0.to_string(), or_nothing(reached), format!("{:.5}", last.1), pack(curve)])
}

/// So many that hardly anybody is asked twice, where everybody is alike anyway.
const MANY: usize = 1_000;

fn told(noise: f64) -> Result<Settings, Error> {
    Ok(Settings::one_rate(noise)?)
}

/// Nothing told but that every tree is as likely as any other.
fn learnt_uniform() -> Settings {
    Settings { prior: Prior::uniform(), ..Settings::default() }
}

/// The engine is told a rate that is not the crowd's.
fn noise() -> Result<Vec<Arm>, Error> {
    let mut arms = Vec::new();
    let settings = [0.01, 0.05, 0.1, 0.2, 0.3].map(|noise| (format!("told {noise}"), told(noise)));
    let learnt = ("learnt".to_owned(), Ok(learnt_uniform()));
    for (arm, settings) in settings.into_iter().chain([learnt]) {
        arms.push(Arm {
            about: "noise",
            world: "15 random concepts, noise 0.1".to_owned(),
            arm,
            runs: 10,
            wanted: 0.97,
            trial: Trial {
                truth: Truth::Random(15),
                crowd: CrowdSpec::one_rate(20, 0.1)?,
                engine: Engine::Ensemble,
                settings: settings?,
                asking: Asking::OneByOne,
                votes: 225,
                every: 5,
            },
        });
    }
    Ok(arms)
}

/// People who do not read.
fn straightliners() -> Result<Vec<Arm>, Error> {
    let mut arms = Vec::new();
    let rates =
        Settings { noise: Noise::Given(Rates::two(0.2, 0.17)?), division: None, prior: Prior::taxonomy() };
    for share in [0.0, 0.15, 0.3] {
        for (arm, settings) in
            [("nothing told", Settings::default()), ("rates of readers told", rates.clone())]
        {
            let crowd = CrowdSpec { always_yes: share / 2.0, always_no: share / 2.0, ..CrowdSpec::open(30) };
            let truth = Truth::Agreed(Reference::Food);
            let world = format!("food, open workers, {:.0} % of them straight-liners", share * 100.0);
            arms.push(food(("straight-liners", world, arm), truth, crowd, settings, 720));
        }
    }
    Ok(arms)
}

fn food(
    (about, world, arm): (&'static str, String, &str),
    truth: Truth,
    crowd: CrowdSpec,
    settings: Settings,
    votes: usize,
) -> Arm {
    let (engine, asking) = (Engine::Ensemble, Asking::OneByOne);
    let trial = Trial { truth, crowd, engine, settings, asking, votes, every: 20 };
    Arm { about, world, arm: arm.to_owned(), runs: 5, wanted: 0.97, trial }
}

/// Three foods that people place differently.
fn divided() -> [Arm; 2] {
    let arm = |arm: &str, settings| {
        let world = "food, open workers, three foods divided".to_owned();
        food(("divided", world, arm), Truth::Divided(Dataset::Food), CrowdSpec::open(30), settings, 720)
    };
    let without = Settings { division: None, ..Settings::default() };
    [arm("may divide", Settings::default()), arm("every question has one answer", without)]
}

/// What is believed beforehand, on hierarchies that people made.
fn priors() -> Result<Vec<Arm>, Error> {
    let mut arms = Vec::new();
    let sets = [(Reference::Food, 300), (Reference::BodyParts, 600), (Reference::KitchenUtensils, 1_200)];
    for (reference, votes) in sets {
        for (arm, prior) in [
            ("uniform", Prior::uniform()),
            ("shallow", Prior::shallow(1.0)?),
            ("taxonomy", Prior::taxonomy()),
        ] {
            arms.push(Arm {
                about: "priors",
                world: format!("{}, noise 0.05 told", reference.name()),
                arm: arm.to_owned(),
                runs: 5,
                wanted: 0.97,
                trial: Trial {
                    truth: Truth::Agreed(reference),
                    crowd: CrowdSpec::one_rate(MANY, 0.05)?,
                    engine: Engine::Ensemble,
                    settings: Settings { prior, ..told(0.05)? },
                    asking: Asking::OneByOne,
                    votes,
                    every: 20,
                },
            });
        }
    }
    Ok(arms)
}

/// Many people at once.
fn batches() -> Result<Vec<Arm>, Error> {
    let mut arms = Vec::new();
    for (arm, asking) in [("1", Asking::OneByOne), ("8", Asking::AtOnce(8)), ("64", Asking::AtOnce(64))] {
        arms.push(Arm {
            about: "batches",
            world: "food, noise 0.05 told, people at once".to_owned(),
            arm: arm.to_owned(),
            runs: 5,
            wanted: 0.97,
            trial: Trial {
                truth: Truth::Agreed(Reference::Food),
                crowd: CrowdSpec::one_rate(MANY, 0.05)?,
                engine: Engine::Ensemble,
                settings: Settings { prior: Prior::taxonomy(), ..told(0.05)? },
                asking,
                votes: 384,
                every: 8,
            },
        });
    }
    Ok(arms)
}

/// Several votes on the same question, with the exact engine.
fn votes() -> Result<Vec<Arm>, Error> {
    let mut arms = Vec::new();
    for each in [1, 3, 8] {
        arms.push(Arm {
            about: "votes",
            world: "10 random concepts, noise 0.1 told, votes a question".to_owned(),
            arm: each.to_string(),
            runs: 30,
            wanted: 0.999,
            trial: Trial {
                truth: Truth::Random(10),
                crowd: CrowdSpec::one_rate(MANY, 0.1)?,
                engine: Engine::Exact,
                settings: told(0.1)?,
                asking: Asking::Each(each),
                votes: 480,
                every: each,
            },
        });
    }
    Ok(arms)
}

pub(crate) fn tell(tables: &Tables) -> Result<Section, Error> {
    let table = tables.read(NAME)?;
    let mut text = String::from(WHAT);
    let mut figures = Vec::new();
    for (about, title) in ABOUT {
        let rows = table.find(&[("about", about)]);
        if rows.is_empty() {
            continue;
        }
        text.push_str(&format!("\n### {title}\n\n{}", outcomes(&table, about)?));
        if let Some(figure) = bars(&table, about, title)? {
            figure.show(&mut text, &mut figures);
        }
    }
    Section::new(Experiment::Robustness, "Robustness", &[&table], text, figures, summary(&table)?)
}

const WHAT: &str = "\
One thing at a time is not as the engine thinks. Votes are those until the AUC is 0.97 for good (0.999 for several votes a question, as that is where they differ); medians, an unreached run \
being later than any. With five runs of a setting, differences of a tenth or two mean little.\n";

const ABOUT: [(&str, &str); 6] = [
    ("noise", "A wrong rate of noise"),
    ("straight-liners", "People who do not read"),
    ("divided", "Questions that divide people"),
    ("priors", "What is believed beforehand"),
    ("batches", "Many people at once"),
    ("votes", "Several votes on one question"),
];

fn outcomes(table: &Table, about: &str) -> Result<String, Error> {
    let mut out = MarkdownTable::new(&[
        "world",
        "arm",
        "runs",
        "reached",
        "votes, median",
        "AUC at the end",
        "after votes",
    ]);
    for (world, arm) in arms_of(table, about) {
        let rows = table.find(&[("about", about), ("world", &world), ("arm", &arm)]);
        let votes = reached(&rows, "reached")?;
        out.row(&[
            world.as_str(),
            &arm,
            &rows.len().to_string(),
            &votes.iter().filter(|votes| votes.is_finite()).count().to_string(),
            &digits(median(&votes), 0),
            &digits(mean(&numbers(&rows, "auc")?), 3),
            &digits(median(&numbers(&rows, "votes")?), 0),
        ]);
    }
    Ok(out.text().to_owned())
}

/// The worlds and arms about something, in the order of the plan.
fn arms_of(table: &Table, about: &str) -> Vec<(String, String)> {
    let mut arms: Vec<(String, String)> = Vec::new();
    for row in table.find(&[("about", about)]) {
        let arm = (row.text("world").to_owned(), row.text("arm").to_owned());
        if !arms.contains(&arm) {
            arms.push(arm);
        }
    }
    let number = |text: &str| text.split_whitespace().find_map(|word| word.parse::<f64>().ok());
    arms.sort_by(|a, b| {
        a.0.cmp(&b.0).then(number(&a.1).partial_cmp(&number(&b.1)).unwrap_or(std::cmp::Ordering::Equal))
    });
    arms
}

/// Bars of the votes needed; none where nothing was reached.
fn bars(table: &Table, about: &str, title: &str) -> Result<Option<Figure>, Error> {
    let arms = arms_of(table, about);
    let (mut worlds, mut names): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (world, arm) in &arms {
        if !worlds.contains(world) {
            worlds.push(world.clone());
        }
        if !names.contains(arm) {
            names.push(arm.clone());
        }
    }
    let mut series = Vec::new();
    for arm in &names {
        let mut row = Vec::new();
        for world in &worlds {
            let votes = reached(&table.find(&[("about", about), ("world", world), ("arm", arm)]), "reached")?;
            let finite = |at: f64| quantile(&votes, at).filter(|votes| votes.is_finite());
            row.push(finite(0.5).map(|y| Bar { y, spread: finite(0.1).zip(finite(0.9)) }));
        }
        series.push((arm.clone(), row));
    }
    if series.iter().all(|(_, bars)| bars.iter().all(Option::is_none)) {
        return Ok(None);
    }
    let bars = Bars {
        title: title.to_owned(),
        x: if worlds.len() == 1 { worlds[0].clone() } else { String::new() },
        y: Axis::linear("votes needed, median"),
        groups: if worlds.len() == 1 {
            vec![String::new()]
        } else {
            worlds.iter().map(|world| short(world)).collect()
        },
        series,
        guides: Vec::new(),
    };
    let file = format!("{NAME}-{about}");
    Ok(Some(Figure::new(file, format!("{title}: votes needed"), bars.svg())))
}

/// What tells one world from the others.
fn short(world: &str) -> String {
    let last = world.rsplit(", ").next().unwrap_or(world);
    let first = world.split(", ").next().unwrap_or(world);
    if last.starts_with("noise") { first.to_owned() } else { last.replace(" of them straight-liners", "") }
}

fn summary(table: &Table) -> Result<Vec<[String; 3]>, Error> {
    let mut words = Vec::new();
    for (_, arm) in arms_of(table, "votes") {
        let rows = table.find(&[("about", "votes"), ("arm", &arm)]);
        words.push(format!("{arm}: {}", digits(median(&reached(&rows, "reached")?), 0)));
    }
    let what = "votes to AUC 0.999 with so many votes a question, 10 concepts, 10 % noise".to_owned();
    Ok(vec![[what, "always 8".to_owned(), words.join(", ")]])
}
