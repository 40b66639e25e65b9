use anyhow::Context;
use grove_belief::{
    Ensemble, EnsembleSettings, Evidence, Report, ReportOptions, Settings, Strategy, WorkerVerdict,
};
use grove_sim::{Crowd, CrowdSpec, Dataset, Interview};
use grove_tree::NamedTree;
use indicatif::{ProgressBar, ProgressStyle};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::args;
use crate::terminal;

/// What the paper paid: 4 cents for five answers.
const CENTS_PER_VOTE: f64 = 0.8;

/// The share of the demo's people who say the same whatever they are asked, half of them yes and half of them no.
const STRAIGHTLINERS: f64 = 0.15;

/// Asks a simulated crowd about food until the votes are spent, and prints what came of it.
pub(crate) fn run(options: &args::Demo) -> anyhow::Result<()> {
    let food = Dataset::Food.tree();
    println!(
        "{} foods, {} people, {} votes at 0.8 cents.",
        food.names().len(),
        options.people,
        options.votes
    );
    println!("Example: {}\n", example(&food));
    let belief = interview(options)?;
    let report = Report::of(&belief.refined(), &ReportOptions::default());
    print!("{}", terminal::draw(&report, &food, terminal::may_colour()));
    println!();
    println!("{}", summary(&report, &food));
    Ok(())
}

fn example(food: &NamedTree) -> String {
    let questions = food.tree().edges().filter(|(parent, _)| !parent.is_root());
    let (parent, child) = questions.last().expect("food has kinds of food");
    format!("\"Is {} a kind of {}?\"", food.name(child), food.name(parent))
}

fn interview(options: &args::Demo) -> anyhow::Result<Ensemble> {
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let shares = Dataset::Food.shares();
    let spec = CrowdSpec {
        always_yes: STRAIGHTLINERS / 2.0,
        always_no: STRAIGHTLINERS / 2.0,
        ..CrowdSpec::open(options.people as usize)
    };
    let mut crowd = Crowd::gather(&spec, &shares, &mut rng)?;
    let count = shares.reference().len();
    let engine = EnsembleSettings { seed: options.seed, ..EnsembleSettings::for_concepts(count) };
    let mut belief = Ensemble::new(Evidence::new(count, Settings::default())?, engine)?;
    let progress = progress(options)?;
    for _ in 0..options.votes {
        let mut interview = Interview { belief: &mut belief, crowd: &mut crowd, strategy: Strategy::Gain };
        interview.ask(&mut rng)?;
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok(belief)
}

fn progress(options: &args::Demo) -> anyhow::Result<ProgressBar> {
    if options.quiet {
        return Ok(ProgressBar::hidden());
    }
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} votes, {eta} left")
        .context("the progress bar's template")?;
    Ok(ProgressBar::new(u64::from(options.votes)).with_style(style))
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
