//! The posterior by its definition: every tree, every question, the chance of the answers given how its two concepts stand in the tree.
//! Shares nothing with the library but the values that describe votes, rates and trees.

use std::collections::BTreeMap;

use grove_belief::{Answer, Division, Evidence, Kind, Noise, Question, Rates, Relation, Worker};
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
    let settings = evidence.settings();
    answers
        .into_iter()
        .map(|(question, answers)| {
            let clear = clear_question(&settings.noise, &answers);
            let mixed = |division| mixed_question(clear, &division, &settings.noise, &answers);
            (question, settings.division.map_or(clear, mixed))
        })
        .collect()
}

fn clear_question(noise: &Noise, answers: &[(Worker, bool)]) -> [f64; 3] {
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

/// (1-r) L + r A, with the share of people who hold a divided question summed over its twenty values:
/// P(answers and counts as above) / P(counts as above), where a share t counts as above with chance t.
fn mixed_question(
    clear: [f64; 3],
    division: &Division,
    noise: &Noise,
    answers: &[(Worker, bool)],
) -> [f64; 3] {
    let says = |worker: Worker, holds: bool| match (noise, holds) {
        (Noise::Majority, _) => f64::from(u8::from(holds)),
        (given, true) => given.rates(worker).yes(Relation::Above),
        (given, false) => given.rates(worker).yes(Relation::Neither),
    };
    let likelihood = |t: f64| {
        let yes = |worker| t * says(worker, true) + (1.0 - t) * says(worker, false);
        answers
            .iter()
            .map(|&(worker, said)| if said { yes(worker) } else { 1.0 - yes(worker) })
            .product::<f64>()
    };
    let density = |t: f64| (t * (1.0 - t)).powf(division.spread() - 1.0);
    let sum = |f: &dyn Fn(f64) -> f64| (0..20).map(|step| f(0.025 + 0.05 * f64::from(step))).sum::<f64>();
    let divided = |counts: &dyn Fn(f64) -> f64| {
        sum(&|t| density(t) * counts(t) * likelihood(t)) / sum(&|t| density(t) * counts(t))
    };
    let odds = |t: f64| (t / (1.0 - t)).sqrt();
    let (above, not) = (divided(&|t| odds(t) / (1.0 + odds(t))), divided(&|t| 1.0 / (1.0 + odds(t))));
    let mix =
        |clear: f64, divided: f64| ((1.0 - division.share()) * clear.exp() + division.share() * divided).ln();
    [mix(clear[0], above), mix(clear[1], not), mix(clear[2], not)]
}

#[test]
fn counts_trees_as_cayley_does() {
    for count in 1..=5_usize {
        assert_eq!(all_trees(count).len(), (count + 1).pow(count as u32 - 1));
    }
}
