//! Written files read back to the same hierarchy, whatever the names contain.

use grove_formats::{
    ConceptList, Entry, Format, Heading, Hierarchy, Relation, Source, WriteOptions, name_key, read_concepts,
    read_hierarchy, write, write_concepts,
};
use grove_tree::Concept;
use proptest::prelude::*;

/// Names of characters that mean something in some format, and of any letters.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![r#"[ a-c>|#\\"'<&;,_\[\](){}!=.:/*`~%$@?-]{1,8}"#, r"\PC{1,8}"]
        .prop_filter("a name must not be blank", |name| !name_key(name).is_empty())
}

fn hierarchies() -> impl Strategy<Value = Hierarchy> {
    let certainty = || proptest::option::of(0.0..=1.0_f64);
    let texts = (proptest::option::of(name()), proptest::collection::vec(name(), 0..3));
    let entry =
        (name(), any::<usize>(), texts, certainty(), (any::<usize>(), certainty()), (0..9_u64, 0..9_u64));
    let relation = prop_oneof![
        Just(Relation::IsA),
        Just(Relation::PartOf),
        Just(Relation::Own("{child} by {parent}".into()))
    ];
    let language = prop_oneof![Just("en"), Just("und"), Just("pt-br")];
    (name(), name(), relation, language, proptest::collection::vec(entry, 1..12)).prop_filter_map(
        "names must differ",
        |(root, title, relation, language, drawn)| {
            let mut entries = Vec::new();
            for (
                at,
                (name, parent, (definition, synonyms), certainty, (other, other_certainty), (yes, no)),
            ) in drawn.into_iter().enumerate()
            {
                let parent = Concept::new(parent % (at + 1));
                let other = Concept::new(other % (at + 1));
                let alternatives =
                    other_certainty.filter(|_| other != parent).map(|certainty| (other, certainty));
                let alternatives = alternatives.into_iter().collect();
                entries.push(Entry {
                    name,
                    id: None,
                    definition,
                    synonyms,
                    parent,
                    certainty,
                    alternatives,
                    yes,
                    no,
                });
            }
            Hierarchy::new(Heading { title, language: language.to_owned(), relation, root }, entries).ok()
        },
    )
}

fn again(hierarchy: &Hierarchy, format: Format) -> Hierarchy {
    let written = write(hierarchy, format, &WriteOptions::default()).expect("every hierarchy can be written");
    let source =
        Source::new(format!("a.{}", format.extension()), written.as_bytes()).expect("the output is UTF-8");
    read_hierarchy(&source).unwrap_or_else(|error| panic!("{error}\n{written}"))
}

/// What is known of each concept, sorted by name, because some formats change the order.
fn facts(hierarchy: &Hierarchy) -> Vec<String> {
    let fact = |(concept, entry): (Concept, &Entry)| {
        let alternatives: Vec<_> = entry
            .alternatives
            .iter()
            .map(|&(parent, certainty)| (hierarchy.name(parent), certainty))
            .collect();
        let parent = hierarchy.parent_name(concept);
        format!(
            "{:?} {parent:?} {:?} {} {} {alternatives:?} {:?} {:?} {}",
            entry.name,
            entry.certainty,
            entry.yes,
            entry.no,
            entry.definition,
            entry.synonyms,
            hierarchy.id(concept)
        )
    };
    let mut facts: Vec<String> = hierarchy.concepts().map(fact).collect();
    facts.sort();
    facts
}

/// All edges, by name.
fn edges(hierarchy: &Hierarchy) -> Vec<(&str, &str)> {
    let mut edges: Vec<_> = hierarchy
        .concepts()
        .map(|(concept, entry)| (entry.name.as_str(), hierarchy.parent_name(concept)))
        .collect();
    edges.sort_unstable();
    edges
}

proptest! {
    #[test]
    fn json_and_skos_keep_everything(hierarchy in hierarchies()) {
        for format in [Format::Json, Format::Skos, Format::SkosXml, Format::SkosJsonLd] {
            let again = again(&hierarchy, format);
            prop_assert_eq!(again.heading(), hierarchy.heading(), "{}", format);
            prop_assert_eq!(facts(&again), facts(&hierarchy), "{}", format);
        }
    }

    #[test]
    fn csv_keeps_places_certainties_and_votes(hierarchy in hierarchies()) {
        let again = again(&hierarchy, Format::Csv);
        prop_assert_eq!(&again.heading().root, &hierarchy.heading().root);
        for (one, other) in again.entries().iter().zip(hierarchy.entries()) {
            prop_assert_eq!((&one.name, one.parent, one.certainty), (&other.name, other.parent, other.certainty));
            prop_assert_eq!((one.yes, one.no), (other.yes, other.no));
            prop_assert_eq!(&one.alternatives, &other.alternatives);
        }
    }

    #[test]
    fn a_list_of_concepts_keeps_everything(hierarchy in hierarchies()) {
        let list = ConceptList::of(hierarchy);
        let again = read_concepts(&Source::new("a.csv", write_concepts(&list).as_bytes()).unwrap()).unwrap();
        for (one, other) in again.concepts().iter().zip(list.concepts()) {
            prop_assert_eq!((&one.name, &one.definition, &one.synonyms), (&other.name, &other.definition, &other.synonyms));
        }
        prop_assert_eq!(again.concepts().len(), list.concepts().len());
    }

    #[test]
    fn paths_keep_the_tree(hierarchy in hierarchies()) {
        let again = again(&hierarchy, Format::Paths);
        prop_assert_eq!(&again.heading().root, &hierarchy.heading().root);
        prop_assert_eq!(edges(&again), edges(&hierarchy));
    }

    /// Every hierarchy can be written in every format, and no name becomes a tag of the page.
    #[test]
    fn all_formats_accept_all_names(hierarchy in hierarchies()) {
        for format in Format::ALL {
            let written = write(&hierarchy, format, &WriteOptions::default()).unwrap();
            prop_assert!(written.ends_with('\n'));
        }
        let tags = |text: String| text.matches('<').count();
        let count = |format| tags(write(&hierarchy, format, &WriteOptions::default()).unwrap());
        let plain = with_plain_names(&hierarchy);
        let plain_count = |format| tags(write(&plain, format, &WriteOptions::default()).unwrap());
        prop_assert_eq!(count(Format::Html), plain_count(Format::Html));
        prop_assert_eq!(count(Format::Svg), plain_count(Format::Svg));
    }
}

/// The same hierarchy with names and texts that need no escaping.
fn with_plain_names(hierarchy: &Hierarchy) -> Hierarchy {
    let plain = |(at, entry): (usize, &Entry)| Entry {
        name: format!("c{at}"),
        definition: entry.definition.as_ref().map(|_| "d".to_owned()),
        synonyms: entry.synonyms.iter().enumerate().map(|(number, _)| format!("s{number}")).collect(),
        ..entry.clone()
    };
    let heading = Heading { title: "t".into(), root: "r".into(), ..hierarchy.heading().clone() };
    Hierarchy::new(heading, hierarchy.entries().iter().enumerate().map(plain).collect())
        .expect("plain names differ")
}

#[test]
fn names_are_escaped_in_pages_and_drawings() {
    let entry = Entry::new("<script>alert(1)</script>", Concept::ROOT);
    let hostile = Hierarchy::new(Heading::new("\"><img src=x onerror=alert(1)>"), vec![entry]).unwrap();
    for format in [Format::Html, Format::Svg] {
        let page = write(&hostile, format, &WriteOptions::default()).unwrap();
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        assert!(!page.contains("<script") && !page.contains("<img"), "{format}");
    }
}

#[test]
fn nested_json_has_a_maximum_depth() {
    let chain = |length: usize| {
        let entries = (0..length).map(|at| Entry::new(&format!("c{at}"), Concept::new(at))).collect();
        Hierarchy::new(Heading::new("top"), entries).unwrap()
    };
    assert_eq!(again(&chain(60), Format::Json).len(), 60);
    let error = write(&chain(61), Format::Json, &WriteOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the hierarchy is 61 levels deep, but nested JSON is limited to 60; use csv or paths"
    );
    for format in Format::ALL.into_iter().filter(|&format| format != Format::Json) {
        assert!(!write(&chain(5_000), format, &WriteOptions::default()).unwrap().is_empty(), "{format}");
    }
}

#[test]
fn a_base_must_be_an_iri() {
    let hierarchy = Hierarchy::new(Heading::new("top"), vec![Entry::new("a", Concept::ROOT)]).unwrap();
    for base in ["", "not an iri", "/relative/"] {
        let options = WriteOptions { base: base.to_owned(), ..WriteOptions::default() };
        for format in [Format::Skos, Format::Owl, Format::Sssom] {
            let error = write(&hierarchy, format, &options).unwrap_err().to_string();
            assert!(
                error.ends_with("is not an absolute IRI; write one such as https://example.org/food/"),
                "{error}"
            );
        }
    }
}
