use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use grove_belief::{Belief, Certainties, DOUBTFUL_BELOW, Form, Seconds, Target, choose};
use grove_sim::{Course, Crowd, Interview, Schedule, Shares, ask_screen, settle};
use grove_tree::{Concept, Tree};
use indicatif::ProgressBar;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use serde::Serialize;

use super::plan::{Plan, Voters};
use super::pool::Pool;

/// How many points the AUC curve has, besides the last one.
const POINTS: u64 = 20;

/// How many people in a row may have nothing left to answer before a run assumes that this holds for everybody.
const PATIENCE: u32 = 200;

/// The result of one run. Field names are documented in docs/cli.md and do not change.
#[derive(Serialize, Clone, Debug)]
pub(super) struct Outcome {
    pub(super) seed: u64,
    /// The first vote since which every parent has been right until the end.
    pub(super) settled: Option<usize>,
    pub(super) votes: usize,
    /// The screens that were shown: as many as there are votes, whatever their form.
    pub(super) screens: usize,
    /// The same by form.
    pub(super) by_form: BTreeMap<Form, usize>,
    /// The time that people need for them.
    pub(super) person_seconds: f64,
    /// The area under the ROC curve of the edges at the end; none for a single concept.
    pub(super) auc: Option<f64>,
    /// The same during the run.
    pub(super) auc_curve: Vec<Point>,
    /// The share of parents that are right at the end.
    pub(super) parents_right: f64,
    /// The parents that are wrong although they are stated with a certainty of at least 0.75, and of at least 0.9.
    pub(super) certain_and_wrong: usize,
    pub(super) very_certain_and_wrong: usize,
    /// The cost in dollars.
    pub(super) cost: f64,
    /// The time to update the belief and to choose the next question.
    pub(super) seconds_per_vote: f64,
}

/// A point of the AUC curve.
#[derive(Serialize, Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) votes: usize,
    pub(super) screens: usize,
    pub(super) person_seconds: f64,
    pub(super) auc: f64,
}

/// Asks until the questions are used up, the target is reached or nobody has anything left to answer.
pub(super) fn run(plan: &Plan<'_>, seed: u64, bar: &ProgressBar) -> anyhow::Result<Outcome> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = if plan.drawn { Tree::random(plan.truth.len(), &mut rng) } else { plan.truth.clone() };
    let mut source = Source::new(&plan.voters, &truth, &mut rng)?;
    let evidence = plan.evidence(truth.len())?;
    let mut belief = plan.options.engine.start(evidence, seed)?;
    let target = plan.options.until.map(Target::every).transpose()?;
    let step = plan.questions.div_ceil(POINTS) as usize;
    let schedule = Schedule { votes: plan.questions as usize, check_every: 1, auc_every: step };
    let mut spent = Duration::ZERO;
    let mut person_seconds: Vec<f64> = Vec::new();
    let mut by_form = BTreeMap::new();
    let ask = |belief: &mut dyn Belief| -> anyhow::Result<usize> {
        let reached = |target: Target| belief.evidence().recorded() > 0 && target.is_reached(belief);
        if target.is_some_and(reached) {
            return Ok(0);
        }
        let start = Instant::now();
        let asked = source.ask(belief, plan, &mut rng)?;
        spent += start.elapsed();
        bar.inc(u64::from(asked.is_some()));
        if let Some((form, seconds)) = asked {
            person_seconds.push(seconds);
            *by_form.entry(form).or_default() += 1;
        }
        Ok(usize::from(asked.is_some()))
    };
    let Course { votes, settled, curve } = settle(&mut *belief, &truth, schedule, ask)?;
    let point = |(votes, auc): (usize, f64)| Point {
        votes,
        screens: votes,
        person_seconds: person_seconds[..votes].iter().sum(),
        auc,
    };
    let mut auc_curve: Vec<Point> = curve.into_iter().map(point).collect();
    let certainties = Certainties::of(&*belief)?;
    let auc = Certainties::expected(&*belief)?.edge_auc(&truth);
    if !votes.is_multiple_of(step) {
        auc_curve.extend(auc.map(|auc| point((votes, auc))));
    }
    let wrong = |least: f64| {
        let is_wrong = |child: &Concept| {
            let parents = belief.parents(*child);
            parents
                .first()
                .is_some_and(|(parent, chance)| *chance >= least && *parent != truth.parent(*child))
        };
        truth.concepts().filter(is_wrong).count()
    };
    Ok(Outcome {
        seed,
        settled,
        votes,
        screens: votes,
        by_form,
        person_seconds: person_seconds.iter().sum(),
        certain_and_wrong: wrong(DOUBTFUL_BELOW),
        very_certain_and_wrong: wrong(0.9),
        auc,
        auc_curve,
        parents_right: certainties.parents_right(&truth),
        cost: plan.dollars(votes as f64),
        seconds_per_vote: spent.as_secs_f64() / votes.max(1) as f64,
    })
}

/// Where the votes of a run come from.
enum Source {
    Crowd(Crowd),
    Pool(Pool),
}

impl Source {
    fn new(voters: &Voters, truth: &Tree, rng: &mut ChaCha8Rng) -> anyhow::Result<Self> {
        Ok(match voters {
            Voters::Crowd(spec) => Self::Crowd(Crowd::gather(spec, &Shares::none(truth), rng)?),
            Voters::Pool(pool) => Self::Pool(pool.clone()),
        })
    }

    /// Asks one more question; its form and the seconds that it takes, or none if there is no question left.
    fn ask(
        &mut self,
        belief: &mut dyn Belief,
        plan: &Plan<'_>,
        rng: &mut ChaCha8Rng,
    ) -> anyhow::Result<Option<(Form, f64)>> {
        let strategy = plan.options.strategy.strategy();
        let yes_no = (Form::YesNo, Seconds::default().of(Form::YesNo, 0, 0));
        match self {
            Self::Crowd(crowd) if plan.asking.is_some() => {
                let Some((asking, least)) = &plan.asking else { return Ok(None) };
                let people = crowd.people().len() as u32;
                for _ in 0..PATIENCE.min(people) {
                    if let Some(choice) = ask_screen(belief, crowd, asking, *least, rng)? {
                        return Ok(Some((choice.screen.form(), choice.seconds)));
                    }
                }
                Ok(None)
            }
            Self::Crowd(crowd) => {
                let mut interview = Interview { belief, crowd, strategy };
                for _ in 0..PATIENCE {
                    if interview.ask(rng)?.is_some() {
                        return Ok(Some(yes_no));
                    }
                }
                Ok(None)
            }
            Self::Pool(pool) => {
                let chosen =
                    choose(belief, strategy, pool.stranger(), &|question| !pool.is_open(question), rng);
                // Of many concepts only some questions are considered, and perhaps none of those has votes.
                let question = chosen.map(|choice| choice.question).or_else(|| pool.any(rng));
                let Some(vote) = question.and_then(|question| pool.draw(question, rng)) else {
                    return Ok(None);
                };
                belief.record(vote)?;
                Ok(Some(yes_no))
            }
        }
    }
}

/// Does the runs 0 to `runs`, as many at once as there are cores, and returns their results in order.
///
/// Every run has its own threads. If they were shared, a run that waits for its trees would start another one meanwhile, and
/// the time of a vote would include the votes of others.
pub(super) fn in_parallel<T: Send>(
    runs: u64,
    work: impl Fn(u64) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let cores = rayon::current_num_threads();
    let at_once = cores.min(usize::try_from(runs).unwrap_or(cores));
    let next = AtomicU64::new(0);
    let results: Mutex<Vec<(u64, anyhow::Result<T>)>> = Mutex::new(Vec::new());
    let worker = || -> anyhow::Result<()> {
        let pool = ThreadPoolBuilder::new().num_threads((cores / at_once).max(1)).build()?;
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= runs {
                return Ok(());
            }
            let result = pool.install(|| work(run));
            results.lock().expect("no run panics while it holds the results").push((run, result));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a run does not panic"))
    })?;
    let mut results = results.into_inner().expect("all runs have ended");
    results.sort_by_key(|&(run, _)| run);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_errors_are_returned() {
        assert_eq!(in_parallel(9, |run| Ok(run * run)).unwrap(), [0, 1, 4, 9, 16, 25, 36, 49, 64]);
        let fails = |run| if run == 3 { Err(anyhow::anyhow!("run three")) } else { Ok(run) };
        assert_eq!(in_parallel(9, fails).unwrap_err().to_string(), "run three");
    }
}
