//! Concepts that go, join or turn out to be the same: what was said about the others stays said.

use grove_belief::{Answer, Correction, EdgeVotes, Error, Evidence, Question, Settings, Vote, Worker};
use grove_tree::{Concept, Tree};

use crate::cases::{correction, evidence, rng};
use crate::oracle::all_trees;

/// Where a concept is found after `gone` became `kept`, or nothing.
fn moved(concept: Concept, gone: Concept, kept: Option<Concept>) -> Option<Concept> {
    let stays = if concept == gone { kept? } else { concept };
    Some(if stays > gone { Concept::new(stays.index() - 1) } else { stays })
}

fn expected(correction: Correction, gone: Concept, kept: Option<Concept>) -> Option<Correction> {
    let two = |upper, lower| {
        let question = Question::path(moved(upper, gone, kept)?, moved(lower, gone, kept)?).ok()?;
        Some((question.upper, question.lower))
    };
    Some(match correction {
        Correction::TopLevel { concept } => Correction::TopLevel { concept: moved(concept, gone, kept)? },
        Correction::DirectlyUnder { lower, upper } => {
            let (upper, lower) = two(upper, lower)?;
            Correction::DirectlyUnder { lower, upper }
        }
        Correction::SomewhereUnder { lower, upper } => {
            let (upper, lower) = two(upper, lower)?;
            Correction::SomewhereUnder { lower, upper }
        }
        Correction::NotUnder { lower, upper } => {
            let (upper, lower) = two(upper, lower)?;
            Correction::NotUnder { lower, upper }
        }
    })
}

fn in_force(evidence: &Evidence) -> Vec<Correction> {
    evidence.corrections().iter().map(|(_, correction)| correction).collect()
}

#[test]
fn corrections_follow_their_concepts() {
    const COUNT: usize = 5;
    let (mut rng, smaller_trees) = (rng(11), all_trees(COUNT - 1));
    let [mut merged, mut clashed] = [0, 0];
    for _ in 0..2_000 {
        let mut evidence = Evidence::new(COUNT, Settings::default()).unwrap();
        for _ in 0..5 {
            evidence.correct(correction(COUNT, &mut rng)).ok();
        }
        let (before, gone) = (in_force(&evidence), Concept::new(1 + clashed % COUNT));
        let after = |kept| Vec::from_iter(before.iter().filter_map(|&one| expected(one, gone, kept)));

        let mut without = evidence.clone();
        without.remove_concept(gone, EdgeVotes::Keep).unwrap();
        assert_eq!(in_force(&without), after(None));

        let kept = Concept::new(gone.index() % COUNT + 1);
        let feasible =
            smaller_trees.iter().any(|tree| after(Some(kept)).iter().all(|one| tree.satisfies(*one)));
        match evidence.merge(gone, kept) {
            Ok(()) => {
                merged += 1;
                assert!(feasible);
                assert_eq!((evidence.count(), in_force(&evidence)), (COUNT - 1, after(Some(kept))));
            }
            Err(Error::Clash(_)) => {
                clashed += 1;
                assert!(!feasible);
                assert_eq!((evidence.count(), in_force(&evidence)), (COUNT, before));
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(merged > 100 && clashed > 100, "{merged} merged, {clashed} clashed");
}

#[test]
fn a_new_concept_leaves_corrections_as_they_are() {
    let mut rng = rng(12);
    let mut evidence = Evidence::new(3, Settings::default()).unwrap();
    for _ in 0..4 {
        evidence.correct(correction(3, &mut rng)).ok();
    }
    let before = in_force(&evidence);
    let new = evidence.add_concept(EdgeVotes::Keep);
    assert_eq!(in_force(&evidence), before);
    assert!(!before.is_empty());
    // It can be spoken of at once.
    evidence.correct(Correction::NotUnder { lower: new, upper: Concept::new(1) }).unwrap();
}

/// The tree without its last concept, whose children move up.
fn without_last(tree: &Tree) -> Tree {
    let last = Concept::new(tree.len());
    let lifted = |parent: &Concept| if *parent == last { tree.parent(last) } else { *parent };
    Tree::from_parents(&Vec::from_iter(tree.parents()[..tree.len() - 1].iter().map(lifted))).unwrap()
}

fn is_true(vote: &Vote, tree: &Tree) -> bool {
    let (upper, lower) = (vote.question.upper, vote.question.lower);
    let truth = match vote.question.kind {
        grove_belief::Kind::Path => tree.is_above(upper, lower),
        grove_belief::Kind::Edge => tree.parent(lower) == upper,
    };
    truth == (vote.answer == Answer::Yes)
}

/// The right answers to all questions.
fn truths(tree: &Tree) -> Evidence {
    let mut votes = Vec::new();
    for upper in tree.concepts() {
        for lower in tree.concepts().filter(|&lower| lower != upper) {
            for question in [Question::path(upper, lower), Question::edge(upper, lower)] {
                let vote = Vote { question: question.unwrap(), worker: Worker::new(0), answer: Answer::Yes };
                let answer = if is_true(&vote, tree) { Answer::Yes } else { Answer::No };
                votes.push(Vote { answer, ..vote });
            }
        }
    }
    evidence(tree.len(), Settings::default(), &votes)
}

/// In how many trees a right answer is wrong after the last concept joined, and after it left.
fn trees_with_falsehoods(edge_votes: EdgeVotes) -> [usize; 2] {
    let mut falsehoods = [0, 0];
    for larger in all_trees(4) {
        let smaller = without_last(&larger);
        let mut joined = truths(&smaller);
        joined.add_concept(edge_votes);
        let mut left = truths(&larger);
        left.remove_concept(Concept::new(4), edge_votes).unwrap();
        for (case, (evidence, tree)) in [(joined, &larger), (left, &smaller)].into_iter().enumerate() {
            falsehoods[case] += usize::from(!evidence.votes().all(|(_, vote)| is_true(vote, tree)));
        }
    }
    falsehoods
}

#[test]
fn weakened_edge_votes_stay_true() {
    assert_eq!(trees_with_falsehoods(EdgeVotes::Weaken), [0, 0]);
    assert!(trees_with_falsehoods(EdgeVotes::Keep).iter().all(|&falsehoods| falsehoods > 0));
}
