//! Grove on the same labels: it asks about pairs of labels and needs no items.

use grove_belief::{Evidence, Noise, Prior, Question, Rates, Settings, Strategy, Vote, Worker};
use grove_sim::{CrowdSpec, Interview, Schedule};
use grove_tree::Concept;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::benchmark::{Benchmark, PEOPLE};
use crate::Error;
use crate::table::Curve;
use crate::trial::{Engine, auc};

/// The settings if people's mean rates are known, and that no question divides them.
pub(super) fn known_rates(spec: &CrowdSpec) -> Result<Settings, Error> {
    let Some([if_true, if_false]) = spec.rates.two_rates() else { return Ok(Settings::default()) };
    let noise = Noise::Given(Rates::two(if_false, 1.0 - if_true)?);
    Ok(Settings { noise, dissent: None, prior: Prior::taxonomy() })
}

/// The AUC along the way. The first `chosen` votes are asked one by one, each on the question of greatest gain. Up to each of the
/// later marks, votes are spread evenly over all pairs. That is faster to compute, and also asks what is known already: it can
/// only understate what choosing would achieve.
pub(super) fn run(
    benchmark: &mut Benchmark,
    settings: Settings,
    chosen: usize,
    later: &[usize],
    seed: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Curve, Error> {
    let truth = benchmark.labels.clone();
    let mut belief = Engine::Ensemble.start(truth.len(), settings, seed)?;
    let mut curve = vec![(0.0, auc(&*belief, &truth)?)];
    let crowd = &mut benchmark.crowd;
    let mut interview = Interview { belief: &mut *belief, crowd, strategy: Strategy::Gain };
    let course = interview.settle(&truth, Schedule::every(100, chosen), rng)?;
    curve.extend(course.curve.iter().map(|&(votes, auc)| (votes as f64, auc)));
    let mut evidence = belief.evidence().clone();
    for &mark in later {
        spread(benchmark, &mut evidence, mark, rng)?;
        curve.push((mark as f64, auc(&*Engine::Ensemble.resume(evidence.clone(), seed)?, &truth)?));
    }
    Ok(Curve(curve))
}

/// Gives every pair in turn one more vote, from somebody who has not answered about it, until there are `votes`.
fn spread(
    benchmark: &mut Benchmark,
    evidence: &mut Evidence,
    votes: usize,
    rng: &mut ChaCha8Rng,
) -> Result<(), Error> {
    let count = evidence.count();
    let pairs = Concept::all(count).flat_map(|upper| Concept::all(count).map(move |lower| (upper, lower)));
    let mut questions: Vec<Question> =
        pairs.filter_map(|(upper, lower)| Question::path(upper, lower).ok()).collect();
    let mut people: Vec<Worker> = (0..PEOPLE as u32).map(Worker::new).collect();
    while evidence.recorded() < votes {
        questions.shuffle(rng);
        people.shuffle(rng);
        for (at, &question) in questions.iter().enumerate() {
            let mut from = (0..PEOPLE).map(|step| people[(at + step) % PEOPLE]);
            let fresh = from.find(|&worker| !evidence.has_answered(worker, question));
            if let Some(worker) = fresh.filter(|_| evidence.recorded() < votes) {
                let answer = benchmark.crowd.answer(worker, question, rng);
                evidence.record(Vote { question, worker, answer })?;
            }
        }
    }
    Ok(())
}
