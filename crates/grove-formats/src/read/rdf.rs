use std::collections::HashMap;

use oxrdf::{Literal, NamedNodeRef, NamedOrBlankNode, Term, Triple};

use super::skos::Syntax;
use crate::{Error, Place, Source};

/// Relative IRIs need something to be relative to; this one can belong to nobody.
const BASE: &str = "http://relative.invalid/";

/// What is said of one subject, in the order of the file.
#[derive(Default)]
pub(crate) struct Node {
    facts: Vec<(oxrdf::NamedNode, Term)>,
}

impl Node {
    pub(crate) fn objects(&self, predicate: NamedNodeRef<'_>) -> impl Iterator<Item = &Term> {
        self.facts.iter().filter(move |(known, _)| known.as_ref() == predicate).map(|(_, object)| object)
    }

    pub(crate) fn literals(&self, predicate: NamedNodeRef<'_>) -> impl Iterator<Item = &Literal> {
        self.objects(predicate).filter_map(|object| match object {
            Term::Literal(literal) => Some(literal),
            _ => None,
        })
    }

    pub(crate) fn nodes(&self, predicate: NamedNodeRef<'_>) -> impl Iterator<Item = NamedOrBlankNode> {
        self.objects(predicate).filter_map(|object| match object {
            Term::NamedNode(node) => Some(node.clone().into()),
            Term::BlankNode(node) => Some(node.clone().into()),
            Term::Literal(_) => None,
        })
    }

    pub(crate) fn has_type(&self, class: NamedNodeRef<'_>) -> bool {
        self.objects(oxrdf::vocab::rdf::TYPE).any(|object| *object == Term::from(class))
    }
}

/// A file's triples by subject, subjects in order of first appearance.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) subjects: Vec<(NamedOrBlankNode, Node)>,
    by_subject: HashMap<NamedOrBlankNode, usize>,
}

impl Graph {
    pub(crate) fn read(source: &Source, syntax: Syntax) -> Result<Self, Error> {
        match syntax {
            Syntax::Turtle => Self::read_turtle(source),
            Syntax::RdfXml => Self::read_xml(source),
            Syntax::JsonLd => Self::read_json_ld(source),
        }
    }

    fn add(&mut self, triple: Triple) {
        let next = self.subjects.len();
        let at = *self.by_subject.entry(triple.subject.clone()).or_insert(next);
        if at == next {
            self.subjects.push((triple.subject, Node::default()));
        }
        self.subjects[at].1.facts.push((triple.predicate, triple.object));
    }

    fn read_turtle(source: &Source) -> Result<Self, Error> {
        let parser = oxttl::TurtleParser::new().with_base_iri(BASE).expect("the base is an IRI");
        let mut graph = Self::default();
        for triple in parser.for_slice(source.text()) {
            graph.add(triple.map_err(|error| {
                let line = error.location().start.line as usize + 1;
                wrong(source.place().line(line), "Turtle", error.message())
            })?);
        }
        Ok(graph)
    }

    fn read_xml(source: &Source) -> Result<Self, Error> {
        let parser = oxrdfxml::RdfXmlParser::new().with_base_iri(BASE).expect("the base is an IRI");
        let mut parser = parser.for_slice(source.text());
        let mut graph = Self::default();
        while let Some(triple) = parser.next() {
            graph.add(triple.map_err(|error| {
                let line = source.line_at(parser.buffer_position() as usize);
                wrong(source.place().line(line), "RDF/XML", &error.to_string())
            })?);
        }
        Ok(graph)
    }

    fn read_json_ld(source: &Source) -> Result<Self, Error> {
        let parser = oxjsonld::JsonLdParser::new().with_base_iri(BASE).expect("the base is an IRI");
        let mut graph = Self::default();
        for quad in parser.for_slice(source.text()) {
            let quad = quad.map_err(|error| {
                let line = error.location().map(|location| location.start.line as usize + 1);
                let at = line.map_or_else(|| source.place(), |line| source.place().line(line));
                wrong(at, "JSON-LD", &error.to_string())
            })?;
            graph.add(quad.into());
        }
        Ok(graph)
    }
}

fn wrong(at: Place, syntax: &'static str, message: &str) -> Error {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    Error::Syntax { at, syntax, message }
}
