//! The ensemble after a series of votes, with no other moves than those made after each vote.

use grove_belief::{
    Belief, Division, Ensemble, EnsembleSettings, Evidence, Kind, Noise, Prior, Question, Rates, Relation,
    Settings, Vote, Worker, WorkerPrior,
};
use grove_tree::{Concept, Tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::ranks::{DRAWS, Ranks};
use crate::world::{Model, World, log_likelihood};

/// The quantities in which the truth and the draws are compared. The first needs the votes: the others alone would miss most faults.
const QUANTITIES: [&str; 6] = [
    "log-likelihood of the votes",
    "sum of depths",
    "top-level concepts",
    "1 above 2",
    "yes of worker 0 if above",
    "yes of worker 0 if not",
];

type Values = [f64; QUANTITIES.len()];

fn values(world: &World, settings: &Settings, tree: &Tree, rates: &[Rates]) -> Values {
    let depths: usize = tree.concepts().map(|concept| tree.depth(concept)).sum();
    let tops = tree.parents().iter().filter(|parent| parent.is_root()).count();
    let above = tree.is_above(Concept::new(1), Concept::new(2));
    [
        log_likelihood(&world.votes, settings, tree, rates),
        depths as f64,
        tops as f64,
        f64::from(u8::from(above)),
        rates[0].yes(Relation::Above),
        rates[0].yes(Relation::Neither),
    ]
}

/// A fault planted in the engine.
#[derive(Clone, Debug)]
enum Fault {
    None,
    /// It assumes other rates than the true ones.
    Told(Box<Settings>),
    /// It reads every question the wrong way round.
    Direction,
    /// Its chains have not run since the last few votes came: they started from another posterior, and were not given the time.
    Lag(usize),
}

impl Fault {
    fn misread(&self, vote: Vote) -> Vote {
        let Vote { question, .. } = vote;
        match self {
            Self::Direction => {
                let question = Question::new(question.kind, question.lower, question.upper).unwrap();
                Vote { question, ..vote }
            }
            _ => vote,
        }
    }
}

/// The engine after all votes, one by one.
fn after_votes(model: &Model, world: &World, moves: usize, fault: &Fault, seed: u64) -> Ensemble {
    let settings = if let Fault::Told(settings) = fault { settings } else { &model.settings };
    let seen = world.votes.len() - if let Fault::Lag(votes) = fault { *votes } else { 0 };
    let none = Evidence::new(model.count, settings.clone()).unwrap();
    let mut ensemble = Ensemble::new(none, EnsembleSettings { trees: DRAWS, moves, seed }).unwrap();
    for &vote in &world.votes[..seen] {
        ensemble.record(fault.misread(vote)).unwrap();
    }
    ensemble
}

/// The trees, one of every chain and hence independent, with the rates that belong to each.
fn draws(ensemble: &Ensemble, world: &World) -> Vec<(Tree, Vec<Rates>)> {
    let rates_of = |(worker, truth): (usize, &Rates)| {
        let draws = ensemble.rate_draws(Worker::new(worker as u32));
        // Given rates and those of unknown people have a single draw; the truth is as good a draw of them.
        if draws.len() == DRAWS { draws } else { vec![*truth; DRAWS] }
    };
    let by_worker: Vec<Vec<Rates>> = world.rates.iter().enumerate().map(rates_of).collect();
    let at = |at: usize| by_worker.iter().map(|draws| draws[at]).collect();
    ensemble.trees().enumerate().map(|(chain, tree)| (tree, at(chain))).collect()
}

/// The ranks of one simulation.
fn simulate(model: &Model, moves: usize, fault: &Fault, seed: u64) -> [Ranks; QUANTITIES.len()] {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let world = model.draw(&mut rng);
    let truth = values(&world, &model.settings, &world.tree, &world.rates);
    let drawn: Vec<Values> = draws(&after_votes(model, &world, moves, fault, seed), &world)
        .iter()
        .map(|(tree, rates)| values(&world, &model.settings, tree, rates))
        .collect();
    std::array::from_fn(|which| {
        let of_draws: Vec<f64> = drawn.iter().map(|values| values[which]).collect();
        Ranks::of_one(truth[which], &of_draws, &mut rng)
    })
}

/// The p-value of every quantity.
fn p_values(model: &Model, moves: usize, fault: &Fault, simulations: u64) -> Values {
    let ranks = (0..simulations).into_par_iter().map(|seed| simulate(model, moves, fault, seed)).reduce(
        || [Ranks::default(); QUANTITIES.len()],
        |one, other| std::array::from_fn(|which| one[which].join(other[which])),
    );
    ranks.map(|ranks| ranks.p_value())
}

/// Each p over 1e-4, and no more than one under 1e-2.
fn passes(p_values: &Values) -> bool {
    p_values.iter().all(|p| *p > 1e-4) && p_values.iter().filter(|p| **p < 1e-2).count() <= 1
}

const PATHS: &[Kind] = &[Kind::Path];
const MIXED: &[Kind] = &[Kind::Path, Kind::Path, Kind::Edge];

fn given(count: usize, votes: usize) -> Model {
    Model { count, votes, workers: 3, kinds: PATHS, settings: Settings::one_rate(0.1).unwrap() }
}

fn learnt(count: usize, votes: usize) -> Model {
    let noise = Noise::Learnt(WorkerPrior::default());
    let settings = Settings { noise, division: None, prior: Prior::uniform() };
    Model { settings, ..given(count, votes) }
}

/// Rates are learnt, more questions divide people than is usual, and some ask about edges.
fn divided(count: usize, votes: usize) -> Model {
    let division = Some(Division::new(0.3, 1.0).unwrap());
    let settings = Settings { division, ..learnt(count, votes).settings };
    Model { settings, kinds: MIXED, ..given(count, votes) }
}

/// The fewest moves that an engine can be set to make after a vote, all of them on the concepts asked about, are enough for five concepts.
const FEWEST_MOVES: usize = 4;

fn few_concepts(model: &Model, fault: &Fault, simulations: u64) -> Values {
    p_values(model, FEWEST_MOVES, fault, simulations)
}

#[test]
fn calibrated_with_given_rates() {
    let p_values = few_concepts(&given(5, 12), &Fault::None, 2_000);
    assert!(passes(&p_values), "{p_values:?}");
}

#[test]
fn calibrated_with_learnt_rates_and_divided_questions() {
    let p_values = few_concepts(&divided(5, 12), &Fault::None, 1_000);
    assert!(passes(&p_values), "{p_values:?}");
}

#[test]
fn faults_are_caught() {
    let model = given(5, 12);
    let noisier = Fault::Told(Box::new(Settings::one_rate(0.12).unwrap()));
    let undivided = Fault::Told(Box::new(learnt(5, 12).settings));
    for (model, fault, simulations) in [
        (&model, noisier, 2_000),
        (&model, Fault::Direction, 300),
        (&model, Fault::Lag(2), 300),
        (&divided(5, 12), undivided, 300),
    ] {
        let p_values = few_concepts(model, &fault, simulations);
        assert!(!passes(&p_values), "{fault:?}: {p_values:?}");
    }
}

/// At the default settings: `cargo test --release -p grove-belief --test calibration -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn calibrated_at_release() {
    println!("| concepts | votes | rates | {} |", QUANTITIES.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(QUANTITIES.len()));
    let mut all_pass = true;
    for (count, votes) in [(5, 12), (15, 45)] {
        let models = [
            ("given", given(count, votes)),
            ("learnt", learnt(count, votes)),
            ("learnt, divided questions", divided(count, votes)),
        ];
        for (name, model) in models {
            let moves = EnsembleSettings::for_concepts(count).moves;
            let p_values = p_values(&model, moves, &Fault::None, 2_000);
            let row: Vec<String> = p_values.iter().map(|p| format!("{p:.4}")).collect();
            println!("| {count} | {votes} | {name} | {} |", row.join(" | "));
            all_pass &= passes(&p_values);
        }
    }
    assert!(all_pass);
}
