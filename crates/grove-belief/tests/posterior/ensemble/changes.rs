//! Changes by the owner between votes: corrections, new concepts, removed concepts, synonyms.

use std::collections::HashSet;

use grove_belief::{
    Answer, Belief, Correction, EdgeVotes, Ensemble, Evidence, Exact, Kind, Question, Settings, Vote, Worker,
};
use grove_tree::{Concept, Tree};
use rand::RngExt;

use super::{ALLOWED, ensemble, standard_errors};
use crate::cases::{correction, evidence, informed_prior, rng, votes};

const TREES: usize = 1_000;

/// Sweeps after which a chain has long forgotten what it was before a change.
const SWEEPS: usize = 20;

const MIXED: &[Kind] = &[Kind::Path, Kind::Path, Kind::Edge];

fn settings(count: usize) -> Settings {
    Settings { prior: informed_prior(count), ..Settings::one_rate(0.15).unwrap() }
}

fn none(count: usize) -> Evidence {
    Evidence::new(count, settings(count)).unwrap()
}

fn assert_fulfilled(belief: &Ensemble) {
    let best = belief.best_tree();
    for (_, correction) in belief.evidence().corrections().iter() {
        let broken = belief.trees().filter(|tree| !tree.satisfies(correction)).count();
        assert_eq!(broken, 0, "trees that break {correction:?}");
        assert!(best.satisfies(correction));
    }
}

/// Checks right after the change, and more strictly after many more moves.
fn assert_exact(belief: &mut Ensemble) {
    let exact = Exact::new(belief.evidence().clone()).unwrap();
    let at_once = standard_errors(belief, &exact);
    assert!(at_once < 1.5 * ALLOWED, "{at_once} standard errors at once: {:?}", belief.evidence());
    assert_fulfilled(belief);
    belief.sweep(SWEEPS);
    assert_fulfilled(belief);
    let off_by = standard_errors(belief, &exact);
    assert!(off_by < ALLOWED, "{off_by} standard errors: {:?}", belief.evidence());
}

#[test]
fn corrections_of_all_kinds_among_votes() {
    const COUNT: usize = 8;
    for seed in 0..4 {
        let mut rng = rng(seed);
        let mut belief = ensemble(none(COUNT), TREES);
        let (mut made, mut taken_back) = (Vec::new(), 0);
        for vote in votes(COUNT, 24, MIXED, &mut rng) {
            belief.record(vote).unwrap();
            if rng.random_range(0..3) == 0 {
                // Those that clash with earlier ones are refused.
                made.extend(belief.correct(correction(COUNT, &mut rng)));
                assert_fulfilled(&belief);
            }
            if rng.random_range(0..8) == 0 && !made.is_empty() {
                belief.take_back(made.swap_remove(rng.random_range(0..made.len()))).unwrap();
                taken_back += 1;
            }
        }
        assert!(made.len() + taken_back >= 4, "{} corrections, {taken_back} taken back", made.len());
        assert_exact(&mut belief);
        // Built from the same evidence at once.
        assert_exact(&mut ensemble(belief.evidence().clone(), TREES));
    }
}

#[test]
fn ignored_corrections_are_caught() {
    let mut corrected = evidence(6, settings(6), &votes(6, 12, MIXED, &mut rng(7)));
    let deaf = ensemble(corrected.clone(), TREES);
    corrected.correct(Correction::TopLevel { concept: Concept::new(3) }).unwrap();
    assert!(standard_errors(&deaf, &Exact::new(corrected).unwrap()) > 2.0 * ALLOWED);
}

/// The tree without its last concept, whose children move up.
fn without_last(tree: &Tree) -> Tree {
    let last = Concept::new(tree.len());
    let lifted = |parent: &Concept| if *parent == last { tree.parent(last) } else { *parent };
    Tree::from_parents(&Vec::from_iter(tree.parents()[..tree.len() - 1].iter().map(lifted))).unwrap()
}

#[test]
fn a_new_concept_does_not_move_the_others() {
    for seed in 0..4 {
        let mut belief = ensemble(evidence(6, settings(6), &votes(6, 14, MIXED, &mut rng(seed))), TREES);
        belief
            .correct(Correction::SomewhereUnder { lower: Concept::new(2), upper: Concept::new(5) })
            .unwrap();
        let before: Vec<Tree> = belief.trees().collect();
        belief.add_concept(EdgeVotes::Keep).unwrap();
        assert!(belief.trees().map(|tree| without_last(&tree)).eq(before));
        assert_fulfilled(&belief);
        for vote in votes(7, 10, MIXED, &mut rng(seed + 100)) {
            belief.record(vote).unwrap();
        }
        assert_exact(&mut belief);
    }
}

#[test]
fn concepts_can_be_removed_and_synonyms_merged() {
    for (seed, edge_votes) in [(0, EdgeVotes::Keep), (1, EdgeVotes::Weaken), (2, EdgeVotes::Keep)] {
        let mut rng = rng(seed);
        let mut belief = ensemble(evidence(7, settings(7), &votes(7, 24, MIXED, &mut rng)), TREES);
        for _ in 0..3 {
            belief.correct(correction(7, &mut rng)).ok();
        }
        belief.remove_concept(Concept::new(rng.random_range(1..=7)), edge_votes).unwrap();
        assert_exact(&mut belief);
        belief.merge(Concept::new(2), Concept::new(5)).unwrap();
        assert_exact(&mut belief);
    }
}

#[test]
fn merged_synonyms_keep_the_corrections_of_both() {
    let mut merged = 0;
    for seed in 0..60 {
        let mut rng = rng(seed);
        let mut belief = ensemble(evidence(6, settings(6), &votes(6, 6, MIXED, &mut rng)), 64);
        for _ in 0..5 {
            belief.correct(correction(6, &mut rng)).ok();
        }
        // Corrections of both that contradict each other are refused.
        if belief.merge(Concept::new(1), Concept::new(4)).is_ok() {
            merged += 1;
            assert_fulfilled(&belief);
        }
    }
    assert!(merged > 10, "{merged}");
}

/// The corrections about the two cannot all be fulfilled by moving the merged concept, with or without its subtree.
#[test]
fn a_merge_that_no_single_move_can_follow() {
    let [gone, top, low, kept, between] = [1, 2, 3, 4, 5].map(Concept::new);
    let mut belief = ensemble(evidence(5, Settings::one_rate(0.01).unwrap(), &[]), 64);
    for (upper, lower) in [(kept, between), (between, low)] {
        let question = Question::path(upper, lower).unwrap();
        for worker in 0..3 {
            belief.record(Vote { question, worker: Worker::new(worker), answer: Answer::Yes }).unwrap();
        }
    }
    belief.correct(Correction::SomewhereUnder { lower: gone, upper: top }).unwrap();
    belief.correct(Correction::SomewhereUnder { lower: low, upper: kept }).unwrap();
    belief.correct(Correction::NotUnder { lower: between, upper: top }).unwrap();
    belief.merge(gone, kept).unwrap();
    assert_fulfilled(&belief);
    assert_exact(&mut belief);
}

#[test]
fn withdrawn_votes_have_no_effect() {
    let mut belief = ensemble(none(6), TREES);
    let ids: Vec<_> =
        votes(6, 30, MIXED, &mut rng(9)).into_iter().map(|vote| belief.record(vote).unwrap()).collect();
    for id in ids.into_iter().step_by(2) {
        belief.withdraw(id).unwrap();
        assert!(belief.withdraw(id).is_err());
    }
    assert_exact(&mut belief);
}

/// One concept directly under a first, another directly under a second, and a third somewhere under both of these: eight trees, of which those
/// with the first above the second cannot be reached from the others by moving one concept, with all below it or without.
#[test]
fn trees_are_reached_that_no_single_move_leads_to() {
    let [first, second, under_first, under_second, under_both] = [1, 2, 3, 4, 5].map(Concept::new);
    let mut corrected = Evidence::new(5, Settings::one_rate(0.1).unwrap()).unwrap();
    for correction in [
        Correction::DirectlyUnder { lower: under_first, upper: first },
        Correction::DirectlyUnder { lower: under_second, upper: second },
        Correction::SomewhereUnder { lower: under_both, upper: first },
        Correction::SomewhereUnder { lower: under_both, upper: second },
    ] {
        corrected.correct(correction).unwrap();
    }
    let mut belief = ensemble(corrected, TREES);
    let reached: HashSet<Tree> = belief.trees().collect();
    assert_eq!(reached.len(), 8);
    assert_exact(&mut belief);
    // First all chains are led to one half, then to the other.
    let mut last = Vec::new();
    for (upper, lower) in [(first, second), (second, first)] {
        last.drain(..).for_each(|id| _ = belief.withdraw(id).unwrap());
        let question = Question::path(upper, lower).unwrap();
        for worker in (0..4).map(Worker::new) {
            last.push(belief.record(Vote { question, worker, answer: Answer::Yes }).unwrap());
        }
        belief.sweep(SWEEPS);
        assert!(belief.path(upper, lower) > 0.99, "{}", belief.path(upper, lower));
        assert_exact(&mut belief);
    }
}
