//! Laws that hold for every engine; each measures how far an engine is from fulfilling it.

use grove_belief::{Answer, Belief, Correction, EdgeVotes, Evidence, Kind, Prior, Question, Settings, Vote};
use grove_tree::Concept;
use rand::RngExt;
use rand::seq::SliceRandom;

use crate::cases::{evidence, informed_prior, rng, votes};

/// An engine under the laws.
pub(crate) struct Subject<B> {
    /// Starts the engine on evidence.
    pub(crate) make: fn(Evidence) -> B,
    /// Gives the engine time after a change, if it needs any.
    pub(crate) settle: fn(&mut B),
    /// How many random cases to try.
    pub(crate) cases: u64,
}

/// By its name, a law: the largest difference between probabilities that should be equal.
pub(crate) type Law<B> = (&'static str, fn(&Subject<B>, u64) -> f64);

/// All laws.
pub(crate) fn laws<B: Belief>() -> Vec<Law<B>> {
    vec![
        ("probabilities are probabilities", are_probabilities),
        ("renaming concepts permutes the result", renaming),
        ("the order of votes does not matter", order),
        ("votes that come later count as much", later),
        ("coin flips change nothing", coin_flips),
        ("lies at the opposite rate are the truth", opposite),
        ("a second copy squares the likelihood", second_copy),
        ("who can't say changes nothing", cant_say),
        ("a withdrawn vote was never cast", withdrawn),
        ("a correction taken back was never made", taken_back),
        ("corrections hold", corrections_hold),
        ("a new concept asks for the larger posterior", new_concept),
        ("a removed concept was never there", removed_concept),
        ("synonyms share what was said", merged),
    ]
}

impl<B: Belief> Subject<B> {
    /// The largest difference over all random cases, by law.
    pub(crate) fn differences(&self) -> Vec<(&'static str, f64)> {
        let worst =
            |law: fn(&Self, u64) -> f64| (0..self.cases).map(|seed| law(self, seed)).fold(0.0, f64::max);
        laws().into_iter().map(|(name, law)| (name, worst(law))).collect()
    }

    fn changed(&self, evidence: Evidence, change: impl FnOnce(&mut B)) -> B {
        let mut belief = (self.make)(evidence);
        change(&mut belief);
        (self.settle)(&mut belief);
        belief
    }
}

const COUNT: usize = 5;
const KINDS: &[Kind] = &[Kind::Path, Kind::Path, Kind::Edge];

fn settings(noise: f64) -> Settings {
    Settings { prior: informed_prior(COUNT), ..Settings::one_rate(noise).unwrap() }
}

fn some_votes(seed: u64) -> Vec<Vote> {
    votes(COUNT, 14, KINDS, &mut rng(seed))
}

/// All path and edge probabilities, with the concepts of the belief taken in a certain order.
fn probabilities(belief: &impl Belief, order: &[Concept]) -> Vec<f64> {
    let mut all = Vec::new();
    for &child in order {
        all.push(parent_chance(belief, Concept::ROOT, child));
        all.extend(order.iter().map(|&parent| parent_chance(belief, parent, child)));
        all.extend(order.iter().map(|&upper| belief.path(upper, child)));
    }
    all
}

fn parent_chance(belief: &impl Belief, parent: Concept, child: Concept) -> f64 {
    belief.parents(child).iter().find(|(listed, _)| *listed == parent).map_or(0.0, |(_, chance)| *chance)
}

fn difference(one: &impl Belief, other: &impl Belief) -> f64 {
    let count = one.evidence().count();
    assert_eq!(count, other.evidence().count());
    let order = Vec::from_iter(Concept::all(count));
    distance(&probabilities(one, &order), &probabilities(other, &order))
}

fn distance(one: &[f64], other: &[f64]) -> f64 {
    // `f64::max` would ignore NaN.
    assert!(one.iter().chain(other).all(|chance| chance.is_finite()));
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
}

fn are_probabilities<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let belief = (subject.make)(evidence(COUNT, settings(0.1), &some_votes(seed)));
    let mut worst: f64 = 0.0;
    for concept in Concept::all(COUNT) {
        assert_eq!(belief.path(Concept::ROOT, concept), 1.0);
        assert_eq!((belief.path(concept, Concept::ROOT), belief.path(concept, concept)), (0.0, 0.0));
        worst = worst.max(parents_off_by(&belief.parents(concept), |parent| belief.path(parent, concept)));
    }
    worst
}

/// How far a list of parents is from summing to one, and from being below the path probabilities; 1 if it is out of order.
pub(crate) fn parents_off_by(parents: &[(Concept, f64)], path: impl Fn(Concept) -> f64) -> f64 {
    let likelier_first = parents.is_sorted_by(|one, other| (other.1, one.0) < (one.1, other.0));
    if !likelier_first || parents.iter().any(|(_, chance)| *chance <= 0.0) {
        return 1.0;
    }
    let sum: f64 = parents.iter().map(|(_, chance)| chance).sum();
    parents.iter().map(|&(parent, chance)| chance - path(parent)).fold((sum - 1.0).abs(), f64::max)
}

pub(crate) fn renaming<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let votes = some_votes(seed);
    let mut names = Vec::from_iter(Concept::all(COUNT));
    names.shuffle(&mut rng(seed));
    let name = |concept: Concept| names[concept.index() - 1];
    let renamed = votes.iter().map(|vote| {
        let Vote { question, .. } = vote;
        let question = Question::new(question.kind, name(question.upper), name(question.lower)).unwrap();
        Vote { question, ..*vote }
    });
    let informed = informed_prior(COUNT);
    let mut prior =
        Prior::shallow(-informed.per_ancestor()).unwrap().few_parents(-informed.per_parent()).unwrap();
    for ((upper, lower), odds) in informed.odds() {
        prior = prior.with_odds(name(upper), name(lower), odds).unwrap();
    }
    let renamed = evidence(COUNT, Settings { prior, ..settings(0.1) }, &Vec::from_iter(renamed));
    let plain = (subject.make)(evidence(COUNT, settings(0.1), &votes));
    let order = Vec::from_iter(Concept::all(COUNT));
    distance(&probabilities(&plain, &order), &probabilities(&(subject.make)(renamed), &names))
}

pub(crate) fn order<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let mut votes = some_votes(seed);
    let first = (subject.make)(evidence(COUNT, settings(0.1), &votes));
    votes.shuffle(&mut rng(seed));
    difference(&first, &(subject.make)(evidence(COUNT, settings(0.1), &votes)))
}

pub(crate) fn later<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let votes = some_votes(seed);
    let at_once = (subject.make)(evidence(COUNT, settings(0.1), &votes));
    let one_by_one = subject.changed(evidence(COUNT, settings(0.1), &[]), |belief| {
        for &vote in &votes {
            belief.record(vote).unwrap();
        }
    });
    difference(&at_once, &one_by_one)
}

pub(crate) fn coin_flips<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let flips = (subject.make)(evidence(COUNT, settings(0.5), &some_votes(seed)));
    difference(&flips, &(subject.make)(evidence(COUNT, settings(0.5), &[])))
}

fn opposite<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let votes = some_votes(seed);
    let opposite = |answer| match answer {
        Answer::Yes => Answer::No,
        Answer::No => Answer::Yes,
        Answer::CantSay => Answer::CantSay,
    };
    let lies = Vec::from_iter(votes.iter().map(|vote| Vote { answer: opposite(vote.answer), ..*vote }));
    let truth = (subject.make)(evidence(COUNT, settings(0.1), &votes));
    difference(&truth, &(subject.make)(evidence(COUNT, settings(0.9), &lies)))
}

fn second_copy<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let votes = some_votes(seed);
    let twice = Vec::from_iter(votes.iter().chain(&votes).copied());
    // The odds (1-g)/g of one such vote are the square of 0.9 / 0.1.
    let surer = 1.0 / 82.0;
    let once = (subject.make)(evidence(COUNT, settings(surer), &votes));
    difference(&once, &(subject.make)(evidence(COUNT, settings(0.1), &twice)))
}

pub(crate) fn cant_say<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let all = evidence(COUNT, settings(0.1), &some_votes(seed));
    let unsure = subject.changed(all.clone(), |belief| {
        for vote in some_votes(seed + 1_000) {
            belief.record(Vote { answer: Answer::CantSay, ..vote }).unwrap();
        }
    });
    difference(&unsure, &(subject.make)(all))
}

pub(crate) fn withdrawn<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let votes = some_votes(seed);
    let (kept, cast) = votes.split_at(9);
    let taken = subject.changed(evidence(COUNT, settings(0.1), &votes), |belief| {
        let ids = Vec::from_iter(belief.evidence().votes().map(|(id, _)| id).skip(kept.len()));
        for (id, &vote) in ids.into_iter().zip(cast) {
            assert_eq!(belief.withdraw(id).unwrap(), vote.into());
            assert!(belief.withdraw(id).is_err());
        }
    });
    difference(&taken, &(subject.make)(evidence(COUNT, settings(0.1), kept)))
}

/// Three corrections that fit together, one of each sort that a belief treats differently.
fn some_corrections(seed: u64) -> [Correction; 3] {
    let mut concepts = Vec::from_iter(Concept::all(COUNT));
    concepts.shuffle(&mut rng(seed));
    let [top, middle, low, other] = [0, 1, 2, 3].map(|at| concepts[at]);
    let first = match seed % 2 {
        0 => Correction::SomewhereUnder { lower: middle, upper: top },
        _ => Correction::DirectlyUnder { lower: middle, upper: top },
    };
    [
        first,
        Correction::SomewhereUnder { lower: low, upper: middle },
        Correction::NotUnder { lower: other, upper: top },
    ]
}

pub(crate) fn taken_back<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let all = evidence(COUNT, settings(0.1), &some_votes(seed));
    let taken = subject.changed(all.clone(), |belief| {
        let ids = some_corrections(seed).map(|correction| belief.correct(correction).unwrap());
        (subject.settle)(belief);
        for (id, correction) in ids.into_iter().zip(some_corrections(seed)) {
            assert_eq!(belief.take_back(id).unwrap(), correction);
            assert!(belief.take_back(id).is_err());
        }
    });
    difference(&taken, &(subject.make)(all))
}

pub(crate) fn corrections_hold<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let all = evidence(COUNT, settings(0.1), &some_votes(seed));
    let belief = subject.changed(all, |belief| {
        for correction in some_corrections(seed) {
            belief.correct(correction).unwrap();
        }
    });
    let mut trees = belief.sample(20, &mut rng(seed));
    trees.push(belief.best_tree());
    let broken = |correction: Correction| {
        let doubt = match correction {
            Correction::SomewhereUnder { lower, upper } => 1.0 - belief.path(upper, lower),
            Correction::NotUnder { lower, upper } => belief.path(upper, lower),
            Correction::DirectlyUnder { lower, upper } => 1.0 - parent_chance(&belief, upper, lower),
            Correction::TopLevel { concept } => 1.0 - parent_chance(&belief, Concept::ROOT, concept),
        };
        let kept = trees.iter().all(|tree| tree.satisfies(correction));
        if kept { doubt.abs() } else { 1.0 }
    };
    some_corrections(seed).map(broken).into_iter().fold(0.0, f64::max)
}

pub(crate) fn new_concept<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let votes = some_votes(seed);
    let grown = subject.changed(evidence(COUNT, settings(0.1), &votes), |belief| {
        assert_eq!(belief.add_concept(EdgeVotes::Keep).unwrap(), Concept::new(COUNT + 1));
    });
    difference(&grown, &(subject.make)(evidence(COUNT + 1, settings(0.1), &votes)))
}

/// The evidence over one concept less: votes as a function of a vote's concepts says, and the prior without its odds.
fn smaller(votes: &[Vote], rename: impl Fn(Concept) -> Option<Concept>) -> Evidence {
    let renamed = |vote: &Vote| {
        let (upper, lower) = (rename(vote.question.upper)?, rename(vote.question.lower)?);
        Some(Vote { question: Question::new(vote.question.kind, upper, lower).ok()?, ..*vote })
    };
    evidence(COUNT - 1, Settings::one_rate(0.1).unwrap(), &Vec::from_iter(votes.iter().filter_map(renamed)))
}

pub(crate) fn removed_concept<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let votes = some_votes(seed);
    let gone = Concept::new(rng(seed).random_range(1..=COUNT));
    let left = subject.changed(evidence(COUNT, Settings::one_rate(0.1).unwrap(), &votes), |belief| {
        belief.remove_concept(gone, EdgeVotes::Keep).unwrap();
    });
    let close_gap = |concept: Concept| Concept::new(concept.index() - usize::from(concept > gone));
    let never = smaller(&votes, |concept| (concept != gone).then(|| close_gap(concept)));
    difference(&left, &(subject.make)(never))
}

pub(crate) fn merged<B: Belief>(subject: &Subject<B>, seed: u64) -> f64 {
    let votes = some_votes(seed);
    let (gone, kept) = (Concept::new(2), Concept::new(1 + 2 * (seed as usize % 2)));
    let merged = subject.changed(evidence(COUNT, Settings::one_rate(0.1).unwrap(), &votes), |belief| {
        belief.merge(gone, kept).unwrap();
    });
    let rename = |concept: Concept| if concept == gone { kept } else { concept };
    let close_gap = |concept: Concept| Concept::new(concept.index() - usize::from(concept > gone));
    difference(&merged, &(subject.make)(smaller(&votes, |concept| Some(close_gap(rename(concept))))))
}
