//! Limits that hold for every file, so that its sender cannot choose how much memory or time it takes.
//!
//! Memory and time are in proportion to the length of a text in most formats. Some let a short text stand for a long one, by entities,
//! prefixes, bases and contexts, or let a parser's work grow with the depth of brackets; these are checked before they are parsed.

use std::fmt;

use oxrdf::{NamedOrBlankNode, Quad, Term};
use quick_xml::events::{BytesStart, Event};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::json;
use super::rdf::KEYWORDS;
use crate::{ErrorKind, Result, Source};

/// The deepest brackets or elements.
pub(crate) const DEPTH: usize = 128;
/// The longest IRI that stands for a shorter name, in bytes.
const IRI: usize = 2_000;
/// The most bases, each of which is relative to the one before.
const BASES: usize = 100;
/// The most bytes in all contexts of JSON-LD together: each term may stand for all terms before it.
const CONTEXT: usize = 16 * 1024;
/// The most contexts in one file: each inner one is a copy of the outer ones.
const CONTEXTS: usize = 16;

/// Refuses RDF/XML that declares entities, is too deep, or has long names in short words.
pub(crate) fn check_xml(source: &Source) -> Result<()> {
    let mut reader = quick_xml::Reader::from_str(source.text());
    // Other errors are left to the parser.
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let (mut depth, mut bases) = (0_usize, 0);
    loop {
        let at = reader.buffer_position() as usize;
        let refuse = |kind: ErrorKind| {
            let line = source.line_counter().line_at(at.min(source.text().len()));
            Err(kind.at(&source.place().line(line)))
        };
        match reader.read_event() {
            Ok(Event::DocType(_)) => return refuse(ErrorKind::DocumentType),
            Ok(Event::Start(tag)) => {
                depth += 1;
                bases += bases_of(&tag);
            }
            Ok(Event::Empty(tag)) => bases += bases_of(&tag),
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Eof) | Err(_) => return Ok(()),
            Ok(_) => {}
        }
        if depth > DEPTH {
            return refuse(ErrorKind::DeepBrackets(DEPTH));
        }
        if bases > BASES {
            return refuse(ErrorKind::Expands);
        }
    }
}

/// The number of an element's bases; very many if it declares a very long one, or a prefix for one.
fn bases_of(tag: &BytesStart) -> usize {
    // An unreadable attribute is left to the parser to report.
    let mut attributes = tag.attributes();
    let attributes = attributes.with_checks(false).flatten();
    let count = |key: &[u8], length| match key {
        b"xml:base" if length <= IRI => 1,
        b"xml:base" => BASES + 1,
        _ if key.starts_with(b"xmlns") && length > IRI => BASES + 1,
        _ => 0,
    };
    attributes.map(|attribute| count(attribute.key.as_ref(), attribute.value.len())).sum()
}

/// Refuses Turtle with brackets that are too deep, IRIs that are too long, or too many bases.
pub(crate) fn check_turtle(source: &Source) -> Result<()> {
    let text = source.text().as_bytes();
    let (mut at, mut depth, mut bases) = (0, 0_usize, 0);
    // The end of what begins at `from` and ends with one of these bytes; a backslash keeps the next byte from ending it.
    let end = |from: usize, ends: &[u8]| {
        let mut at = from;
        while at < text.len() && !ends.contains(&text[at]) {
            at += if text[at] == b'\\' { 2 } else { 1 };
        }
        at.min(text.len())
    };
    while at < text.len() {
        let start = at;
        at += 1;
        match text[start] {
            b'#' => at = end(at, b"\n"),
            b'<' => {
                at = end(at, b">\n \"") + 1;
                if at - start > IRI {
                    return Err(place(source, start, ErrorKind::Expands));
                }
            }
            quote @ (b'"' | b'\'') => at = end_of_text(text, start, quote),
            b'[' | b'(' | b'{' => depth += 1,
            b']' | b')' | b'}' => depth = depth.saturating_sub(1),
            b'\\' => at += 1,
            byte if byte.is_ascii_alphabetic() || byte == b'@' => {
                while at < text.len() && (text[at].is_ascii_alphanumeric() || b"_-:%.".contains(&text[at])) {
                    at += 1;
                }
                let word = text[start..at].trim_ascii_start();
                let word = word.strip_prefix(b"@").unwrap_or(word);
                bases += usize::from(word.eq_ignore_ascii_case(b"base"));
            }
            _ => {}
        }
        if depth > DEPTH {
            return Err(place(source, start, ErrorKind::DeepBrackets(DEPTH)));
        }
        if bases > BASES {
            return Err(place(source, start, ErrorKind::Expands));
        }
    }
    Ok(())
}

/// The byte after a text of Turtle that begins with this quote, of which three begin a long text.
fn end_of_text(text: &[u8], start: usize, quote: u8) -> usize {
    let is_long = text[start..].starts_with(&[quote; 3]);
    let quotes = if is_long { 3 } else { 1 };
    let mut at = start + quotes;
    while at < text.len() {
        // A short text that is not closed ends with its line; the parser says so.
        let ends = match is_long {
            true => text[at..].starts_with(&[quote; 3]),
            false => text[at] == quote || text[at] == b'\n',
        };
        if ends {
            return at + quotes;
        }
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    text.len()
}

/// Refuses JSON-LD that is too deep, or whose contexts could stand for more than they say.
pub(crate) fn check_json_ld(source: &Source) -> Result<()> {
    let survey: Survey = json::parse(source, "JSON-LD")?;
    let is_fine = survey.contexts <= CONTEXTS && survey.context_bytes <= CONTEXT;
    if is_fine { Ok(()) } else { Err(source.error(ErrorKind::Expands)) }
}

/// What a JSON text holds, found without keeping any of it. (A value in memory takes up to a hundred times its text.) The parser stops at 128
/// brackets.
#[derive(Default)]
pub(crate) struct Survey {
    contexts: usize,
    context_bytes: usize,
    /// Whether its own fields are those of JSON-LD.
    pub(crate) is_json_ld: bool,
}

impl Survey {
    fn add(&mut self, inner: &Self) {
        self.contexts += inner.contexts;
        self.context_bytes += inner.context_bytes;
    }
}

impl<'de> Deserialize<'de> for Survey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Surveyor)
    }
}

struct Surveyor;

impl<'de> Visitor<'de> for Surveyor {
    type Value = Survey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Survey, A::Error> {
        let mut survey = Survey::default();
        while let Some(name) = fields.next_key::<String>()? {
            survey.is_json_ld |= KEYWORDS.contains(&name.as_str());
            if name == "@context" {
                let context: &RawValue = fields.next_value()?;
                survey.context_bytes += context.get().len();
                // With those of single terms, however they are written.
                survey.contexts += 1 + context.get().matches("context").count();
            } else {
                survey.add(&fields.next_value()?);
            }
        }
        Ok(survey)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Survey, A::Error> {
        let mut survey = Survey::default();
        while let Some(item) = items.next_element()? {
            survey.add(&item);
        }
        Ok(survey)
    }

    fn visit_unit<E>(self) -> Result<Survey, E> {
        Ok(Survey::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Survey, E> {
        Ok(Survey::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Survey, E> {
        Ok(Survey::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Survey, E> {
        Ok(Survey::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Survey, E> {
        Ok(Survey::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Survey, E> {
        Ok(Survey::default())
    }
}

/// How much longer the terms of a file are than its text.
pub(crate) struct Expansion {
    left: usize,
}

impl Expansion {
    /// A file may have terms of so many bytes.
    pub(crate) fn new(source: &Source) -> Self {
        Self { left: 16 * source.text().len() + 4 * 1024 * 1024 }
    }

    /// Whether there is room for the terms of another triple.
    pub(crate) fn admits(&mut self, quad: &Quad) -> bool {
        let subject = match &quad.subject {
            NamedOrBlankNode::NamedNode(node) => node.as_str().len(),
            NamedOrBlankNode::BlankNode(node) => node.as_str().len(),
        };
        let object = match &quad.object {
            Term::NamedNode(node) => node.as_str().len(),
            Term::BlankNode(node) => node.as_str().len(),
            Term::Literal(literal) => literal.value().len() + literal.datatype().as_str().len(),
        };
        let length = subject + quad.predicate.as_str().len() + object;
        let is_admitted = length <= self.left;
        self.left = self.left.saturating_sub(length);
        is_admitted
    }
}

fn place(source: &Source, byte: usize, kind: ErrorKind) -> crate::Error {
    kind.at(&source.place().line(source.line_counter().line_at(byte)))
}
