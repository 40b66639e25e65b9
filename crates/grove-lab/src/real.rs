//! Votes as found in practice: on questions that were not chosen by an engine, from realistic people, and in large
//! numbers.

use std::collections::HashMap;

use grove_belief::{
    Answer, Belief, Calibration, Certainties, Ensemble, EnsembleSettings, Evidence, Question, Settings,
    Verdict, Vote, Worker,
};
use grove_sim::{Crowd, CrowdSpec, Dataset, Shares};
use grove_tree::{Concept, Tree};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use crate::prelude::*;
use crate::process::{Stopwatch, peak_megabytes, reset_peak_memory};
use crate::reliability::{Stated, bins, calibration_error, stated, together};

const NAME: &str = "real";
const LARGE: &str = "real-large";

/// Concepts, and votes for each of them.
const LOGS: [(usize, usize); 3] = [(86, 25), (86, 100), (200, 25)];
const PEOPLE: usize = 40;

/// For graded people: the shares of those who never err and of those who hardly know.
const PERFECT: f64 = 0.2;
const POOR: f64 = 0.2;
/// How much questions differ in difficulty: the standard deviation of the log-odds that everybody's answers to one of them have in common.
const DIFFICULTY: f64 = 1.0;

const LARGE_VOTES: usize = 100_000;
const LARGE_PEOPLE: usize = 200;

/// What people's hierarchies look like.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape {
    Uniform,
    Taxonomy,
}

/// The people who answer.
#[derive(Clone, Copy, PartialEq, Debug)]
enum People {
    /// Everybody has rates of their own, which are the same for all questions: the engine's model.
    Alike,
    /// Some never err, some hardly know, and some questions are harder than others for everybody.
    Graded,
}

pub(crate) fn studies(size: Size, seed: u64) -> Vec<Study> {
    let measures = &["auc", "statements", "certainty", "right"];
    let mut passive = Study::new(NAME, &["truth", "n", "votes", "people"], measures);
    for (truth, shape) in [("uniform", Shape::Uniform), ("taxonomy", Shape::Taxonomy)] {
        for (name, people) in [("open workers", People::Alike), ("graded", People::Graded)] {
            for &(count, each) in size.pick(&[(6, 20)][..], &LOGS) {
                let (seeds, votes) = (seed..seed + size.pick(1, 5), each * count);
                passive.add(&[&truth, &count, &votes, &name], seeds, move |seed| {
                    unasked(shape, people, count, votes, seed)
                });
            }
        }
    }
    let measures = &[
        "auc",
        "statements",
        "certainty",
        "right",
        "below_truth",
        "r_hat",
        "converged",
        "cpu_seconds",
        "megabytes",
    ];
    let mut large = Study::new(LARGE, &["hierarchy", "n", "votes", "questions"], measures);
    large.alone = true;
    let (set, votes) = size.pick((Dataset::Food, 200), (Dataset::Mammals, LARGE_VOTES));
    let count = set.tree().names().len();
    for (questions, near_misses) in [("random and near misses", true), ("random", false)] {
        large.add(&[&set.name(), &count, &votes, &questions], seed..=seed, move |seed| {
            large_log(set, votes, near_misses, seed)
        });
    }
    vec![passive, large]
}

/// Votes on questions drawn at random, and what is believed after them.
fn unasked(
    shape: Shape,
    people: People,
    count: usize,
    votes: usize,
    seed: u64,
) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = match shape {
        Shape::Uniform => Tree::random(count, &mut rng),
        Shape::Taxonomy => taxonomy(count, &mut rng),
    };
    let mut answers = Answers::new(people, &truth, &mut rng)?;
    let mut evidence = Evidence::new(count, Settings::default())?;
    for _ in 0..votes {
        let question = any_question(count, &mut rng)?;
        evidence.record(answers.vote(question, &mut rng))?;
    }
    let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(count) };
    let refined = Ensemble::new(evidence, settings)?.refined();
    let certainties = Certainties::of(&refined)?;
    let mut calibration = Calibration::new();
    calibration.add_run(&certainties, &truth);
    let auc = certainties.edge_auc(&truth).unwrap_or(1.0);
    Ok(std::iter::once(format!("{auc:.5}")).chain(stated(&calibration)).collect())
}

/// A hierarchy as people make them: one concept in five has others below it, and most concepts are below one of those.
fn taxonomy(count: usize, rng: &mut impl Rng) -> Tree {
    let kinds = count.div_ceil(5);
    let parents = (1..=count).map(|concept| match concept {
        kind if kind <= kinds => Concept::new(rng.random_range(0..kind)),
        _ if rng.random_range(0..10) == 0 => Concept::ROOT,
        _ => Concept::new(rng.random_range(1..=kinds)),
    });
    Tree::from_parents(&parents.collect::<Vec<_>>()).expect("every parent has a lower number")
}

fn any_question(count: usize, rng: &mut impl Rng) -> Result<Question, Error> {
    let upper = rng.random_range(1..=count);
    let lower = (upper + rng.random_range(1..count) - 1) % count + 1;
    Ok(Question::path(Concept::new(upper), Concept::new(lower))?)
}

/// People's answers to any question.
struct Answers {
    crowd: Crowd,
    /// For graded people, the log-odds that are added to everybody's on a question.
    difficulty: Option<HashMap<Question, f64>>,
}

impl Answers {
    fn new(people: People, truth: &Tree, rng: &mut ChaCha8Rng) -> Result<Self, Error> {
        let open = CrowdSpec::open(PEOPLE);
        let spec = match people {
            People::Alike => open,
            People::Graded => CrowdSpec { coin: POOR, coin_yes: 0.4, ..open },
        };
        let crowd = Crowd::gather(&spec, &Shares::none(truth), rng)?;
        Ok(Self { crowd, difficulty: (people == People::Graded).then(HashMap::new) })
    }

    fn vote(&mut self, question: Question, rng: &mut ChaCha8Rng) -> Vote {
        let number = rng.random_range(0..self.crowd.people().len());
        let worker = Worker::new(number as u32);
        let Some(difficulty) = &mut self.difficulty else {
            return Vote { question, worker, answer: self.crowd.answer(worker, question, rng) };
        };
        let person = &self.crowd.people()[number];
        let shift = *difficulty.entry(question).or_insert_with(|| DIFFICULTY * draw_normal(rng));
        let is_perfect = (number as f64) < PERFECT * self.crowd.people().len() as f64;
        let yes = match is_perfect {
            true => f64::from(u8::from(person.tree().is_above(question.upper, question.lower))),
            false => {
                let chance = person.chance_of_yes(question).clamp(0.001, 0.999);
                1.0 / (1.0 + (-(chance / (1.0 - chance)).ln() - shift).exp())
            }
        };
        let answer = if rng.random::<f64>() < yes { Answer::Yes } else { Answer::No };
        Vote { question, worker, answer }
    }
}

fn draw_normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// A large log on random questions, half of them near misses or none, taken in at once.
fn large_log(set: Dataset, votes: usize, near_misses: bool, seed: u64) -> Result<Vec<String>, Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let named = set.tree();
    let truth = named.tree();
    let mut crowd = Crowd::gather(&CrowdSpec::open(LARGE_PEOPLE), &Shares::none(truth), &mut rng)?;
    let mut evidence = Evidence::new(truth.len(), Settings::default())?;
    for vote in 0..votes {
        let question = match near_misses && vote % 2 == 1 {
            true => near_miss(truth, &mut rng)?,
            false => any_question(truth.len(), &mut rng)?,
        };
        let worker = Worker::new(rng.random_range(0..LARGE_PEOPLE as u32));
        let answer = crowd.answer(worker, question, &mut rng);
        evidence.record(Vote { question, worker, answer })?;
    }
    let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(truth.len()) };
    reset_peak_memory();
    let watch = Stopwatch::start();
    let belief = Ensemble::new(evidence, settings)?;
    let refined = belief.refined();
    let certainties = Certainties::of(&refined)?;
    let (seconds, megabytes) = (watch.seconds(), peak_megabytes());
    let health = refined.health();
    let found = mean(belief.log_posteriors()).unwrap_or_default();
    let mut at_truth = belief;
    at_truth.start_at(truth);
    let there = mean(at_truth.log_posteriors()).unwrap_or_default();
    let mut calibration = Calibration::new();
    calibration.add_run(&certainties, truth);
    let first = [format!("{:.5}", certainties.edge_auc(truth).unwrap_or(1.0))];
    let last = [
        format!("{:.5}", (there - found) / there.abs()),
        format!("{:.3}", health.r_hat),
        (health.verdict == Verdict::Converged).to_string(),
        format!("{seconds:.1}"),
        or_empty(megabytes),
    ];
    Ok(first.into_iter().chain(stated(&calibration)).chain(last).collect())
}

/// Half of the time a concept that is above, if there is one, else one that is beside it or beside one above it.
fn near_miss(truth: &Tree, rng: &mut ChaCha8Rng) -> Result<Question, Error> {
    loop {
        let lower = Concept::new(rng.random_range(1..=truth.len()));
        let line: Vec<Concept> = std::iter::successors(Some(lower), |&concept| Some(truth.parent(concept)))
            .take_while(|concept| !concept.is_root())
            .collect();
        let upper = match line[1..].choose(rng) {
            Some(&above) if rng.random() => above,
            _ => {
                let beside = line[rng.random_range(0..line.len())];
                let parent = truth.parent(beside);
                let others: Vec<Concept> =
                    truth.concepts().filter(|&other| truth.parent(other) == parent).collect();
                *others.choose(rng).expect("it is one of its parent's children")
            }
        };
        if upper != lower {
            return Ok(Question::path(upper, lower)?);
        }
    }
}

#[derive(Deserialize)]
struct Row {
    truth: String,
    n: usize,
    votes: usize,
    people: String,
    auc: f64,
    #[serde(flatten)]
    stated: Stated,
}

#[derive(Deserialize)]
struct LargeRow {
    hierarchy: String,
    n: f64,
    votes: f64,
    questions: String,
    auc: f64,
    #[serde(flatten)]
    stated: Stated,
    below_truth: f64,
    r_hat: f64,
    converged: bool,
    cpu_seconds: f64,
    megabytes: f64,
}

#[derive(Template)]
#[template(path = "real.md", escape = "none")]
struct Page {
    passive: String,
    large: String,
}

pub(crate) fn report(tables: &Tables) -> Result<Section, Error> {
    let (table, large) = (tables.read::<Row>(NAME)?, tables.read::<LargeRow>(LARGE)?);
    let (mut passive, mut worst) = (Vec::new(), 0.0_f64);
    let arm = |row: &Row| (row.truth.clone(), row.n, row.votes, row.people.clone());
    for of_arm in sorted(table.rows.iter().map(arm)) {
        let rows = || table.rows.iter().filter(|row| arm(row) == of_arm);
        let bins = bins(rows().map(|row| &row.stated));
        let all = together(&bins);
        let (truth, n, votes, people) = of_arm.clone();
        worst = worst.max((all.certainty - all.right).abs());
        passive.push([
            truth,
            thousands(n as f64),
            people,
            thousands(votes as f64),
            rows().count().to_string(),
            digits(mean(rows().map(|row| row.auc)), 3),
            digits(Some(all.certainty), 3),
            digits(Some(all.right), 3),
            digits(calibration_error(&bins), 3),
        ]);
    }
    let large_rows = large.rows.iter().map(|row| {
        let all = together(&bins([&row.stated]));
        [
            row.hierarchy.replace('_', " "),
            thousands(row.n),
            thousands(row.votes),
            row.questions.clone(),
            digits(Some(row.auc), 3),
            digits(Some(all.certainty), 3),
            digits(Some(all.right), 3),
            format!("{:.2} %", 100.0 * row.below_truth),
            format!("{:.3}, {}", row.r_hat, if row.converged { "converged" } else { "not converged" }),
            digits(Some(row.cpu_seconds), 0),
            digits(Some(row.megabytes), 0),
        ]
    });
    let page = Page { passive: markdown_rows(passive), large: markdown_rows(large_rows) };
    let what = "largest difference of mean certainty and share right, random questions";
    let summary = vec![summary_row(what, "-", digits(Some(worst), 3))];
    Ok(Section::new(&page, Vec::new(), summary, &[table.origin, large.origin]))
}
