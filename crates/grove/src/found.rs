//! What was found, as a hierarchy that can be drawn and written.

use grove_belief::{Belief, Question, Report};
use grove_formats::{Entry, Heading, Hierarchy, ListedConcept};
use grove_tree::NamedTree;

/// The reported hierarchy with names, certainties, alternatives, and the votes on every edge.
pub(crate) fn hierarchy(
    belief: &dyn Belief,
    report: &Report,
    heading: Heading,
    concepts: &[ListedConcept],
) -> Result<Hierarchy, grove_formats::Error> {
    let entry = |(listed, found): (&ListedConcept, &grove_belief::ConceptReport)| {
        let question = Question::path(found.parent, found.concept).ok();
        let (yes, no) = question.map_or((0, 0), |question| belief.evidence().tally(question));
        let probability = |chance: f64| chance.clamp(0.0, 1.0);
        Entry {
            definition: listed.definition.clone(),
            synonyms: listed.synonyms.clone(),
            // Sums of many terms may pass 1 by a rounding error.
            certainty: Some(probability(found.certainty)),
            alternatives: found.alternatives.iter().map(|&(at, chance)| (at, probability(chance))).collect(),
            yes: yes as u64,
            no: no as u64,
            ..Entry::new(&listed.name, found.parent)
        }
    };
    Hierarchy::new(heading, concepts.iter().zip(&report.concepts).map(entry).collect())
}

/// Concepts that have nothing but a name.
pub(crate) fn listed(names: &NamedTree) -> Vec<ListedConcept> {
    let named = |name: &String| ListedConcept { name: name.clone(), ..ListedConcept::default() };
    names.names().iter().map(named).collect()
}
