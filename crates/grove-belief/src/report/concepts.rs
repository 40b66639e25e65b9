use grove_tree::{Concept, Tree};

use super::ReportOptions;
use crate::belief::chance_of;
use crate::entropy_bits;

/// A concept's place in the hierarchy, and how certain it is.
#[derive(Clone, PartialEq, Debug)]
pub struct ConceptReport {
    /// The concept.
    pub concept: Concept,
    /// Its parent in the hierarchy.
    pub parent: Concept,
    /// The probability of that parent.
    pub certainty: f64,
    /// Other possible parents with their probabilities, likeliest first. One of them may be likelier than the parent, since the
    /// likeliest parents together need not make a tree.
    pub alternatives: Vec<(Concept, f64)>,
    /// The entropy of its parent in bits: 0 when certain, log2 N when anything is possible.
    pub parent_entropy: f64,
}

impl ConceptReport {
    pub(super) fn new(
        concept: Concept,
        hierarchy: &Tree,
        parents: &[(Concept, f64)],
        options: &ReportOptions,
    ) -> Self {
        let parent = hierarchy.parent(concept);
        let is_alternative =
            |listed: &&(Concept, f64)| listed.0 != parent && listed.1 > options.alternatives_above;
        Self {
            concept,
            parent,
            certainty: chance_of(parent, parents),
            alternatives: parents.iter().filter(is_alternative).copied().collect(),
            parent_entropy: entropy(parents),
        }
    }
}

/// The concepts below the threshold, least certain first.
pub(super) fn doubtful(concepts: &[ConceptReport], options: &ReportOptions) -> Vec<Concept> {
    let mut doubtful: Vec<&ConceptReport> =
        concepts.iter().filter(|concept| concept.certainty < options.doubtful_below).collect();
    doubtful.sort_by(|a, b| a.certainty.total_cmp(&b.certainty).then(a.concept.cmp(&b.concept)));
    doubtful.into_iter().map(|concept| concept.concept).collect()
}

/// The entropy of a list of possible parents, in bits.
pub(super) fn entropy(parents: &[(Concept, f64)]) -> f64 {
    entropy_bits(parents.iter().map(|&(_, chance)| chance))
}
