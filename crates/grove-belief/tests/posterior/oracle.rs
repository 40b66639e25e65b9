//! The posterior of one tree for everybody by its definition: every tree, every question, the chance of the answers given how its two
//! concepts stand in the tree.
//! Shares nothing with the library but the values that describe votes, rates and trees.

use std::collections::BTreeMap;

use grove_belief::{Answer, Evidence, Kind, Noise, Question, Rates, Relation, Worker};
use grove_tree::{Concept, Tree};

/// Every tree over a few concepts with its posterior probability.
pub(crate) struct Oracle {
    count: usize,
    trees: Vec<(Tree, f64)>,
    /// ln of the sum over trees of prior and likelihood, relative to the flat tree's.
    pub(crate) log_partition: f64,
    /// The same in full: ln P(votes), but for the prior's constant.
    pub(crate) log_evidence: f64,
}

impl Oracle {
    pub(crate) fn new(evidence: &Evidence) -> Self {
        let questions = ballots(evidence);
        let log_posterior = |tree: &Tree| {
            let votes: f64 =
                questions.iter().map(|(question, chances)| chances[relation(*question, tree)]).sum();
            votes + log_prior(evidence, tree)
        };
        let flat = log_posterior(&Tree::flat(evidence.count()));
        let allowed =
            |tree: &Tree| evidence.corrections().iter().all(|(_, correction)| tree.satisfies(correction));
        let logs: Vec<(Tree, f64)> = all_trees(evidence.count())
            .into_iter()
            .filter(allowed)
            .map(|tree| (tree.clone(), log_posterior(&tree)))
            .collect();
        let most = logs.iter().map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logs.iter().map(|(_, log)| (log - most).exp()).sum();
        let trees = logs.into_iter().map(|(tree, log)| (tree, (log - most).exp() / total)).collect();
        let log_evidence = total.ln() + most;
        Self { count: evidence.count(), trees, log_partition: log_evidence - flat, log_evidence }
    }

    pub(crate) fn trees(&self) -> &[(Tree, f64)] {
        &self.trees
    }

    fn chance(&self, event: impl Fn(&Tree) -> bool) -> f64 {
        self.trees.iter().filter(|(tree, _)| event(tree)).map(|(_, chance)| chance).sum()
    }

    pub(crate) fn path(&self, upper: Concept, lower: Concept) -> f64 {
        self.chance(|tree| tree.is_above(upper, lower))
    }

    pub(crate) fn edge(&self, parent: Concept, child: Concept) -> f64 {
        self.chance(|tree| tree.parent(child) == parent)
    }

    pub(crate) fn probability(&self, wanted: &Tree) -> f64 {
        self.chance(|tree| tree == wanted)
    }

    pub(crate) fn largest(&self) -> f64 {
        self.trees.iter().map(|(_, chance)| *chance).fold(0.0, f64::max)
    }

    pub(crate) fn entropy(&self) -> f64 {
        self.trees.iter().filter(|(_, chance)| *chance > 0.0).map(|(_, chance)| -chance * chance.ln()).sum()
    }

    pub(crate) fn concepts(&self) -> impl Iterator<Item = Concept> + Clone {
        Concept::all(self.count)
    }
}

/// All (N+1)^(N-1) trees: every list of parents that has no cycle.
pub(crate) fn all_trees(count: usize) -> Vec<Tree> {
    let lists = (count + 1).pow(count as u32);
    let digits = |number: usize| {
        let parent = |at: usize| Concept::new(number / (count + 1).pow(at as u32) % (count + 1));
        (0..count).map(parent).collect::<Vec<_>>()
    };
    (0..lists).filter_map(|number| Tree::from_parents(&digits(number)).ok()).collect()
}

fn relation(question: Question, tree: &Tree) -> usize {
    let (upper, lower) = (question.upper, question.lower);
    let relation = match question.kind {
        Kind::Path if tree.is_above(upper, lower) => Relation::Above,
        Kind::Path if tree.is_above(lower, upper) => Relation::Reversed,
        Kind::Edge if tree.parent(lower) == upper => Relation::Above,
        Kind::Path | Kind::Edge => Relation::Neither,
    };
    relation as usize
}

fn log_prior(evidence: &Evidence, tree: &Tree) -> f64 {
    let prior = &evidence.settings().prior;
    let above: usize = tree.concepts().map(|concept| tree.depth(concept) - 1).sum();
    let odds: f64 =
        prior.odds().filter(|((upper, lower), _)| tree.is_above(*upper, *lower)).map(|(_, odds)| odds).sum();
    let parents = tree.concepts().filter(|concept| tree.parents().contains(concept)).count();
    above as f64 * prior.per_ancestor() + parents as f64 * prior.per_parent() + odds
}

/// ln P(all answers to a question | relation), for every question that was answered with yes or no.
fn ballots(evidence: &Evidence) -> Vec<(Question, [f64; 3])> {
    let mut answers: BTreeMap<Question, Vec<(Worker, bool)>> = BTreeMap::new();
    for (_, vote) in evidence.votes().filter(|(_, vote)| vote.answer != Answer::CantSay) {
        answers.entry(vote.question).or_default().push((vote.worker, vote.answer == Answer::Yes));
    }
    let noise = &evidence.settings().noise;
    answers.into_iter().map(|(question, answers)| (question, log_chances(noise, &answers))).collect()
}

fn log_chances(noise: &Noise, answers: &[(Worker, bool)]) -> [f64; 3] {
    let by_rates = |rates_of: &dyn Fn(Worker) -> Rates| {
        [Relation::Above, Relation::Reversed, Relation::Neither].map(|relation| {
            answers
                .iter()
                .map(|&(worker, yes)| {
                    let rate = rates_of(worker).yes(relation);
                    if yes { rate.ln() } else { (1.0 - rate).ln() }
                })
                .sum()
        })
    };
    match noise {
        Noise::Given(rates) => by_rates(&|_| *rates),
        Noise::Workers { known, others } => {
            by_rates(&|worker| if worker.index() < known.len() { known[worker.index()] } else { *others })
        }
        Noise::Majority => {
            let yes = answers.iter().filter(|(_, yes)| *yes).count();
            let no = answers.len() - yes;
            let wrong = (yes.min(no) + 1) as f64 / (answers.len() + 2) as f64;
            let chance = |truth: bool| {
                if yes == no {
                    1.0
                } else if (yes > no) == truth {
                    1.0 - wrong
                } else {
                    wrong
                }
            };
            [true, false, false].map(|truth| chance(truth).ln())
        }
        other => panic!("not a noise model with given rates: {other:?}"),
    }
}

#[test]
fn counts_trees_as_cayley_does() {
    for count in 1..=5_usize {
        assert_eq!(all_trees(count).len(), (count + 1).pow(count as u32 - 1));
    }
}
