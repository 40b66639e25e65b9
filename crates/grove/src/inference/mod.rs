//! From recorded votes to a hierarchy with certainties, without a terminal and without a database: what `grove infer` and the Python package
//! have in common, so that the same votes and seed give the same bits in both.

mod findings;
mod input;

use grove_belief::{
    Belief, DOUBTFUL_BELOW, Evidence, Measures, Report, ReportOptions, Settings, Unwatched, Verdict, path_auc,
};
use grove_campaign::believed_hierarchy;
use grove_formats::Hierarchy;
use grove_tree::Tree;
use serde::Serialize;

pub use crate::engine_options::{AssumedNoise, Engine, PriorShape};
pub use crate::output_options::{check_base, check_relation};
pub use crate::recorded_votes::RecordedVotes;
pub use findings::Findings;
pub(crate) use findings::{DoubtfulVote, Named, Pair, Triangle, Worker};
pub use input::Input;

/// How votes are read, and by which engine.
#[derive(Clone, Debug)]
pub struct Options {
    /// The engine.
    pub engine: Engine,
    /// How people err.
    pub noise: AssumedNoise,
    /// What is believed before the first vote.
    pub prior: PriorShape,
    /// The root's name; none for the one in the concepts' file, or "everything".
    pub root: Option<String>,
    /// The random seed; the same input and seed give the same result.
    pub seed: u64,
}

impl Options {
    /// The belief's settings.
    ///
    /// # Errors
    /// A rate that is out of range.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        self.noise.settings(self.prior)
    }
}

/// Receives the progress of a computation, and may end it.
pub trait Watch {
    /// A part of the work begins: its name, and how many steps it has if they can be counted.
    fn begin(&mut self, work: &'static str, steps: Option<u64>);

    /// One step of it is done.
    fn step(&mut self);

    /// Whether to give up.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// The watcher of the engine's own steps, on all its threads; if it stops the engine, the result is what was
    /// computed so far.
    fn engine(&self) -> &dyn grove_belief::Watch {
        &Unwatched
    }
}

/// A belief, and the same belief with more trees, for reports.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The belief that takes in further votes.
    pub working: grove_belief::Engine,
    /// The belief that reports are read from.
    pub refined: grove_belief::Engine,
}

/// How a result compares with the truth.
#[derive(Serialize)]
pub struct Measured {
    /// The measures of the edges.
    #[serde(flatten)]
    pub edges: Measures,
    /// The area under the ROC curve of the paths; none above 500 concepts, since it takes the probability of every pair.
    pub path_auc: Option<f64>,
}

/// Measuring paths takes the probability of every pair, so larger hierarchies are measured by their edges alone.
const PATHS_UP_TO: usize = 500;

/// Sweeps that trees are given when they do not agree yet.
const SWEEPS: u64 = 20;

/// How often they are given those sweeps and compared again.
const MOST_ROUNDS: u64 = 3;

/// Above this many concepts comparing the trees takes minutes, so they are given a few sweeps first and compared once.
const COMPARE_AGAIN_UP_TO: usize = 300;

/// Those few sweeps.
const SWEEPS_OF_MANY: u64 = 5;

/// The belief that follows from the votes, ready to be reported; none if `watch` gave up.
///
/// # Errors
/// What the engine refuses.
pub fn solve(input: &Input, options: &Options, watch: &mut dyn Watch) -> anyhow::Result<Option<Solved>> {
    if options.engine == Engine::Weights {
        return follow(input, options, watch);
    }
    watch.begin("placing the concepts", None);
    let evidence = input.recorded.evidence(input.count(), input.settings.clone())?;
    let belief = options.engine.start_watched(evidence, options.seed, watch.engine())?;
    Ok(match options.engine {
        Engine::Ensemble => converge(belief, watch),
        Engine::Exact | Engine::Weights => Some(Solved { refined: belief.clone(), working: belief }),
    })
}

/// The paper's engine takes one vote after another.
fn follow(input: &Input, options: &Options, watch: &mut dyn Watch) -> anyhow::Result<Option<Solved>> {
    let nothing = Evidence::new(input.count(), input.settings.clone())?;
    let mut belief = options.engine.start(nothing, options.seed)?;
    watch.begin("votes", Some(input.recorded.responses.len() as u64));
    for response in &input.recorded.responses {
        if watch.is_cancelled() {
            return Ok(None);
        }
        belief.respond(response.clone())?;
        watch.step();
    }
    Ok(Some(Solved { refined: belief.clone(), working: belief }))
}

/// Sweeps trees that were built from all votes at once until they converge, the rounds are used up, or the engine is stopped.
fn converge(mut working: grove_belief::Engine, watch: &mut dyn Watch) -> Option<Solved> {
    if working.evidence().count() > COMPARE_AGAIN_UP_TO {
        sweep(&mut working, SWEEPS_OF_MANY, watch)?;
        let refined = refine(&working, watch)?;
        return Some(Solved { working, refined });
    }
    let mut refined = refine(&working, watch)?;
    for _ in 0..MOST_ROUNDS {
        if refined.health().verdict != Verdict::NotConverged || watch.engine().is_stopped() {
            break;
        }
        sweep(&mut working, SWEEPS, watch)?;
        refined = refine(&working, watch)?;
    }
    Some(Solved { working, refined })
}

fn sweep(belief: &mut grove_belief::Engine, sweeps: u64, watch: &mut dyn Watch) -> Option<()> {
    watch.begin("sweeps over all trees", Some(sweeps));
    for _ in 0..sweeps {
        if watch.is_cancelled() {
            return None;
        }
        belief.sweep_watched(1, watch.engine());
        watch.step();
    }
    Some(())
}

/// The same belief with more trees, for reports; none if `watch` gave up.
pub fn refine(belief: &grove_belief::Engine, watch: &mut dyn Watch) -> Option<grove_belief::Engine> {
    if watch.is_cancelled() {
        return None;
    }
    watch.begin("drawing more trees and comparing them", None);
    Some(belief.refined_watched(watch.engine()))
}

/// What a refined belief says, and the hierarchy to show.
///
/// # Errors
/// A name or a heading that a hierarchy cannot have.
pub fn report(refined: &grove_belief::Engine, input: &Input) -> anyhow::Result<(Report, Hierarchy)> {
    let report = Report::of(&**refined, &ReportOptions::default().doubtful_below(DOUBTFUL_BELOW)?);
    let hierarchy = believed_hierarchy(&**refined, &report.hierarchy, input.heading(), input.entries())?;
    Ok((report, hierarchy))
}

/// Compares a belief with the truth.
///
/// # Errors
/// A tree of another number of concepts.
pub fn measure(belief: &dyn Belief, truth: &Tree) -> anyhow::Result<Measured> {
    let few = truth.len() <= PATHS_UP_TO;
    let path_auc = few.then(|| path_auc(|upper, lower| belief.path(upper, lower), truth)).flatten();
    Ok(Measured { edges: Measures::of(belief, truth)?, path_auc })
}
