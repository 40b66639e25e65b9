use grove_tree::Concept;

use super::Correction;

/// The corrections as seen from each concept.
#[derive(Clone, Debug)]
pub(crate) struct Constraints {
    count: usize,
    by_concept: Vec<ConceptConstraints>,
    any: bool,
}

/// What corrections say about one concept.
#[derive(Clone, Default, Debug)]
pub(crate) struct ConceptConstraints {
    /// The only parent it may have.
    pub(crate) parent: Option<Concept>,
    /// Concepts whose only parent this one may be.
    pub(crate) children: Vec<Concept>,
    /// Concepts that must, or must not, be above it.
    pub(crate) above: Vec<Concept>,
    pub(crate) not_above: Vec<Concept>,
    /// Concepts that must, or must not, be below it.
    pub(crate) below: Vec<Concept>,
    pub(crate) not_below: Vec<Concept>,
    /// Two corrections pin it to different parents.
    pub(crate) torn: bool,
}

impl ConceptConstraints {
    /// Whether any correction is about the concept.
    pub(crate) fn is_any(&self) -> bool {
        let lists = [&self.children, &self.above, &self.not_above, &self.below, &self.not_below];
        self.parent.is_some() || lists.iter().any(|list| !list.is_empty())
    }
}

impl Constraints {
    pub(crate) fn new(count: usize, corrections: &[Correction]) -> Self {
        let mut constraints = Self {
            count,
            by_concept: vec![ConceptConstraints::default(); count + 1],
            any: !corrections.is_empty(),
        };
        for &correction in corrections {
            match correction {
                Correction::DirectlyUnder { lower, upper } => {
                    constraints.pin(lower, upper);
                    constraints.require(upper, lower);
                }
                Correction::TopLevel { concept } => constraints.pin(concept, Concept::ROOT),
                Correction::SomewhereUnder { lower, upper } => constraints.require(upper, lower),
                Correction::NotUnder { lower, upper } => {
                    push_new(&mut constraints.by_concept[lower.index()].not_above, upper);
                    push_new(&mut constraints.by_concept[upper.index()].not_below, lower);
                }
            }
        }
        constraints
    }

    fn pin(&mut self, child: Concept, parent: Concept) {
        let constraints = &mut self.by_concept[child.index()];
        constraints.torn |= constraints.parent.replace(parent).is_some_and(|before| before != parent);
        push_new(&mut self.by_concept[parent.index()].children, child);
    }

    fn require(&mut self, upper: Concept, lower: Concept) {
        push_new(&mut self.by_concept[lower.index()].above, upper);
        push_new(&mut self.by_concept[upper.index()].below, lower);
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether there is any correction. Most campaigns have none, and moves are faster then.
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    pub(crate) fn of(&self, concept: Concept) -> &ConceptConstraints {
        &self.by_concept[concept.index()]
    }
}

fn push_new(list: &mut Vec<Concept>, concept: Concept) {
    if !list.contains(&concept) {
        list.push(concept);
    }
}
