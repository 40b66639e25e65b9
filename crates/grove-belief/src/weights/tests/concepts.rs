use std::collections::HashMap;

use super::*;
use crate::Correction;

/// The chi-square statistic of trees drawn by some insertion into 0 -> 1 -> 2, 0 -> 3, whose new concept has 4 + 2 + 1 + 1 places.
fn chi_square(mut insert: impl FnMut(&Tree) -> Tree) -> f64 {
    let tree = Tree::from_parents(&[0, 1, 0].map(Concept::new)).unwrap();
    let mut times: HashMap<Tree, f64> = HashMap::new();
    for _ in 0..8_000 {
        *times.entry(insert(&tree)).or_default() += 1.0;
    }
    assert_eq!(times.len(), 8);
    times.values().map(|times| (times - 1_000.0).powi(2) / 1_000.0).sum()
}

/// Of a chi-square with 7 degrees of freedom, p = 1e-4.
const CRITICAL: f64 = 29.9;

#[test]
fn all_places_are_equally_probable() {
    let mut rng = rng(9);
    let found = chi_square(|tree| sample::insert_anywhere(tree, &mut rng));
    assert!(found < CRITICAL, "{found}");
    // Any parent, and then any of its children, would favour places under concepts with few children.
    let by_parent = chi_square(|tree| {
        let parent = Concept::new(rng.random_range(0..=3));
        let mut parents = tree.parents().to_vec();
        parents.iter_mut().filter(|of| **of == parent).for_each(|of| {
            if rng.random() {
                *of = Concept::new(4);
            }
        });
        parents.push(parent);
        Tree::from_parents(&parents).unwrap()
    });
    assert!(by_parent > CRITICAL, "{by_parent}");
}

fn with_some_votes() -> Weights {
    let mut belief = start(5, 0.1);
    for (upper, lower, answer) in
        [(1, 2, Answer::Yes), (1, 3, Answer::Yes), (2, 3, Answer::No), (4, 5, Answer::Yes)]
    {
        belief.record(vote(Kind::Path, upper, lower, answer, 0)).unwrap();
    }
    belief
}

#[test]
fn a_new_concept_leaves_the_others_as_they_are() {
    let mut belief = with_some_votes();
    // The fit is between the last sample and the weights, so compare paths with a fresh sample.
    let before = belief.weights.path_marginals(100_000, &mut rng(1)).unwrap();
    assert_eq!(belief.add_concept(EdgeVotes::Keep).unwrap(), Concept::new(6));
    // 20 pairs from 10,000 trees: no deviation of more than 4.5 standard errors.
    for (upper, lower) in ordered_pairs(5) {
        let p = before.probability(upper, lower);
        let off = (belief.path(upper, lower) - p).abs() / (p * (1.0 - p) * (1e-4 + 1e-5)).sqrt();
        assert!(off < 4.5, "{upper} above {lower}: {off} standard errors");
    }
    // Uniform new weights, which the paper warns of, change them.
    let mut uniform = belief.clone();
    uniform.set_weights(grown(&with_some_votes().weights));
    let shift = |(upper, lower)| (uniform.path(upper, lower) - before.probability(upper, lower)).abs();
    let most = ordered_pairs(5).into_iter().map(shift).fold(0.0, f64::max);
    assert!(most > 0.03, "{most}");
}

#[test]
fn edge_votes_matter_to_a_new_concept_only_if_they_keep_their_weight() {
    let between = |edge_votes| {
        let mut belief = start(2, 0.01);
        for worker in 0..2 {
            belief.record(vote(Kind::Edge, 1, 2, Answer::Yes, worker)).unwrap();
        }
        let new = belief.add_concept(edge_votes).unwrap();
        parent_chance(&belief, new, Concept::new(2))
    };
    // Under 0 -> 1 -> 2 the new concept has five places, one of them between 1 and 2.
    let (kept, weakened) = (between(EdgeVotes::Keep), between(EdgeVotes::Weaken));
    assert!(kept < 0.01 && (weakened - 0.2).abs() < 0.03, "{kept}, {weakened}");
}

#[test]
fn pins_survive_a_new_concept() {
    let mut belief = with_some_votes();
    belief.correct(Correction::DirectlyUnder { lower: Concept::new(2), upper: Concept::new(4) }).unwrap();
    belief.correct(Correction::NotUnder { lower: Concept::new(5), upper: Concept::new(4) }).unwrap();
    belief.add_concept(EdgeVotes::Keep).unwrap();
    assert!((parent_chance(&belief, Concept::new(4), Concept::new(2)) - 1.0).abs() < 1e-9);
    assert_eq!(belief.path(Concept::new(4), Concept::new(5)), 0.0);
    let trees = belief.sample(50, &mut rng(2));
    assert!(
        trees.iter().chain([&belief.best_tree()]).all(|tree| belief.evidence.corrections().hold_in(tree))
    );
}

#[test]
fn removed_evidence_has_no_effect() {
    let untouched = with_some_votes();
    let mut belief = with_some_votes();
    let id = belief.record(vote(Kind::Path, 3, 5, Answer::Yes, 1)).unwrap();
    let correction =
        belief.correct(Correction::NotUnder { lower: Concept::new(3), upper: Concept::new(5) }).unwrap();
    assert!(distance(&belief, &untouched) > 0.05);
    belief.withdraw(id).unwrap();
    belief.take_back(correction).unwrap();
    assert_eq!(belief.weights, untouched.weights);
    assert_eq!(distance(&belief, &untouched), 0.0);
}
