//! Written files read back to the same hierarchy, whatever the names contain.

use grove_formats::{
    Article, ConceptList, Entry, Format, Heading, Hierarchy, Reason, Relation, Source, WriteOptions,
    name_key, read_concepts, read_hierarchy, write, write_concepts,
};
use grove_tree::Concept;
use grove_vocabulary::Place;
use proptest::prelude::*;

/// Names of characters that mean something in some format, and of any letters.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![r#"[ a-c>|#\\"'<&;,_\[\](){}!=.:/*`~%$@?-]{1,8}"#, r"\PC{1,8}"]
        .prop_filter("a name must not be blank", |name| !name_key(name).is_empty())
}

/// Reasons, and the shares of people at the parent and at another place.
fn standings() -> impl Strategy<Value = (Vec<Reason>, [[f64; 3]; 2])> {
    let reasons = prop_oneof![
        Just(vec![]),
        Just(vec![Reason::Settled]),
        Just(vec![Reason::Open]),
        Just(vec![Reason::Unasked]),
        Just(vec![Reason::Differ]),
        Just(vec![Reason::Differ, Reason::Open]),
    ];
    (reasons, proptest::array::uniform2(proptest::array::uniform3(0.0..=1.0_f64)))
}

/// The place under a parent, with an interval whose ends are in order.
fn place(parent: Concept, [share, one, other]: [f64; 3]) -> Place<Concept> {
    Place { parent, share, low: one.min(other), high: one.max(other) }
}

fn articles() -> impl Strategy<Value = Article> {
    let own = name().prop_map(|text| Article::parse(&text).expect("a short text without control characters"));
    prop_oneof![Just(Article::ByRule), Just(Article::None), Just(Article::Plural), own]
}

fn hierarchies() -> impl Strategy<Value = Hierarchy> {
    let certainty = || proptest::option::of(0.0..=1.0_f64);
    let texts = (proptest::option::of(name()), proptest::collection::vec(name(), 0..3), articles());
    let other = (any::<usize>(), certainty());
    let entry = (name(), any::<usize>(), texts, certainty(), other, (0..9_u64, 0..9_u64), standings());
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
                (
                    name,
                    parent,
                    (definition, synonyms, article),
                    certainty,
                    (other, other_certainty),
                    (yes, no),
                    (reasons, shares),
                ),
            ) in drawn.into_iter().enumerate()
            {
                let parent = Concept::new(parent % (at + 1));
                let other = Concept::new(other % (at + 1));
                let alternatives =
                    other_certainty.filter(|_| other != parent).map(|certainty| (other, certainty));
                let alternatives = alternatives.into_iter().collect();
                let differ = reasons.contains(&Reason::Differ) && other != parent;
                let places = [place(parent, shares[0]), place(other, shares[1])];
                let places = if differ { places.to_vec() } else { Vec::new() };
                entries.push(Entry {
                    name,
                    id: None,
                    definition,
                    synonyms,
                    article,
                    origin: None,
                    parent,
                    certainty,
                    alternatives,
                    reasons,
                    places,
                    yes,
                    no,
                });
            }
            Hierarchy::new(
                Heading { title, language: language.to_owned(), relation, root, origin: None },
                entries,
            )
            .ok()
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
        let places: Vec<_> =
            entry.places.iter().map(|place| place.map(|parent| hierarchy.name(parent))).collect();
        let parent = hierarchy.parent_name(concept);
        format!(
            "{:?} {parent:?} {:?} {} {} {alternatives:?} {:?} {places:?} {:?} {:?} {:?} {}",
            entry.name,
            entry.certainty,
            entry.yes,
            entry.no,
            entry.reasons,
            entry.definition,
            entry.synonyms,
            entry.article,
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
    fn csv_keeps_places_certainties_reasons_and_votes(hierarchy in hierarchies()) {
        let again = again(&hierarchy, Format::Csv);
        prop_assert_eq!(&again.heading().root, &hierarchy.heading().root);
        for (one, other) in again.entries().iter().zip(hierarchy.entries()) {
            prop_assert_eq!((&one.name, one.parent, one.certainty), (&other.name, other.parent, other.certainty));
            prop_assert_eq!((one.yes, one.no), (other.yes, other.no));
            prop_assert_eq!(&one.alternatives, &other.alternatives);
            prop_assert_eq!((&one.reasons, &one.places), (&other.reasons, &other.places));
        }
    }

    #[test]
    fn a_list_of_concepts_keeps_everything(hierarchy in hierarchies()) {
        let list = ConceptList::of(hierarchy);
        let again = read_concepts(&Source::new("a.csv", write_concepts(&list).as_bytes()).unwrap()).unwrap();
        for (one, other) in again.concepts().iter().zip(list.concepts()) {
            prop_assert_eq!((&one.name, &one.definition, &one.synonyms), (&other.name, &other.definition, &other.synonyms));
            prop_assert_eq!(&one.article, &other.article);
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

/// Food in which people place tomato differently, and nobody was asked about potato.
fn food() -> Hierarchy {
    let under = |name: &str, parent| Entry::new(name, Concept::new(parent));
    let tomato = Entry {
        certainty: Some(0.6),
        alternatives: vec![(Concept::new(2), 0.38)],
        reasons: vec![Reason::Differ],
        places: vec![place(Concept::new(1), [0.61, 0.52, 0.7]), place(Concept::new(2), [0.39, 0.3, 0.48])],
        ..under("tomato", 1)
    };
    let potato = Entry {
        certainty: Some(0.5),
        alternatives: vec![(Concept::ROOT, 0.4)],
        reasons: vec![Reason::Unasked],
        ..under("potato", 2)
    };
    let soda = Entry { certainty: Some(0.7), reasons: vec![Reason::Open], ..under("soda", 0) };
    let fruit = Entry { certainty: Some(0.99), reasons: vec![Reason::Settled], ..under("fruit", 0) };
    let entries = vec![fruit, under("vegetable", 0), tomato, potato, soda];
    Hierarchy::new(Heading::new("food"), entries).expect("a valid hierarchy")
}

#[test]
fn files_say_why_a_place_is_uncertain() {
    let written = |format| write(&food(), format, &WriteOptions::default()).unwrap();
    let csv = written(Format::Csv);
    let line = |name: &str| csv.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert_eq!(
        line("tomato"),
        "tomato,fruit,0.6,0,0,vegetable,0.38,differ,\"fruit 0.61 [0.52, 0.7]|vegetable 0.39 [0.3, 0.48]\""
    );
    assert_eq!(line("potato"), "potato,vegetable,0.5,0,0,food,0.4,unasked,");
    let skos = written(Format::Skos);
    for words in [
        "skos:editorialNote \"People differ: 61 % place it under fruit, 39 % under vegetable.\"@en",
        "skos:editorialNote \"Not asked: no vote tells its place from the likeliest other one.\"@en",
        "skos:editorialNote \"Open: the votes so far leave several places possible.\"@en",
        "grove:reason \"settled\"",
    ] {
        assert!(skos.contains(words), "{words} is not in:\n{skos}");
    }
    assert_eq!(skos.matches("editorialNote").count(), 3, "what is settled has no note");
}

#[test]
fn drawings_tell_the_reasons_apart() {
    for format in [Format::Svg, Format::Html] {
        let drawn = write(&food(), format, &WriteOptions::default()).unwrap();
        let lines = |class: &str| drawn.matches(&format!("<path class=\"{class}\"")).count();
        // Tomato has a line to both of its places; potato's other choice is an alternative as ever.
        assert_eq!(
            [lines("differ"), lines("unasked"), lines("doubt"), lines("other")],
            [2, 1, 1, 1],
            "{format}"
        );
        assert!(
            drawn.contains("People differ: 61 % place it under fruit, 39 % under vegetable."),
            "{format}"
        );
        assert!(drawn.contains("0.60 people differ</tspan>"), "{format}");
    }
    let page = write(&food(), Format::Html, &WriteOptions::default()).unwrap();
    for words in [
        "5 concepts, relation: is-a; 3 less certain than 0.75; people differ on 1",
        "<li><bdi>tomato</bdi>: under <bdi>fruit</bdi> 61 % (52 to 70 %), or <bdi>vegetable</bdi> 39 % (30 to 48 %)</li>",
        "<li><bdi>potato</bdi>: under <bdi>vegetable</bdi> 0.50, or <bdi>food</bdi> 0.40 (not asked)</li>",
        "<li><bdi>soda</bdi>: under <bdi>food</bdi> 0.70 (open)</li>",
    ] {
        assert!(page.contains(words), "{words} is not in:\n{page}");
    }
    assert!(
        !page.contains("<li><bdi>tomato</bdi>: under <bdi>fruit</bdi> 0.60"),
        "more votes would not help"
    );
    let dot = write(&food(), Format::Dot, &WriteOptions::default()).unwrap();
    assert_eq!(dot.matches("color=\"#8a4b00\", fontcolor").count(), 2);
    assert!(dot.contains("0.60 people differ") && dot.contains("0.50 not asked"));
    let mermaid = write(&food(), Format::Mermaid, &WriteOptions::default()).unwrap();
    assert!(mermaid.contains("linkStyle 2,5 stroke:#8a4b00"), "{mermaid}");
}

/// What files of before look like, and what people may write by hand.
#[test]
fn reasons_and_places_may_be_missing() {
    let read = |name: &str, text: &str| read_hierarchy(&Source::new(name, text.as_bytes()).unwrap());
    let json = r#"{"root": "food", "children": [{"name": "fig", "certainty": 0.5, "reason": null, "places": null}]}"#;
    for before in [
        read("a.json", json).unwrap(),
        read("a.csv", "child,parent,certainty,yes,no,second_parent,second_certainty\nfig,food,0.5,1,0,,\n")
            .unwrap(),
    ] {
        assert_eq!((&before.entries()[0].reasons[..], &before.entries()[0].places[..]), (&[][..], &[][..]));
    }
    let differ =
        read("a.csv", "child,parent,reason,places\nfig,food,Differ open,\"food .7 [.5,.9]\"\n").unwrap();
    assert_eq!(differ.entries()[0].reasons, [Reason::Differ, Reason::Open]);
    assert_eq!(differ.entries()[0].places, [place(Concept::ROOT, [0.7, 0.5, 0.9])]);
}

#[test]
fn wrong_reasons_and_places_are_refused() {
    let refused = |text: &str| {
        let source = Source::new("a.csv", text.as_bytes()).unwrap();
        read_hierarchy(&source).unwrap_err().to_string()
    };
    assert_eq!(
        refused("child,parent,reason\nfig,food,maybe\n"),
        "a.csv, line 2: \"maybe\" is not a valid reason; write settled, differ, open, unasked"
    );
    assert_eq!(
        refused("child,parent,reason,places\nfig,food,differ,food 0.7\n"),
        "a.csv, line 2: expected places such as fruit 0.61 [0.52, 0.7], but found \"food 0.7\"; correct it there"
    );
    assert_eq!(
        refused("child,parent,reason,places\nfig,food,differ,\"food 1.7 [0, 1]\"\n"),
        "a.csv, line 2: the share of people at a place of \"fig\" is 1.7; give numbers from 0 to 1"
    );
    let json = br#"{"root": "food", "children": [{"name": "fig", "reason": ["sure"]}]}"#;
    let error = read_hierarchy(&Source::new("a.json", json).unwrap()).unwrap_err().to_string();
    assert!(error.contains("unknown variant `sure`, expected one of `settled`"), "{error}");
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

/// Spreadsheets run what begins so.
#[test]
fn no_cell_of_csv_is_a_formula() {
    let names = ["=1+1", "+a", "-a", "@a", "'=a", "''@a", "'a", "a=b"];
    let concepts = names.map(|name| Entry::new(name, Concept::ROOT)).to_vec();
    let hierarchy = Hierarchy::new(Heading::new("=root"), concepts).unwrap();
    let csv = write(&hierarchy, Format::Csv, &WriteOptions::default()).unwrap();
    for cell in csv.lines().skip(1).flat_map(|line| line.split(',')) {
        assert!(!cell.trim_matches('"').starts_with(['=', '+', '-', '@']), "{cell}");
    }
    let again = read_hierarchy(&Source::new("a.csv", csv.as_bytes()).unwrap()).unwrap();
    let read: Vec<&str> = again.entries().iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(read, names);
    assert_eq!(again.heading().root, "=root");
}
