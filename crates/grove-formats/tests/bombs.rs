//! Short files that stand for long ones, or that make a parser work hard: each is an error within a second and 256 MB.
//!
//! Each is read in a process of its own, so that its memory can be limited and measured: this test runs itself again.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use grove_formats::{NameIndex, Source, read_concepts, read_hierarchy, read_votes};

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
        ("votes with a field each", "votes.jsonl", numbered(|number| format!("{{\"f{number}\":1}}\n"))),
        ("deep votes", "votes.jsonl", filled("[")),
    ]
}

/// Reads a bomb as whatever it could be.
fn read(file: &str, text: &str) -> Vec<Result<(), String>> {
    let source = match Source::new(file, text.as_bytes()) {
        Ok(source) => source,
        Err(error) => return vec![Err(error.to_string())],
    };
    let text = |error: grove_formats::Error| error.to_string();
    if !file.starts_with('a') {
        let names: Vec<String> = (0..10_000).map(|number| format!("c{number}")).collect();
        let index = NameIndex::new(None, names.iter().map(|name| (name.as_str(), &[][..])));
        return vec![read_votes(&source, &index).map(drop).map_err(text)];
    }
    vec![read_concepts(&source).map(drop).map_err(text), read_hierarchy(&source).map(drop).map_err(text)]
}

/// Not a test of its own: what the test runs with little memory.
#[test]
fn read_one() {
    let Ok(wanted) = std::env::var("GROVE_BOMB") else { return };
    let (_, file, text) = bombs().into_iter().find(|(name, ..)| *name == wanted).expect("a bomb");
    let began = Instant::now();
    for outcome in read(file, &text) {
        let error = outcome.expect_err("a bomb is an error");
        assert!(error.len() < 20_000 && !error.contains('\n'), "a short line: {} bytes", error.len());
        println!("error: {error:.200}");
    }
    println!("milliseconds: {}", began.elapsed().as_millis());
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
        let outcomes: Vec<Result<Duration, String>> = (0..3).map(|_| blow_up(&this, name)).collect();
        match outcomes.iter().flatten().min() {
            Some(took) if *took <= Duration::from_secs(1) && outcomes.iter().all(Result::is_ok) => {
                println!("{name}: {took:?}");
            }
            _ => failed.push(format!("{name}: {outcomes:?}")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
