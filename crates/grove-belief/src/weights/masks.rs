//! Edges that corrections rule out.

use grove_tree::{Concept, EdgeWeights};

use crate::Correction;
use crate::corrections::{Constraints, Corrections};

/// The same weights without the edges that corrections rule out. That enforces corrections of parents exactly, but not those
/// of paths, since a path can take many edges.
pub(super) fn masked(weights: &EdgeWeights, corrections: &Corrections) -> EdgeWeights {
    let constraints = corrections.constraints();
    EdgeWeights::from_fn(weights.len(), |parent, child| match may_be_parent(constraints, parent, child) {
        true => weights.log_weight(parent, child),
        false => f64::NEG_INFINITY,
    })
    .expect("they were log-weights before")
}

/// Whether some correction is about paths, so that masks cannot enforce it.
pub(super) fn concern_paths(corrections: &Corrections) -> bool {
    corrections.iter().any(|(_, correction)| {
        matches!(correction, Correction::SomewhereUnder { .. } | Correction::NotUnder { .. })
    })
}

/// Whether an edge contradicts no correction by itself: under it, the child's ancestors are the parent and the parent's ancestors.
fn may_be_parent(constraints: &Constraints, parent: Concept, child: Concept) -> bool {
    let (above, below) = (constraints.of(parent), constraints.of(child));
    let pinned_elsewhere = below.parent.is_some_and(|pin| pin != parent);
    let upside_down = below.below.contains(&parent);
    let forbidden =
        below.not_above.contains(&parent) || above.above.iter().any(|upper| below.not_above.contains(upper));
    // Every concept that must be above the child must be the parent or above the parent.
    let misses = below.above.iter().any(|upper| {
        let may_be_above_parent = !parent.is_root() && !above.not_above.contains(upper);
        *upper != parent && !may_be_above_parent
    });
    !(pinned_elsewhere || upside_down || forbidden || misses)
}
