use oxrdf::{GraphName, Literal, NamedNode, Quad, Triple};

use super::WriteOptions;
use crate::vocabulary::{dct, grove, owl, skos};
use crate::{Error, Hierarchy};

/// How RDF is written down.
#[derive(Clone, Copy)]
pub(crate) enum Syntax {
    Turtle,
    RdfXml,
    JsonLd,
}

const INTO_MEMORY: &str = "writing to memory does not fail";

/// Writes triples with short prefixes.
pub(crate) fn write(triples: &[Triple], syntax: Syntax, options: &WriteOptions) -> Result<String, Error> {
    let concepts = options.iri("concept/")?.into_string();
    let prefixes = [
        ("concept", concepts.as_str()),
        ("dct", dct::NAMESPACE),
        ("grove", grove::NAMESPACE),
        ("owl", owl::NAMESPACE),
        ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
        ("skos", skos::NAMESPACE),
        ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ];
    let used = |namespace: &str| triples.iter().any(|triple| uses(triple, namespace));
    let prefixes = prefixes.into_iter().filter(|(_, namespace)| used(namespace));
    let bytes = match syntax {
        Syntax::Turtle => turtle(triples, prefixes),
        Syntax::RdfXml => xml(triples, prefixes),
        Syntax::JsonLd => json_ld(triples, prefixes),
    };
    let mut text = String::from_utf8(bytes).expect("the writers write UTF-8");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn uses(triple: &Triple, namespace: &str) -> bool {
    [triple.subject.to_string(), triple.predicate.to_string(), triple.object.to_string()]
        .iter()
        .any(|term| term.contains(namespace))
}

type Prefix<'a> = (&'a str, &'a str);

fn turtle<'a>(triples: &[Triple], prefixes: impl Iterator<Item = Prefix<'a>>) -> Vec<u8> {
    let mut serializer = oxttl::TurtleSerializer::new();
    for (name, namespace) in prefixes {
        serializer = serializer.with_prefix(name, namespace).expect("the namespaces are IRIs");
    }
    let mut writer = serializer.for_writer(Vec::new());
    for triple in triples {
        writer.serialize_triple(triple).expect(INTO_MEMORY);
    }
    writer.finish().expect(INTO_MEMORY)
}

fn xml<'a>(triples: &[Triple], prefixes: impl Iterator<Item = Prefix<'a>>) -> Vec<u8> {
    let mut serializer = oxrdfxml::RdfXmlSerializer::new();
    for (name, namespace) in prefixes {
        serializer = serializer.with_prefix(name, namespace).expect("the namespaces are IRIs");
    }
    let mut writer = serializer.for_writer(Vec::new());
    for triple in triples {
        writer.serialize_triple(triple).expect(INTO_MEMORY);
    }
    writer.finish().expect(INTO_MEMORY)
}

fn json_ld<'a>(triples: &[Triple], prefixes: impl Iterator<Item = Prefix<'a>>) -> Vec<u8> {
    let mut serializer = oxjsonld::JsonLdSerializer::new();
    for (name, namespace) in prefixes {
        serializer = serializer.with_prefix(name, namespace).expect("the namespaces are IRIs");
    }
    let mut writer = serializer.for_writer(Vec::new());
    for triple in triples {
        let quad = Quad::new(
            triple.subject.clone(),
            triple.predicate.clone(),
            triple.object.clone(),
            GraphName::DefaultGraph,
        );
        writer.serialize_quad(&quad).expect(INTO_MEMORY);
    }
    writer.finish().expect(INTO_MEMORY)
}

/// A text in the hierarchy's language; untagged where the language is not known.
pub(crate) fn text(hierarchy: &Hierarchy, text: &str) -> Literal {
    match hierarchy.heading().language.as_str() {
        "und" => Literal::new_simple_literal(text),
        tag => Literal::new_language_tagged_literal(text, tag).expect("the hierarchy checked its language"),
    }
}

/// A probability as a decimal, which has no exponent and loses no digit.
pub(crate) fn decimal(value: f64) -> Literal {
    Literal::new_typed_literal(value.to_string(), oxrdf::vocab::xsd::DECIMAL)
}

/// A count.
pub(crate) fn integer(value: u64) -> Literal {
    Literal::new_typed_literal(value.to_string(), oxrdf::vocab::xsd::INTEGER)
}

/// The IRIs of the root at 0 and of the concepts.
pub(crate) fn concept_iris(hierarchy: &Hierarchy, options: &WriteOptions) -> Result<Vec<NamedNode>, Error> {
    let all = std::iter::once(grove_tree::Concept::ROOT).chain(hierarchy.tree().concepts());
    all.map(|concept| options.iri(&format!("concept/{}", hierarchy.id(concept)))).collect()
}
