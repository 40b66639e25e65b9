use grove_belief::{
    Answer, Belief, Evidence, Exact, Question, Report, ReportOptions, Settings, Vote, Worker,
};
use grove_tree::{Concept, Tree};

/// The noise rate of the cases.
pub(crate) const NOISE: f64 = 0.1;

pub(crate) fn concept(number: usize) -> Concept {
    Concept::new(number)
}

pub(crate) fn question(upper: usize, lower: usize) -> Question {
    Question::path(concept(upper), concept(lower)).unwrap()
}

pub(crate) fn one_rate() -> Settings {
    Settings::one_rate(NOISE).unwrap()
}

/// Evidence with the given numbers of yes and no votes on (upper, lower), each by another worker.
pub(crate) fn evidence(count: usize, settings: Settings, votes: &[(usize, usize, [usize; 2])]) -> Evidence {
    let mut evidence = Evidence::new(count, settings).unwrap();
    for &(upper, lower, [yes, no]) in votes {
        for at in 0..yes + no {
            let worker = Worker::new(evidence.recorded() as u32);
            let answer = if at < yes { Answer::Yes } else { Answer::No };
            evidence.record(Vote { question: question(upper, lower), worker, answer }).unwrap();
        }
    }
    evidence
}

pub(crate) fn exact(count: usize, votes: &[(usize, usize, [usize; 2])]) -> Exact {
    Exact::new(evidence(count, one_rate(), votes)).unwrap()
}

pub(crate) fn report(belief: &dyn Belief) -> Report {
    Report::of(belief, &ReportOptions::default())
}

/// All trees over some concepts: every list of parents that has no cycle.
pub(crate) fn all_trees(count: usize) -> Vec<Tree> {
    let lists = (0..(count + 1).pow(count as u32)).map(|number| {
        let digit = |at: usize| concept(number / (count + 1).pow(at as u32) % (count + 1));
        (0..count).map(digit).collect::<Vec<_>>()
    });
    lists.filter_map(|parents| Tree::from_parents(&parents).ok()).collect()
}

/// The posterior of every tree, by multiplying the chances of all votes.
pub(crate) fn posterior(evidence: &Evidence) -> Vec<(Tree, f64)> {
    let weight = |tree: &Tree| -> f64 {
        let chance = |vote: &Vote| {
            let honest = tree.is_above(vote.question.upper, vote.question.lower);
            if honest == (vote.answer == Answer::Yes) { 1.0 - NOISE } else { NOISE }
        };
        evidence.votes().map(|(_, vote)| chance(vote)).product()
    };
    let trees = all_trees(evidence.count());
    let total: f64 = trees.iter().map(weight).sum();
    trees.into_iter().map(|tree| (weight(&tree) / total, tree)).map(|(p, tree)| (tree, p)).collect()
}

pub(crate) fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}
