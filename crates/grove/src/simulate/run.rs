use std::time::{Duration, Instant};

use grove_belief::{Belief, Certainties, Evidence, Strategy, Target, choose};
use grove_sim::{Crowd, Interview, Settling, Shares};
use grove_tree::Tree;
use indicatif::ProgressBar;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::plan::{Plan, Voters};
use super::pool::Pool;
use crate::engine;

/// How many points the AUC curve has, the last one aside.
const POINTS: u64 = 20;

/// How many people in a row may have nothing left to answer before it is taken that nobody has.
const PATIENCE: u32 = 200;

/// What came of one run.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) seed: u64,
    /// The first vote since which every parent has been right until the end.
    pub(super) settled: Option<usize>,
    pub(super) votes: usize,
    /// The area under the ROC curve of the edges at the end; none for a single concept.
    pub(super) auc: Option<f64>,
    /// The same along the way: (votes, area).
    pub(super) auc_curve: Vec<(usize, f64)>,
    /// The share of parents that are right at the end.
    pub(super) parents_right: f64,
    /// To take a vote in and choose the next question.
    pub(super) seconds_per_vote: f64,
}

/// Asks until the questions are used up, the target is reached or nobody has anything left to answer.
pub(super) fn run(plan: &Plan<'_>, seed: u64, bar: &ProgressBar) -> anyhow::Result<Outcome> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = if plan.drawn { Tree::random(plan.truth.len(), &mut rng) } else { plan.truth.clone() };
    let mut source = Source::new(&plan.voters, &truth, &mut rng)?;
    let evidence = Evidence::new(truth.len(), plan.settings.clone())?;
    let mut belief = engine::start(plan.options.engine, evidence, seed)?;
    let target = plan.options.until.map(Target::every).transpose()?;
    let step = plan.questions.div_ceil(POINTS) as usize;
    let (mut settling, mut auc_curve, mut votes) = (Settling::default(), Vec::new(), 0_usize);
    let mut spent = Duration::ZERO;
    while (votes as u64) < plan.questions {
        let start = Instant::now();
        let asked = source.ask(&mut *belief, plan.options.strategy.strategy(), &mut rng)?;
        spent += start.elapsed();
        if !asked {
            break;
        }
        votes += 1;
        bar.inc(1);
        settling.look(&*belief, &truth)?;
        if votes.is_multiple_of(step) {
            auc_curve.extend(Certainties::of(&*belief)?.edge_auc(&truth).map(|auc| (votes, auc)));
        }
        if target.is_some_and(|target| target.is_reached(&*belief)) {
            break;
        }
    }
    let certainties = Certainties::of(&*belief)?;
    let auc = certainties.edge_auc(&truth);
    if !votes.is_multiple_of(step) {
        auc_curve.extend(auc.map(|auc| (votes, auc)));
    }
    Ok(Outcome {
        seed,
        settled: settling.since(),
        votes,
        auc,
        auc_curve,
        parents_right: certainties.parents_right(&truth),
        seconds_per_vote: spent.as_secs_f64() / votes.max(1) as f64,
    })
}

/// Where this run's votes come from.
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

    /// Has one more question answered; false if there is none left.
    fn ask(
        &mut self,
        belief: &mut dyn Belief,
        strategy: Strategy,
        rng: &mut ChaCha8Rng,
    ) -> anyhow::Result<bool> {
        match self {
            Self::Crowd(crowd) => {
                let mut interview = Interview { belief, crowd, strategy };
                for _ in 0..PATIENCE {
                    if interview.ask(rng)?.is_some() {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Pool(pool) => {
                let chosen =
                    choose(belief, strategy, pool.stranger(), &|question| !pool.is_open(question), rng);
                // Of many concepts only some questions are considered, and perhaps none of those has votes.
                let question = chosen.map(|choice| choice.question).or_else(|| pool.any(rng));
                let Some(vote) = question.and_then(|question| pool.draw(question, rng)) else {
                    return Ok(false);
                };
                belief.record(vote)?;
                Ok(true)
            }
        }
    }
}
