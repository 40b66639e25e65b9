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

/// The largest distance of any path or edge probability from the exact one, in standard errors of a share among that many independent trees.
fn standard_errors(ensemble: &Ensemble, exact: &Exact) -> f64 {
    let count = exact.evidence().count();
    assert_eq!(ensemble.evidence().count(), count);
    let trees = ensemble.trees().len() as f64;
    // A tree's worth more in the variance, since the share of a rare event is no normal deviate.
    let off_by = |found: f64, chance: f64| {
        (found - chance).abs() / ((chance * (1.0 - chance) + 1.0 / trees) / trees).sqrt()
    };
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
