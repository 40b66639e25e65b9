//! Whatever is wrong with a command on a stored campaign: one line that says why and what to do, exit code 2, and nothing changed.

use crate::folder::Folder;

/// What is typed, and a part of the remedy.
const WRONG: &[(&[&str], &str)] = &[
    (&["new", "x", "--concepts", "none.txt"], "there is no such file; correct the name"),
    (&["new", "x", "--concepts", "."], "this is a folder; name a file in it"),
    (&["new", "food", "--concepts", "concepts.txt"], "is taken; choose another name"),
    (&["new", "x", "--concepts", "repeated.txt"], "repeated.txt, line 2"),
    (&["new", "x", "--concepts", "empty.txt"], "empty.txt"),
    (&["new", "x", "--concepts", "broken.txt"], "save the file as UTF-8"),
    (
        &["new", "x", "--concepts", "concepts.txt", "--relation", "eats"],
        "a question with {child} and {parent} in it",
    ),
    (&["new", "x", "--concepts", "concepts.txt", "--relation", "is {child} good?"], "{child} and {parent}"),
    (&["new", "x", "--concepts", "concepts.txt", "--root", "Brie"], "give the root another name with --root"),
    (&["new", "x", "--concepts", "concepts.txt", "--root", " "], "root"),
    (&["new", "x", "--concepts", "concepts.txt", "--language", "not a tag"], "language"),
    (&["new", "x", "--concepts", "concepts.txt", "--noise", "0.8,0.2,0.1"], "one rate or FALSE_YES,FALSE_NO"),
    (
        &["new", "x", "--concepts", "concepts.txt", "--engine", "exact"],
        "set the noise, or choose the ensemble",
    ),
    (
        &["new", "x", "--concepts", "many.txt", "--engine", "exact", "--noise", "0.1"],
        "choose the ensemble engine",
    ),
    (&["new", "x", "--concepts", "concepts.txt", "--seed", "18446744073709551615"], "seed"),
    (
        &["new", "x", "--concepts", "concepts.txt", "--database", "none/grove.db"],
        "check that its folder exists",
    ),
    (
        &["new", "x", "--concepts", "concepts.txt", "--database", "concepts.txt"],
        "is not a Grove database: give another path",
    ),
    (
        &["new", "x", "--concepts", "concepts.txt", "--database", "mysql://host/name"],
        "give the path of a file, or postgres://",
    ),
    (&["list", "--database", "none.db"], "`grove new` creates one, --database names another"),
    (&["doctor", "--database", "none.db"], "there is no such database"),
    (&["show", "fod"], "`grove list` shows the campaigns"),
    (&["ask", "fod"], "`grove list` shows the campaigns"),
    (&["ask", "food", "--worker", ""], "1 to 200 bytes"),
    (&["ask", "food", "--noise", "0.8,0.2,0.1"], "one rate or FALSE_YES,FALSE_NO"),
    (&["why", "food", "bri"], "did you mean \"brie\"?"),
    (&["why", "food", "food"], "is the root; name a concept under it"),
    (&["why", "food", "brie", "brie"], "two different concepts"),
    (&["why", "food", "brie", "chese"], "did you mean \"cheese\"?"),
    (&["add", "food", "BRIE"], "choose another name, or merge the two"),
    (&["add", "food", "food"], "food"),
    (&["add", "food", "pear", "Pear"], "\"Pear\""),
    (&["add", "food", ""], "name"),
    (&["add", "food", "a", "b", "--definition", "c"], "add the concepts one by one, or from a file"),
    (&["add", "food", "--concepts", "concepts.txt"], "choose another name, or merge the two"),
    (&["remove", "food", "brie", "chese"], "did you mean \"cheese\"?"),
    (&["remove", "food", "brie", "Brie"], "name every concept once"),
    (&["remove", "food", "food"], "is the root; name a concept under it"),
    (&["merge", "food", "brie", "--into", "BRIE"], "are one concept already; name two"),
    (&["merge", "food", "brie", "--into", "food"], "is the root; name a concept under it"),
    (&["rename", "food", "brie", "cheese"], "choose another name, or merge the two"),
    (&["rename", "food", "brie", "food"], "food"),
    (&["rename", "food", "brie", "soft\ncheese"], "name"),
    (&["pin", "food", "brie", "brie"], "are the same concept; name two"),
    (&["pin", "food", "cheese", "brie"], "undo one of them first"),
    (&["pin", "food", "food", "brie"], "is the root; name a concept under it"),
    (&["forbid", "food", "brie", "food"], "everything is under the root; forbid another concept"),
    (&["forbid", "food", "brie", "cheese"], "undo one of them first"),
    (&["free", "food", "apple"], "`grove show food --json` lists the corrections"),
    (&["import", "food", "unknown.csv"], "unknown.csv, line 2"),
    (&["import", "food", "no-answer.csv"], "answer"),
    (&["import", "food", "no-worker.csv"], "the worker is missing; fill it in or remove the line"),
    (&["import", "food", "odd-answer.csv"], "yes, no or cant_say"),
    (&["import", "food", "long-worker.csv"], "long-worker.csv, line 2: a worker's id has 1 to 200 bytes"),
    (&["import", "food", "empty.txt"], "empty.txt"),
    (&["workers", "exclude", "food", "nobody"], "there is no such worker in food; `grove workers list`"),
    (&["workers", "include", "food", "nobody"], "is not excluded; nothing was changed"),
    (&["invite", "revoke", "food", "00000000-0000-7000-8000-000000000000"], "`grove invite list` lists them"),
    (&["invite", "new", "food", "--hours", "0"], "a link must be valid for at least an hour"),
    (&["erase-worker", "food", "nobody"], "never answered in food; correct the name"),
    (
        &["export", "food", "--format", "csv", "--out", "none/food.csv"],
        "there is no such folder; make it first",
    ),
    (&["export", "food", "--format", "skos", "--samples", "5"], "written as newick or json"),
    (&["export", "food", "--format", "skos", "--base", "no address"], "no address"),
    (&["history", "fod"], "`grove list` shows the campaigns"),
    (&["replay", "food", "--at", "100"], "give --at a number up to "),
    (&["backup", "concepts.txt"], "exists already; move it away or choose another name"),
    (&["restore", "none.db", "--database", "other.db"], "there is no such file; name a backup"),
    (&["restore", "copy.db"], "name a new database with --database"),
    (&["restore", "concepts.txt", "--database", "other.db"], "concepts.txt"),
];

/// What the options' parser refuses by itself; it adds the usage.
const MISTYPED: &[(&[&str], &str)] = &[
    (&["new", "", "--concepts", "concepts.txt"], "1 to 200 bytes"),
    (&["new", "x"], "--concepts"),
    (&["new", "x", "--concepts", "concepts.txt", "--noise", "1.5"], "FALSE_YES,FALSE_NO"),
    (&["new", "x", "--concepts", "concepts.txt", "--until", "0"], "above 0 and up to 1"),
    (&["ask", "food", "--until", "2"], "above 0 and up to 1"),
    (&["add", "food"], "CONCEPT"),
    (&["export", "food", "--format", "word"], "write one of skos"),
    (&["replay", "food", "--steps", "0"], "1..=10000"),
];

fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("concepts.txt", "cheese\nbrie\nfruit\napple\n");
    folder.write("repeated.txt", "cheese\nCheese\n");
    folder.write("empty.txt", "\n");
    folder.write_bytes("broken.txt", b"caf\xe9\n");
    folder.write("many.txt", &(1..=20).map(|number| format!("concept {number}\n")).collect::<String>());
    folder.write("unknown.csv", "worker,upper,lower,answer\nann,chese,brie,yes\n");
    folder.write("no-worker.csv", "worker,upper,lower,answer\n,cheese,brie,yes\n");
    folder.write("no-answer.csv", "worker,upper,lower\nann,cheese,brie\n");
    folder.write("odd-answer.csv", "worker,upper,lower,answer\nann,cheese,brie,perhaps\n");
    folder.write(
        "long-worker.csv",
        &format!("worker,upper,lower,answer\n{},cheese,brie,yes\n", "w".repeat(201)),
    );
    folder.good(&["new", "food", "--concepts", "concepts.txt", "--root", "food", "--for", "paper"]);
    folder.good_with_input(&["ask", "food", "--worker", "ann"], "y\nn\n");
    folder.good(&["pin", "food", "brie", "cheese"]);
    folder.good(&["show", "food"]);
    folder.good(&["backup", "copy.db"]);
    folder
}

#[test]
fn bad_inputs_are_refused_in_one_line_and_change_nothing() {
    let folder = prepared();
    let before = folder.files();
    for (args, remedy) in WRONG {
        let (code, out, error) = folder.run(args, "");
        let typed = args.join(" ");
        assert_eq!(code, 2, "grove {typed}: {out}{error}");
        assert_eq!(error.lines().count(), 1, "grove {typed}: {error}");
        assert!(error.starts_with("error: ") && error.contains(remedy), "grove {typed}: {error}");
        assert_eq!(out, "", "grove {typed}");
        assert!(folder.files() == before, "grove {typed} changed something: {:?}", changed(&folder, &before));
    }
}

#[test]
fn mistyped_options_are_refused_and_change_nothing() {
    let folder = prepared();
    let before = folder.files();
    for (args, remedy) in MISTYPED {
        let (code, out, error) = folder.run(args, "");
        let typed = args.join(" ");
        assert_eq!(code, 2, "grove {typed}: {out}{error}");
        assert!(error.contains(remedy), "grove {typed}: {error}");
        assert!(folder.files() == before, "grove {typed} changed something: {:?}", changed(&folder, &before));
    }
}

/// The comparison of the folder sees what a good command does.
#[test]
fn a_good_command_changes_something() {
    let folder = prepared();
    let before = folder.files();
    folder.good(&["add", "food", "pear"]);
    assert_eq!(changed(&folder, &before), ["grove.db"]);
}

fn changed(folder: &Folder, before: &[(String, Vec<u8>)]) -> Vec<String> {
    let now = folder.files();
    let only_in = |these: &[(String, Vec<u8>)], others: &[(String, Vec<u8>)]| -> Vec<String> {
        these.iter().filter(|file| !others.contains(file)).map(|file| file.0.clone()).collect()
    };
    let mut changed = [only_in(&now, before), only_in(before, &now)].concat();
    changed.sort();
    changed.dedup();
    changed
}
