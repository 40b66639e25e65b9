//! Nothing told: 30 people of mixed quality and mixed opinions about 26 foods.
//!
//! `cargo run --release -p grove-sim --example food -- [quick] [accuracy] [calibration] [divided]`: all three parts unless some are named; about
//! an hour of one core in all.

use grove_belief::{
    Belief, Calibration, Certainties, Ensemble, EnsembleSettings, Evidence, Question, Report, ReportOptions,
    Settings, Strategy, WorkerVerdict,
};
use grove_sim::{Asked, Crowd, CrowdSpec, Dataset, Habit, Interview};
use grove_tree::Concept;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

const WANTED_AUC: f64 = 0.97;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let asked = |part: &str| args.iter().any(|arg| arg == part);
    let quick = asked("quick");
    let scale = |runs: u64| if quick { runs / 10 } else { runs };
    let all = !["accuracy", "calibration", "divided"].into_iter().any(asked);
    println!(
        "30 people, .83 / .20 on average, 15 % straight-liners, three concepts divided .6 / .4; nothing told\n"
    );
    if all || asked("accuracy") {
        accuracy(scale(20));
    }
    if all || asked("calibration") {
        calibration(scale(100).max(5));
    }
    if all || asked("divided") {
        divided(scale(10));
    }
}

/// Votes until the edges are ranked almost rightly.
fn accuracy(runs: u64) {
    let reached = |seed| {
        let mut campaign = Campaign::new(seed);
        let truth = Dataset::Food.tree();
        let auc = |campaign: &Campaign| {
            Certainties::of(&campaign.belief).expect("probabilities").edge_auc(truth.tree()).expect("edges")
        };
        let mut first = None;
        for votes in (25..=900).step_by(25) {
            campaign.ask(25);
            if auc(&campaign) >= WANTED_AUC {
                first.get_or_insert(votes);
            }
        }
        (first, auc(&campaign))
    };
    let mut runs: Vec<(Option<usize>, f64)> = (0..runs).into_par_iter().map(reached).collect();
    runs.sort_by_key(|(first, _)| first.unwrap_or(usize::MAX));
    let at = &runs[runs.len() / 2];
    let mut aucs: Vec<f64> = runs.iter().map(|(_, auc)| *auc).collect();
    aucs.sort_by(f64::total_cmp);
    println!("edge AUC {WANTED_AUC}: reached after {:?} votes (median of {} runs)", at.0, runs.len());
    println!("edge AUC at 900 votes: median {:.3}, least {:.3}\n", aucs[aucs.len() / 2], aucs[0]);
}

/// Is a parent that is reported with certainty p the parent that a person drawn from the crowd has in mind, with chance p?
fn calibration(runs: u64) {
    let one = |seed| {
        let mut campaign = Campaign::new(1_000 + seed);
        campaign.ask(600);
        let refined = campaign.belief.refined();
        let mut calibration = Calibration::default();
        let person = campaign.rng.random_range(0..campaign.crowd.people().len());
        for child in Concept::all(refined.evidence().count()) {
            let (parent, certainty) = refined.parents(child)[0];
            let right = campaign.crowd.people()[person].tree().parent(child) == parent;
            calibration.add(certainty, right);
        }
        (calibration, campaign.straightliners())
    };
    let runs: Vec<(Calibration, Found)> = (0..runs).into_par_iter().map(one).collect();
    let mut whole = Calibration::default();
    let mut found = Found::default();
    for (calibration, one) in &runs {
        whole.merge(calibration);
        found.join(one);
    }
    println!("{} runs of 600 votes:", runs.len());
    println!("expected calibration error over reported parents: {:.3}", whole.error().expect("some parents"));
    println!(
        "straight-liners with 20 votes or more: recall {:.2}, precision {:.2} ({} of them, {} named)\n",
        found.right as f64 / found.there as f64,
        found.right as f64 / found.named as f64,
        found.there,
        found.named
    );
}

/// What becomes of concepts that people do not agree about.
fn divided(runs: u64) {
    let food = Dataset::Food.tree();
    let shares = Dataset::Food.shares();
    let one = |seed| {
        let mut campaign = Campaign::new(2_000 + seed);
        campaign.ask(2_500);
        let last = campaign.ask(500);
        let of = |concept: Concept| {
            let parents = campaign.belief.parents(concept);
            let torn = |question: Question| {
                question.lower == concept
                    && shares.parents(concept).iter().any(|&(parent, _)| parent == question.upper)
            };
            let about = last.iter().filter(|asked| torn(asked.choice.question)).count();
            (parents, about)
        };
        let report: Vec<_> = shares.divided().map(|concept| (concept, of(concept))).collect();
        (report, campaign.straightliners())
    };
    let runs: Vec<_> = (0..runs).into_par_iter().map(one).collect();
    println!(
        "{} runs of 3,000 votes; shares of the last 500 questions are of those that people are divided about:",
        runs.len()
    );
    let count = runs.len() as f64;
    for (index, concept) in shares.divided().enumerate() {
        let seconds: Vec<f64> =
            runs.iter().map(|(run, _)| run[index].1.0.get(1).map_or(0.0, |second| second.1)).collect();
        let about: usize = runs.iter().map(|(run, _)| run[index].1.1).sum();
        let mean_of = |parent: Concept| {
            let of = |parents: &Vec<(Concept, f64)>| {
                parents.iter().find(|(p, _)| *p == parent).map_or(0.0, |(_, c)| *c)
            };
            runs.iter().map(|(run, _)| of(&run[index].1.0)).sum::<f64>() / count
        };
        let planted: Vec<String> = shares
            .parents(concept)
            .iter()
            .map(|&(parent, share)| format!("{} {:.2} (planted {share})", food.name(parent), mean_of(parent)))
            .collect();
        let least = seconds.iter().copied().fold(1.0, f64::min);
        println!(
            "{}: {}; second parent {:.2} on average, {least:.2} at least; {:.1} % of the last questions",
            food.name(concept),
            planted.join(", "),
            seconds.iter().sum::<f64>() / count,
            100.0 * about as f64 / (500.0 * count)
        );
    }
    let mut found = Found::default();
    runs.iter().for_each(|(_, one)| found.join(one));
    println!(
        "straight-liners: recall {:.2}, precision {:.2}",
        found.right as f64 / found.there as f64,
        found.right as f64 / found.named as f64
    );
}

struct Campaign {
    belief: Ensemble,
    crowd: Crowd,
    rng: ChaCha8Rng,
}

impl Campaign {
    fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let shares = Dataset::Food.shares();
        let spec = CrowdSpec { always_yes: 0.075, always_no: 0.075, ..CrowdSpec::open(30) };
        let crowd = Crowd::gather(&spec, &shares, &mut rng).expect("a crowd");
        let count = shares.reference().len();
        let evidence = Evidence::new(count, Settings::default()).expect("some concepts");
        let settings = EnsembleSettings { seed, ..EnsembleSettings::for_concepts(count) };
        let belief = Ensemble::new(evidence, settings).expect("valid settings");
        Self { belief, crowd, rng }
    }

    fn ask(&mut self, questions: usize) -> Vec<Asked> {
        let mut interview =
            Interview { belief: &mut self.belief, crowd: &mut self.crowd, strategy: Strategy::Gain };
        (0..questions).filter_map(|_| interview.ask(&mut self.rng).expect("a valid vote")).collect()
    }

    /// How many who do not read are there, were named, and were named rightly.
    fn straightliners(&self) -> Found {
        let mut found = Found::default();
        for worker in Report::of(&self.belief, &ReportOptions::default()).workers {
            let habit = self.crowd.people()[worker.worker.index()].habit();
            let there = matches!(habit, Habit::AlwaysYes | Habit::AlwaysNo);
            let named = worker.verdict == WorkerVerdict::Straightliner;
            if worker.votes.yes + worker.votes.no >= 20 {
                found.join(&Found {
                    there: u64::from(there),
                    named: u64::from(named),
                    right: u64::from(there && named),
                });
            }
        }
        found
    }
}

#[derive(Default)]
struct Found {
    there: u64,
    named: u64,
    right: u64,
}

impl Found {
    fn join(&mut self, other: &Self) {
        self.there += other.there;
        self.named += other.named;
        self.right += other.right;
    }
}
