use grove_tree::{Concept, Outline};
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{NamedNode, NamedNodeRef, Term, Triple};

use super::WriteOptions;
use super::rdf::{concept_iris, decimal, integer, text};
use crate::vocabulary::{dct, grove, skos};
use crate::{Entry, Error, Hierarchy};

/// A hierarchy as SKOS: the root is the concept scheme, each concept has its broader one and is told to it as
/// narrower.
///
/// SKOS has no place for a certainty, so each is a resource of its own, a `grove:Statement` with child, parent and
/// certainty, which SKOS tools pass over.
pub(crate) fn triples(hierarchy: &Hierarchy, options: &WriteOptions) -> Result<Vec<Triple>, Error> {
    let mut nodes = concept_iris(hierarchy, options)?;
    nodes[0] = options.iri("scheme")?;
    let outline = hierarchy.outline();
    let writer = Writer { hierarchy, options, nodes, outline };
    let mut triples = writer.scheme()?;
    for (concept, entry) in hierarchy.concepts() {
        triples.extend(writer.concept(concept, entry));
    }
    for (concept, entry) in hierarchy.concepts() {
        triples.extend(writer.statements(concept, entry)?);
    }
    Ok(triples)
}

struct Writer<'a> {
    hierarchy: &'a Hierarchy,
    options: &'a WriteOptions,
    /// The scheme at 0, then the concepts.
    nodes: Vec<NamedNode>,
    outline: Outline,
}

/// Triples about one subject.
struct Facts(NamedNode, Vec<Triple>);

impl Facts {
    fn say(&mut self, predicate: NamedNodeRef<'_>, object: impl Into<Term>) {
        self.1.push(Triple::new(self.0.clone(), predicate, object));
    }
}

impl Writer<'_> {
    fn node(&self, concept: Concept) -> &NamedNode {
        &self.nodes[concept.index()]
    }

    fn about(&self, concept: Concept) -> Facts {
        Facts(self.node(concept).clone(), Vec::new())
    }

    fn scheme(&self) -> Result<Vec<Triple>, Error> {
        let heading = self.hierarchy.heading();
        let mut facts = self.about(Concept::ROOT);
        facts.say(rdf::TYPE, skos::CONCEPT_SCHEME);
        facts.say(dct::TITLE, text(self.hierarchy, &heading.title));
        facts.say(rdfs::LABEL, text(self.hierarchy, &heading.title));
        facts.say(grove::ROOT, text(self.hierarchy, &heading.root));
        facts.say(grove::RELATION, oxrdf::Literal::new_simple_literal(heading.relation.to_string()));
        if let Some(license) = self.options.license()? {
            facts.say(dct::LICENSE, license);
        }
        for &top in self.outline.children(Concept::ROOT) {
            facts.say(skos::HAS_TOP_CONCEPT, self.node(top).clone());
        }
        Ok(facts.1)
    }

    fn concept(&self, concept: Concept, entry: &Entry) -> Vec<Triple> {
        let mut facts = self.about(concept);
        facts.say(rdf::TYPE, skos::CONCEPT);
        facts.say(skos::IN_SCHEME, self.node(Concept::ROOT).clone());
        facts.say(skos::PREF_LABEL, text(self.hierarchy, &entry.name));
        for synonym in &entry.synonyms {
            facts.say(skos::ALT_LABEL, text(self.hierarchy, synonym));
        }
        if let Some(definition) = &entry.definition {
            facts.say(skos::DEFINITION, text(self.hierarchy, definition));
        }
        let above = if entry.parent.is_root() { skos::TOP_CONCEPT_OF } else { skos::BROADER };
        facts.say(above, self.node(entry.parent).clone());
        for &child in self.outline.children(concept) {
            facts.say(skos::NARROWER, self.node(child).clone());
        }
        facts.1
    }

    /// How sure the parent is, by which votes, and the alternatives.
    fn statements(&self, concept: Concept, entry: &Entry) -> Result<Vec<Triple>, Error> {
        let mut triples = Vec::new();
        if entry.certainty.is_some() || entry.yes > 0 || entry.no > 0 {
            let mut facts = self.statement(concept, entry.parent, entry.certainty)?;
            facts.say(grove::YES, integer(entry.yes));
            facts.say(grove::NO, integer(entry.no));
            triples.extend(facts.1);
        }
        for &(parent, certainty) in &entry.alternatives {
            triples.extend(self.statement(concept, parent, Some(certainty))?.1);
        }
        Ok(triples)
    }

    fn statement(&self, child: Concept, parent: Concept, certainty: Option<f64>) -> Result<Facts, Error> {
        // The root's own identifier cannot be another concept's, so neither can this IRI.
        let name = format!("statement/{}/{}", self.hierarchy.id(child), self.hierarchy.id(parent));
        let mut facts = Facts(self.options.iri(&name)?, Vec::new());
        facts.say(rdf::TYPE, grove::STATEMENT);
        facts.say(grove::CHILD, self.node(child).clone());
        facts.say(grove::PARENT, self.node(parent).clone());
        if let Some(certainty) = certainty {
            facts.say(grove::CERTAINTY, decimal(certainty));
        }
        Ok(facts)
    }
}
