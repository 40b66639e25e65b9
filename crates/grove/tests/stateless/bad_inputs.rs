//! Bad input is refused in one line that says where, what and what to do; the code is 2, and nothing changes on disk.

use crate::folder::Folder;

/// The good files that every case begins with.
const GOOD: &[(&str, &[u8])] = &[
    ("food.txt", b"fruit\nvegetable\napple\ntomato\n"),
    ("votes.csv", b"worker,upper,lower,answer\nann,fruit,apple,yes\nbob,vegetable,tomato,no\n"),
    ("truth.tsv", b"fruit\tfood\nvegetable\tfood\napple\tfruit\ntomato\tfruit\n"),
    ("tags.txt", b"apple\napple\nApple\npear\n"),
    ("kept.out", b"what was there before\n"),
];

/// Who speaks: the program in one line, or the parser of arguments, which adds the usage.
#[derive(Clone, Copy, PartialEq)]
enum Voice {
    Grove,
    Clap,
}
use Voice::{Clap, Grove};

/// A file to add or replace, the command, who complains, and words of the complaint: the cause and the remedy.
type Case = (&'static str, &'static [u8], &'static str, Voice, &'static [&'static str]);

const INFER: &str = "infer --concepts food.txt --answers votes.csv";

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Files that are not what they should be.
    ("", b"", "infer --concepts none.txt --answers votes.csv", Grove, &["none.txt: there is no such file", "correct the name"]),
    ("", b"", "infer --concepts food.txt --answers none.csv", Grove, &["none.csv: there is no such file"]),
    ("", b"", "infer --concepts . --answers votes.csv", Grove, &[".: this is a folder; name a file"]),
    ("x.txt", b"", "infer --concepts x.txt --answers votes.csv", Grove, &["x.txt: the file contains no concept; add at least one"]),
    ("x.txt", b"# only a comment\n\n", "infer --concepts x.txt --answers votes.csv", Grove, &["x.txt: the file contains no concept"]),
    ("x.txt", b"fruit\ncaf\xe9\n", "infer --concepts x.txt --answers votes.csv", Grove, &["x.txt, line 2: this line is not UTF-8", "save the file as UTF-8"]),
    ("x.txt", b"fruit\nap\x00ple\n", "infer --concepts x.txt --answers votes.csv", Grove, &["x.txt, line 2", "U+0000", "remove it"]),
    ("x.docx", b"fruit\n", "infer --concepts x.docx --answers votes.csv", Grove, &["x.docx: unknown file type; the file's name must end in .txt"]),
    // Concepts.
    ("x.txt", b"fruit\napple\nApple\n", "infer --concepts x.txt --answers votes.csv", Grove, &["x.txt, line 3", "same concept as \"apple\" on line 2", "rename one"]),
    ("x.txt", b"fruit\nfig\n\xef\xac\x81g\n", "infer --concepts x.txt --answers votes.csv", Grove, &["x.txt, line 3", "same concept as \"fig\"", "rename one"]),
    ("x.csv", b"term x,y\na,b\n", "infer --concepts x.csv --answers votes.csv", Grove, &["x.csv: there is no column", "name the columns in the first line"]),
    ("x.csv", b"concept,definition\na,b,c\n", "infer --concepts x.csv --answers votes.csv", Grove, &["x.csv, line 2", "3 cells, but the first row has 2", "quote cells"]),
    ("x.json", b"[\"fruit\",\n", "infer --concepts x.json --answers votes.csv", Grove, &["x.json, line 2: this is not valid JSON", "correct it there"]),
    ("x.ttl", b"this is no turtle", "infer --concepts x.ttl --answers votes.csv", Grove, &["x.ttl, line 1: this is not valid Turtle", "correct it there"]),
    // Votes.
    ("x.csv", b"", "infer --concepts food.txt --answers x.csv", Grove, &["x.csv: the file contains no vote; add at least one"]),
    ("x.csv", b"worker,upper,lower,answer\n", "infer --concepts food.txt --answers x.csv", Grove, &["x.csv: the file contains no vote"]),
    ("x.csv", b"worker,upper,lower,answer\nann,friut,apple,yes\n", "infer --concepts food.txt --answers x.csv", Grove, &["x.csv, line 2: \"friut\" is not among the concepts; did you mean \"fruit\"?"]),
    ("x.csv", b"worker,upper,lower,answer\nann,elephant,apple,yes\n", "infer --concepts food.txt --answers x.csv", Grove, &["line 2: \"elephant\" is not among the concepts; add it"]),
    ("x.csv", b"worker,upper,lower,answer\nann,fruit,apple,perhaps\n", "infer --concepts food.txt --answers x.csv", Grove, &["x.csv, line 2: \"perhaps\" is not a valid answer; write yes, no or cant_say"]),
    ("x.csv", b"worker,upper,lower,answer\nann,apple,Apple,yes\n", "infer --concepts food.txt --answers x.csv", Grove, &["x.csv, line 2: the vote compares \"apple\" with itself", "remove the vote"]),
    ("x.csv", b"worker,upper,lower,answer\nann,food,apple,yes\n", "infer --concepts food.txt --answers x.csv --root food", Grove, &["x.csv, line 2: \"food\" is the root", "remove the vote"]),
    ("x.csv", b"worker,upper,lower,answer\n,fruit,apple,yes\n", "infer --concepts food.txt --answers x.csv", Grove, &["x.csv, line 2: the worker is missing; fill it in"]),
    ("x.csv", b"upper,lower,answer\nfruit,apple,yes\n", "infer --concepts food.txt --answers x.csv", Grove, &["x.csv: there is no column worker"]),
    ("x.csv", b"worker,upper,lower,answer\nann,\"fruit,apple,yes\nbob,fruit,apple,no\n", "infer --concepts food.txt --answers x.csv", Grove, &["x.csv, line 2: a name continues on the next line; close the quote"]),
    ("x.jsonl", b"{\"worker\": \"ann\"\n", "infer --concepts food.txt --answers x.jsonl", Grove, &["x.jsonl, line 1: this is not valid JSON"]),
    ("x.txt", b"fruit apple yes\n", "infer --concepts food.txt --answers x.txt", Grove, &["x.txt: unknown file type; the file's name must end in .csv"]),
    ("", b"", "infer --answers votes.csv", Grove, &["votes.csv: this is not a card sort", "give --concepts FILE"]),
    ("x.csv", b"card,category,participant\napple,furit,ann\n", "infer --concepts food.txt --answers x.csv", Grove, &["line 2: \"furit\" is not among the concepts; did you mean \"fruit\"?"]),
    // Truths.
    ("x.tsv", b"apple\tfruit\nfruit\tapple\n", "infer --concepts food.txt --answers votes.csv --truth x.tsv", Grove, &["x.tsv, line 1: the parents form a cycle: \"apple\" under \"fruit\"", "remove one of these parents"]),
    ("x.tsv", b"apple\tfruit\napple\tvegetable\n", "infer --concepts food.txt --answers votes.csv --truth x.tsv", Grove, &["x.tsv, line 2: \"apple\" has two parents", "keep one of them"]),
    ("x.tsv", b"fruit\tfood\napple\tfruit\ntomato\tfruit\n", "infer --concepts food.txt --answers votes.csv --truth x.tsv", Grove, &["x.tsv: the concept \"vegetable\" is missing; add it"]),
    ("x.tsv", b"fruit\tfood\nvegetable\tfood\napple\tfruit\ntomatto\tfruit\n", "infer --concepts food.txt --answers votes.csv --truth x.tsv", Grove, &["x.tsv: \"tomatto\" is not among the concepts; did you mean \"tomato\"?"]),
    ("x.txt", b"just\nnames\n", "infer --concepts food.txt --answers votes.csv --truth x.txt", Grove, &["x.txt: these concepts have no parents; give a table"]),
    // Options of infer.
    ("", b"", "infer --concepts food.txt --answers votes.csv --engine exact", Grove, &["the exact engine cannot learn error rates", "--noise 0.1"]),
    ("", b"", "infer --concepts food.txt --answers votes.csv --noise 1.5", Clap, &["--noise", "one rate from 0 to 1"]),
    ("", b"", "infer --concepts food.txt --answers votes.csv --engine psychic", Clap, &["psychic", "ensemble, exact, weights"]),
    ("", b"", "infer --concepts food.txt --answers votes.csv --format word", Clap, &["\"word\" is not a valid format; write one of skos"]),
    ("", b"", "infer --concepts food.txt --answers votes.csv --root Apple", Grove, &["\"Apple\" is already a concept; give the root another name"]),
    ("", b"", "infer --concepts food.txt --answers votes.csv --format skos --base nonsense~here/", Grove, &["\"nonsense here/\" is not an absolute IRI; write one such as"]),
    ("", b"", "infer --concepts food.txt --answers votes.csv --language en_US! --format skos", Grove, &["\"en_US!\" is not a language tag; write one such as en"]),
    ("", b"", "infer --concepts food.txt --answers votes.csv --out nowhere/food.csv --format csv", Grove, &["nowhere/food.csv: there is no such folder; make it first"]),
    ("", b"", "infer --concepts food.txt --answers votes.csv --out . --format csv", Grove, &[".: this is a folder; name a file"]),
    ("x.csv", b"worker,upper,lower,answer\nann,friut,apple,yes\n", "infer --concepts food.txt --answers x.csv --format csv --out kept.out", Grove, &["did you mean \"fruit\"?"]),
    ("", b"", "infer --answers", Clap, &["--answers <FILE>"]),
    ("", b"", "infer --concepts food.txt", Clap, &["--answers <FILE>"]),
    ("", b"", "infer --concepts food.txt --answers votes.csv --json --format csv", Clap, &["cannot be used with"]),
    // Simulations.
    ("", b"", "simulate --truth random:0 --noise 0.1", Clap, &["a number of concepts from 1 to 10000"]),
    ("", b"", "simulate --truth balanced:10 --noise 0.1", Clap, &["write random:N or balanced:N:BRANCHING"]),
    ("", b"", "simulate --truth builtin:cars", Clap, &["choose one of builtin:food"]),
    ("", b"", "simulate --truth random:5 --noise 0.5", Grove, &["is not known for such answers; give --questions"]),
    ("", b"", "simulate --truth random:5 --noise 2", Clap, &["one rate from 0 to 1"]),
    ("", b"", "simulate --truth random:17 --engine exact", Grove, &["17 concepts, but the exact engine takes at most 16; choose the ensemble"]),
    ("", b"", "simulate --truth random:5 --until 1.5", Clap, &["above 0 and up to 1"]),
    ("", b"", "simulate --truth random:5 --runs 0", Clap, &["--runs"]),
    ("", b"", "simulate --truth none.tsv", Grove, &["none.tsv: there is no such file"]),
    ("", b"", "simulate --truth random:5 --answers votes.csv", Grove, &["votes.csv: recorded votes name concepts, but random:5 has no names; give a file"]),
    ("x.crowd", b"people = 3\npeeple = 4\n", "simulate --truth random:5 --crowd x.crowd", Grove, &["x.crowd, line 2: \"peeple\" is not known; the keys are people"]),
    ("x.crowd", b"people = many\n", "simulate --truth random:5 --crowd x.crowd", Grove, &["x.crowd, line 1: people is \"many\"; give a whole number"]),
    ("x.crowd", b"always_yes = 0.7\nalways_no = 0.7\n", "simulate --truth random:5 --crowd x.crowd", Grove, &["x.crowd", "lower them to 1 or less"]),
    // The other commands.
    ("", b"", "diff truth.tsv none.tsv", Grove, &["none.tsv: there is no such file"]),
    ("x.csv", b"child,parent\na,b\nc,d\n", "diff truth.tsv x.csv", Grove, &["x.csv: several names have no parent", "put the others under a concept"]),
    ("x.csv", b"child,parent,certainty\na,b,2\n", "diff truth.tsv x.csv", Grove, &["x.csv, line 2: the certainty", "a number from 0 to 1"]),
    ("x.txt", b"", "concepts x.txt", Grove, &["x.txt: the file contains no tag"]),
    ("", b"", "concepts tags.txt", Grove, &["tags.txt: no tag was used by 5 workers", "lower --least-workers"]),
    ("", b"", "concepts tags.txt --least-workers 1 --keep aple", Grove, &["\"aple\" is not among the concepts; did you mean \"apple\"?"]),
    ("", b"", "concepts tags.txt --merge apple", Clap, &["two tags with = between them"]),
    ("", b"", "concepts tags.txt --later kept.out", Clap, &["--out <FILE>"]),
    ("", b"", "convert truth.tsv --to word", Clap, &["\"word\" is not a valid format; write one of skos"]),
    ("", b"", "convert food.txt --to csv --out kept.out", Grove, &["food.txt: these concepts have no parents; give a table"]),
    ("", b"", "man fly", Grove, &["\"fly\" is not a command; choose one of"]),
    ("", b"", "completions tcsh2", Clap, &["bash"]),
    ("", b"", "demo --votes 0", Clap, &["--votes"]),
    ("", b"", "lab alchemy", Clap, &["alchemy", "weights, active, rivals"]),
    ("", b"", "lab active --quick --threads 0", Clap, &["--threads"]),
    ("", b"", "lab report --out nowhere", Grove, &["weights.csv has no results; run `grove lab weights` first"]),
    ("", b"", "lab merge . --out trial", Grove, &["has no tables of the lab", "--out of `grove lab`"]),
    ("", b"", "lab weights --quick --out trial --database food.db", Grove, &["the database has to be an address such as postgres://"]),
    ("", b"", "lab active --quick --out food.txt", Grove, &["food.txt/results", "check that the folder exists and may be written to"]),
    ("", b"", "fly", Clap, &["unrecognized subcommand 'fly'"]),
];

#[test]
fn every_bad_input_is_refused_in_one_line_and_changes_nothing() {
    assert!(CASES.len() >= 40);
    let folder = Folder::with("bad_inputs", GOOD);
    let good = folder.run(&format!("{INFER} --noise 0.1 --engine exact"));
    assert!(good.status.success(), "the good files are good: {}", String::from_utf8_lossy(&good.stderr));
    for &(file, bytes, line, voice, words) in CASES {
        let folder = Folder::with("bad_inputs", GOOD);
        if !file.is_empty() {
            folder.write(file, bytes);
        }
        let before = folder.contents();
        let output = folder.run(line);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "grove {line}: {complaint}");
        assert!(output.stdout.is_empty(), "grove {line} printed something");
        assert!(complaint.starts_with("error: "), "grove {line}: {complaint}");
        for word in words {
            assert!(complaint.contains(word), "grove {line}: {word:?} is not in: {complaint}");
        }
        if voice == Grove {
            assert_eq!(complaint.trim_end().lines().count(), 1, "grove {line}: {complaint}");
        }
        assert_eq!(folder.contents(), before, "grove {line} changed something");
    }
}

#[test]
fn a_hundred_thousand_lines_are_read_and_too_many_concepts_refused() {
    let names: String = (0..100_001).map(|number| format!("concept {number}\n")).collect();
    let votes: String = (0..100_000).map(|vote| format!("w{},fruit,apple,yes\n", vote % 50)).collect();
    let folder = Folder::with("many_lines", GOOD);
    folder.write("many.txt", names.as_bytes());
    let output = folder.run("infer --concepts many.txt --answers votes.csv");
    assert_eq!(output.status.code(), Some(2));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("many.txt: there are 100001 concepts, but at most 100000"), "{complaint}");

    let names: String = names.lines().take(10_001).map(|name| format!("{name}\n")).collect();
    folder.write("many.txt", names.as_bytes());
    let output = folder.run("infer --concepts many.txt --answers votes.csv");
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(
        complaint.contains("10001 concepts, but the ensemble engine takes at most 10000; split"),
        "{complaint}"
    );

    folder.write("votes.csv", format!("worker,upper,lower,answer\n{votes}ann,fruit,aple,no\n").as_bytes());
    let output = folder.run(INFER);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(complaint.contains("votes.csv, line 100002: \"aple\" is not among the concepts"), "{complaint}");
}
