//! `grove demo --headless`: the whole loop without a server, as fast as possible.

use grove_belief::{Evidence, Reason, Report, ReportOptions, Settings, Strategy, WorkerVerdict};
use grove_campaign::{Wording, believed_hierarchy};
use grove_formats::{Entry, Heading, Relation};
use grove_sim::{Dataset, Interview};
use grove_tree::{Concept, NamedTree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{CENTS_PER_VOTE, Demo};
use crate::context::Context;
use crate::engine_options::Engine;
use crate::{files, terminal};

/// Asks a simulated crowd about food until all votes are given, and prints the result.
pub(super) fn run(options: &Demo, context: &Context) -> anyhow::Result<()> {
    let food = Dataset::Food.tree();
    let (parent, child) =
        food.tree().edges().filter(|(parent, _)| !parent.is_root()).last().unwrap_or_default();
    files::print(&format!(
        "{} foods, {} people, {} votes at {CENTS_PER_VOTE} cents.\nExample: \"{}\"\n\n",
        food.names().len(),
        options.people,
        options.votes,
        Wording::new(&Relation::IsA, "en")?.ask(food.name(child), food.name(parent))
    ))?;
    let belief = interview(options, context)?.refined();
    let report = Report::of(&*belief, &ReportOptions::default());
    let concepts = food.names().iter().map(|name| Entry::new(name, Concept::ROOT)).collect();
    let heading = Heading::new(food.name(Concept::ROOT));
    let hierarchy = believed_hierarchy(&*belief, &report.hierarchy, heading, concepts)?;
    let drawing = terminal::draw(&hierarchy, terminal::may_colour());
    files::print(&format!("{drawing}\n{}\n", summary(&report, &food)))
}

fn interview(options: &Demo, context: &Context) -> anyhow::Result<grove_belief::Engine> {
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let mut crowd = options.crowd(&mut rng)?;
    let nothing = Evidence::new(Dataset::Food.tree().names().len(), Settings::default())?;
    let mut belief = Engine::Ensemble.start(nothing, options.seed)?;
    let bar = context.bar(u64::from(options.votes), "votes");
    for _ in 0..options.votes {
        let mut interview = Interview { belief: &mut *belief, crowd: &mut crowd, strategy: Strategy::Gain };
        interview.ask(&mut rng)?;
        bar.inc(1);
    }
    Ok(belief)
}

fn summary(report: &Report, food: &NamedTree) -> String {
    let names = |concepts: Vec<Concept>| match concepts.is_empty() {
        true => "nothing".to_owned(),
        false => concepts.into_iter().map(|concept| food.name(concept)).collect::<Vec<_>>().join(", "),
    };
    let differing = report.concepts.iter().filter(|one| one.reasons.contains(&Reason::Differ));
    // Votes will not change that people differ, so what is doubtful for that reason alone is not listed as such.
    let is_merely_divided =
        |concept: Concept| report.concepts[concept.index() - 1].reasons == [Reason::Differ];
    let doubtful = report.doubtful.iter().copied().filter(|&concept| !is_merely_divided(concept));
    let straightliners =
        report.workers.iter().filter(|worker| worker.verdict == WorkerVerdict::Straightliner);
    let right =
        food.tree().edges().zip(report.hierarchy.edges()).filter(|(truth, found)| truth == found).count();
    format!(
        "people differ on: {}\ndoubtful: {}\nworkers who give the same answer to every question: {}\n\
         parents as in the reference: {right} of {}\ncost: {} votes, ${:.2}",
        names(differing.map(|one| one.concept).collect()),
        names(doubtful.collect()),
        straightliners.count(),
        food.names().len(),
        report.votes.total(),
        report.votes.total() as f64 * CENTS_PER_VOTE / 100.0
    )
}
