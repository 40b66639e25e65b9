use grove_tree::Concept;
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{BlankNode, NamedNode, NamedNodeRef, NamedOrBlankNode, Term, Triple};

use super::WriteOptions;
use super::rdf::{concept_iris, decimal, text};
use crate::vocabulary::{dct, grove, obo, owl, skos};
use crate::{Entry, Error, Hierarchy, Relation};

/// A hierarchy as OWL classes, the root too.
///
/// Only "is a" is a subclass. A part is a subclass of "what is part of some parent", by the property that ontologies
/// share for it; another relation gets a property of its own. A certainty annotates the subclass axiom.
pub(crate) fn triples(hierarchy: &Hierarchy, options: &WriteOptions) -> Result<Vec<Triple>, Error> {
    let classes = concept_iris(hierarchy, options)?;
    let property = property(&hierarchy.heading().relation);
    let mut writer = Writer { hierarchy, classes, property, triples: Vec::new(), blanks: 0 };
    writer.header(options)?;
    writer.class(Concept::ROOT, hierarchy.name(Concept::ROOT));
    for (concept, entry) in hierarchy.concepts() {
        writer.class(concept, &entry.name);
        writer.texts(concept, entry);
        writer.place(concept, entry);
    }
    Ok(writer.triples)
}

/// The property between child and parent; `None` for "is a".
fn property(relation: &Relation) -> Option<NamedNodeRef<'static>> {
    match relation {
        Relation::IsA => None,
        Relation::PartOf => Some(obo::PART_OF),
        Relation::LookUnder | Relation::Own(_) => Some(grove::UNDER),
    }
}

struct Writer<'a> {
    hierarchy: &'a Hierarchy,
    /// The root's class at 0.
    classes: Vec<NamedNode>,
    property: Option<NamedNodeRef<'static>>,
    triples: Vec<Triple>,
    blanks: usize,
}

impl Writer<'_> {
    fn say(
        &mut self,
        subject: impl Into<NamedOrBlankNode>,
        predicate: NamedNodeRef<'_>,
        object: impl Into<Term>,
    ) {
        self.triples.push(Triple::new(subject, predicate, object));
    }

    /// Blank nodes by number, so that the same hierarchy is the same text.
    fn blank(&mut self) -> BlankNode {
        self.blanks += 1;
        BlankNode::new_unchecked(format!("b{}", self.blanks))
    }

    fn header(&mut self, options: &WriteOptions) -> Result<(), Error> {
        let ontology = options.iri("ontology")?;
        let title = text(self.hierarchy, &self.hierarchy.heading().title);
        self.say(ontology.clone(), rdf::TYPE, owl::ONTOLOGY);
        self.say(ontology.clone(), dct::TITLE, title);
        if let Some(license) = options.license()? {
            self.say(ontology, dct::LICENSE, license);
        }
        for annotation in [dct::TITLE, dct::LICENSE, skos::DEFINITION, skos::ALT_LABEL, grove::CERTAINTY] {
            self.say(annotation, rdf::TYPE, owl::ANNOTATION_PROPERTY);
        }
        if let Some(property) = self.property {
            let label = oxrdf::Literal::new_simple_literal(self.hierarchy.heading().relation.to_string());
            self.say(property, rdf::TYPE, owl::OBJECT_PROPERTY);
            self.say(property, rdfs::LABEL, label);
        }
        Ok(())
    }

    fn class(&mut self, concept: Concept, name: &str) {
        let class = self.classes[concept.index()].clone();
        self.say(class.clone(), rdf::TYPE, owl::CLASS);
        self.say(class, rdfs::LABEL, text(self.hierarchy, name));
    }

    fn texts(&mut self, concept: Concept, entry: &Entry) {
        let class = self.classes[concept.index()].clone();
        for synonym in &entry.synonyms {
            self.say(class.clone(), skos::ALT_LABEL, text(self.hierarchy, synonym));
        }
        if let Some(definition) = &entry.definition {
            self.say(class, skos::DEFINITION, text(self.hierarchy, definition));
        }
    }

    fn place(&mut self, concept: Concept, entry: &Entry) {
        let class = self.classes[concept.index()].clone();
        let parent = self.classes[entry.parent.index()].clone();
        let Some(property) = self.property else {
            self.say(class.clone(), rdfs::SUB_CLASS_OF, parent.clone());
            return self.annotate(&class, &parent.into(), entry.certainty);
        };
        let restriction = self.blank();
        self.say(class.clone(), rdfs::SUB_CLASS_OF, restriction.clone());
        self.say(restriction.clone(), rdf::TYPE, owl::RESTRICTION);
        self.say(restriction.clone(), owl::ON_PROPERTY, property);
        self.say(restriction.clone(), owl::SOME_VALUES_FROM, parent);
        self.annotate(&class, &restriction.into(), entry.certainty);
    }

    fn annotate(&mut self, class: &NamedNode, target: &Term, certainty: Option<f64>) {
        let Some(certainty) = certainty else { return };
        let axiom = self.blank();
        self.say(axiom.clone(), rdf::TYPE, owl::AXIOM);
        self.say(axiom.clone(), owl::ANNOTATED_SOURCE, class.clone());
        self.say(axiom.clone(), owl::ANNOTATED_PROPERTY, rdfs::SUB_CLASS_OF);
        self.say(axiom.clone(), owl::ANNOTATED_TARGET, target.clone());
        self.say(axiom, grove::CERTAINTY, decimal(certainty));
    }
}
