//! Good inputs, in all supported formats.

use grove_formats::{
    Answer, Kind, NameIndex, NamedVote, Reply, Response, Screen, Source, VoteFormat, read_card_sort,
    read_card_sort_concepts, read_concepts, read_hierarchy, read_votes, write_votes,
};
use grove_tree::Concept;
use grove_vocabulary::Question;

fn source(name: &str, text: &str) -> Source {
    Source::new(name, text.as_bytes()).expect("the text is plain")
}

fn names(name: &str, text: &str) -> Vec<String> {
    read_concepts(&source(name, text)).expect("the list is good").names().map(str::to_owned).collect()
}

#[test]
fn concept_lists_of_all_kinds() {
    let expected = ["fruit", "apple, red"];
    assert_eq!(names("a.txt", "\u{feff}# food\r\n\r\n  fruit\r\n\tapple,   red\r\n"), expected);
    assert_eq!(names("a.csv", "Name,Definition\nfruit,\n\"apple, red\",a thing\n"), expected);
    assert_eq!(
        names("a.csv", "name;definition\nfruit;\napple, red;a thing\n"),
        expected,
        "as Excel writes it"
    );
    assert_eq!(names("a.tsv", "concept\tnote\nfruit\napple, red\tx\n"), expected);
    assert_eq!(names("a.json", "[\"fruit\", {\"name\": \"apple, red\"}]"), expected);
    let turtle = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <x:1> a skos:Concept ; skos:prefLabel \"fruit\"@en, \"Obst\"@de .
        <x:2> a skos:Concept ; skos:prefLabel \"apple, red\"@en .";
    assert_eq!(names("a.ttl", turtle), expected);
}

#[test]
fn concepts_keep_definitions_synonyms_and_parents() {
    let csv = "concept,definition,synonyms,parent\nsoda,a drink,pop|soft \\| drink|Soda,drink\ndrink,,,\n";
    let list = read_concepts(&source("a.csv", csv)).unwrap();
    let soda = &list.concepts()[0];
    assert_eq!((soda.definition.as_deref(), soda.line), (Some("a drink"), Some(2)));
    assert_eq!(soda.synonyms, ["pop", "soft | drink"]);
    let hierarchy = list.hierarchy().unwrap().unwrap();
    assert_eq!(
        (hierarchy.parent_name(Concept::new(1)), hierarchy.heading().root.as_str()),
        ("drink", "everything")
    );
    let json = r#"[{"name": "soda", "synonyms": ["pop", "a|b"]}]"#;
    assert_eq!(read_concepts(&source("a.json", json)).unwrap().concepts()[0].synonyms, ["pop", "a|b"]);
}

#[test]
fn a_thesaurus_with_two_parents_is_still_a_list() {
    let turtle = "@prefix s: <http://www.w3.org/2004/02/skos/core#> .
        <x:a> s:prefLabel \"a\" ; s:broader <x:b>, <x:c> . <x:b> s:prefLabel \"b\" . <x:c> s:prefLabel \"c\" .";
    let list = read_concepts(&source("a.ttl", turtle)).unwrap();
    assert_eq!(list.concepts().len(), 3);
    assert!(list.hierarchy().unwrap_err().to_string().contains("two parents"));
}

#[test]
fn hierarchies_of_all_kinds() {
    let files = [
        ("a.tsv", "# food\nfruit\tfood\napple\tfruit\n"),
        ("a.csv", "parent,child\nfood,fruit\nfruit,apple\n"),
        ("a.csv", "Concept,Parent\nfruit,food\napple,FRUIT\n"),
        ("a.txt", "food > fruit\nfood > fruit > apple\n"),
        ("a.paths", "food>fruit>apple\n"),
        ("a.json", r#"{"root": "food", "children": [{"name": "fruit", "children": [{"name": "apple"}]}]}"#),
        (
            "a.jsonld",
            r#"{"@context": {"skos": "http://www.w3.org/2004/02/skos/core#"}, "@graph": [
                {"@id": "x:s", "@type": "skos:ConceptScheme", "skos:prefLabel": "food"},
                {"@id": "x:f", "@type": "skos:Concept", "skos:prefLabel": "fruit", "skos:narrower": {"@id": "x:a"}},
                {"@id": "x:a", "@type": "skos:Concept", "skos:prefLabel": "apple"}]}"#,
        ),
    ];
    for (name, text) in files {
        let hierarchy = read_hierarchy(&source(name, text)).unwrap();
        assert_eq!(hierarchy.heading().root, "food", "{name}");
        assert_eq!(hierarchy.named_tree().names(), ["fruit", "apple"], "{name}");
        assert_eq!(hierarchy.tree().parents(), [Concept::ROOT, Concept::new(1)], "{name}");
    }
}

#[test]
fn a_concept_may_have_the_name_of_a_column() {
    let family =
        read_hierarchy(&source("family.tsv", "mother\tparent\nparent\tperson\nchild\tperson\n")).unwrap();
    assert_eq!(family.named_tree().names(), ["mother", "parent", "child"]);
}

#[test]
fn the_reference_hierarchies_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../grove-sim/data/");
    for (name, root, count) in [
        ("food.tsv", "food", 26),
        ("wn_mammal.tsv", "mammal", 1169),
        ("shopify_kitchen_dining.tsv", "Kitchen & Dining", 864),
    ] {
        let bytes = std::fs::read(format!("{folder}{name}")).unwrap();
        let hierarchy = read_hierarchy(&Source::new(name, &bytes).unwrap()).unwrap();
        assert_eq!((hierarchy.heading().root.as_str(), hierarchy.len()), (root, count));
    }
}

#[test]
fn votes_of_all_kinds() {
    let concepts =
        read_concepts(&source("c.json", r#"[{"name": "fruit", "synonyms": ["Obst"]}, "apple"]"#)).unwrap();
    let csv = "worker,upper,lower,answer,time,kind\n# later\nann,fruit,Apple,Yes,2026-01-02,\nbob,obst,apple,can't say,,edge\n";
    let jsonl = "{\"worker\": \"ann\", \"upper\": \"fruit\", \"lower\": \"apple\", \"answer\": true, \"time\": \"2026-01-02\"}\n\
                 \n{\"worker\": \"bob\", \"upper\": \"fruit\", \"lower\": \"apple\", \"answer\": \"cant_say\", \"kind\": \"edge\"}\n";
    for (name, text, lines) in [("v.csv", csv, [3, 4]), ("v.jsonl", jsonl, [1, 3])] {
        let votes = read_votes(&source(name, text), &concepts.index()).unwrap();
        let votes: Vec<_> = votes.iter().map(|read| (read.vote().unwrap(), read)).collect();
        let [(ann, first), (bob, second)] = &votes[..] else { panic!("two votes") };
        assert_eq!(
            (ann.question.upper, ann.question.lower, ann.answer),
            (Concept::new(1), Concept::new(2), Answer::Yes)
        );
        assert_eq!(
            (ann.question.kind, first.time.as_deref(), first.line),
            (Kind::Path, Some("2026-01-02"), lines[0])
        );
        assert_eq!((bob.question.kind, bob.answer, second.line), (Kind::Edge, Answer::CantSay, lines[1]));
    }
}

#[test]
fn votes_of_all_forms() {
    let names = ["fruit", "drink", "apple", "lime | sweet", "none"];
    let concepts = read_concepts(&source("c.txt", &names.join("\n"))).unwrap();
    let index = NameIndex::new(Some("food"), concepts.names().map(|name| (name, [].as_slice())));
    let csv = "worker,form,upper,lower,options,answer,chosen,kind\n\
               ann,yesno,fruit,apple,,yes,,edge\n\
               ann,Pick,,apple,fruit|drink|none,picked,none,\n\
               ann,tick,fruit,,apple|lime \\| sweet|drink,ticked,lime \\| sweet,\n\
               ann,place,,lime | sweet,,under,fruit,\n\
               bob,place,,apple,,under,FOOD,\n\
               bob,pick,,apple,fruit|drink,none,,\n\
               bob,tick,fruit,,drink,cant_say,,\n\
               bob,,fruit,drink,,no,,\n";
    let jsonl = r#"{"worker":"ann","kind":"edge","upper":"fruit","lower":"apple","answer":"yes"}
        {"worker":"ann","form":"pick","lower":"apple","options":["fruit","drink","none"],"answer":{"picked":"none"}}
        {"worker":"ann","form":"tick","upper":"fruit","options":["apple","lime | sweet","drink"],"answer":{"ticked":["lime | sweet"]}}
        {"worker":"ann","form":"place","lower":"lime | sweet","answer":{"under":"fruit"}}
        {"worker":"bob","form":"place","lower":"apple","answer":"top"}
        {"worker":"bob","form":"pick","lower":"apple","options":["fruit","drink"],"answer":"none"}
        {"worker":"bob","form":"tick","upper":"fruit","options":["drink"],"answer":"cant_say"}
        {"worker":"bob","form":"yesno","upper":"fruit","lower":"drink","answer":"no"}"#;
    let [fruit, drink, apple, lime, none] = [1, 2, 3, 4, 5].map(Concept::new);
    let expected = [
        ("ann", Screen::from(Question::edge(fruit, apple).unwrap()), Reply::Yes),
        ("ann", Screen::pick(apple, vec![fruit, drink, none]).unwrap(), Reply::Picked(none)),
        ("ann", Screen::tick(fruit, vec![apple, lime, drink]).unwrap(), Reply::Ticked(vec![lime])),
        ("ann", Screen::place(lime).unwrap(), Reply::Under(fruit)),
        ("bob", Screen::place(apple).unwrap(), Reply::Top),
        ("bob", Screen::pick(apple, vec![fruit, drink]).unwrap(), Reply::None),
        ("bob", Screen::tick(fruit, vec![drink]).unwrap(), Reply::CantSay),
        ("bob", Screen::from(Question::path(fruit, drink).unwrap()), Reply::No),
    ];
    for (name, text) in [("v.csv", csv), ("v.jsonl", jsonl)] {
        let read = read_votes(&source(name, text), &index).unwrap();
        let said: Vec<_> = read.into_iter().map(|read| read.response).collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(worker, screen, reply)| {
                Response::new((*worker).to_owned(), screen.clone(), reply.clone()).unwrap()
            })
            .collect();
        assert_eq!(said, expected, "{name}");
        // What is written is read again, in both formats.
        let named: Vec<NamedVote> = said
            .into_iter()
            .map(|response| NamedVote {
                response: response.map(|concept| index.name(concept).to_owned()),
                time: "2026-01-01T00:00:00Z".to_owned(),
                counts: true,
            })
            .collect();
        for (file, format) in [("again.csv", VoteFormat::Csv), ("again.jsonl", VoteFormat::JsonLines)] {
            let text = write_votes(&named, format, true);
            let again = read_votes(&source(file, &text), &index).unwrap();
            assert_eq!(again.into_iter().map(|read| read.response).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}

#[test]
fn a_card_votes_no_on_the_other_categories_of_its_participant() {
    let text = "card,category,participant\napple,fruit,ann\nsoda,drink,ann\nmilk,drink,bob\nfruit,fruit,bob\napple,fruit,ann\n";
    let sort = source("sort.csv", text);
    let concepts = read_card_sort_concepts(&sort).unwrap();
    let index = concepts.index();
    let votes = read_card_sort(&sort, &index).unwrap();
    let said: Vec<(&str, &str, &str, Answer)> = votes
        .iter()
        .map(|read| {
            let vote = read.vote().unwrap();
            let asked = vote.question.map(|one| index.name(one));
            (read.response.worker.as_str(), asked.upper, asked.lower, vote.answer)
        })
        .collect();
    assert_eq!(
        said,
        [
            ("ann", "fruit", "apple", Answer::Yes),
            ("ann", "drink", "apple", Answer::No),
            ("ann", "fruit", "soda", Answer::No),
            ("ann", "drink", "soda", Answer::Yes),
            ("bob", "drink", "milk", Answer::Yes),
            ("bob", "fruit", "milk", Answer::No),
            ("bob", "drink", "fruit", Answer::No),
        ]
    );
    assert_eq!(read_votes(&sort, &index).unwrap(), votes, "recognised by its columns");
}
