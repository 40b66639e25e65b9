//! A study of an engine that knows nothing about its people: 30 people of mixed quality and opinions, and 26 foods.
//!
//! `cargo run --release -p grove-lab --example food_study -- [quick]`; about an hour of one core.

use grove_belief::{
    Belief, Calibration, Ensemble, EnsembleSettings, Evidence, Report, ReportOptions, Settings, Strategy,
    WorkerVerdict,
};
use grove_sim::{Asked, Crowd, CrowdSpec, Dataset, Error, Habit, Interview, Schedule};
use grove_tree::Concept;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

fn main() -> Result<(), Error> {
    let quick = std::env::args().any(|arg| arg == "quick");
    let scale = |runs: u64| if quick { runs / 10 } else { runs };
    println!(
        "30 people, .83 / .20 on average, 15 % straight-liners, three concepts divided .6 / .4; nothing told"
    );
    accuracy(scale(20))?;
    calibration(scale(100))?;
    divided(scale(20))
}

/// Runs with the seeds from `first` on, as many at once as there are threads.
fn runs<T: Send>(
    first: u64,
    runs: u64,
    run: impl Fn(Campaign) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    (first..first + runs).into_par_iter().map(|seed| run(Campaign::new(seed)?)).collect()
}

/// Votes until the edges are ranked almost correctly.
fn accuracy(count: u64) -> Result<(), Error> {
    let truth = Dataset::Food.tree();
    let mut runs = runs(0, count, |Campaign { mut belief, mut crowd, mut rng }| {
        let mut interview = Interview { belief: &mut belief, crowd: &mut crowd, strategy: Strategy::Gain };
        let curve = interview.settle(truth.tree(), Schedule::every(25, 900), &mut rng)?.curve;
        let first = curve.iter().find(|point| point.1 >= 0.97);
        Ok((first.map_or(usize::MAX, |point| point.0), curve.last().map_or(0.0, |point| point.1)))
    })?;
    runs.sort_by_key(|run| run.0);
    println!(
        "\nedge AUC 0.97: reached after {} votes (median of {} runs)",
        runs[runs.len() / 2].0,
        runs.len()
    );
    runs.sort_by(|a, b| a.1.total_cmp(&b.1));
    println!("edge AUC at 900 votes: median {:.3}, least {:.3}", runs[runs.len() / 2].1, runs[0].1);
    Ok(())
}

/// Whether a parent that is reported with certainty p is, with probability p, the one that a person drawn from the crowd has in
/// mind; and how many of those who do not read are found.
fn calibration(count: u64) -> Result<(), Error> {
    let runs = runs(1_000, count, |mut campaign| {
        campaign.ask(600)?;
        let refined = campaign.belief.refined();
        let people = campaign.crowd.people();
        let person = &people[campaign.rng.random_range(0..people.len())];
        let mut calibration = Calibration::default();
        for child in Concept::all(refined.evidence().count()) {
            let (parent, certainty) = refined.parents(child)[0];
            calibration.add(certainty, person.tree().parent(child) == parent);
        }
        Ok((calibration, campaign.straightliners()))
    })?;
    let mut whole = Calibration::default();
    runs.iter().for_each(|(calibration, _)| whole.merge(calibration));
    println!("\n{} runs of 600 votes:", runs.len());
    println!("expected calibration error over reported parents: {:.3}", whole.error().unwrap_or_default());
    let [there, named, right] = [0, 1, 2].map(|at| runs.iter().map(|(_, found)| found[at]).sum::<f64>());
    println!(
        "straight-liners with 20 votes or more: recall {:.2}, precision {:.2}",
        right / there,
        right / named
    );
    Ok(())
}

/// A belief, and the last questions that it asked.
type Run = (Ensemble, Vec<Asked>);

/// What becomes of concepts that people do not agree about.
fn divided(count: u64) -> Result<(), Error> {
    let (food, shares) = (Dataset::Food.tree(), Dataset::Food.shares());
    let runs = runs(2_000, count, |mut campaign| {
        campaign.ask(2_500)?;
        let last = campaign.ask(500)?;
        Ok((campaign.belief, last))
    })?;
    println!("\n{} runs of 3,000 votes:", runs.len());
    let mean = |of: &dyn Fn(&Run) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
    for concept in shares.divided() {
        let planted = shares.parents(concept);
        for &(parent, share) in &planted {
            let found = |belief: &Ensemble| {
                belief.parents(concept).iter().find(|at| at.0 == parent).map_or(0.0, |at| at.1)
            };
            let certainty = mean(&|(belief, _)| found(belief));
            println!("{} under {}: {certainty:.2} (planted {share})", food.name(concept), food.name(parent));
        }
        let second = mean(&|(belief, _)| belief.parents(concept).get(1).map_or(0.0, |second| second.1));
        let is_about = |asked: &&Asked| {
            let question = asked.choice.question;
            question.lower == concept && planted.iter().any(|at| at.0 == question.upper)
        };
        let about = mean(&|(_, last)| last.iter().filter(is_about).count() as f64 / 5.0);
        println!("  second parent {second:.2} on average; {about:.1} % of the last 500 questions");
    }
    Ok(())
}

struct Campaign {
    belief: Ensemble,
    crowd: Crowd,
    rng: ChaCha8Rng,
}

impl Campaign {
    fn new(seed: u64) -> Result<Self, Error> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let spec = CrowdSpec { always_yes: 0.075, always_no: 0.075, ..CrowdSpec::open(30) };
        let crowd = Crowd::gather(&spec, &Dataset::Food.shares(), &mut rng)?;
        let evidence = Evidence::new(Dataset::Food.tree().names().len(), Settings::default())?;
        let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(evidence.count()) };
        Ok(Self { belief: Ensemble::new(evidence, settings)?, crowd, rng })
    }

    fn ask(&mut self, questions: usize) -> Result<Vec<Asked>, Error> {
        let Self { belief, crowd, rng } = self;
        let mut interview = Interview { belief, crowd, strategy: Strategy::Gain };
        (0..questions).filter_map(|_| interview.ask(rng).transpose()).collect()
    }

    /// Among people with 20 votes or more: how many do not read, were reported, and were reported correctly.
    fn straightliners(&self) -> [f64; 3] {
        let report = Report::of(&self.belief, &ReportOptions::default());
        let busy = report.workers.iter().filter(|worker| worker.votes.yes + worker.votes.no >= 20);
        busy.fold([0.0; 3], |[all_there, all_named, right], worker| {
            let habit = self.crowd.people()[worker.worker.index()].habit();
            let there = f64::from(u8::from(matches!(habit, Habit::AlwaysYes | Habit::AlwaysNo)));
            let named = f64::from(u8::from(worker.verdict == WorkerVerdict::Straightliner));
            [all_there + there, all_named + named, right + there * named]
        })
    }
}
