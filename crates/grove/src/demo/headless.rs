//! `grove demo --headless`: the whole loop without a server, as fast as it goes.

use grove_belief::{Belief, Ensemble, Evidence, Report, ReportOptions, Settings, Strategy, WorkerVerdict};
use grove_formats::Heading;
use grove_sim::{Dataset, Interview};
use grove_tree::{Concept, NamedTree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::CENTS_PER_VOTE;
use crate::args::Demo;
use crate::{engine, files, found, progress, terminal};

/// Asks a simulated crowd about food until the votes are spent, and prints what came of it.
pub(super) fn run(options: &Demo, quiet: bool) -> anyhow::Result<()> {
    let food = Dataset::Food.tree();
    files::print(&format!(
        "{} foods, {} people, {} votes at 0.8 cents.\nExample: {}\n\n",
        food.names().len(),
        options.people,
        options.votes,
        example(&food)
    ))?;
    let belief = interview(options, quiet)?.refined();
    let report = Report::of(&belief, &ReportOptions::default());
    let heading = Heading::new(food.name(Concept::ROOT));
    let hierarchy = found::hierarchy(&belief as &dyn Belief, &report, heading, &found::listed(&food))?;
    files::print(&format!(
        "{}\n{}\n",
        terminal::draw(&hierarchy, terminal::may_colour()),
        summary(&report, &food)
    ))
}

fn example(food: &NamedTree) -> String {
    let questions = food.tree().edges().filter(|(parent, _)| !parent.is_root());
    let (parent, child) = questions.last().expect("food has kinds of food");
    format!("\"Is {} a kind of {}?\"", food.name(child), food.name(parent))
}

fn interview(options: &Demo, quiet: bool) -> anyhow::Result<Ensemble> {
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let mut crowd = super::crowd(options, &mut rng)?;
    let nothing = Evidence::new(Dataset::Food.tree().names().len(), Settings::default())?;
    let mut belief = engine::ensemble(nothing, options.seed)?;
    let bar = progress::bar(quiet, u64::from(options.votes), "votes");
    for _ in 0..options.votes {
        let mut interview = Interview { belief: &mut belief, crowd: &mut crowd, strategy: Strategy::Gain };
        interview.ask(&mut rng)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(belief)
}

fn summary(report: &Report, food: &NamedTree) -> String {
    let doubtful: Vec<&str> = report.doubtful.iter().map(|&concept| food.name(concept)).collect();
    let named = |verdict| report.workers.iter().filter(|worker| worker.verdict == verdict).count();
    let right =
        food.tree().edges().zip(report.hierarchy.edges()).filter(|(truth, found)| truth == found).count();
    format!(
        "doubtful: {}\nworkers who say the same whatever they are asked: {}\n\
         parents as in the reference: {right} of {}\ncost: {} votes, ${:.2}",
        if doubtful.is_empty() { "nothing".to_owned() } else { doubtful.join(", ") },
        named(WorkerVerdict::Straightliner),
        food.names().len(),
        report.votes.total(),
        report.votes.total() as f64 * CENTS_PER_VOTE / 100.0
    )
}
