use grove_tree::{Concept, Tree};

use super::ReportOptions;
use crate::belief::{chance_of, settled};
use crate::factors::Factor;
use crate::pairs::{PairId, side};
use crate::{Belief, Place, Reason, entropy_bits};

/// A concept's place in the hierarchy, and how certain it is.
#[derive(Clone, PartialEq, Debug)]
pub struct ConceptReport {
    /// The concept.
    pub concept: Concept,
    /// Its parent in the hierarchy.
    pub parent: Concept,
    /// The chance that a person of this crowd places it there.
    pub certainty: f64,
    /// Why it is as certain as it is.
    pub reasons: Vec<Reason>,
    /// Where people place it if they differ, the place that more of them hold first; empty otherwise.
    pub places: Vec<Place>,
    /// Other possible parents with their probabilities, likeliest first. One of them may be likelier than the parent, since the
    /// likeliest parents together need not make a tree.
    pub alternatives: Vec<(Concept, f64)>,
    /// The entropy of its parent in bits: 0 when certain, log2 N when anything is possible.
    pub parent_entropy: f64,
}

impl ConceptReport {
    pub(super) fn new(
        belief: &dyn Belief,
        concept: Concept,
        hierarchy: &Tree,
        parents: &[(Concept, f64)],
        options: &ReportOptions,
    ) -> Self {
        let parent = hierarchy.parent(concept);
        let is_alternative =
            |listed: &&(Concept, f64)| listed.0 != parent && listed.1 > options.alternatives_above;
        let (reasons, places) = standing(belief, concept, hierarchy, parents, options.doubtful_below);
        Self {
            concept,
            parent,
            certainty: chance_of(parent, parents),
            reasons,
            places,
            alternatives: parents.iter().filter(is_alternative).copied().collect(),
            parent_entropy: entropy(parents),
        }
    }
}

/// Why a concept's place in a hierarchy is as certain as it is, and where people place it if they differ.
///
/// - `differ`: they do with a chance above one half.
/// - `unasked`: nobody was asked about the concept; or it is less settled than the threshold, and no vote speaks between its parent and the
///   likeliest other place.
/// - `open`: it is less settled than the threshold, though there are such votes.
/// - `settled`: none of these.
#[must_use]
pub fn standing(
    belief: &dyn Belief,
    concept: Concept,
    hierarchy: &Tree,
    parents: &[(Concept, f64)],
    doubtful_below: f64,
) -> (Vec<Reason>, Vec<Place>) {
    let (chance, places) = belief.places(concept);
    let differ = chance > 0.5;
    let mut reasons = Vec::new();
    if differ {
        reasons.push(Reason::Differ);
    }
    if !belief.evidence().was_asked(concept) {
        reasons.push(Reason::Unasked);
    } else if settled(belief, concept) < doubtful_below {
        let parent = hierarchy.parent(concept);
        let is_named =
            |other: Concept| other == parent || differ && places.iter().any(|place| place.parent == other);
        let rival = parents.iter().map(|listed| listed.0).find(|&other| !is_named(other));
        let asked = rival.is_none_or(|rival| was_asked_between(belief, concept, hierarchy, parent, rival));
        reasons.push(if asked { Reason::Open } else { Reason::Unasked });
    }
    if reasons.is_empty() {
        reasons.push(Reason::Settled);
    }
    (reasons, if differ { places } else { Vec::new() })
}

/// Whether any vote distinguishes two parents of a concept: a vote on the concept, or on something below it, and on a
/// concept above only one of the two parents. If the rival is above the present parent, that is the parent's side;
/// otherwise the rival's. Somebody who placed the concept was asked about every parent.
pub(crate) fn was_asked_between(
    belief: &dyn Belief,
    concept: Concept,
    hierarchy: &Tree,
    parent: Concept,
    rival: Concept,
) -> bool {
    let line = |of: Concept| -> Vec<Concept> {
        std::iter::successors(Some(of), |&above| (!above.is_root()).then(|| hierarchy.parent(above)))
            .filter(|above| !above.is_root())
            .collect()
    };
    let (ours, theirs) = (line(parent), line(rival));
    let mut telling: Vec<Concept> =
        theirs.iter().copied().filter(|upper| !ours.contains(upper) && *upper != concept).collect();
    if telling.is_empty() {
        telling = ours.into_iter().filter(|upper| !theirs.contains(upper)).collect();
    }
    let (pairs, factors) = (belief.evidence().pairs(), belief.evidence().factors());
    let placed =
        |&(upper, pair): &(Concept, PairId)| !pairs.get(pair).placed[side(upper, concept)].is_empty();
    if pairs.touching(concept).iter().any(placed) {
        return true;
    }
    let below = |lower: Concept| lower == concept || hierarchy.is_above(concept, lower);
    telling.into_iter().any(|upper| {
        let voted = |&(lower, pair): &(Concept, PairId)| {
            below(lower) && pairs.get(pair).tells_whether_above(side(upper, lower))
        };
        let asked = |factor: &Factor| below(factor.lower) && factor.asks_about(upper);
        pairs.touching(upper).iter().any(voted) || factors.naming(upper).any(asked)
    })
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
