use std::collections::HashSet;

use grove_tree::Concept;
use oxjsonld::JsonLdSerializer;
use oxrdf::{BlankNode, GraphNameRef, Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, Term, Triple};
use oxrdfio::{RdfFormat, RdfSerializer};

use super::WriteOptions;
use crate::name::tidy;
use crate::vocabulary::{dct, grove, owl, skos};
use crate::{Entry, Error, ErrorKind, Fact, FactValue, Hierarchy, Origin, Result};

const INTO_MEMORY: &str = "writing to memory does not fail";

/// The triples of a hierarchy, as SKOS and OWL collect them.
pub(crate) struct Graph<'a> {
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) options: &'a WriteOptions,
    /// The IRIs of the root, at 0, and of the concepts.
    pub(crate) nodes: Vec<NamedNode>,
    triples: Vec<Triple>,
    /// The number of nodes without an IRI.
    blanks: usize,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(hierarchy: &'a Hierarchy, options: &'a WriteOptions) -> Result<Self> {
        let all = std::iter::once(Concept::ROOT).chain(hierarchy.tree().concepts());
        // A file that was read twice may give the same IRI to two concepts.
        let mut taken = HashSet::new();
        let mut iri = |concept| {
            let origin = hierarchy.entry(concept).and_then(|entry| entry.origin.as_ref());
            let own = origin
                .and_then(|origin| origin.iri.as_deref())
                .map(|iri| options.resolve(iri))
                .transpose()?;
            let local = format!("concept/{}", hierarchy.id(concept));
            let numbered = (2..).map(|number| format!("{local}-{number}"));
            let made = std::iter::once(local.clone()).chain(numbered).map(|local| options.iri(&local));
            let mut candidates = own.into_iter().map(Ok).chain(made);
            let free = candidates.find(|iri| iri.as_ref().map_or(true, |iri| taken.insert(iri.clone())));
            free.expect("there are more numbers than concepts")
        };
        let nodes = all.map(&mut iri).collect::<Result<_, _>>()?;
        Ok(Self { hierarchy, options, nodes, triples: Vec::new(), blanks: 0 })
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
    pub(crate) fn add_synonyms_and_definition(&mut self, subject: &NamedNode, entry: &Entry) -> Result<()> {
        for synonym in &entry.synonyms {
            self.add_own_text(subject, skos::ALT_LABEL, synonym, entry.origin.as_deref())?;
        }
        if let Some(definition) = &entry.definition {
            self.add_own_text(subject, skos::DEFINITION, definition, entry.origin.as_deref())?;
        }
        Ok(())
    }

    /// Adds a text as its source file had it; in the hierarchy's language if it came from no file or was changed
    /// since.
    pub(crate) fn add_own_text(
        &mut self,
        subject: &NamedNode,
        predicate: NamedNodeRef<'_>,
        text: &str,
        origin: Option<&Origin>,
    ) -> Result<()> {
        let is_it = |fact: &&Fact| {
            fact.own && fact.term == predicate.as_str() && fact.text().is_some_and(|raw| tidy(raw) == text)
        };
        match origin.and_then(|origin| origin.facts.iter().find(is_it)) {
            Some(fact) => self.add_fact(subject.clone().into(), fact),
            None => {
                self.add_text(subject, predicate, text);
                Ok(())
            }
        }
    }

    /// Adds what else the source file says about a concept or scheme, except what [`Graph::add_own_text`] adds.
    pub(crate) fn add_facts(
        &mut self,
        subject: &NamedNode,
        origin: Option<&Origin>,
        name: &str,
    ) -> Result<()> {
        let written =
            [skos::PREF_LABEL, skos::ALT_LABEL, skos::DEFINITION, dct::TITLE].map(|term| term.as_str());
        let is_left = |fact: &&Fact| {
            let is_name = || fact.text().is_some_and(|text| tidy(text) == name);
            !fact.own || !written.contains(&fact.term.as_str()) && is_name()
        };
        let facts: Vec<&Fact> = origin.iter().flat_map(|origin| &origin.facts).filter(is_left).collect();
        for fact in facts {
            self.add_fact(subject.clone().into(), fact)?;
        }
        Ok(())
    }

    fn add_fact(&mut self, subject: NamedOrBlankNode, fact: &Fact) -> Result<()> {
        let term = self.options.resolve(&fact.term)?;
        let object: Term = match &fact.value {
            FactValue::Typed { text, datatype } => {
                Literal::new_typed_literal(text, self.options.resolve(datatype)?).into()
            }
            FactValue::Text { text, language: None } => Literal::new_simple_literal(text).into(),
            FactValue::Text { text, language: Some(tag) } => {
                let literal = Literal::new_language_tagged_literal(text, tag);
                literal.map_err(|_| Error::from(ErrorKind::NotALanguage(tag.clone())))?.into()
            }
            FactValue::Resource { iri } => self.options.resolve(iri)?.into(),
            FactValue::Node { facts } => {
                // Numbered, so that the same hierarchy gives the same text.
                self.blanks += 1;
                let node = BlankNode::new_unchecked(format!("note{}", self.blanks));
                for fact in facts {
                    self.add_fact(node.clone().into(), fact)?;
                }
                node.into()
            }
        };
        self.add(subject, term.as_ref(), object);
        Ok(())
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
