//! The same for more concepts than the paper tries, and for hierarchies that people made.

use grove_belief::{Settings, Strategy};
use grove_sim::{Crowd, CrowdSpec, floor_questions};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Arm, PEOPLE, arm_name, draw, strategy_name};
use crate::Error;
use crate::asking::{Engine, follow, interview};
use crate::curves::{lengths, numbers, reached};
use crate::markdown::{MarkdownTable, digits, thousands};
use crate::report::Figure;
use crate::statistics::{mean, median};
use crate::study::{Cell, Size, Study};
use crate::table::{Row, Table, or_nothing, pack};
use crate::truth::{Reference, Truth, hierarchies};

pub(super) const NAME: &str = "active-beyond";

const NOISE: f64 = 0.05;

/// Questions between two looks at the truth.
const LOOK: usize = 20;

/// What is asked about, and how many questions.
const TRUTHS: [(Truth, usize); 6] = [
    (Truth::Random(50), 800),
    (Truth::Random(100), 1_600),
    (Truth::Agreed(Reference::Food), 300),
    (Truth::Agreed(Reference::BodyParts), 600),
    (Truth::Agreed(Reference::KitchenUtensils), 1_200),
    (Truth::Agreed(Reference::Cookware), 1_200),
];

/// The exact engine ends at 16 concepts.
const ARMS: [Arm; 3] = [
    (Engine::Ensemble, Strategy::Gain),
    (Engine::Ensemble, Strategy::Random),
    (Engine::Weights, Strategy::WorstCase),
];

pub(super) fn study(size: Size, seed: u64) -> Study {
    let mut cells = Vec::new();
    // Seed by seed, so that a run which is broken off has something of everything.
    for seed in seed..seed + size.pick(1, 3) {
        for (truth, questions) in size.pick(vec![TRUTHS[2]], TRUTHS.to_vec()) {
            let questions = size.pick(LOOK, questions);
            for arm in size.pick(ARMS[..2].to_vec(), ARMS.to_vec()) {
                let settings = vec![
                    truth.name().to_owned(),
                    truth.count().to_string(),
                    arm.0.name().to_owned(),
                    strategy_name(arm.1).to_owned(),
                ];
                cells.push(Cell::new(settings, seed, move || measure(truth, questions, arm, seed)));
            }
        }
    }
    let settings = &["hierarchy", "n", "engine", "strategy"];
    Study { name: NAME, settings, measures: &["settled", "auc", "curve"], cells, alone: false }
}

fn measure(truth: Truth, questions: usize, (engine, strategy): Arm, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let shares = truth.shares(&mut rng);
    let mut crowd = Crowd::gather(&CrowdSpec::one_rate(PEOPLE, NOISE)?, &shares, &mut rng)?;
    let mut settings = Settings::one_rate(NOISE)?;
    if engine == Engine::Ensemble {
        // The paper's engine knows no other prior than the uniform one.
        settings.prior = truth.prior();
    }
    let mut belief = engine.start(truth.count(), settings, seed)?;
    let asking = interview(&mut *belief, &mut crowd, strategy);
    let course = follow(asking, shares.reference(), questions, LOOK, &mut rng)?;
    let auc = course.curve.last().map_or(0.0, |point| point.1);
    Ok(vec![or_nothing(course.settled), format!("{auc:.5}"), pack(course.curve)])
}

fn rows_of<'a>(table: &'a Table, (name, count): &(String, f64), (engine, strategy): Arm) -> Vec<Row<'a>> {
    table.find(&[
        ("hierarchy", name),
        ("n", &count.to_string()),
        ("engine", engine.name()),
        ("strategy", strategy_name(strategy)),
    ])
}

/// One plot for each hierarchy.
pub(super) fn figures(table: &Table) -> Result<Vec<Figure>, Error> {
    hierarchies(table)?.iter().map(|world| curves(table, world)).collect()
}

fn curves(table: &Table, world: &(String, f64)) -> Result<Figure, Error> {
    let (name, count) = world;
    let title = format!("{name}, {count} concepts, {} % noise", NOISE * 100.0);
    let file = format!("{NAME}-{}-{count}", name.replace(' ', "-"));
    draw(file, &title, &ARMS, |arm| rows_of(table, world, arm))
}

pub(super) fn text(table: &Table) -> Result<String, Error> {
    let mut head = vec!["hierarchy", "N", "floor for random trees", "questions asked", "runs"];
    let arms = ARMS.map(arm_name);
    head.extend(arms.iter().map(String::as_str));
    let mut out = MarkdownTable::new(&head);
    for world in hierarchies(table)? {
        let first = rows_of(table, &world, ARMS[0]);
        let asked = lengths(&first, "curve")?;
        let mut row = vec![
            world.0.clone(),
            thousands(world.1),
            thousands(floor_questions(world.1 as usize, NOISE)?),
            thousands(median(&asked).unwrap_or_default()),
            first.len().to_string(),
        ];
        for arm in ARMS {
            row.push(came_of(&rows_of(table, &world, arm))?);
        }
        out.row(&row);
    }
    Ok(format!(
        "### More concepts, and hierarchies that people made\n\n{} % noise, told; random trees with the uniform prior, people's with the prior for taxonomies (the paper's engine knows the \
         uniform one alone). Questions until settled in the median, looked at every {LOOK}; where half of the runs did not settle, the mean AUC in the end.\n\n{}",
        NOISE * 100.0,
        out.text()
    ))
}

fn came_of(rows: &[Row<'_>]) -> Result<String, Error> {
    if rows.is_empty() {
        return Ok(String::new());
    }
    let settled = median(&reached(rows, "settled")?).filter(|settled| settled.is_finite());
    let auc = digits(mean(&numbers(rows, "auc")?), 3);
    Ok(settled.map_or_else(|| format!("AUC {auc}"), thousands))
}
