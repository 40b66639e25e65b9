use grove_tree::Concept;
use oxrdf::vocab::{rdf, rdfs};
use oxrdf::{BlankNode, Literal, NamedNode, NamedNodeRef, Term};
use oxrdfio::RdfFormat;

use super::WriteOptions;
use super::rdf::{Graph, decimal};
use crate::vocabulary::{dct, grove, owl, skos};
use crate::{Entry, Hierarchy, Relation, Result};

/// The property that ontologies share for parts.
const PART_OF: NamedNodeRef<'static> =
    NamedNodeRef::new_unchecked("http://purl.obolibrary.org/obo/BFO_0000050");

/// Writes OWL classes, with one for the root.
///
/// Only "is a" makes a subclass. A part is a subclass of "what is part of some parent"; another relation has a property
/// of its own. A certainty annotates the subclass axiom.
pub(crate) fn write(hierarchy: &Hierarchy, options: &WriteOptions, format: RdfFormat) -> Result<String> {
    let property = match hierarchy.heading().relation {
        Relation::IsA => None,
        Relation::PartOf => Some(PART_OF),
        Relation::LookUnder | Relation::Own(_) => Some(grove::UNDER),
    };
    let mut writer = Writer { graph: Graph::new(hierarchy, options)?, property, blanks: 0 };
    writer.add_header()?;
    writer.add_class(Concept::ROOT);
    for (concept, entry) in hierarchy.concepts() {
        let class = writer.add_class(concept);
        writer.graph.add_synonyms_and_definition(&class, entry)?;
        writer.add_parent(class, entry);
    }
    writer.graph.write(format)
}

struct Writer<'a> {
    graph: Graph<'a>,
    /// The property between child and parent; `None` for "is a".
    property: Option<NamedNodeRef<'static>>,
    blanks: usize,
}

impl Writer<'_> {
    /// A blank node with a number, so that the same hierarchy gives the same text.
    fn blank(&mut self) -> BlankNode {
        self.blanks += 1;
        BlankNode::new_unchecked(format!("b{}", self.blanks))
    }

    fn add_header(&mut self) -> Result<()> {
        let heading = self.graph.hierarchy.heading();
        let graph = &mut self.graph;
        let ontology = graph.options.iri("ontology")?;
        graph.add(ontology.clone(), rdf::TYPE, owl::ONTOLOGY);
        graph.add_text(&ontology, dct::TITLE, &heading.title);
        if let Some(license) = graph.options.license()? {
            graph.add(ontology, dct::LICENSE, license);
        }
        for annotation in [dct::TITLE, dct::LICENSE, skos::DEFINITION, skos::ALT_LABEL, grove::CERTAINTY] {
            graph.add(annotation, rdf::TYPE, owl::ANNOTATION_PROPERTY);
        }
        if let Some(property) = self.property {
            graph.add(property, rdf::TYPE, owl::OBJECT_PROPERTY);
            graph.add(property, rdfs::LABEL, Literal::new_simple_literal(heading.relation.to_string()));
        }
        Ok(())
    }

    fn add_class(&mut self, concept: Concept) -> NamedNode {
        let class = self.graph.node(concept);
        self.graph.add(class.clone(), rdf::TYPE, owl::CLASS);
        self.graph.add_text(&class, rdfs::LABEL, self.graph.hierarchy.name(concept));
        class
    }

    fn add_parent(&mut self, class: NamedNode, entry: &Entry) {
        let parent = self.graph.node(entry.parent);
        let target: Term = match self.property {
            None => {
                self.graph.add(class.clone(), rdfs::SUB_CLASS_OF, parent.clone());
                parent.into()
            }
            Some(property) => {
                let restriction = self.blank();
                self.graph.add(class.clone(), rdfs::SUB_CLASS_OF, restriction.clone());
                self.graph.add(restriction.clone(), rdf::TYPE, owl::RESTRICTION);
                self.graph.add(restriction.clone(), owl::ON_PROPERTY, property);
                self.graph.add(restriction.clone(), owl::SOME_VALUES_FROM, parent);
                restriction.into()
            }
        };
        if let Some(certainty) = entry.certainty {
            let axiom = self.blank();
            self.graph.add(axiom.clone(), rdf::TYPE, owl::AXIOM);
            self.graph.add(axiom.clone(), owl::ANNOTATED_SOURCE, class);
            self.graph.add(axiom.clone(), owl::ANNOTATED_PROPERTY, rdfs::SUB_CLASS_OF);
            self.graph.add(axiom.clone(), owl::ANNOTATED_TARGET, target);
            self.graph.add(axiom, grove::CERTAINTY, decimal(certainty));
        }
    }
}
