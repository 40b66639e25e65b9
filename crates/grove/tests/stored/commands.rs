use std::collections::BTreeMap;

use crate::folder::Folder;
use serde_json::Value;

const CONCEPTS: &str = "cheese\nbrie\nfruit\napple\n";

/// The parents that everybody agrees on.
const PARENTS: [(&str, &str); 4] =
    [("cheese", "food"), ("brie", "cheese"), ("fruit", "food"), ("apple", "fruit")];

fn is_above(upper: &str, lower: &str) -> bool {
    let parent = PARENTS.iter().find(|(child, _)| *child == lower).map(|(_, parent)| *parent);
    parent.is_some_and(|parent| parent == upper || is_above(upper, parent))
}

/// A folder with the campaign "food" in it, and nobody asked.
fn food() -> Folder {
    let folder = Folder::new();
    folder.write("concepts.txt", CONCEPTS);
    folder.good(&["new", "food", "--concepts", "concepts.txt", "--root", "food", "--noise", "0.05"]);
    folder
}

/// Votes on every question by so many workers who know the truth, as a file.
fn votes(workers: &[&str]) -> String {
    let mut votes = String::from("worker,upper,lower,answer\n");
    for worker in workers {
        for (upper, _) in PARENTS {
            for (lower, _) in PARENTS.iter().filter(|(lower, _)| *lower != upper) {
                let answer = if is_above(upper, lower) { "yes" } else { "no" };
                votes.push_str(&format!("{worker},{upper},{lower},{answer}\n"));
            }
        }
    }
    votes
}

/// The campaign with everything asked twice.
fn answered_food() -> Folder {
    let folder = food();
    folder.write("votes.csv", &votes(&["ann", "bob"]));
    folder.good(&["import", "food", "votes.csv"]);
    folder
}

fn json(folder: &Folder, args: &[&str]) -> Value {
    serde_json::from_str(&folder.good(args)).expect("an object as documented")
}

fn parents(shown: &Value) -> BTreeMap<String, String> {
    let text = |edge: &Value, field: &str| edge[field].as_str().expect("an object as documented").to_owned();
    let edges = shown["hierarchy"].as_array().expect("an object as documented");
    edges.iter().map(|edge| (text(edge, "child"), text(edge, "parent"))).collect()
}

fn expected() -> BTreeMap<String, String> {
    PARENTS.iter().map(|&(child, parent)| (child.to_owned(), parent.to_owned())).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object as documented").keys().map(String::as_str).collect()
}

/// What somebody who knows the truth says to a line, if it is a question.
fn truthful(line: &str) -> Option<&'static str> {
    let (lower, upper) =
        line.split_once(". Is ")?.1.trim_end().strip_suffix('?')?.split_once(" a kind of ")?;
    let lower = ["a ", "an "].iter().find_map(|article| lower.strip_prefix(article)).unwrap_or(lower);
    Some(if is_above(upper, lower) { "y\n" } else { "n\n" })
}

#[test]
fn answering_line_by_line_ends_with_the_right_hierarchy() {
    let folder = food();
    let said = folder.talk(&["ask", "food"], truthful);
    let answers = said.lines().filter(|line| truthful(line).is_some()).count();
    assert!((5..=12).contains(&answers), "{said}");
    assert!(said.contains(&format!("{answers} answers; every parent is at least 0.75 certain")), "{said}");
    assert_eq!(parents(&json(&folder, &["show", "food", "--json"])), expected());
}

/// Two concepts with nobody asked are certain enough by what is believed beforehand; that is no reason not to ask.
#[test]
fn concepts_that_nobody_was_asked_about_are_asked_about() {
    let folder = Folder::new();
    folder.write("two.txt", "cheese\nbrie\n");
    folder.good(&["new", "two", "--concepts", "two.txt", "--noise", "0.05"]);
    let said = folder.talk(&["ask", "two", "--until", "0.5"], truthful);
    assert!(said.contains("1 answer; every parent is at least 0.5 certain"), "{said}");
}

#[test]
fn an_answer_can_be_withdrawn_and_an_invalid_one_is_asked_again() {
    let folder = food();
    let said = folder.good_with_input(&["ask", "food", "--worker", "ann"], "u\nperhaps\ny\nu\ns\nq\n");
    let asked: Vec<&str> = said.lines().filter(|line| line.starts_with("1. ")).collect();
    assert_eq!(asked.len(), 3, "{said}");
    assert!(asked.iter().all(|line| *line == asked[0]), "{said}");
    assert!(said.contains("there is nothing to undo") && said.contains("withdrew your yes"), "{said}");
    assert!(said.contains("answer y (yes), n (no), s (not sure), u (undo) or q (quit)"), "{said}");
    assert!(said.contains("1 answer; stopped by you"), "{said}");
    let history = json(&folder, &["history", "food", "--json"]);
    let events: Vec<&str> = history["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["event"]["event"].as_str().unwrap())
        .collect();
    let voting: Vec<&&str> = events.iter().filter(|event| event.starts_with("vote_")).collect();
    assert_eq!(voting, [&"vote_cast", &"vote_withdrawn", &"vote_cast"]);
}

/// Where somebody who knows the truth places a concept, if a line asks that.
fn place_of(line: &str) -> Option<&'static str> {
    let lower = line.split_once(". Where does ")?.1.trim_end().strip_suffix(" belong?")?;
    let lower = ["a ", "an "].iter().find_map(|article| lower.strip_prefix(article)).unwrap_or(lower);
    let parent = PARENTS.iter().find(|(child, _)| *child == lower)?.1;
    Some(match parent {
        "food" => "top\n",
        "cheese" => "Cheese\n",
        _ => "fruit\n",
    })
}

#[test]
fn an_owner_alone_places_concepts_and_asking_ends_by_itself() {
    let folder = Folder::new();
    folder.write("own.txt", CONCEPTS);
    folder.good(&[
        "new",
        "own",
        "--concepts",
        "own.txt",
        "--root",
        "food",
        "--language",
        "en",
        "--forms",
        "place",
    ]);
    let said = folder.talk(&["ask", "own", "--worker", "ann"], place_of);
    let shown = json(&folder, &["show", "own", "--json"]);
    let screens = &shown["votes"];
    let ending = format!("{screens} answers ({screens} places). Nothing left to learn");
    assert!(said.contains(&ending), "{said}");
    assert_eq!(parents(&shown), expected(), "one answer for each concept is enough");
    assert!(shown["votes"].as_u64().is_some_and(|screens| screens <= PARENTS.len() as u64), "{shown}");
    let votes = folder.good(&["votes", "own"]);
    assert!(
        votes.starts_with("worker,form,upper,lower,options,answer,chosen,kind,time\nann,place,,"),
        "{votes}"
    );
    let listed = json(&folder, &["answers", "own", "--worker", "ann", "--about", "brie", "--json"]);
    let number = listed["answers"].as_array().and_then(|all| all.last()).map(|one| one["number"].to_string());
    let change = format!("{}=fruit", number.expect("brie was placed"));
    let said = folder.good(&["answers", "own", "--worker", "ann", "--change", &change]);
    assert!(said.contains("changed under cheese to under fruit, now answer "), "{said}");
    folder.write("votes.csv", &votes);
    folder.good(&["new", "copy", "--concepts", "own.txt", "--root", "food", "--forms", "place"]);
    folder.good(&["import", "copy", "votes.csv"]);
    let copied = json(&folder, &["show", "copy", "--json"]);
    assert_eq!(copied["votes"], shown["votes"], "all forms are imported");
}

#[test]
fn asking_ends_at_the_given_limits() {
    let folder = food();
    let said = folder.good_with_input(&["ask", "food", "--questions", "2"], "n\nn\nn\nn\n");
    assert!(said.contains("2 answers; the limit of --questions is reached"), "{said}");
    folder.good(&["new", "small", "--concepts", "concepts.txt", "--most-votes", "1", "--for", "paper"]);
    let said = folder.good_with_input(&["ask", "small"], "n\nn\n");
    assert!(said.contains("1 answer. The budget of 1 ") && !said.contains("2. "), "{said}");
    // Nothing but results where remarks are unwelcome.
    let said =
        folder.good_with_input(&["--quiet", "ask", "food", "--worker", "x", "--questions", "1"], "s\n");
    assert!(said.starts_with("1. Is ") && said.lines().count() == 1, "{said}");
}

#[test]
fn imported_votes_give_the_hierarchy_and_are_imported_once() {
    let folder = answered_food();
    let shown = json(&folder, &["show", "food", "--json"]);
    assert_eq!(parents(&shown), expected());
    assert_eq!((&shown["votes"], &shown["workers"]), (&24.into(), &2.into()));
    let again = json(&folder, &["import", "food", "votes.csv", "--json"]);
    assert_eq!(again, serde_json::json!({ "imported": 0, "repeated": 24, "votes": 24 }));
    let drawing = folder.good(&["show", "food"]);
    assert!(drawing.starts_with("food\n├─ cheese 1.00\n│  └─ brie "), "{drawing}");
    assert!(drawing.contains("4 concepts, 24 votes by 2 workers"), "{drawing}");
}

/// Both kinds of question count, in `infer`, in `show` and in an export.
#[test]
fn votes_on_an_edge_are_counted_the_same_everywhere() {
    let folder = food();
    let paths = votes(&["ann", "bob"]).replace("answer\n", "answer,kind\n").replace("yes\n", "yes,path\n");
    let edges = "cy,cheese,brie,yes,edge\ndot,cheese,brie,no,edge\ncy,fruit,apple,yes,edge\n";
    folder.write("votes.csv", &(paths.replace("no\n", "no,path\n") + edges));
    folder.good(&["import", "food", "votes.csv"]);
    let infer = ["infer", "--concepts", "concepts.txt", "--answers", "votes.csv", "--root", "food"];
    let infer = [&infer[..], &["--noise", "0.05", "--prior", "uniform"]].concat();
    let inferred = json(&folder, &[&infer[..], &["--json"]].concat());
    let shown = json(&folder, &["show", "food", "--json"]);
    let counts = |found: &Value| -> Vec<(String, u64, u64)> {
        let count = |edge: &Value, field: &str| edge[field].as_u64().expect("an object as documented");
        let edges = found["hierarchy"].as_array().expect("an object as documented");
        edges.iter().map(|edge| (edge["child"].to_string(), count(edge, "yes"), count(edge, "no"))).collect()
    };
    let expected = [("cheese", 0, 0), ("brie", 3, 1), ("fruit", 0, 0), ("apple", 3, 0)];
    let expected = expected.map(|(child, yes, no)| (format!("\"{child}\""), yes, no));
    assert_eq!(parents(&inferred), parents(&shown));
    assert_eq!(counts(&inferred), expected);
    assert_eq!(counts(&shown), expected);
    let exported = [&["export", "food", "--format", "csv"][..], &[&infer[..], &["--format", "csv"]].concat()];
    for table in exported.map(|args| folder.good(args)) {
        let row =
            table.lines().find(|row| row.starts_with("brie,cheese,")).expect("the edge is in the table");
        assert_eq!(row.split(',').skip(3).take(2).collect::<Vec<_>>(), ["3", "1"], "{table}");
    }
}

#[test]
fn a_card_sort_is_imported() {
    let folder = food();
    folder.write(
        "sort.csv",
        "card,category,participant\nbrie,cheese,p1\napple,fruit,p1\nbrie,cheese,p2\napple,fruit,p2\n",
    );
    let imported = json(&folder, &["import", "food", "sort.csv", "--json"]);
    assert!(imported["imported"].as_u64().unwrap() >= 4, "{imported}");
    let shown = json(&folder, &["show", "food", "--json"]);
    assert_eq!((&parents(&shown)["brie"][..], &parents(&shown)["apple"][..]), ("cheese", "fruit"));
}

#[test]
fn concepts_are_added_renamed_merged_and_removed() {
    let folder = answered_food();
    folder.good(&["add", "food", "pear", "milk"]);
    folder.good(&[
        "add",
        "food",
        "camembert",
        "--definition",
        "a soft cheese",
        "--synonym",
        "camembert de Normandie",
    ]);
    folder.good(&["rename", "food", "pear", "quince"]);
    folder.good(&["merge", "food", "camembert de normandie", "--into", "BRIE"]);
    folder.good(&["remove", "food", "milk"]);
    let shown = json(&folder, &["show", "food", "--json"]);
    let mut names: Vec<String> = parents(&shown).into_keys().collect();
    names.sort();
    assert_eq!(names, ["apple", "brie", "cheese", "fruit", "quince"]);
    // What was believed of the others stays.
    assert_eq!(parents(&shown)["apple"], "fruit");
    folder.write("more.csv", "concept,definition,synonyms\nlemon,a sour fruit,citron|limon\n");
    folder.good(&["add", "food", "--concepts", "more.csv"]);
    let text = folder.good(&["history", "food"]);
    for told in [
        "added pear",
        "renamed concept 5 to quince",
        "merged camembert into brie",
        "removed milk",
        "added lemon",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[test]
fn corrections_hold_until_they_are_undone() {
    let folder = answered_food();
    folder.good(&["pin", "food", "brie", "fruit"]);
    folder.good(&["pin", "food", "apple", "food"]);
    let shown = json(&folder, &["show", "food", "--json"]);
    assert_eq!((&parents(&shown)["brie"][..], &parents(&shown)["apple"][..]), ("fruit", "food"));
    assert_eq!(
        shown["corrections"],
        serde_json::json!(["brie directly under fruit", "apple at the top level"])
    );
    assert!(folder.good(&["pin", "food", "brie", "fruit"]).contains("already corrected"));
    folder.good(&["free", "food", "brie", "fruit"]);
    folder.good(&["free", "food", "apple"]);
    assert_eq!(parents(&json(&folder, &["show", "food", "--json"])), expected());
    folder.good(&["forbid", "food", "brie", "cheese"]);
    folder.good(&["pin", "food", "apple", "cheese", "--somewhere"]);
    let shown = json(&folder, &["show", "food", "--json"]);
    assert_ne!(parents(&shown)["brie"], "cheese");
    assert!(folder.good(&["why", "food", "apple"]).contains("correction: apple somewhere under cheese"));
}

#[test]
fn why_lists_the_votes_behind_a_parent() {
    let folder = answered_food();
    let text = folder.good(&["why", "food", "brie"]);
    assert!(text.starts_with("brie under cheese: "), "{text}");
    assert_eq!(text.matches("said yes to \"Is brie a kind of cheese?\"").count(), 2, "{text}");
    let why = json(&folder, &["why", "food", "brie", "fruit", "--json"]);
    assert_eq!(
        keys(&why),
        ["above", "certainty", "child", "direct", "hints", "indirect", "parent", "reason"]
    );
    assert_eq!(why["parent"], "fruit");
    assert!(why["certainty"].as_f64().unwrap() < 0.05);
    let direct = why["direct"].as_array().unwrap();
    let vote = direct.iter().find(|vote| vote["lower"] == "brie").unwrap();
    assert_eq!(keys(vote), ["answer", "kind", "lower", "time", "upper", "weight", "worker"]);
    // Who says no to brie under fruit speaks against it.
    assert!(vote["weight"].as_f64().unwrap() < 0.0, "{vote}");
}

#[test]
fn an_erased_worker_leaves_no_trace_and_the_hierarchy_stays() {
    let folder = answered_food();
    folder.write("secret.csv", &votes(&["hildegard-of-bingen"]));
    folder.good(&["import", "food", "secret.csv"]);
    let before = parents(&json(&folder, &["show", "food", "--json"]));
    assert!(folder.bytes("grove.db").windows(9).any(|part| part == b"hildegard"));
    folder.good(&["erase-worker", "food", "hildegard-of-bingen"]);
    assert!(!folder.bytes("grove.db").windows(9).any(|part| part == b"hildegard"));
    assert_eq!(parents(&json(&folder, &["show", "food", "--json"])), before);
    assert_eq!(json(&folder, &["replay", "food", "--json"])["same_bits"], true);
}

#[test]
fn a_worker_is_excluded_and_included_again() {
    let folder = answered_food();
    let shown = || json(&folder, &["show", "food", "--json"]);
    let (before, votes) = (parents(&shown()), shown()["votes"].as_u64().unwrap());
    folder.write("liar.csv", &votes_of_liar());
    folder.good(&["import", "food", "liar.csv"]);
    let workers = || json(&folder, &["workers", "list", "food", "--json"]);
    let liar = |all: &Value| all["workers"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        keys(&liar(&workers())),
        ["copies_model", "excluded", "is_excluded", "votes", "withdrawn", "worker"]
    );
    folder.good(&["workers", "exclude", "food", "liar"]);
    assert_eq!((&liar(&workers())["is_excluded"], &liar(&workers())["excluded"]), (&true.into(), &2.into()));
    assert_eq!((parents(&shown()), shown()["votes"].as_u64().unwrap()), (before, votes));
    assert!(folder.good(&["history", "food"]).contains("excluded the votes of worker liar"));
    assert!(!folder.good(&["votes", "food"]).contains("liar"));
    folder.good(&["workers", "include", "food", "liar"]);
    assert_eq!(shown()["votes"].as_u64().unwrap(), votes + 2);
    assert_eq!(json(&folder, &["replay", "food", "--json"])["same_bits"], true);
    folder.good(&["doctor"]);
}

fn votes_of_liar() -> String {
    "worker,upper,lower,answer\nliar,fruit,brie,yes\nliar,cheese,brie,no\n".to_owned()
}

#[test]
fn links_are_made_listed_and_revoked() {
    let folder = food();
    let link = folder.good(&["invite", "new", "food", "--once", "--hours", "2", "--label", "post"]);
    assert!(link.contains("http://127.0.0.1:8077/w/"), "{link}");
    folder.good(&["invite", "new", "food", "--most-votes", "9"]);
    let listed = || json(&folder, &["invite", "list", "food", "--json"])["links"].clone();
    let [open, once] = [0, 1].map(|at| listed()[at].clone());
    assert_eq!(
        (&open["most_votes"], &open["status"], &open["expires"]),
        (&9.into(), &"works".into(), &Value::Null)
    );
    assert_eq!(
        (&once["most_workers"], &once["label"], &once["votes"]),
        (&1.into(), &"post".into(), &0.into())
    );
    folder.good(&["invite", "revoke", "food", once["id"].as_str().unwrap()]);
    assert_eq!(listed()[1]["status"], "revoked");
    folder.good(&["workers", "exclude", "food", "--link", open["id"].as_str().unwrap()]);
    assert_eq!(listed()[0]["excluded"], true);
}

#[test]
fn a_replay_gives_the_same_bits() {
    let folder = food();
    folder.good_with_input(&["ask", "food", "--worker", "ann"], "y\nn\ny\nn\nu\ny\n");
    folder.good(&["add", "food", "pear"]);
    folder.good_with_input(&["ask", "food", "--worker", "bob", "--noise", "learn"], "y\nn\ny\nq\n");
    let replay = json(&folder, &["replay", "food", "--json", "--steps", "4"]);
    assert_eq!(replay["same_bits"], true);
    assert_eq!(replay["steps"].as_array().unwrap().len(), 4);
    assert_eq!(replay["steps"][3]["votes"], 7);
    let text = folder.good(&["replay", "food"]);
    assert!(text.ends_with("the replay gives the same bits\n"), "{text}");
    let early = folder.good(&["replay", "food", "--at", "2"]);
    assert!(early.starts_with("food\n") && early.contains("after 2 votes: "), "{early}");
    assert!(!early.contains("pear"), "{early}");
}

#[test]
fn every_format_is_exported() {
    let folder = answered_food();
    let csv = folder.good(&["export", "food", "--format", "csv"]);
    assert!(csv.contains("brie,cheese,"), "{csv}");
    folder.good(&["export", "food", "--format", "skos", "--out", "food.ttl", "--language", "en"]);
    assert!(folder.text("food.ttl").contains("skos:prefLabel \"brie\"@en"));
    let trees = folder.good(&["export", "food", "--format", "newick", "--samples", "7"]);
    assert_eq!(trees.lines().count(), 7, "{trees}");
    for format in
        ["owl", "obo", "newick", "dot", "mermaid", "paths", "json", "node-link", "sssom", "svg", "html"]
    {
        assert!(!folder.good(&["export", "food", "--format", format]).is_empty(), "{format}");
    }
}

#[test]
fn backups_are_restored_and_the_doctor_finds_no_problems() {
    let folder = answered_food();
    folder.good(&["show", "food"]);
    assert_eq!(folder.good(&["doctor"]), "grove.db: no problems found\n");
    folder.good(&["backup", "monday.db"]);
    folder.good(&["remove", "food", "brie"]);
    folder.good(&["restore", "monday.db", "--database", "tuesday.db"]);
    let [old, now] = ["tuesday.db", "grove.db"]
        .map(|database| parents(&json(&folder, &["show", "food", "--json", "--database", database])));
    assert_eq!(old, expected());
    assert!(!now.contains_key("brie"));
    let doctor = json(&folder, &["doctor", "--json", "--database", "tuesday.db"]);
    assert_eq!((keys(&doctor), &doctor["healthy"]), (vec!["database", "findings", "healthy"], &true.into()));
}

#[test]
fn a_damaged_database_is_found() {
    let folder = answered_food();
    let mut bytes = folder.bytes("grove.db");
    // The word of an answer, somewhere in the table of votes or in the log.
    let at = bytes
        .windows(8)
        .rposition(|part| part == b"\"cheese\"" || part == b"cant_say" || part == b"\"answer\"")
        .unwrap();
    bytes[at + 1] ^= 1;
    folder.write_bytes("grove.db", &bytes);
    let (code, out, error) = folder.run(&["doctor"], "");
    assert_eq!(code, 1, "{out}{error}");
    assert!(!out.is_empty() || !error.is_empty());
}

#[test]
fn the_database_is_named_before_or_after_the_command_or_by_the_environment() {
    let folder = Folder::new();
    folder.write("concepts.txt", CONCEPTS);
    folder.good(&["--database", "a.db", "new", "food", "--concepts", "concepts.txt"]);
    folder.good(&["new", "drinks", "--concepts", "concepts.txt", "--database", "sqlite:b.db"]);
    assert!(!folder.has("grove.db"));
    assert!(
        folder
            .good(&["list", "--database", "a.db"])
            .starts_with("food: 4 concepts, 0 votes by 0 workers, collecting")
    );
    let listed = folder.with_variable("GROVE_DATABASE", "b.db", &["list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["campaigns"][0]["name"], "drinks");
    let campaign = listed["campaigns"][0]["id"].as_str().unwrap();
    // A campaign can be named by its id.
    folder.good(&["show", campaign, "--database", "b.db"]);
}

#[test]
fn a_campaign_takes_its_heading_from_the_file_or_the_options() {
    let folder = Folder::new();
    folder.write("body.tsv", "child\tparent\nhand\tbody\nfinger\thand\n");
    folder.good(&[
        "new",
        "body",
        "--concepts",
        "body.tsv",
        "--relation",
        "part-of",
        "--language",
        "en",
        "--for",
        "paper",
    ]);
    let said = folder.good_with_input(&["ask", "body"], "q\n");
    assert!(said.starts_with("1. Is ") && said.contains(" a part of "), "{said}");
    assert_eq!(json(&folder, &["show", "body", "--json"])["root"], "body");
    let own = "Would you look for {child} among {parent}?";
    folder.good(&["new", "shelf", "--concepts", "body.tsv", "--relation", own, "--for", "paper"]);
    assert!(folder.good_with_input(&["ask", "shelf"], "q\n").starts_with("1. Would you look for "));
    folder.write("defined.csv", "concept,definition\nbrie,a soft cheese\ncheese,what becomes of milk\n");
    folder.good(&["new", "defined", "--concepts", "defined.csv", "--engine", "exact", "--noise", "0.1"]);
    let said = folder.good_with_input(&["ask", "defined"], "q\n");
    assert!(said.contains("brie: a soft cheese") && said.contains("cheese: what becomes of milk"), "{said}");
    assert_eq!(json(&folder, &["show", "defined", "--json"])["engine"], "exact");
}

#[test]
fn questions_have_articles_that_the_owner_can_change() {
    let folder = Folder::new();
    folder.write("two.csv", "concept,article\norange,\nsheep,plural\n");
    folder.good(&["new", "two", "--concepts", "two.csv", "--language", "en", "--for", "paper"]);
    folder.write("votes.csv", "worker,upper,lower,answer\nann,orange,sheep,no\nann,sheep,orange,no\n");
    folder.good(&["import", "two", "votes.csv"]);
    let asked = |folder: &Folder| {
        let answers = json(folder, &["answers", "two", "--worker", "ann", "--json"]);
        let asked = answers["answers"].as_array().unwrap().iter();
        asked.map(|one| one["question"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(asked(&folder), ["Are sheep a kind of orange?", "Is an orange a kind of sheep?"]);
    folder.good(&["describe", "two", "orange", "--article", "the", "--definition", "a fruit"]);
    folder.good(&["describe", "two", "sheep", "--article", ""]);
    assert_eq!(asked(&folder), ["Is a sheep a kind of orange?", "Is the orange a kind of sheep?"]);
    assert!(folder.good(&["history", "two"]).contains("set the article of orange to the"));
    // An article belongs to a name.
    folder.good(&["rename", "two", "orange", "apple"]);
    assert_eq!(asked(&folder)[1], "Is an apple a kind of sheep?");
    let (code, _, error) = folder.run(&["describe", "two", "apple", "--article", &"very ".repeat(9)], "");
    assert!(code == 2 && error.contains("is not an article"), "{error}");
    // A refused command changes nothing, whatever else it asks for.
    let before = folder.good(&["history", "two"]);
    let bad = "very ".repeat(9);
    let (code, _, _) =
        folder.run(&["describe", "two", "apple", "--definition", "a pome", "--article", &bad], "");
    assert_eq!((code, folder.good(&["history", "two"])), (2, before));
    let (code, _, _) = folder.run(&["describe", "two", "apple"], "");
    assert_eq!(code, 2);
}

#[test]
fn questions_are_in_the_language_of_the_names() {
    let folder = Folder::new();
    folder.write("two.txt", "Obst\nLimette\n");
    folder.good(&["new", "zwei", "--concepts", "two.txt", "--language", "de", "--for", "paper"]);
    let said = folder.good_with_input(&["ask", "zwei"], "q\n");
    assert!(said.starts_with("1. Ist „") && said.contains("“ eine Art von „"), "{said}");
}

#[test]
fn names_that_look_alike_are_pointed_out() {
    let folder = Folder::new();
    folder.write("names.txt", "resume\nrésumé\npaper\n");
    let (code, out, error) = folder.run(&["new", "names", "--concepts", "names.txt"], "");
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("\"resume\" and \"résumé\" differ in accents alone"), "{error}");
    assert!(out.starts_with("names: 3 concepts"), "{out}");
    // A Cyrillic a and r.
    let (code, _, error) = folder.run(&["add", "names", "p\u{430}per"], "");
    assert!(
        code == 0 && error.contains("\"paper\" and \"p\u{430}per\" look alike (U+0061 and U+0430)"),
        "{error}"
    );
    let (code, _, error) = folder.run(&["rename", "names", "résumé", "рареr"], "");
    assert!(code == 0 && error.contains("look alike"), "{error}");
    let (code, _, error) = folder.run(&["rename", "names", "рареr", "cv"], "");
    assert!(code == 0 && error.is_empty(), "{error}");
    let (_, _, error) = folder.run(&["--quiet", "add", "names", "résume"], "");
    assert_eq!(error, "");
}

#[test]
fn votes_are_written_as_they_are_read() {
    let folder = answered_food();
    let shown = json(&folder, &["show", "food", "--json"]);
    let csv = folder.good(&["votes", "food"]);
    assert!(csv.starts_with("worker,upper,lower,answer,kind,time\n"), "{csv}");
    assert_eq!(csv.lines().count() as u64, shown["votes"].as_u64().unwrap() + 1);
    for format in ["csv", "jsonl"] {
        let (copy, file) = (format!("copy-{format}"), format!("votes.{format}"));
        folder.good(&["votes", "food", "--format", format, "--out", &file]);
        folder.good(&["new", &copy, "--concepts", "concepts.txt", "--root", "food", "--noise", "0.05"]);
        folder.good(&["import", &copy, &file]);
        let votes = |of: &str| {
            let text = folder.good(&["votes", of]);
            let untimed = text.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned());
            untimed.collect::<Vec<_>>()
        };
        assert_eq!(votes(&copy), votes("food"));
    }
    let first = csv.lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
    let own = folder.good(&["votes", "food", "--worker", &first]);
    assert!(own.lines().skip(1).all(|line| line.starts_with(&first)) && own.len() < csv.len());
    folder.good(&["remove", "food", "brie"]);
    assert!(!folder.good(&["votes", "food"]).contains("brie"));
    let all = folder.good(&["votes", "food", "--all"]);
    assert_eq!(all.lines().count(), csv.lines().count());
    assert!(all.lines().filter(|line| line.contains("brie")).all(|line| line.ends_with(",false")), "{all}");
    let (code, _, error) = folder.run(&["votes", "food", "--format", "xml"], "");
    assert!(code == 2 && error.contains("csv or jsonl"), "{error}");
}

#[test]
fn answers_are_listed_changed_and_withdrawn() {
    let folder = food();
    folder.good_with_input(&["ask", "food", "--worker", "ann"], "y\nn\ns\nq\n");
    let list = |folder: &Folder| {
        let listed = json(folder, &["answers", "food", "--worker", "ann", "--json"]);
        let answers = listed["answers"].as_array().unwrap().clone();
        answers
            .iter()
            .map(|one| (one["number"].to_string(), one["answer"].as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let before = list(&folder);
    assert_eq!(before.iter().map(|one| one.1.as_str()).collect::<Vec<_>>(), ["yes", "no", "cant_say"]);
    let text = folder.good(&["answers", "food", "--worker", "ann"]);
    assert!(text.ends_with("3 answers by ann\n") && text.contains("  can't say  \"Is "), "{text}");
    assert_eq!(folder.good(&["answers", "food", "--worker", "ann", "--last", "1"]).lines().count(), 2);
    let change = format!("{}=no", before[0].0);
    let said =
        folder.good(&["answers", "food", "--worker", "ann", "--change", &change, "--withdraw", &before[2].0]);
    assert!(
        said.contains("changed yes to no, now answer ") && said.contains("withdrew can't say: \"Is "),
        "{said}"
    );
    assert_eq!(list(&folder).iter().map(|one| one.1.as_str()).collect::<Vec<_>>(), ["no", "no"]);
    // What is wrong is refused before anything is changed.
    let changed = list(&folder).into_iter().find(|one| one.0 != before[1].0).expect("the changed answer").0;
    for (wrong, expected) in [
        (["--withdraw", &before[2].0], "ann has no answer"),
        (["--change", &change], "ann has no answer"),
        (["--change", &format!("{changed}=perhaps")], "answer y (yes), n (no)"),
    ] {
        let args =
            [&["answers", "food", "--worker", "ann", "--withdraw", &before[1].0][..], &wrong[..]].concat();
        let (code, _, error) = folder.run(&args, "");
        assert!(code == 2 && error.contains(expected), "{error}");
    }
    assert_eq!(list(&folder).len(), 2);
    folder.good(&["pause", "food"]);
    let change = format!("{}=yes", before[1].0);
    let (code, _, error) = folder.run(&["answers", "food", "--worker", "ann", "--change", &change], "");
    assert!(code == 2 && error.contains("`grove resume food` first"), "{error}");
    assert_eq!(list(&folder).len(), 2);
}

/// IRIs, labels in other languages and notes of SKOS come out as they went in.
#[test]
fn skos_goes_through_a_campaign() {
    let folder = Folder::new();
    let skos = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n\
        <https://example.org/s> a skos:ConceptScheme ; skos:prefLabel \"Groceries\"@en, \"Lebensmittel\"@de .\n\
        <https://example.org/c1> a skos:Concept ; skos:prefLabel \"fruit\"@en, \"Obst\"@de ; skos:notation \"F1\" ; \
            skos:inScheme <https://example.org/s> .\n\
        <https://example.org/c2> a skos:Concept ; skos:prefLabel \"lime\"@en, \"Limette\"@de ; skos:altLabel \"Limone\"@de ; \
            skos:broader <https://example.org/c1> ; skos:scopeNote \"Not the\\nmineral.\"@en .\n";
    folder.write("food.ttl", skos);
    folder.good(&["new", "food", "--concepts", "food.ttl"]);
    folder.good(&["add", "food", "pear"]);
    let written = folder.good(&["export", "food", "--format", "skos", "--base", "https://mine.org/"]);
    for kept in [
        "<https://example.org/s> a skos:ConceptScheme",
        "\"Lebensmittel\"@de",
        "<https://example.org/c1> a skos:Concept",
        "\"fruit\"@en",
        "\"Obst\"@de",
        "skos:notation \"F1\"",
        "<https://example.org/c2> a skos:Concept",
        "\"Limette\"@de",
        "\"Limone\"@de",
        "skos:scopeNote \"Not the\\nmineral.\"@en",
        "concept:pear a skos:Concept",
    ] {
        assert!(written.contains(kept), "{kept} is not in {written}");
    }
    // Both languages are equally frequent: the first in the alphabet names the concepts.
    assert_eq!(json(&folder, &["show", "food", "--json"])["root"], "Lebensmittel");
}

/// A hierarchy that is there already is what the campaign starts from, and its owner learns how much of it is to be checked.
#[test]
fn an_existing_hierarchy_is_audited() {
    let folder = Folder::new();
    let rows: String = PARENTS.iter().map(|(child, parent)| format!("{child},{parent}\n")).collect();
    folder.write("tree.csv", &format!("child,parent\n{rows}"));
    let said = folder.good(&["new", "food", "--concepts", "tree.csv"]);
    let shown = json(&folder, &["show", "food", "--json"]);
    assert_eq!(parents(&shown), expected());
    let edges = shown["hierarchy"].as_array().expect("an object as documented");
    let doubtful = edges.iter().filter(|edge| edge["certainty"].as_f64().expect("a number") < 0.75).count();
    let sentence = format!("{doubtful} of 4 places in its hierarchy are doubtful; about ");
    assert!(said.contains(&sentence), "{sentence} is not in {said}");

    folder.write("list.txt", CONCEPTS);
    let said = folder.good(&["new", "list", "--concepts", "list.txt", "--root", "food"]);
    assert!(!said.contains("places in its hierarchy"), "{said}");
}

/// Programs rely on these names.
#[test]
fn objects_keep_their_field_names() {
    let folder = answered_food();
    let shown = json(&folder, &["show", "food", "--json"]);
    let named = [
        "concepts",
        "converged",
        "corrections",
        "doubtful",
        "engine",
        "expected_right",
        "hierarchy",
        "left",
        "name",
        "position",
        "root",
        "votes",
        "workers",
    ];
    assert_eq!(keys(&shown), named);
    assert_eq!(
        keys(&shown["hierarchy"][0]),
        ["alternatives", "certainty", "child", "no", "parent", "reason", "yes"]
    );
    let list = json(&folder, &["list", "--json"]);
    assert_eq!(keys(&list), ["campaigns", "database"]);
    let named = [
        "believed_to",
        "concepts",
        "created",
        "id",
        "name",
        "owner",
        "position",
        "settings",
        "status",
        "votes",
        "workers",
    ];
    assert_eq!(keys(&list["campaigns"][0]), named);
    let history = json(&folder, &["history", "food", "--json", "--last", "1"]);
    assert_eq!(keys(&history), ["entries", "id", "name"]);
    assert_eq!(keys(&history["entries"][0]), ["actor", "event", "position", "time"]);
    let replay = json(&folder, &["replay", "food", "--json"]);
    assert_eq!(keys(&replay), ["name", "same_bits", "steps"]);
    let named = ["concepts", "entropy", "expected_right", "hierarchy", "least_certain", "moved", "votes"];
    assert_eq!(keys(&replay["steps"][0]), named);
}
