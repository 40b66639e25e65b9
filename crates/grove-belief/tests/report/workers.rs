//! Workers with planted habits, judged by an ensemble that learns their rates with the hierarchy.

use grove_belief::{
    Answer, Belief, Ensemble, EnsembleSettings, Evidence, Noise, Prior, Question, RateEstimate, Report,
    Settings, Vote, Worker, WorkerPrior, WorkerReport, WorkerVerdict,
};
use grove_tree::{Concept, Tree};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::cases::{close, exact, report};

/// A worker's true rates of yes: when above and when not.
type Habit = [f64; 2];

const GOOD: Habit = [0.9, 0.1];
const ALWAYS_YES: Habit = [0.95, 0.95];
const ALWAYS_NO: Habit = [0.05, 0.05];
const INVERTED: Habit = [0.15, 0.85];

const COUNT: usize = 12;

/// Every worker answers random questions, no two the same, half of them about pairs of which the truth has one above the other.
fn survey(habits: &[(Habit, usize)], seed: u64) -> Evidence {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = balanced();
    let noise = Noise::Learnt(WorkerPrior::default());
    let settings = Settings { noise, prior: Prior::uniform(), ..Settings::default() };
    let mut evidence = Evidence::new(COUNT, settings).unwrap();
    for (worker, &(habit, votes)) in (0..).map(Worker::new).zip(habits) {
        for above in [true, false] {
            let mut questions: Vec<Question> = Concept::all(COUNT)
                .flat_map(|upper| Concept::all(COUNT).map(move |lower| (upper, lower)))
                .filter(|&(upper, lower)| truth.is_above(upper, lower) == above)
                .filter_map(|(upper, lower)| Question::path(upper, lower).ok())
                .collect();
            questions.shuffle(&mut rng);
            assert!(questions.len() >= votes / 2, "there are enough questions of either kind");
            for &question in &questions[..votes / 2] {
                let yes = rng.random::<f64>() < habit[usize::from(!above)];
                let answer = if yes { Answer::Yes } else { Answer::No };
                evidence.record(Vote { question, worker, answer }).unwrap();
            }
        }
    }
    evidence
}

/// Concept j under j / 2: 1 above all others, and 22 pairs in all.
fn balanced() -> Tree {
    Tree::from_parents(&(1..=COUNT).map(|at| Concept::new(at / 2)).collect::<Vec<_>>()).unwrap()
}

fn judged(habits: &[(Habit, usize)], seed: u64) -> Report {
    let settings = EnsembleSettings { trees: 100, moves: 8, seed };
    report(&Ensemble::new(survey(habits, seed), settings).unwrap().refined())
}

fn verdicts(report: &Report) -> Vec<WorkerVerdict> {
    report.workers.iter().map(|worker| worker.verdict).collect()
}

#[test]
fn planted_habits_are_found() {
    let mut habits = vec![(GOOD, 36); 8];
    habits.extend([(ALWAYS_YES, 36), (ALWAYS_NO, 36), (INVERTED, 36), (GOOD, 4)]);
    for seed in 0..3 {
        let report = judged(&habits, seed);
        let found = verdicts(&report);
        assert_eq!(found[..8], [WorkerVerdict::Fine; 8], "seed {seed}");
        let planted = [
            WorkerVerdict::Straightliner,
            WorkerVerdict::Straightliner,
            WorkerVerdict::Inverted,
            WorkerVerdict::TooFewVotes,
        ];
        assert_eq!(found[8..], planted, "seed {seed}");
        let agreement = |at: usize| report.workers[at].agreement.unwrap();
        assert!((0..8).all(|good| agreement(good) > 0.75) && agreement(10) < 0.35);
    }
}

#[test]
fn a_good_crowd_has_no_suspects() {
    let report = judged(&[(GOOD, 30); 10], 7);
    assert_eq!(verdicts(&report), [WorkerVerdict::Fine; 10]);
    assert_eq!(report.workers.iter().map(|worker| worker.votes.total()).collect::<Vec<_>>(), [30; 10]);
}

/// Two rates of every worker in several crowds, and how many 90 % intervals contain the true one.
fn coverage(pick: impl Fn(&WorkerReport) -> [RateEstimate; 2]) -> (usize, usize) {
    let habits = [(GOOD, 30), ([0.7, 0.3], 30), ([0.95, 0.05], 30), ([0.8, 0.1], 30), (GOOD, 30), (GOOD, 30)];
    let (mut held, mut all) = (0, 0);
    for seed in 20..30 {
        for (worker, (habit, _)) in judged(&habits, seed).workers.iter().zip(habits) {
            for (estimate, rate) in pick(worker).into_iter().zip(habit) {
                assert!(estimate.low <= estimate.mean && estimate.mean <= estimate.high);
                held += usize::from((estimate.low..=estimate.high).contains(&rate));
                all += 1;
            }
        }
    }
    (held, all)
}

/// Fewer than 94 of 120 has a chance of 5e-5 if each holds with 0.9 (binomial). These workers are much as the prior expects, so more do.
const LEAST_HELD: usize = 94;

#[test]
fn intervals_contain_the_true_rates() {
    let (held, all) = coverage(|worker| [worker.when_above, worker.when_neither]);
    assert!(all == 120 && held >= LEAST_HELD, "{held} of {all}");
}

/// A planted fault: intervals of half the width.
#[test]
fn overconfident_intervals_are_noticed() {
    let halved = |RateEstimate { mean, low, high }| RateEstimate {
        mean,
        low: (low + mean) / 2.0,
        high: (high + mean) / 2.0,
    };
    let (held, _) = coverage(|worker| [halved(worker.when_above), halved(worker.when_neither)]);
    assert!(held < LEAST_HELD, "{held}");
}

#[test]
fn gold_answers_count() {
    let mut evidence = survey(&[(GOOD, 20), (GOOD, 20), (GOOD, 20)], 3);
    for at in 0..20 {
        evidence.record_gold(Worker::new(5), at % 2 == 0, Answer::Yes).unwrap();
    }
    let settings = EnsembleSettings { trees: 100, moves: 8, seed: 1 };
    let report = report(&Ensemble::new(evidence, settings).unwrap().refined());
    let last = report.workers.last().unwrap();
    assert_eq!(report.workers.len(), 4);
    assert_eq!((last.worker, last.agreement, last.votes.total()), (Worker::new(5), None, 0));
    assert_eq!(last.verdict, WorkerVerdict::Straightliner);
}

#[test]
fn given_rates_lead_to_no_verdict() {
    let belief = exact(2, &[(1, 2, [1, 1])]);
    let report = report(&belief);
    assert_eq!(verdicts(&report), [WorkerVerdict::RatesGiven; 2]);
    let yes = report.workers[0];
    assert_eq!((yes.votes.yes, yes.votes.no), (1, 0));
    close(yes.when_above.mean, 0.9);
    assert_eq!((yes.when_above.low, yes.when_above.high), (yes.when_above.mean, yes.when_above.mean));
    close(yes.agreement.unwrap(), belief.path(Concept::new(1), Concept::new(2)));
    close(yes.agreement.unwrap() + report.workers[1].agreement.unwrap(), 1.0);
}
