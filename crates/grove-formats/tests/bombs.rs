//! Short files that stand for long ones, or that make a parser work hard: each is an error within a second and 256 MB.
//!
//! Each is read in a process of its own, so that its memory can be limited and measured: this test runs itself again.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use grove_formats::{
    Error, NameIndex, Source, TagSettings, prepare_concepts, read_card_sort, read_card_sort_concepts,
    read_concepts, read_hierarchy, read_placements, read_tags, read_votes,
};

/// As much as the server accepts.
const SIZE: usize = 2 * 1024 * 1024;
/// The address space that a reader has, in KB. The program itself takes some of it.
const MEMORY: u32 = 256 * 1024;

/// Repeats a text until it is as long as a file may be.
fn filled(piece: &str) -> String {
    piece.repeat(SIZE / piece.len())
}

fn numbered(piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let next = piece(number);
        if text.len() + next.len() > SIZE {
            break;
        }
        text.push_str(&next);
    }
    text
}

const RDF: &str = r#"xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://www.w3.org/2004/02/skos/core#""#;

/// The name of a bomb, the name of its file, and its content.
fn bombs() -> Vec<(&'static str, &'static str, String)> {
    let entities: String = (1..10)
        .map(|number| format!("<!ENTITY e{number} \"{}\">", format!("&e{};", number - 1).repeat(10)))
        .collect();
    let entities = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY e0 \"haha\">{entities}]>\
         <rdf:RDF {RDF}><s:Concept><s:prefLabel>&e9;</s:prefLabel></s:Concept></rdf:RDF>"
    );
    let half = "x".repeat(SIZE / 2);
    let triples = "p:a p:b p:c.\n".repeat(SIZE / 30);
    let chain = |rest: &str| {
        let terms = numbered(|number| format!(",\"t{}\":\"t{number}:abcdefgh\"", number + 1));
        format!("{{\"@context\":{{\"t0\":\"http://a/\"{terms}}}{rest}}}")
    };
    let contexts = format!(
        "{}{}",
        numbered(|_| "{\"@context\":{},\"http://a/b\":".to_owned()),
        "1".to_owned() + &"}".repeat(SIZE / 30)
    );
    vec![
        ("entities", "a.rdf", entities.clone()),
        ("entities of .xml", "a.xml", entities.clone()),
        ("entities of .owl", "a.owl", entities),
        ("a document type", "a.rdf", format!("<!DOCTYPE x><rdf:RDF {RDF}/>")),
        ("deep elements", "a.rdf", format!("<rdf:RDF {RDF}>{}", filled("<s:a>"))),
        ("bases within bases", "a.rdf", format!("<rdf:RDF {RDF}>{}", filled("<s:a xml:base=\"abcdefgh/\">"))),
        (
            "a long namespace",
            "a.rdf",
            format!("<rdf:RDF {RDF} xmlns:p=\"http://{half}/\">{}", "<p:a p:b=\"\"/>".repeat(SIZE / 30)),
        ),
        ("deep lists", "a.ttl", format!("<a> <b> {}", filled("("))),
        ("deep blank nodes", "a.ttl", format!("<a> <b> {}", filled("[<c> "))),
        ("a long prefix", "a.ttl", format!("@prefix p: <http://{half}/>.\n{triples}")),
        ("many uses of a prefix", "a.ttl", {
            let prefix = format!("@prefix p: <http://{}/>.\n", "x".repeat(1_900));
            format!("{prefix}{triples}{triples}")
        }),
        ("bases on bases", "a.ttl", filled("@base <abcdefgh/>.\n")),
        ("bases on bases, otherwise written", "a.ttl", filled("bAsE#\n<abcdefgh/>\n<a><b><c>.")),
        ("deep JSON-LD", "a.jsonld", filled("[")),
        ("deep objects of JSON-LD", "a.jsonld", filled("{\"@id\":")),
        ("terms that stand for terms", "a.jsonld", chain("")),
        ("terms that stand for terms, and their use", "a.json", chain(",\"t9999\":1")),
        ("contexts within contexts", "a.jsonld", contexts),
        ("deep JSON", "a.json", filled("[")),
        ("deep objects", "a.json", filled("{\"children\":[")),
        ("a field for every object", "a.json", {
            format!("[{}{{}}]", numbered(|number| format!("{{\"f{number}\":1}},")))
        }),
        ("objects", "a.json", format!("[{}{{}}]", filled("{\"\":0},"))),
        ("names", "a.json", format!("[{}\"\"]", filled("\"\","))),
        ("nodes", "a.json", format!("{{\"root\":\"r\",\"children\":[{}", filled("{\"name\":\"\"},"))),
        ("nodes, and closed", "a.json", {
            let nodes = filled("{\"name\":\"\"},");
            format!("{{\"root\":\"r\",\"children\":[{nodes}{{\"name\":\"\"}}]}}")
        }),
        ("rows", "a.csv", format!("name\n{}", filled("a\n"))),
        ("columns", "a.csv", filled("a,")),
        ("an open quote", "a.csv", format!("name\n\"{}", filled("a\n"))),
        ("lines", "a.txt", filled("a\n")),
        ("steps", "a.paths", filled("a>b>c>d>b>a>c>")),
        ("a long path", "a.paths", filled("a>")),
        ("unknown parents", "a.csv", {
            let name = |number: usize| format!("{number:0490}");
            format!("child,parent\n{}x,{}", numbered(|n| format!("{},\n", name(n))), name(99_999_999))
        }),
        ("several roots", "a.csv", format!("child,parent\n{}", numbered(|n| format!("c{n},p{n}\n")))),
        ("a card sort", "sort.csv", {
            let rows = numbered(|n| format!("c{},c{},a\n", n % 5_000, 5_000 + n % 5_000));
            format!("card,category,participant\n{rows}")
        }),
        ("a card sort of people with long names", "sort.csv", {
            let name = "x".repeat(490);
            let rows = numbered(|n| format!("c{},d{},{name}\n", n % 1_000, n % 1_000));
            format!("card,category,participant\n{rows}")
        }),
        ("a card sort of many people", "sort.csv", {
            let rows = numbered(|n| format!("c{},c{},{n}\n", n % 9, 10 + n % 7));
            format!("card,category,participant\n{rows}c1,,x\n")
        }),
        (
            "rows of a card sort",
            "sort.csv",
            format!("card,category,participant\n{}a,,c\n", filled("a,b,c\n")),
        ),
        ("placements", "placed.csv", format!("child,parent\n{}", filled("c1,c2\n"))),
        ("short placements", "placed.csv", format!("child,parent\n{}", filled("a,b\n"))),
        ("placements under unknown names", "placed.tsv", {
            format!("child\tparent\n{}", numbered(|n| format!("c{}\tp{n}\n", n % 10_000)))
        }),
        ("placements in a circle", "placed.csv", {
            let rows: String = (0..10_000).map(|n| format!("c{n},c{}\n", (n + 1) % 10_000)).collect();
            format!("child,parent\n{rows}")
        }),
        ("placements by long paths", "placed.paths", numbered(|n| format!("c{n}>"))),
        ("tags that are misspelled", "tags.txt", {
            // As many frequent ones as the half of a file holds, and rare ones like them.
            let word = |n: usize| format!("b{}", letters(n, 7));
            let frequent: String = (0..20_000).map(|n| format!("{}\n", word(n)).repeat(5)).collect();
            frequent + &numbered(|n| format!("{}\n", word(20_000 + n)))[..SIZE / 2]
        }),
        ("long tags that are misspelled", "tags.txt", {
            let word = |n: usize| format!("b{}{}", "a".repeat(480), letters(n, 4));
            let frequent: String = (0..400).map(|n| format!("{}\n", word(n)).repeat(5)).collect();
            frequent + &(400..2_500).map(|n| word(n) + "\n").collect::<String>()
        }),
        ("one tag", "tags.txt", filled("a\n")),
        ("frequent tags", "tags.txt", {
            (0..80_000).map(|n| format!("{}\n", letters(n, 4)).repeat(5)).collect()
        }),
        ("spellings of a tag", "tags.txt", {
            let upper_case = |n: usize| -> String {
                (0..18).map(|bit| if n >> bit & 1 == 1 { 'A' } else { 'a' }).collect()
            };
            let others: String = (0..11_000).map(|n| format!("{}\n", letters(n, 4)).repeat(5)).collect();
            numbered(|n| upper_case(n) + "\n") + &others
        }),
        ("a table of short tags", "tags.csv", format!("tag,worker\n{}", filled("a,b\n"))),
        ("a table of tags without workers", "tags.csv", format!("tag,worker\n{}", filled("a,\n"))),
        ("a long answer", "votes.csv", format!("worker,upper,lower,answer\na,c1,c2,{}\n", filled("x"))),
        ("a long name", "placed.csv", format!("child,parent\n{},c1\n", filled("x"))),
        ("votes with a field each", "votes.jsonl", numbered(|number| format!("{{\"f{number}\":1}}\n"))),
        ("deep votes", "votes.jsonl", filled("[")),
    ]
}

/// A number written with so many letters.
fn letters(mut number: usize, length: usize) -> String {
    let letter = |_| {
        let letter = char::from(b'a' + (number % 26) as u8);
        number /= 26;
        letter
    };
    (0..length).map(letter).collect()
}

/// Reads a bomb as whatever it could be: by its name it is a file of votes, of placements or of tags, or anything.
fn read(file: &str, text: &str) -> Vec<Result<(), String>> {
    let source = match Source::new(file, text.as_bytes()) {
        Ok(source) => source,
        Err(error) => return vec![Err(error.to_string())],
    };
    let names: Vec<String> = (0..10_000).map(|number| format!("c{number}")).collect();
    let known = NameIndex::new(None, names.iter().map(|name| (name.as_str(), &[][..])));
    let votes = || read_votes(&source, &known).map(drop);
    let placements = || read_placements(&source, &known).map(drop);
    let card_sort = || {
        let concepts = read_card_sort_concepts(&source)?;
        read_card_sort(&source, &concepts.index()).map(drop)
    };
    let tags = || prepare_concepts(&read_tags(&source)?, &TagSettings::default())?.concept_list().map(drop);
    let concepts = || read_concepts(&source).map(drop);
    let hierarchy = || read_hierarchy(&source).map(drop);
    let readers: Vec<&dyn Fn() -> Result<(), Error>> = match file.split('.').next() {
        Some("votes") => vec![&votes],
        Some("sort") => vec![&votes, &card_sort],
        Some("placed") => vec![&placements],
        Some("tags") => vec![&tags],
        // Any lines are tags.
        _ if file == "a.txt" => vec![&concepts, &hierarchy, &placements],
        _ => vec![&concepts, &hierarchy, &placements, &card_sort, &tags],
    };
    readers.iter().map(|read| read().map_err(|error| error.to_string())).collect()
}

/// Not a test of its own: what the test runs with little memory.
#[test]
fn read_one() {
    let Ok(wanted) = std::env::var("GROVE_BOMB") else { return };
    let (_, file, text) = bombs().into_iter().find(|(name, ..)| *name == wanted).expect("a bomb");
    let began = Instant::now();
    for outcome in read(file, &text) {
        let Err(error) = outcome else {
            // Any words are tags.
            assert!(file.starts_with("tags"), "a bomb is an error");
            continue;
        };
        assert!(error.len() < 20_000 && !error.contains('\n'), "a short line: {} bytes", error.len());
        println!("error: {error:.200}");
    }
    println!("\nmilliseconds: {}", began.elapsed().as_millis());
}

/// How long a program with little memory takes to refuse a bomb, or what it prints where it fails.
fn blow_up(this: &Path, name: &str) -> Result<Duration, String> {
    // The threads of the harness have stacks and arenas, which count although they are not used.
    let script = format!("ulimit -v {MEMORY}; exec \"$0\" --exact read_one --nocapture --test-threads=1");
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(this)
        .env("GROVE_BOMB", name)
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .expect("sh can be run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let took = text.lines().find_map(|line| line.strip_prefix("milliseconds: ")?.parse().ok());
    match took {
        Some(took) if output.status.success() => Ok(Duration::from_millis(took)),
        _ => Err(format!("{text} {}", String::from_utf8_lossy(&output.stderr))),
    }
}

#[test]
fn bombs_are_errors_within_a_second_and_little_memory() {
    let this = std::env::current_exe().expect("this program");
    let mut failed = Vec::new();
    for (name, ..) in bombs() {
        // Other programs may hold the processor for a while: the best of three counts.
        let mut outcomes = (0..3).map(|_| blow_up(&this, name));
        let is_final = |outcome: &Result<Duration, String>| match outcome {
            Ok(took) => *took <= Duration::from_secs(1),
            Err(_) => true,
        };
        match outcomes.find(is_final) {
            Some(Ok(took)) => println!("{name}: {took:?}"),
            Some(Err(failure)) => failed.push(format!("{name}: {failure}")),
            None => failed.push(format!("{name}: more than a second, three times")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
