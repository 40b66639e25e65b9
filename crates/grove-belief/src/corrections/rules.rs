use grove_tree::Concept;

use super::Correction;

/// The corrections as seen from each concept.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    count: usize,
    by_concept: Vec<ConceptRules>,
    any: bool,
}

/// What the owner said about one concept.
#[derive(Clone, Default, Debug)]
pub(crate) struct ConceptRules {
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
    /// It is named by two corrections that pin it to different parents.
    pub(crate) torn: bool,
}

impl Rules {
    pub(crate) fn new(count: usize, corrections: &[Correction]) -> Self {
        let mut rules = Self {
            count,
            by_concept: vec![ConceptRules::default(); count + 1],
            any: !corrections.is_empty(),
        };
        for &correction in corrections {
            match correction {
                Correction::DirectlyUnder { lower, upper } => {
                    rules.pin(lower, upper);
                    rules.require(upper, lower);
                }
                Correction::TopLevel { concept } => rules.pin(concept, Concept::ROOT),
                Correction::SomewhereUnder { lower, upper } => rules.require(upper, lower),
                Correction::NotUnder { lower, upper } => {
                    push_new(&mut rules.by_concept[lower.index()].not_above, upper);
                    push_new(&mut rules.by_concept[upper.index()].not_below, lower);
                }
            }
        }
        rules
    }

    fn pin(&mut self, child: Concept, parent: Concept) {
        let rules = &mut self.by_concept[child.index()];
        rules.torn |= rules.parent.replace(parent).is_some_and(|before| before != parent);
        push_new(&mut self.by_concept[parent.index()].children, child);
    }

    fn require(&mut self, upper: Concept, lower: Concept) {
        push_new(&mut self.by_concept[lower.index()].above, upper);
        push_new(&mut self.by_concept[upper.index()].below, lower);
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether there is any correction at all: most campaigns have none, and moves are faster then.
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    pub(crate) fn of(&self, concept: Concept) -> &ConceptRules {
        &self.by_concept[concept.index()]
    }
}

fn push_new(list: &mut Vec<Concept>, concept: Concept) {
    if !list.contains(&concept) {
        list.push(concept);
    }
}
