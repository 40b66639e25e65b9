use grove_tree::Concept;
use oxjsonld::JsonLdSerializer;
use oxrdf::{GraphNameRef, Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, Term, Triple};
use oxrdfio::{RdfFormat, RdfSerializer};

use super::WriteOptions;
use crate::vocabulary::{dct, grove, owl, skos};
use crate::{Entry, Hierarchy, Result};

const INTO_MEMORY: &str = "writing to memory does not fail";

/// The triples of a hierarchy, as SKOS and OWL collect them.
pub(crate) struct Graph<'a> {
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) options: &'a WriteOptions,
    /// The IRIs of the root, at 0, and of the concepts.
    pub(crate) nodes: Vec<NamedNode>,
    triples: Vec<Triple>,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(hierarchy: &'a Hierarchy, options: &'a WriteOptions) -> Result<Self> {
        let all = std::iter::once(Concept::ROOT).chain(hierarchy.tree().concepts());
        let iri = |concept| options.iri(&format!("concept/{}", hierarchy.id(concept)));
        let nodes = all.map(iri).collect::<Result<_, _>>()?;
        Ok(Self { hierarchy, options, nodes, triples: Vec::new() })
    }

    /// The IRI of a concept or of the root.
    pub(crate) fn node(&self, concept: Concept) -> NamedNode {
        self.nodes[concept.index()].clone()
    }

    /// Adds a triple.
    pub(crate) fn add(
        &mut self,
        subject: impl Into<NamedOrBlankNode>,
        predicate: NamedNodeRef<'_>,
        object: impl Into<Term>,
    ) {
        self.triples.push(Triple::new(subject, predicate, object));
    }

    /// Adds a text in the hierarchy's language; without a tag if the language is unknown.
    pub(crate) fn add_text(&mut self, subject: &NamedNode, predicate: NamedNodeRef<'_>, text: &str) {
        let literal = match self.hierarchy.heading().language.as_str() {
            "und" => Literal::new_simple_literal(text),
            tag => Literal::new_language_tagged_literal(text, tag).expect("a hierarchy's language is valid"),
        };
        self.add(subject.clone(), predicate, literal);
    }

    /// Adds the synonyms and the definition of a concept.
    pub(crate) fn add_synonyms_and_definition(&mut self, subject: &NamedNode, entry: &Entry) {
        for synonym in &entry.synonyms {
            self.add_text(subject, skos::ALT_LABEL, synonym);
        }
        if let Some(definition) = &entry.definition {
            self.add_text(subject, skos::DEFINITION, definition);
        }
    }

    /// Writes the triples, with a prefix for each namespace that they use.
    pub(crate) fn write(&self, format: RdfFormat) -> Result<String> {
        let concepts = self.options.iri("concept/")?.into_string();
        let prefixes = [
            ("concept", concepts.as_str()),
            ("dct", dct::NAMESPACE),
            ("grove", grove::NAMESPACE),
            ("owl", owl::NAMESPACE),
            ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
            ("skos", skos::NAMESPACE),
            ("xsd", "http://www.w3.org/2001/XMLSchema#"),
        ];
        let texts: Vec<String> = self.triples.iter().map(Triple::to_string).collect();
        let used = |(_, namespace): &(&str, &str)| texts.iter().any(|triple| triple.contains(namespace));
        let mut prefixes = prefixes.into_iter().filter(used);
        let bytes = match format {
            // The serializer for all formats would write JSON-LD without prefixes.
            RdfFormat::JsonLd { .. } => {
                let empty = JsonLdSerializer::new();
                let serializer = prefixes.try_fold(empty, |with, (name, iri)| with.with_prefix(name, iri));
                let mut writer = serializer.expect("the namespaces are IRIs").for_writer(Vec::new());
                for triple in &self.triples {
                    let quad = triple.as_ref().in_graph(GraphNameRef::DefaultGraph);
                    writer.serialize_quad(quad).expect(INTO_MEMORY);
                }
                writer.finish()
            }
            _ => {
                let empty = RdfSerializer::from_format(format);
                let serializer = prefixes.try_fold(empty, |with, (name, iri)| with.with_prefix(name, iri));
                let mut writer = serializer.expect("the namespaces are IRIs").for_writer(Vec::new());
                for triple in &self.triples {
                    writer.serialize_triple(triple).expect(INTO_MEMORY);
                }
                writer.finish()
            }
        };
        let text = String::from_utf8(bytes.expect(INTO_MEMORY)).expect("the serializers write UTF-8");
        Ok(if text.ends_with('\n') { text } else { text + "\n" })
    }
}

/// A probability as a decimal, which has no exponent and loses no digit.
pub(crate) fn decimal(value: f64) -> Literal {
    Literal::new_typed_literal(value.to_string(), oxrdf::vocab::xsd::DECIMAL)
}
