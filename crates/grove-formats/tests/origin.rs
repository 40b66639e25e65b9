//! What a SKOS file says of its concepts comes out again as it went in.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::collections::BTreeSet;

use grove_formats::{
    ConceptList, Entry, Format, Hierarchy, ListedConcept, Source, WriteOptions, read_concepts,
    read_hierarchy, write,
};
use oxrdfio::{RdfFormat, RdfParser};

const THESAURUS: &str = r#"
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix ex: <https://example.org/thesaurus/> .

ex:scheme a skos:ConceptScheme ;
    dct:title "Groceries"@en, "Lebensmittel"@de ; rdfs:label "Groceries"@en ;
    dct:creator <https://orcid.org/0000-0000-0000-0001> ; dct:license <https://creativecommons.org/licenses/by/4.0/> ;
    skos:hasTopConcept ex:c_1 .

ex:c_1 a skos:Concept, ex:Aisle ; skos:inScheme ex:scheme ; skos:topConceptOf ex:scheme ;
    skos:prefLabel "fruit"@en, "Obst"@de, "fruit"@fr, "果物"@ja ;
    skos:definition "What grows on trees."@en, "Was auf Bäumen wächst."@de ;
    skos:notation "641.34"^^ex:dewey ; skos:narrower ex:c_2, ex:c_3 .

ex:c_2 a skos:Concept ; skos:inScheme ex:scheme, ex:other ; skos:broader ex:c_1 ;
    skos:prefLabel "lime"@en, "Limette"@de ;
    skos:altLabel "key lime"@en, "Limone"@de, "sour  lime"@en, "lime (fruit)" ; skos:hiddenLabel "lyme"@en ;
    skos:scopeNote "Not the mineral.\n\nNor the tree."@en ; skos:note "plain" ;
    skos:changeNote [ rdf:value "moved here"@en ; dct:creator [ rdfs:label "Ann" ] ; dct:date "2020-01-01"^^xsd:date ] ;
    skos:editorialNote "Open: ask the chef."@en ; skos:example "a slice"@en ;
    skos:exactMatch <http://www.wikidata.org/entity/Q13195> ; skos:related ex:c_3 .

ex:c_3 a skos:Concept ; skos:inScheme ex:scheme ; skos:broader ex:c_1 ;
    skos:prefLabel "lemon"@en ; rdfs:label "Lemon"@en ; skos:definition "Yellow.\nAnd sour."@en ; dct:issued "2019"^^xsd:gYear .
"#;

/// The triples of a text, with all blank nodes alike.
fn triples(text: &str, format: RdfFormat) -> BTreeSet<String> {
    let parsed = RdfParser::from_format(format).for_slice(text);
    let triple = |quad: Result<oxrdf::Quad, _>| {
        let text = quad.unwrap().to_string();
        text.split(' ')
            .map(|part| if part.starts_with("_:") { "_:b" } else { part })
            .collect::<Vec<_>>()
            .join(" ")
    };
    parsed.map(triple).collect()
}

fn thesaurus() -> ConceptList {
    read_concepts(&Source::new("food.ttl", THESAURUS.as_bytes()).unwrap()).unwrap()
}

fn hierarchy() -> Hierarchy {
    thesaurus().hierarchy().unwrap().unwrap().clone()
}

/// What the first lacks of the second.
fn missing(of: &BTreeSet<String>, in_: &BTreeSet<String>) -> Vec<String> {
    of.difference(in_).cloned().collect()
}

#[test]
fn skos_comes_out_as_it_went_in() {
    let before = triples(THESAURUS, RdfFormat::Turtle);
    for (format, syntax) in [(Format::Skos, RdfFormat::Turtle), (Format::SkosXml, RdfFormat::RdfXml)] {
        let written = write(&hierarchy(), format, &WriteOptions::default()).unwrap();
        let after = triples(&written, syntax);
        assert_eq!(missing(&before, &after), Vec::<String>::new(), "lost in {written}");
        // Grove adds the root's name, its relation, and what SKOS leaves implicit.
        let more = missing(&after, &before);
        assert!(more.iter().all(|triple| triple.contains("urn:grove:terms#")), "{more:#?}");
    }
}

#[test]
fn nested_json_keeps_it_on_the_way() {
    let json = write(&hierarchy(), Format::Json, &WriteOptions::default()).unwrap();
    let again = read_hierarchy(&Source::new("food.json", json.as_bytes()).unwrap()).unwrap();
    assert_eq!(again.heading(), hierarchy().heading());
    let origins = |of: &Hierarchy| {
        let mut origins: Vec<_> =
            of.entries().iter().map(|entry| (entry.name.clone(), entry.origin.clone())).collect();
        origins.sort_by(|one, other| one.0.cmp(&other.0));
        origins
    };
    assert_eq!(origins(&again), origins(&hierarchy()));
}

#[test]
fn a_text_that_was_changed_is_not_written_as_it_was() {
    let mut entries = hierarchy().entries().to_vec();
    let lime = entries.iter_mut().find(|entry| entry.name == "lime").unwrap();
    lime.name = "sweet lime".to_owned();
    lime.synonyms.retain(|synonym| synonym != "sour lime");
    let lemon = entries.iter_mut().find(|entry| entry.name == "lemon").unwrap();
    lemon.definition = Some("Sour.".to_owned());
    lemon.name = "citron".to_owned();
    let changed = Hierarchy::new(hierarchy().heading().clone(), entries).unwrap();
    let written = write(&changed, Format::Skos, &WriteOptions::default()).unwrap();
    for gone in ["\"lime\"@en", "sour  lime", "Yellow", "\"lemon\"@en"] {
        assert!(!written.contains(gone), "{gone} is still in {written}");
    }
    for kept in [
        "\"sweet lime\"@en",
        "\"Limette\"@de",
        "\"key lime\"@en",
        "\"lime (fruit)\"",
        "\"Sour.\"@en",
        "\"citron\"@en",
    ] {
        assert!(written.contains(kept), "{kept} is not in {written}");
    }
}

#[test]
fn concepts_without_an_iri_get_one_under_the_base() {
    let fresh = Entry::new("pear", grove_tree::Concept::new(1));
    let mut entries = hierarchy().entries().to_vec();
    // The same file read twice.
    let twin = Entry { name: "twin".to_owned(), id: None, ..entries[1].clone() };
    entries.extend([fresh, twin]);
    let all = Hierarchy::new(hierarchy().heading().clone(), entries).unwrap();
    let options = WriteOptions { base: "https://mine.org/".into(), ..WriteOptions::default() };
    let written = triples(&write(&all, Format::Skos, &options).unwrap(), RdfFormat::Turtle);
    let has = |text: &str| written.iter().any(|triple| triple.contains(text));
    assert!(has("<https://mine.org/concept/pear> <http://www.w3.org/2004/02/skos/core#prefLabel>"));
    assert!(has(
        "<https://mine.org/concept/twin> <http://www.w3.org/2004/02/skos/core#prefLabel> \"twin\"@en"
    ));
    assert!(has(
        "<https://example.org/thesaurus/c_2> <http://www.w3.org/2004/02/skos/core#prefLabel> \"lime\"@en"
    ));
}

/// Relative IRIs stay relative to whatever base is written.
#[test]
fn relative_iris_and_our_own_follow_the_base() {
    let text = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
        <#a> a skos:Concept ; skos:prefLabel \"a\" ; skos:related <#b> . <#b> a skos:Concept ; skos:prefLabel \"b\" ; skos:broader <#a> .";
    let read = read_hierarchy(&Source::new("a.ttl", text.as_bytes()).unwrap()).unwrap();
    let options = WriteOptions { base: "https://mine.org/t".into(), ..WriteOptions::default() };
    let written = write(&read, Format::Skos, &options).unwrap();
    assert!(written.contains("https://mine.org/t#a") && !written.contains("relative.invalid"), "{written}");
    let ours = write(&hierarchy_of(&["x"]), Format::Skos, &WriteOptions::default()).unwrap();
    let read = read_hierarchy(&Source::new("a.ttl", ours.as_bytes()).unwrap()).unwrap();
    assert_eq!((&read.entries()[0].origin, &read.heading().origin), (&None, &None));
}

fn hierarchy_of(names: &[&str]) -> Hierarchy {
    let entries = names.iter().map(|name| Entry::new(name, grove_tree::Concept::ROOT)).collect();
    Hierarchy::new(grove_formats::Heading::new("top"), entries).unwrap()
}

/// A thesaurus that is no tree still has its language, title and IRIs.
#[test]
fn the_heading_is_read_whatever_the_relations() {
    let two =
        THESAURUS.replace("skos:prefLabel \"lemon\"@en", "skos:prefLabel \"lemon\"@en ; skos:broader ex:c_2");
    let list = read_concepts(&Source::new("food.ttl", two.as_bytes()).unwrap()).unwrap();
    assert!(list.hierarchy().is_err());
    assert!(list.placements().unwrap_err().to_string().contains("\"lemon\" has two parents"));
    let heading = list.heading().unwrap();
    assert_eq!((heading.title.as_str(), heading.language.as_str()), ("Groceries", "en"));
    let iris: Vec<_> = list
        .concepts()
        .iter()
        .map(|concept: &ListedConcept| concept.origin.as_ref().unwrap().iri.clone().unwrap())
        .collect();
    assert_eq!(iris[1], "https://example.org/thesaurus/c_2");
    assert_eq!(thesaurus().placements().unwrap().len(), 3);
}
