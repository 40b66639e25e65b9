//! Grove on the same labels: it asks about pairs of labels and needs no items.

use grove_belief::{Belief, Evidence, Noise, Prior, Question, Rates, Settings, Strategy, Vote, Worker};
use grove_sim::CrowdSpec;
use grove_tree::Concept;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::benchmark::{Benchmark, PEOPLE};
use crate::Error;
use crate::asking::{auc, ensemble, follow, interview};

/// What Grove is told of the people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// Nothing: the default settings.
    Nothing,
    /// Their mean rates, and that no question divides them.
    Rates,
}

fn settings(told: Told, spec: &CrowdSpec) -> Result<Settings, Error> {
    Ok(match (told, spec.rates.two_rates()) {
        (Told::Rates, Some([if_so, if_not])) => Settings {
            noise: Noise::Given(Rates::two(if_not, 1.0 - if_so)?),
            division: None,
            prior: Prior::taxonomy(),
        },
        _ => Settings::default(),
    })
}

/// The AUC along the way. The first `chosen` votes are asked one by one, each on the question of greatest gain. Up to each of the later marks, votes are spread
/// evenly over all pairs, which takes less computing, and asks people what is known already: it can only understate what choosing would do.
pub(super) fn run(
    benchmark: &mut Benchmark,
    spec: &CrowdSpec,
    told: Told,
    chosen: usize,
    later: &[usize],
    seed: u64,
    rng: &mut ChaCha8Rng,
) -> Result<Vec<(usize, f64)>, Error> {
    let truth = benchmark.labels.clone();
    let evidence = Evidence::new(truth.len(), settings(told, spec)?)?;
    let mut belief = ensemble(evidence, seed)?;
    let asking = interview(&mut belief, &mut benchmark.crowd, Strategy::Gain);
    let mut curve = follow(asking, &truth, chosen, 100, rng)?.curve;
    let mut evidence = belief.evidence().clone();
    for &mark in later {
        spread(benchmark, &mut evidence, mark, rng)?;
        curve.push((mark, auc(&ensemble(evidence.clone(), seed)?, &truth)?));
    }
    Ok(curve)
}

/// Gives every pair in turn one more vote, from somebody who has not answered about it, until there are so many.
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
            let from = (0..PEOPLE).map(|step| people[(at + step) % PEOPLE]);
            let fresh = from.into_iter().find(|&worker| !evidence.has_answered(worker, question));
            if let Some(worker) = fresh.filter(|_| evidence.recorded() < votes) {
                let answer = benchmark.crowd.answer(worker, question, rng);
                evidence.record(Vote { question, worker, answer })?;
            }
        }
    }
    Ok(())
}
