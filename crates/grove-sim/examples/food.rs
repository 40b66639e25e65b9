//! 30 people of mixed quality, who disagree about some foods, are asked 600 questions:
//! `cargo run --release -p grove-sim --example food`.

use grove_belief::{
    Ensemble, EnsembleSettings, Evidence, Report, ReportOptions, Settings, Strategy, WorkerVerdict,
};
use grove_sim::{Crowd, CrowdSpec, Dataset, Error, Interview};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), Error> {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let (food, shares) = (Dataset::Food.tree(), Dataset::Food.shares());
    let spec = CrowdSpec { always_yes: 0.075, always_no: 0.075, ..CrowdSpec::open(30) };
    let mut crowd = Crowd::gather(&spec, &shares, rng)?;
    let evidence = Evidence::new(shares.reference().len(), Settings::default())?;
    let settings = EnsembleSettings::for_concepts(evidence.count());
    let mut belief = Ensemble::new(evidence, settings)?;
    for _ in 0..600 {
        Interview { belief: &mut belief, crowd: &mut crowd, strategy: Strategy::Gain }.ask(rng)?;
    }
    let report = Report::of(&belief, &ReportOptions::default());
    for (parent, child) in report.hierarchy.edges() {
        println!("{} under {}", food.name(child), food.name(parent));
    }
    let doubtful: Vec<&str> = report.doubtful.iter().map(|&concept| food.name(concept)).collect();
    println!("doubtful: {}", doubtful.join(", "));
    for worker in report.workers.iter().filter(|worker| worker.verdict == WorkerVerdict::Straightliner) {
        println!("worker {} answers without reading", worker.worker.index());
    }
    Ok(())
}
