//! Laws that hold for every distribution.

use grove_tree::{Concept, EdgeWeights, Error};
use proptest::prelude::*;

use crate::common::edges;

/// Log-weights of moderate size, with some edges forbidden.
fn any_weights() -> impl Strategy<Value = EdgeWeights> {
    (1_usize..20).prop_flat_map(|count| {
        let edge = prop_oneof![4 => -20.0..20.0, 1 => Just(f64::NEG_INFINITY)];
        proptest::collection::vec(edge, (count + 1) * count).prop_map(move |values| {
            EdgeWeights::from_fn(count, |parent, child| values[parent.index() * count + child.index() - 1])
                .expect("finite or forbidden")
        })
    })
}

/// The same, if some tree is possible.
fn weights() -> impl Strategy<Value = EdgeWeights> {
    any_weights().prop_filter("no tree is possible", |weights| weights.check_reachable().is_ok())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + b.abs())
}

proptest! {
    #[test]
    fn every_concept_has_one_parent(weights in weights()) {
        let marginals = weights.marginals().unwrap();
        for child in weights.concepts() {
            prop_assert!(close(marginals.incoming(child).iter().sum(), 1.0));
            prop_assert_eq!(marginals.probability(child, child), 0.0);
        }
        prop_assert!(close(marginals.log_partition(), weights.log_partition().unwrap()));
        prop_assert!(marginals.expected_steps() >= weights.len() as f64 * (1.0 - 1e-9));
        prop_assert!(weights.entropy().unwrap() >= -1e-9);
    }

    #[test]
    fn scaling_a_column_changes_nothing_but_z(weights in weights(), factor in -300.0..300.0, pick in any::<prop::sample::Index>()) {
        let scaled = Concept::new(pick.index(weights.len()) + 1);
        let other = EdgeWeights::from_fn(weights.len(), |parent, child| {
            weights.log_weight(parent, child) + if child == scaled { factor } else { 0.0 }
        }).unwrap();
        let (before, after) = (weights.marginals().unwrap(), other.marginals().unwrap());
        prop_assert!(close(after.log_partition(), before.log_partition() + factor));
        for (parent, child) in edges(weights.len()) {
            prop_assert!(close(after.probability(parent, child), before.probability(parent, child)));
        }
    }

    #[test]
    fn renaming_permutes(weights in weights(), turn in 0_usize..20) {
        let count = weights.len();
        let renamed = |concept: Concept| match concept.is_root() {
            true => concept,
            false => Concept::new((concept.index() - 1 + turn) % count + 1),
        };
        let turned = EdgeWeights::from_fn(count, |parent, child| {
            weights.log_weight(renamed(parent), renamed(child))
        }).unwrap();
        let (before, after) = (weights.marginals().unwrap(), turned.marginals().unwrap());
        prop_assert!(close(after.log_partition(), before.log_partition()));
        for (parent, child) in edges(count) {
            prop_assert!(close(after.probability(parent, child), before.probability(renamed(parent), renamed(child))));
        }
    }

    #[test]
    fn a_pinned_edge_is_certain(mut weights in weights(), pick in any::<prop::sample::Index>()) {
        let all: Vec<_> = edges(weights.len()).collect();
        let (parent, child) = all[pick.index(all.len())];
        let before = weights.clone();
        match weights.pin(parent, child) {
            Ok(()) => prop_assert!(close(weights.marginals().unwrap().probability(parent, child), 1.0)),
            Err(_) => prop_assert_eq!(weights, before),
        }
    }

    #[test]
    fn unreachable_names_exactly_the_concepts_that_are_cut_off(weights in any_weights()) {
        let mut reached = vec![true];
        reached.resize(weights.len() + 1, false);
        for _ in 0..weights.len() {
            for (parent, child) in edges(weights.len()) {
                reached[child.index()] |= reached[parent.index()] && weights.log_weight(parent, child) > f64::NEG_INFINITY;
            }
        }
        let cut_off: Vec<_> = weights.concepts().filter(|concept| !reached[concept.index()]).collect();
        let expected = if cut_off.is_empty() { Ok(()) } else { Err(Error::Unreachable(cut_off)) };
        prop_assert_eq!(weights.log_partition().map(|_| ()), expected.clone());
        prop_assert_eq!(weights.marginals().map(|_| ()), expected.clone());
        prop_assert_eq!(weights.sampler().map(|_| ()), expected);
    }
}

#[test]
fn the_number_of_trees_is_known() {
    for count in [200, 500, 1000, 2000] {
        let counted = EdgeWeights::uniform(count).log_partition().unwrap();
        let cayley = (count - 1) as f64 * ((count + 1) as f64).ln();
        assert!(
            (counted - cayley).abs() <= 1e-10 * cayley,
            "{count} concepts: {counted} instead of {cayley}"
        );
    }
}
