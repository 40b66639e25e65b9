//! Every bad input gives an error of one line: the file, the line, the cause and what to do.

use grove_formats::{
    CONCEPT_LIMIT, Source, read_card_sort, read_card_sort_concepts, read_concepts, read_hierarchy, read_tags,
    read_votes,
};

/// The error message of reading these bytes; panics if there is none.
fn message<T>(name: &str, bytes: &[u8], read: impl Fn(&Source) -> Result<T, grove_formats::Error>) -> String {
    let outcome = Source::new(name, bytes).and_then(|source| read(&source).map(drop));
    let message = outcome
        .expect_err(&format!("{name} must be refused: {}", String::from_utf8_lossy(bytes)))
        .to_string();
    assert!(!message.contains('\n'), "one line: {message}");
    message
}

fn check<T>(read: impl Fn(&Source) -> Result<T, grove_formats::Error> + Copy, cases: &[(&str, &[u8], &str)]) {
    for (name, bytes, expected) in cases {
        assert_eq!(message(name, bytes, read), *expected);
    }
}

#[test]
fn concept_lists() {
    check(
        read_concepts,
        &[
            ("a.txt", b"", "a.txt: the file contains no concept; add at least one"),
            ("a.txt", b" \n\t\n", "a.txt: the file contains no concept; add at least one"),
            ("a.txt", b"# nothing\n", "a.txt: the file contains no concept; add at least one"),
            ("a.txt", b"one\ntw\xc3\n", "a.txt, line 2: this line is not UTF-8 text; save the file as UTF-8"),
            (
                "a.txt",
                b"one\n\nt\x07wo",
                "a.txt, line 3: this line contains the control character U+0007; remove it",
            ),
            (
                "a.txt",
                "fig\n\nﬁg\n".as_bytes(),
                "a.txt, line 3: \"ﬁg\" is the same concept as \"fig\" on line 1; remove or rename one of them",
            ),
            (
                "a.docx",
                b"one",
                "a.docx: unknown file type; the file's name must end in .txt, .csv, .tsv, .json, .ttl, .nt, .rdf, .xml or .jsonld",
            ),
            (
                "a.csv",
                b"konzept,text\nx,y\n",
                "a.csv: there is no column concept or name or label or term or child, only \"konzept\", \"text\"; name the columns in the first line",
            ),
            ("a.csv", b"concept\n", "a.csv: the file contains no concept; add at least one"),
            (
                "a.csv",
                b"concept,definition\nx,y,z\n",
                "a.csv, line 2: this row has 3 cells, but the first row has 2; quote cells that contain the separator",
            ),
            (
                "a.csv",
                b"concept,definition\n,an empty name\n",
                "a.csv, line 2: the concept's name is missing; fill it in or remove the line",
            ),
            (
                "a.csv",
                b"# comment\n\nconcept\nx\n\n\"y\nz\n",
                "a.csv, line 6: a name continues on the next line; close the quote it begins with, or write it on one line",
            ),
            (
                "a.csv",
                b"concept,parent\nx,\ny,xx\n",
                "a.csv, line 3: \"xx\" is not among the concepts; did you mean \"x\"?",
            ),
            (
                "a.csv",
                b"concept,parent\nx,top\ny,summit\n",
                "a.csv: several names have no parent, but only one can be the root: \"top\", \"summit\"; put the others under a concept",
            ),
            (
                "a.json",
                b"[\"x\",\n \"y\",\n \"X\"]",
                "a.json, line 3: \"X\" is the same concept as \"x\" on line 1; remove or rename one of them",
            ),
            (
                "a.json",
                b"[\"x\",\n",
                "a.json, line 2: this is not valid JSON: EOF while parsing a value; correct it there",
            ),
            (
                "a.json",
                b"[\"x\",\n\n3]",
                "a.json, line 3: expected an object with named fields, but found a number; correct it there",
            ),
            ("a.json", b"[]", "a.json: the file contains no concept; add at least one"),
            (
                "a.json",
                b"{\"concepts\": []}",
                "a.json: expected an object with root and children, but found one without children; correct it there",
            ),
            (
                "a.json",
                b"[\"bell\\u0007\"]",
                "a.json, line 1: this line contains the control character U+0007; remove it",
            ),
            (
                "a.json",
                b"[{\"name\": \"x\", \"synonyms\": [3]}]",
                "a.json, line 1: expected a list of texts, but found a number; correct it there",
            ),
            (
                "a.ttl",
                b"@prefix x: <http://x/> .\nx:a x:b .",
                "a.ttl, line 2: this is not valid Turtle: . is not a valid RDF object; correct it there",
            ),
            (
                "a.ttl",
                b"<http://x/a> <http://x/b> <http://x/c> .",
                "a.ttl: the file contains no skos:Concept; add at least one",
            ),
            (
                "a.rdf",
                b"<rdf",
                "a.rdf, line 1: this is not valid RDF/XML: syntax error: tag not closed: `>` not found before end of input; correct it there",
            ),
        ],
    );
}

#[test]
fn errors_in_rdf_xml_have_lines() {
    // The last character of the second file takes several bytes.
    for text in ["<rdf:RDF xmlns:rdf=\"http://x/\">\n\n</x>\n", "\n\nchild\u{feff}"] {
        let message = message("a.rdf", text.as_bytes(), read_concepts);
        assert!(message.starts_with("a.rdf, line 3: this is not valid RDF/XML: "), "{message}");
    }
}

#[test]
fn too_many_concepts() {
    let lines: String = (0..=CONCEPT_LIMIT).map(|number| format!("concept {number}\n")).collect();
    assert_eq!(
        message("a.txt", lines.as_bytes(), read_concepts),
        "a.txt: there are 100001 concepts, but at most 100000 can be read; split the list"
    );
    let table = format!("child,parent\n{}", lines.replace('\n', ",top\n"));
    let found = message("a.csv", table.as_bytes(), read_hierarchy);
    assert!(found.starts_with("a.csv: there are 100001 concepts"), "{found}");
    let fits = lines.split_once('\n').unwrap().1;
    let source = Source::new("a.txt", fits.as_bytes()).unwrap();
    assert_eq!(read_concepts(&source).unwrap().concepts().len(), CONCEPT_LIMIT);
}

/// A thesaurus with a concept under two others.
const TWO_PARENTS: &str = "@prefix s: <http://www.w3.org/2004/02/skos/core#> .
    <x:a> s:prefLabel \"a\"; s:broader <x:b>, <x:c> . <x:b> s:prefLabel \"b\" . <x:c> s:prefLabel \"c\" .";

#[test]
fn hierarchies() {
    check(
        read_hierarchy,
        &[
            ("a.tsv", b"", "a.tsv: the file contains no concept; add at least one"),
            (
                "a.tsv",
                b"a\tb\nb\ta\n",
                "a.tsv, line 1: the parents form a cycle: \"a\" under \"b\" under \"a\"; remove one of these parents",
            ),
            (
                "a.tsv",
                b"x\ttop\na\tb\nb\tc\nc\ta\n",
                "a.tsv, line 2: the parents form a cycle: \"a\" under \"b\" under \"c\" under \"a\"; remove one of these parents",
            ),
            (
                "a.tsv",
                b"a\ta\n",
                "a.tsv, line 1: the parents form a cycle: \"a\" under \"a\"; remove one of these parents",
            ),
            (
                "a.tsv",
                b"a\ttop\nb\ttop\na\tb\n",
                "a.tsv, line 3: \"a\" has two parents, \"top\" and \"b\"; keep one of them",
            ),
            (
                "a.tsv",
                b"a\ttop\nA\ttop\n",
                "a.tsv, line 2: \"A\" is the same concept as \"a\" on line 1; remove or rename one of them",
            ),
            (
                "a.tsv",
                b"a\ttop\tx\n",
                "a.tsv: there is no column child or concept or name, only \"a\", \"top\", \"x\"; name the columns in the first line",
            ),
            (
                "a.csv",
                b"child,parent,certainty\na,top,high\n",
                "a.csv, line 2: the certainty is high; give a number from 0 to 1",
            ),
            (
                "a.csv",
                b"child,parent,certainty\na,top,1.5\n",
                "a.csv, line 2: the certainty of \"a\" is 1.5; give a number from 0 to 1",
            ),
            (
                "a.csv",
                b"child,parent,certainty\na,top,NaN\n",
                "a.csv, line 2: the certainty of \"a\" is NaN; give a number from 0 to 1",
            ),
            (
                "a.csv",
                b"child,parent,yes\na,top,-1\n",
                "a.csv, line 2: the number of yes votes is -1; give a whole number",
            ),
            (
                "a.paths",
                b"a > b\na > > c\n",
                "a.paths, line 2: the name between two > is missing; fill it in or remove the line",
            ),
            (
                "a.paths",
                b"a > b > c\na > c\n",
                "a.paths, line 2: \"c\" has two parents, \"b\" and \"a\"; keep one of them",
            ),
            (
                "a.txt",
                b"apple\nfruit\n",
                "a.txt: these concepts have no parents; give a table of child and parent, or another hierarchy",
            ),
            (
                "a.json",
                b"{\"root\": \"r\", \"children\": [{\"title\": \"x\"}]}",
                "a.json, line 1: this is not valid JSON for a hierarchy: missing field `name`; correct it there",
            ),
            (
                "a.json",
                b"{\"children\": []}",
                "a.json: the root's name is missing; fill it in or remove the line",
            ),
            (
                "a.json",
                b"{\"root\": \"r\", \"language\": \"no tag\", \"children\": [{\"name\": \"x\"}]}",
                "a.json: \"no tag\" is not a language tag; write one such as en, de or pt-BR, or und if the language is unknown",
            ),
            (
                "a.ttl",
                b"@prefix s: <http://www.w3.org/2004/02/skos/core#> . <x:a> a s:Concept; s:prefLabel \"a\" .",
                "a.ttl: these concepts have no parents; give a table of child and parent, or another hierarchy",
            ),
            (
                "a.ttl",
                TWO_PARENTS.as_bytes(),
                "a.ttl: \"a\" has two parents, \"b\" and \"c\"; keep one of them",
            ),
        ],
    );
    let deep =
        format!("{}{}", "{\"root\": \"r\", \"name\": \"n\", \"children\": [".repeat(70), "]}".repeat(70));
    let message = message("a.json", deep.as_bytes(), read_hierarchy);
    assert!(message.starts_with("a.json, line 1: this is not valid JSON: recursion limit"), "{message}");
}

#[test]
fn votes() {
    let concepts =
        read_concepts(&Source::new("c.csv", b"name,parent\nfruit,food\napple,fruit\npear,fruit\n").unwrap())
            .unwrap();
    let read = |source: &Source| read_votes(source, &concepts.index());
    check(
        read,
        &[
            ("v.csv", b"", "v.csv: the file contains no vote; add at least one"),
            ("v.csv", b"worker,upper,lower,answer\n", "v.csv: the file contains no vote; add at least one"),
            (
                "v.csv",
                b"upper,lower,answer\nfruit,apple,yes\n",
                "v.csv: there is no column worker or participant or annotator, only \"upper\", \"lower\", \"answer\"; name the columns in the first line",
            ),
            (
                "v.csv",
                b"worker,upper,lower,answer\nann,fruit,aple,yes\n",
                "v.csv, line 2: \"aple\" is not among the concepts; did you mean \"apple\"?",
            ),
            (
                "v.csv",
                b"worker,upper,lower,answer\nann,fruit,dinosaur,yes\n",
                "v.csv, line 2: \"dinosaur\" is not among the concepts; add it to them or correct the name",
            ),
            (
                "v.csv",
                b"worker,upper,lower,answer\nann,fruit,apple,perhaps\n",
                "v.csv, line 2: \"perhaps\" is not a valid answer; write yes, no or cant_say",
            ),
            (
                "v.csv",
                b"worker,upper,lower,answer\nann,fruit,apple,\n",
                "v.csv, line 2: \"\" is not a valid answer; write yes, no or cant_say",
            ),
            (
                "v.csv",
                b"worker,upper,lower,answer\n,fruit,apple,yes\n",
                "v.csv, line 2: the worker is missing; fill it in or remove the line",
            ),
            (
                "v.csv",
                b"worker,upper,lower,answer\nann,Apple,apple,yes\n",
                "v.csv, line 2: the vote compares \"apple\" with itself; name two concepts, or remove the vote",
            ),
            (
                "v.csv",
                b"worker,upper,lower,answer\nann,food,apple,yes\n",
                "v.csv, line 2: \"food\" is the root, which is above everything; remove the vote",
            ),
            (
                "v.csv",
                b"worker,upper,lower,answer,kind\nann,fruit,apple,yes,sideways\n",
                "v.csv, line 2: \"sideways\" is not a valid kind of question; write path or edge",
            ),
            (
                "v.jsonl",
                b"{\"worker\": \"ann\"}\n{\"worker\":\n",
                "v.jsonl, line 2: this is not valid JSON: EOF while parsing a value; correct it there",
            ),
            (
                "v.jsonl",
                b"{\"worker\": \"ann\", \"upper\": {}, \"lower\": \"apple\", \"answer\": true}",
                "v.jsonl, line 1: expected a text, a number or a list of texts, but found an object; correct it there",
            ),
            (
                "v.txt",
                b"ann fruit apple yes",
                "v.txt: unknown file type; the file's name must end in .csv, .tsv, .jsonl or .json",
            ),
            (
                "v.csv",
                b"worker,form,lower,options,answer,chosen\nann,guess,apple,fruit|pear,picked,fruit\n",
                "v.csv, line 2: \"guess\" is not a valid form; write yesno, pick, tick or place",
            ),
            (
                "v.csv",
                b"worker,form,lower,options,answer,chosen\nann,pick,apple,fruit|pear,yes,\n",
                "v.csv, line 2: \"yes\" is not a valid answer; write picked, none or cant_say",
            ),
            (
                "v.csv",
                b"worker,form,lower,options,answer,chosen\nann,pick,apple,fruit|pear,picked,\n",
                "v.csv, line 2: the chosen concept is missing; fill it in or remove the line",
            ),
            (
                "v.csv",
                b"worker,form,lower,options,answer,chosen\nann,pick,apple,,none,\n",
                "v.csv, line 2: the list of options is missing; fill it in or remove the line",
            ),
            (
                "v.csv",
                b"worker,form,lower,options,answer,chosen\nann,pick,apple,fruit|paer,none,\n",
                "v.csv, line 2: \"paer\" is not among the concepts; did you mean \"pear\"?",
            ),
            (
                "v.csv",
                b"worker,form,lower,options,answer,chosen\nann,pick,apple,fruit,picked,pear\n",
                "v.csv, line 2: the answer names a concept that is not among the options; name only those that were shown; correct the row or remove it",
            ),
            (
                "v.csv",
                b"worker,form,lower,options,answer,chosen\nann,pick,apple,fruit|apple,none,\n",
                "v.csv, line 2: the concept asked about is among its own options; leave it out; correct the row or remove it",
            ),
            (
                "v.csv",
                b"worker,form,lower,options,answer,chosen\nann,pick,apple,fruit|pear,none,fruit\n",
                "v.csv, line 2: the answer \"none\" chooses nothing, but there is a chosen concept; write picked, ticked or under, or leave the chosen concept out",
            ),
            (
                "v.csv",
                b"worker,form,upper,lower,options,answer\nann,tick,fruit,apple,pear,none\n",
                "v.csv, line 2: a tick has no lower concept; leave that cell empty, or give the row another form",
            ),
            (
                "v.csv",
                b"worker,form,options,answer\nann,tick,apple,none\n",
                "v.csv, line 2: the upper concept is missing; fill it in or remove the line",
            ),
            (
                "v.jsonl",
                br#"{"worker": "ann", "form": "place", "lower": "apple", "answer": {"under": "apple"}}"#,
                "v.jsonl, line 1: upper and lower are the same concept; name two different ones; correct the row or remove it",
            ),
            (
                "v.jsonl",
                br#"{"worker": "ann", "form": "tick", "upper": "fruit", "options": ["pear", 5], "answer": "none"}"#,
                "v.jsonl, line 1: expected a list of texts, but found a number; correct it there",
            ),
            (
                "v.csv",
                b"card,category,who\napple,fruit,ann\n",
                "v.csv: there is no column participant or worker or user, only \"card\", \"category\", \"who\"; name the columns in the first line",
            ),
        ],
    );
    let sort = |source: &Source| read_card_sort(source, &concepts.index());
    check(
        sort,
        &[
            (
                "s.csv",
                b"card,category,participant\napple,friut,ann\n",
                "s.csv, line 2: \"friut\" is not among the concepts; did you mean \"fruit\"?",
            ),
            ("s.csv", b"card,category,participant\n", "s.csv: the file contains no card; add at least one"),
        ],
    );
    check(
        read_card_sort_concepts,
        &[(
            "s.csv",
            b"card,participant\napple,ann\n",
            "s.csv: there is no column category or group, only \"card\", \"participant\"; name the columns in the first line",
        )],
    );
    check(
        read_tags,
        &[(
            "t.csv",
            b"tag,item\napple,1\n",
            "t.csv: there is no column worker or participant or annotator, only \"tag\", \"item\"; name the columns in the first line",
        )],
    );
}
