use std::io::Read;
use std::ops::ControlFlow;

use indexmap::IndexMap;
use oxrdf::{Literal, NamedNodeRef, NamedOrBlankNode, Quad, Term};
use oxrdfio::{JsonLdProfileSet, RdfFormat, RdfParseError, RdfParser};
use serde_json::Value;

use super::bounds::{self, Expansion};
use crate::{Error, ErrorKind, Result, Source};

/// JSON-LD of any form.
pub(crate) const JSON_LD: RdfFormat = RdfFormat::JsonLd { profile: JsonLdProfileSet::empty() };

/// The base of relative IRIs, under a domain that nobody can own.
pub(super) const BASE: &str = "http://relative.invalid/";

/// The format given by a file's ending; `known` lists the valid endings for the error message.
pub(crate) fn format_of(source: &Source, known: &'static str) -> Result<RdfFormat> {
    match source.extension().as_str() {
        // N-Triples is a subset of Turtle.
        "ttl" | "turtle" | "nt" => Ok(RdfFormat::Turtle),
        "rdf" | "xml" | "owl" | "skos" => Ok(RdfFormat::RdfXml),
        "jsonld" => Ok(JSON_LD),
        _ => Err(source.error(ErrorKind::UnknownFileType(known))),
    }
}

/// The fields by which JSON-LD is told from other JSON.
pub(crate) const KEYWORDS: [&str; 3] = ["@context", "@graph", "@id"];

/// Whether a JSON value is JSON-LD.
pub(crate) fn is_json_ld(value: &Value) -> bool {
    KEYWORDS.iter().any(|keyword| value.get(keyword).is_some())
}

/// The predicates and objects of one subject, in the order of the file.
#[derive(Default)]
pub(crate) struct Node {
    facts: Vec<(oxrdf::NamedNode, Term)>,
}

impl Node {
    pub(crate) fn facts(&self) -> impl Iterator<Item = (&oxrdf::NamedNode, &Term)> {
        self.facts.iter().map(|(term, object)| (term, object))
    }

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
        self.objects(predicate).filter_map(|object| NamedOrBlankNode::try_from(object.clone()).ok())
    }

    pub(crate) fn has_type(&self, class: NamedNodeRef<'_>) -> bool {
        self.objects(oxrdf::vocab::rdf::TYPE).any(|object| *object == Term::from(class))
    }
}

/// A file's triples by subject, subjects in order of first appearance.
pub(crate) type Graph = IndexMap<NamedOrBlankNode, Node>;

pub(crate) fn read_graph(source: &Source, format: RdfFormat) -> Result<Graph> {
    let parser = RdfParser::from_format(format).with_base_iri(BASE).expect("the base is an IRI");
    match format {
        RdfFormat::RdfXml => bounds::check_xml(source)?,
        RdfFormat::JsonLd { .. } => bounds::check_json_ld(source)?,
        _ => bounds::check_turtle(source)?,
    }
    let (mut graph, mut expansion, mut expands) = (Graph::new(), Expansion::new(source), false);
    let add = |quad: Quad| {
        expands |= !expansion.admits(&quad);
        graph.entry(quad.subject).or_default().facts.push((quad.predicate, quad.object));
        !expands
    };
    let mut lines = LineByLine(source.text().as_bytes());
    let outcome = match format {
        RdfFormat::RdfXml => all(parser.for_reader(&mut lines), add),
        _ => all(parser.for_slice(source.text()), add).map_err(Into::into),
    };
    if expands {
        return Err(source.error(ErrorKind::Expands));
    }
    let unread = lines.0.len();
    outcome.map_err(|error| syntax_error(source, format, &error, unread))?;
    Ok(graph)
}

/// Reads all triples, until one is refused or cannot be read.
fn all<E>(
    mut triples: impl Iterator<Item = Result<Quad, E>>,
    mut add: impl FnMut(Quad) -> bool,
) -> Result<(), E> {
    triples
        .try_for_each(|triple| match triple.map(&mut add) {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(Ok(())),
            Err(error) => ControlFlow::Break(Err(error)),
        })
        .break_value()
        .unwrap_or(Ok(()))
}

/// Hands out one line at a time: errors in RDF/XML have no position, but they are in the line that was read last. The
/// parsers of the other formats would clear their whole buffer for every line.
struct LineByLine<'a>(&'a [u8]);

impl Read for LineByLine<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let window = &self.0[..self.0.len().min(buffer.len())];
        let line = window.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
        self.0.read(&mut buffer[..line.len()])
    }
}

fn syntax_error(source: &Source, format: RdfFormat, error: &RdfParseError, unread: usize) -> Error {
    let mut message = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut place = source.place();
    if let RdfParseError::Syntax(error) = error
        && let Some(location) = error.location()
    {
        place.line = Some(location.start.line as usize + 1);
        // The parser's message begins with the position, too.
        message = message.split_once(": ").map_or(message.clone(), |(_, cause)| cause.to_owned());
    } else if format == RdfFormat::RdfXml {
        let last_read = (source.text().len() - unread).saturating_sub(1);
        place.line = Some(source.line_counter().line_at(last_read));
    }
    ErrorKind::not_valid(format.name(), message).at(&place)
}
