//! The choice of questions against its definition: the votes that might come are added to the evidence, and all trees listed anew.

use std::collections::{HashMap, HashSet};

use grove_belief::{
    Answer, Choice, Evidence, Exact, Kind, Noise, Question, Settings, Strategy, Vote, Worker, choose,
    choose_batch,
};
use grove_tree::Concept;

use crate::cases::{evidence, noises, rng, votes};
use crate::oracle::Oracle;

const ASKED: Worker = Worker::new(1);

fn questions(count: usize) -> Vec<Question> {
    let pairs = Concept::all(count).flat_map(|upper| Concept::all(count).map(move |lower| (upper, lower)));
    pairs.filter_map(|(upper, lower)| Question::path(upper, lower).ok()).collect()
}

/// ln P(votes and the answer), and the entropy that the answer would leave.
fn after(evidence: &Evidence, question: Question, answer: Answer) -> (f64, f64) {
    let mut later = evidence.clone();
    later.record(Vote { question, worker: ASKED, answer }).unwrap();
    let after = Oracle::new(&later);
    (after.log_evidence, after.entropy())
}

/// By question: H before minus the expected H after in bits, and max(H after yes, H after no) in nats.
fn each_question(evidence: &Evidence) -> HashMap<Question, (f64, f64)> {
    let before = Oracle::new(evidence);
    let weigh = |question: Question| {
        let [(yes, after_yes), (no, after_no)] =
            [Answer::Yes, Answer::No].map(|answer| after(evidence, question, answer));
        let [yes, no] = [yes, no].map(|log| (log - before.log_evidence).exp());
        let gain = before.entropy() - yes * after_yes - no * after_no;
        (question, (gain / std::f64::consts::LN_2, after_yes.max(after_no)))
    };
    questions(evidence.count()).into_iter().map(weigh).collect()
}

fn chosen(belief: &Exact, strategy: Strategy, excluded: &dyn Fn(Question) -> bool) -> Option<Choice> {
    choose(belief, strategy, ASKED, excluded, &mut rng(5))
}

/// Every noise model that predicts single votes. Nobody's votes but the asked one's are missing.
fn each_case(count: usize, mut check: impl FnMut(&Evidence)) {
    let mut rng = rng(31);
    for noise in noises().into_iter().filter(|noise| *noise != Noise::Majority) {
        for _ in 0..3 {
            let settings = Settings { noise: noise.clone(), ..Settings::one_rate(0.1).unwrap() };
            let mut votes = votes(count, 16, &[Kind::Path, Kind::Path, Kind::Path, Kind::Edge], &mut rng);
            votes.retain(|vote| vote.worker != ASKED);
            check(&evidence(count, settings, &votes));
        }
    }
}

#[test]
fn gain_is_the_entropy_it_saves() {
    each_case(5, |evidence| {
        let belief = Exact::new(evidence.clone()).unwrap();
        let expected = each_question(evidence);
        for (&question, &(gain, _)) in &expected {
            let choice = chosen(&belief, Strategy::Gain, &|other| other != question).unwrap();
            assert!((choice.gain - gain).abs() < 1e-9, "{} for {gain}: {evidence:?}", choice.gain);
            assert!((0.0..=1.0).contains(&choice.gain));
        }
        let best = chosen(&belief, Strategy::Gain, &|_| false).unwrap();
        let most = expected.values().map(|(gain, _)| *gain).fold(0.0, f64::max);
        assert!((expected[&best.question].0 - most).abs() < 1e-9);
    });
}

/// Nats or bits. Rules that look at a sample of trees may take a question that is nearly as good as the best.
const SLACK: f64 = 0.02;

#[test]
fn the_worst_case_rule_leaves_the_least_entropy() {
    each_case(4, |evidence| {
        let belief = Exact::new(evidence.clone()).unwrap();
        let choice = chosen(&belief, Strategy::WorstCase, &|_| false).unwrap();
        let expected = each_question(evidence);
        let (_, found) = expected[&choice.question];
        let least = expected.values().map(|(_, left)| *left).fold(f64::INFINITY, f64::min);
        let most = expected.values().map(|(_, left)| *left).fold(0.0, f64::max);
        assert!(found < least + SLACK, "{found} left instead of {least}: {evidence:?}");
        // The formula as printed, argmax, would choose a question that leaves far more.
        assert!(most > least + 10.0 * SLACK, "no question is worse than another: {evidence:?}");
    });
}

/// What three answers together tell, in bits: H(answers) - H(answers | tree), over all patterns of answers and all trees.
fn joint_gain(evidence: &Evidence, questions: &[Question], noise: f64) -> f64 {
    let trees = Oracle::new(evidence);
    let entropy = |p: f64| -p * p.log2();
    let pattern_chance = |pattern: usize| -> f64 {
        let answers = |tree: &grove_tree::Tree| -> f64 {
            let chance = |(at, question): (usize, &Question)| {
                let truth = tree.is_above(question.upper, question.lower);
                if truth == (pattern >> at & 1 == 1) { 1.0 - noise } else { noise }
            };
            questions.iter().enumerate().map(chance).product()
        };
        trees.trees().iter().map(|(tree, chance)| chance * answers(tree)).sum()
    };
    let all: f64 = (0..1 << questions.len()).map(pattern_chance).map(entropy).sum();
    all - questions.len() as f64 * (entropy(noise) + entropy(1.0 - noise))
}

/// The three questions of largest single gain.
fn top_singles(evidence: &Evidence) -> Vec<Question> {
    let mut gains: Vec<(Question, (f64, f64))> = each_question(evidence).into_iter().collect();
    gains.sort_by(|(one, (less, _)), (other, (more, _))| more.total_cmp(less).then(one.cmp(other)));
    gains.into_iter().take(3).map(|(question, _)| question).collect()
}

/// How much less than the best question at its turn each question of a batch adds to those before it, at most.
fn lost_by_turn(evidence: &Evidence, asked: &[Question], noise: f64) -> f64 {
    let turn = |at: usize| {
        let gain_with =
            |question: Question| joint_gain(evidence, &[&asked[..at], &[question]].concat(), noise);
        let rest = questions(evidence.count()).into_iter().filter(|question| !asked[..at].contains(question));
        rest.map(gain_with).fold(0.0, f64::max) - gain_with(asked[at])
    };
    (0..asked.len()).map(turn).fold(0.0, f64::max)
}

#[test]
fn a_batch_tells_more_than_the_best_single_questions() {
    const NOISE: f64 = 0.1;
    // Nobody who has answered anything yet.
    let workers = [11, 12, 13].map(Worker::new);
    let (mut won, mut lost_by_singles) = (0.0, 0.0_f64);
    for seed in 0..40 {
        let votes = votes(4, 6, &[Kind::Path], &mut rng(seed));
        let evidence = evidence(4, Settings::one_rate(NOISE).unwrap(), &votes);
        let belief = Exact::new(evidence.clone()).unwrap();
        let batch = choose_batch(&belief, &workers, &|_| false, &mut rng(seed));
        let asked: Vec<Question> = batch.iter().map(|(_, choice)| choice.question).collect();
        assert!(asked.len() == 3 && asked.iter().collect::<HashSet<_>>().len() == 3);
        let singles = top_singles(&evidence);
        let more = joint_gain(&evidence, &asked, NOISE) - joint_gain(&evidence, &singles, NOISE);
        assert!(more > -SLACK, "{more} bits more than the best single questions: {evidence:?}");
        won += more;
        let lost = lost_by_turn(&evidence, &asked, NOISE);
        assert!(lost < SLACK, "{lost} bits lost at one turn: {evidence:?}");
        lost_by_singles = lost_by_singles.max(lost_by_turn(&evidence, &singles, NOISE));
    }
    // The best single questions repeat each other.
    assert!(lost_by_singles > 5.0 * SLACK && won / 40.0 > SLACK, "{lost_by_singles}, {won}");
}

#[test]
fn nobody_is_asked_twice_or_what_is_excluded() {
    let votes = votes(4, 12, &[Kind::Path], &mut rng(2));
    let belief = Exact::new(evidence(4, Settings::one_rate(0.1).unwrap(), &votes)).unwrap();
    let (one, workers) = (Concept::new(1), [0, 1, 2, 3, 0, 1, 2, 3].map(Worker::new));
    let excluded = |question: Question| question.upper == one;
    let batch = choose_batch(&belief, &workers, &excluded, &mut rng(3));
    let fits = |worker: Worker, question: Question| {
        !excluded(question) && !votes.iter().any(|vote| (vote.worker, vote.question) == (worker, question))
    };
    assert!(batch.iter().all(|(worker, choice)| fits(*worker, choice.question)));
    assert_eq!(batch.iter().map(|(_, choice)| choice.question).collect::<HashSet<_>>().len(), batch.len());
    for strategy in [Strategy::Gain, Strategy::WorstCase, Strategy::Random] {
        let choice = choose(&belief, strategy, Worker::new(0), &excluded, &mut rng(4)).unwrap();
        assert!(fits(Worker::new(0), choice.question));
    }
    assert_eq!(choose(&belief, Strategy::Random, ASKED, &|_| true, &mut rng(5)), None);
}
