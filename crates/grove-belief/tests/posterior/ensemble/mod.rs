//! The ensemble against the exact posterior.

mod accuracy;
mod changes;
mod extremes;
mod learnt;
mod replay;

use grove_belief::{Belief, Ensemble, EnsembleSettings, Evidence, Exact};
use grove_tree::Concept;

/// How many standard errors a probability may be off. Some hundred are looked at in every case, and one in 150,000 is that far off by chance.
const ALLOWED: f64 = 4.5;

fn ensemble(evidence: Evidence, trees: usize) -> Ensemble {
    let settings = EnsembleSettings { trees, ..EnsembleSettings::for_concepts(evidence.count()) };
    Ensemble::new(evidence, settings).unwrap()
}

/// How far a share among so many trees is from a chance, in standard errors.
fn off_by(trees: usize) -> impl Fn(f64, f64) -> f64 {
    let trees = trees as f64;
    // A tree's worth more in the variance, since the share of a rare event is no normal deviate.
    move |found, chance| (found - chance).abs() / ((chance * (1.0 - chance) + 1.0 / trees) / trees).sqrt()
}

/// The largest distance of any path or edge probability from the exact one, in standard errors of a share among that many independent trees.
fn standard_errors(ensemble: &Ensemble, exact: &Exact) -> f64 {
    let count = exact.evidence().count();
    assert_eq!(ensemble.evidence().count(), count);
    let off_by = off_by(ensemble.trees().len());
    let mut worst: f64 = 0.0;
    for child in Concept::all(count) {
        let (found, expected) = (ensemble.parents(child), exact.parents(child));
        let share = |parents: &[(Concept, f64)], parent| {
            parents.iter().find(|(listed, _)| *listed == parent).map_or(0.0, |(_, share)| *share)
        };
        for parent in (0..=count).map(Concept::new) {
            worst = worst.max(off_by(share(&found, parent), share(&expected, parent)));
            worst = worst.max(off_by(ensemble.path(parent, child), exact.path(parent, child)));
        }
    }
    worst
}

/// The same of the shares of trees in which one concept is above another, whatever people hold beside the tree.
fn standard_errors_of_trees(ensemble: &Ensemble, exact: &Exact) -> f64 {
    let (count, trees) = (exact.evidence().count(), Vec::from_iter(ensemble.trees()));
    let off_by = off_by(trees.len());
    let pairs = Concept::all(count).flat_map(|upper| Concept::all(count).map(move |lower| (upper, lower)));
    let error = |(upper, lower)| {
        let above = trees.iter().filter(|tree| tree.is_above(upper, lower)).count();
        off_by(above as f64 / trees.len() as f64, exact.path(upper, lower))
    };
    pairs.map(error).fold(0.0, f64::max)
}
