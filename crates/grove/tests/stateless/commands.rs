//! Every command on its good path, and the field names that other programs rely on.

use crate::folder::Folder;
use serde_json::Value;

const FOOD: &[(&str, &[u8])] = &[
    ("food.txt", b"fruit\nvegetable\napple\ntomato\n"),
    ("truth.tsv", b"fruit\tfood\nvegetable\tfood\napple\tfruit\ntomato\tfruit\n"),
    ("votes.csv", VOTES),
    ("sort.csv", b"card,category,participant\napple,fruit,ann\ncarrot,vegetable,ann\napple,fruit,bob\ncarrot,vegetable,bob\n"),
];

/// Four people, of whom dot says yes to everything; all see an apple as a fruit, and a tomato as one or the other.
const VOTES: &[u8] = b"worker,upper,lower,answer
ann,fruit,apple,yes
bob,fruit,apple,yes
cy,fruit,apple,yes
dot,fruit,apple,yes
ann,vegetable,apple,no
bob,vegetable,apple,no
dot,vegetable,apple,yes
ann,fruit,tomato,yes
bob,fruit,tomato,no
cy,fruit,tomato,yes
dot,fruit,tomato,yes
ann,vegetable,tomato,no
bob,vegetable,tomato,yes
cy,vegetable,tomato,no
ann,fruit,vegetable,no
bob,fruit,vegetable,no
cy,vegetable,fruit,no
ann,vegetable,fruit,cant_say
ann,apple,tomato,no
bob,tomato,apple,no
cy,apple,fruit,no
bob,tomato,fruit,no
cy,tomato,vegetable,no
";

const EXACT: &str = "infer --concepts food.txt --answers votes.csv --engine exact --noise 0.1";

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("the program prints JSON")
}

/// The field names of an object, in alphabetical order.
fn fields(value: &Value) -> Vec<&str> {
    let mut fields: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    fields.sort_unstable();
    fields
}

#[test]
fn infer_reads_all_forms() {
    let csv = b"worker,form,upper,lower,options,answer,chosen\n\
        ann,place,,apple,,under,fruit\n\
        ann,place,,fruit,,top,\n\
        ann,pick,,tomato,fruit|vegetable,picked,vegetable\n\
        ann,tick,vegetable,,tomato|apple,ticked,tomato\n\
        ann,yesno,vegetable,fruit,,no,\n";
    let jsonl = br#"{"worker":"ann","form":"place","lower":"apple","answer":{"under":"fruit"}}
        {"worker":"ann","form":"place","lower":"fruit","answer":"top"}
        {"worker":"ann","form":"pick","lower":"tomato","options":["fruit","vegetable"],"answer":{"picked":"vegetable"}}
        {"worker":"ann","form":"tick","upper":"vegetable","options":["tomato","apple"],"answer":{"ticked":["tomato"]}}
        {"worker":"ann","upper":"vegetable","lower":"fruit","answer":"no"}"#;
    let files: &[(&str, &[u8])] =
        &[("food.txt", b"fruit\nvegetable\napple\ntomato\n"), ("a.csv", csv), ("a.jsonl", jsonl)];
    let folder = Folder::with("infer_forms", files);
    let infer = |file: &str| {
        json(&folder.grove(&format!("infer --concepts food.txt --answers {file} --noise 0.01 --json")))
    };
    let (found, again) = (infer("a.csv"), infer("a.jsonl"));
    assert_eq!(found["hierarchy"], again["hierarchy"], "the same answers in another format");
    let counts = ["screens", "votes", "no"].map(|field| found[field].as_u64());
    assert_eq!(counts, [Some(5), Some(1), Some(1)]);
    let workers = &found["workers"];
    assert_eq!((&workers[0]["worker"], &workers[0]["screens"]), (&Value::from("ann"), &Value::from(5)));
    let parent = |child: &str| {
        let edges = found["hierarchy"].as_array().expect("a list").iter();
        let edge = edges.clone().find(|edge| edge["child"] == child).expect("every concept once");
        (edge["parent"].as_str().map(str::to_owned), edge["certainty"].as_f64().unwrap_or_default() > 0.8)
    };
    assert_eq!(parent("apple"), (Some("fruit".to_owned()), true));
    assert_eq!(parent("tomato"), (Some("vegetable".to_owned()), true));
    let text = folder.grove("infer --concepts food.txt --answers a.csv --noise 0.01");
    assert!(text.contains("4 concepts, 4 answers in other forms, 1 vote (0 yes, 1 no"), "{text}");
}

#[test]
fn infer_draws_the_hierarchy_with_its_certainties() {
    let folder = Folder::with("infer_text", FOOD);
    let text = folder.grove(&format!("{EXACT} --truth truth.tsv"));
    for words in [
        "food\n├─ fruit ",
        "│  ├─ apple ",
        "line 8: dot said yes to vegetable above apple",
        "4 concepts, 23 votes (9 yes, 13 no, 1 can't say) by 4 workers on 11 questions",
        "of 4 parents expected to be right",
        "converged: every tree was counted",
        "against the truth: 4 of 4 parents right, edge AUC 1.000",
    ] {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }
    assert!(!text.contains('\x1b'), "no colours where nobody sees them");
}

#[test]
fn infer_learns_the_workers_and_is_the_same_twice() {
    let folder = Folder::with("infer_learn", FOOD);
    let line = "infer --concepts food.txt --answers votes.csv --seed 3 --json";
    let (once, again) = (folder.grove(line), folder.grove(line));
    assert_eq!(once, again);
    let found = json(&once);
    assert_eq!(found["engine"], "ensemble");
    assert_eq!(found["converged"], true);
    let rate = |worker: usize| found["workers"][worker]["yes_when_neither"]["mean"].as_f64().unwrap();
    let names: Vec<&str> = (0..4).map(|at| found["workers"][at]["worker"].as_str().unwrap()).collect();
    assert_eq!(names, ["ann", "bob", "cy", "dot"]);
    assert!(rate(3) > rate(0), "dot says yes to what is not so more often than ann");
}

/// 30 people of whom 18 say that a tomato is a fruit, and 12 that it is a vegetable; nobody is asked about salt.
fn divided_votes() -> String {
    let mut votes = "worker,upper,lower,answer\n".to_owned();
    for person in 0..30 {
        let second = person % 5 >= 3;
        let asked = [
            ("fruit", "tomato", !second),
            ("vegetable", "tomato", second),
            ("fruit", "apple", person % 10 != 1),
            ("vegetable", "carrot", person % 10 != 2),
            ("vegetable", "apple", person % 10 == 4),
            ("fruit", "carrot", person % 10 == 6),
            ("fruit", "vegetable", person == 7),
            ("tomato", "apple", person == 8),
            ("apple", "tomato", person == 9),
            ("carrot", "tomato", person == 10),
        ];
        for (upper, lower, yes) in asked {
            votes += &format!("p{person},{upper},{lower},{}\n", if yes { "yes" } else { "no" });
        }
    }
    votes
}

#[test]
fn infer_tells_people_who_differ_from_missing_votes() {
    let votes = divided_votes();
    let files: [(&str, &[u8]); 2] =
        [("food.txt", b"fruit\nvegetable\ntomato\napple\ncarrot\nsalt\n"), ("votes.csv", votes.as_bytes())];
    let folder = Folder::with("infer_differ", &files);
    let line = "infer --concepts food.txt --answers votes.csv --root food";
    let found = json(&folder.grove(&format!("{line} --json")));
    let edges = found["hierarchy"].as_array().unwrap();
    let edge = |child: &str| edges.iter().find(|edge| edge["child"] == child).unwrap();
    let tomato = edge("tomato");
    assert_eq!(
        fields(tomato),
        ["alternatives", "certainty", "child", "no", "parent", "places", "reason", "yes"]
    );
    assert_eq!((&tomato["reason"], &tomato["parent"]), (&serde_json::json!(["differ"]), &"fruit".into()));
    let places = tomato["places"].as_array().unwrap();
    assert_eq!(places.len(), 2, "{tomato}");
    for (place, (parent, held)) in places.iter().zip([("fruit", 0.6), ("vegetable", 0.4)]) {
        assert_eq!(fields(place), ["high", "low", "parent", "share"]);
        assert_eq!(place["parent"], parent, "{tomato}");
        let [share, low, high] = ["share", "low", "high"].map(|field| place[field].as_f64().unwrap());
        assert!((share - held).abs() < 0.15 && low <= share && share <= high, "{tomato}");
    }
    let other = &tomato["alternatives"][0];
    assert_eq!(
        other["parent"], "vegetable",
        "the number beside a parent is the chance that a person places it there"
    );
    assert!((other["certainty"].as_f64().unwrap() - 0.4).abs() < 0.15, "{tomato}");
    for (child, reason) in [("apple", "settled"), ("carrot", "settled"), ("salt", "unasked")] {
        assert_eq!(edge(child)["reason"], serde_json::json!([reason]), "{}", edge(child));
        assert!(edge(child).get("places").is_none(), "only where people differ");
    }

    let text = folder.grove(line);
    let drawn = text.lines().find(|line| line.contains("tomato")).unwrap();
    assert!(drawn.contains("tomato: fruit 0.") && drawn.contains(", vegetable 0."), "{drawn}");
    assert!(drawn.ends_with("(people differ)") && !drawn.contains('?'), "{drawn}");
    let drawn = text.lines().find(|line| line.contains("salt")).unwrap();
    assert!(drawn.contains('?') && drawn.ends_with("(not asked)"), "{drawn}");
    assert!(text.contains("\nConcepts that people place differently:\n  tomato: "), "{text}");
    assert!(!text.contains("  tomato: under"), "more votes would not help:\n{text}");
    let csv = folder.grove(&format!("{line} --format csv"));
    let row = csv.lines().find(|row| row.starts_with("tomato")).unwrap();
    assert!(row.contains(",differ,\"fruit 0.") && row.contains("|vegetable 0."), "{row}");
}

#[test]
fn infer_keeps_its_field_names() {
    let folder = Folder::with("infer_json", FOOD);
    let found = json(&folder.grove(&format!("{EXACT} --truth truth.tsv --json")));
    assert_eq!(
        fields(&found),
        [
            "cant_say",
            "concepts",
            "contradictions",
            "converged",
            "divided_questions",
            "doubtful",
            "doubtful_votes",
            "engine",
            "expected_right",
            "health",
            "hierarchy",
            "measures",
            "no",
            "noise",
            "prior",
            "questions",
            "repeated_votes",
            "root",
            "screens",
            "seed",
            "stopped",
            "synonyms",
            "votes",
            "workers",
            "yes"
        ]
    );
    let edges = found["hierarchy"].as_array().unwrap();
    assert_eq!((edges.len(), &found["concepts"], &found["votes"]), (4, &4.into(), &23.into()));
    assert_eq!(fields(&edges[0]), ["alternatives", "certainty", "child", "no", "parent", "reason", "yes"]);
    assert_eq!((&edges[0]["child"], &edges[0]["parent"]), (&"fruit".into(), &"food".into()));
    assert_eq!((&edges[2]["yes"], &edges[2]["no"]), (&4.into(), &0.into()), "the votes on the edge");
    assert_eq!(fields(&edges[3]["alternatives"][0]), ["certainty", "parent"]);
    let vote = &found["doubtful_votes"][0];
    assert_eq!(fields(vote), ["answer", "line", "lower", "probability", "upper", "worker"]);
    assert_eq!(
        fields(&found["workers"][0]),
        [
            "agreement",
            "cant_say",
            "no",
            "screens",
            "verdict",
            "votes",
            "worker",
            "yes",
            "yes_when_above",
            "yes_when_neither",
            "yes_when_reversed"
        ]
    );
    assert_eq!(fields(&found["health"]), ["approximate", "effective_trees", "r_hat", "verdict"]);
    assert_eq!(
        fields(&found["measures"]),
        ["ancestor_f1", "brier", "calibration_error", "edge_auc", "log_loss", "parents_right", "path_auc"]
    );
    let without = json(&folder.grove(&format!("{EXACT} --json")));
    assert_eq!((&without["measures"], &without["root"]), (&Value::Null, &"everything".into()));
}

#[test]
fn infer_lists_contradictions_and_synonyms() {
    let mut votes = String::from("worker,upper,lower,answer\n");
    for worker in ["ann", "bob", "cy"] {
        for (upper, lower, answer) in [
            ("fruit", "apple", "yes"),
            ("apple", "tomato", "yes"),
            ("fruit", "tomato", "no"),
            ("vegetable", "tomato", "yes"),
            ("tomato", "vegetable", "yes"),
        ] {
            votes.push_str(&format!("{worker},{upper},{lower},{answer}\n"));
        }
    }
    let folder = Folder::with("infer_clash", FOOD);
    folder.write("votes.csv", votes.as_bytes());
    let text = folder.grove(EXACT);
    for words in [
        "fruit above apple (3 yes, 0 no), apple above tomato (3 yes, 0 no), but not fruit above tomato (0 yes, 3 no)",
        "vegetable and tomato: above (3 yes, 0 no) and below (3 yes, 0 no)",
    ] {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }
}

#[test]
fn infer_reads_card_sorts_and_writes_every_format() {
    let folder = Folder::with("infer_formats", FOOD);
    let paths =
        folder.grove("infer --answers sort.csv --noise 0.05 --engine exact --root food --format paths");
    assert_eq!(paths, "food > fruit\nfood > fruit > apple\nfood > vegetable\nfood > vegetable > carrot\n");
    for format in grove_formats::Format::ALL {
        let out = format!("out.{}", format.extension());
        assert_eq!(folder.grove(&format!("{EXACT} --language en --format {format} --out {out}")), "");
        assert!(folder.read(&out).contains("tomato"), "{format}");
    }
    assert_eq!(folder.grove("diff out.ttl out.json --least 0.01").lines().count(), 1, "both hold the same");
}

#[test]
fn the_papers_engine_infers_too() {
    let folder = Folder::with("infer_weights", FOOD);
    let found = json(&folder.grove(
        "infer --concepts food.txt --answers votes.csv --engine weights --noise 0.1 --prior uniform --json",
    ));
    assert_eq!((&found["health"]["verdict"], &found["converged"]), (&"approximate".into(), &Value::Null));
    assert_eq!(found["hierarchy"][2]["parent"], "fruit");
}

#[test]
fn simulate_settles_and_keeps_its_field_names() {
    let folder = Folder::with("simulate", FOOD);
    let line = "simulate --truth random:5 --noise 0.05 --engine exact --runs 3 --seed 8";
    let found = json(&folder.grove(&format!("{line} --json")));
    assert_eq!(
        fields(&found),
        [
            "alone",
            "assumed_noise",
            "engine",
            "floor_questions",
            "forms",
            "median_settled",
            "n",
            "names",
            "noise",
            "prior",
            "questions",
            "ratio",
            "runs",
            "settled_runs",
            "strategy",
            "truth",
            "until"
        ]
    );
    assert_eq!((&found["n"], &found["noise"], &found["strategy"]), (&5.into(), &0.05.into(), &"gain".into()));
    let floor = found["floor_questions"].as_f64().unwrap();
    assert!((floor - 4.0 * 6_f64.log2() / (1.0 - 0.286_396_957)).abs() < 1e-6, "{floor}");
    assert_eq!(found["questions"], (2.0 * floor).ceil() as u64, "twice the floor");
    let runs = found["runs"].as_array().unwrap();
    let seeds: Vec<u64> = runs.iter().map(|run| run["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, [8, 9, 10]);
    for run in runs {
        assert_eq!(
            fields(run),
            [
                "auc",
                "auc_curve",
                "by_form",
                "certain_and_wrong",
                "cost",
                "parents_right",
                "person_seconds",
                "screens",
                "seconds_per_vote",
                "seed",
                "settled",
                "very_certain_and_wrong",
                "votes"
            ]
        );
        assert_eq!(run["votes"], found["questions"]);
        assert!(run["settled"].is_null() || run["parents_right"] == 1.0);
        assert_eq!(run["screens"], run["votes"]);
        assert_eq!(run["person_seconds"].as_f64(), run["votes"].as_f64().map(|votes| 5.0 * votes));
    }
    let text = folder.grove(line);
    assert!(text.contains("questions, which no method can beat on average over all trees"), "{text}");
}

#[test]
fn simulate_asks_in_all_forms() {
    let folder = Folder::with("simulate_forms", FOOD);
    let found = json(&folder.grove(
        "simulate --truth random:6 --noise 0.05 --prior taxonomy --forms yesno,pick,tick --questions 20 --json",
    ));
    assert_eq!(found["forms"], serde_json::json!(["yesno", "pick", "tick"]));
    let run = &found["runs"][0];
    let curve = run["auc_curve"].as_array().unwrap();
    let seconds: Vec<f64> = curve.iter().map(|point| point["person_seconds"].as_f64().unwrap()).collect();
    assert!(seconds.is_sorted() && seconds.last() == run["person_seconds"].as_f64().as_ref());
    assert!(curve.iter().all(|point| point["screens"] == point["votes"]));
    let alone = json(&folder.grove("simulate --truth truth.tsv --alone --json"));
    let run = &alone["runs"][0];
    assert_eq!((&run["parents_right"], &run["certain_and_wrong"]), (&1.0.into(), &0.into()));
    assert!(run["screens"].as_u64().unwrap() <= 3 * alone["n"].as_u64().unwrap(), "{run}");
}

#[test]
fn simulate_does_not_depend_on_the_number_of_threads() {
    let folder = Folder::with("simulate_threads", FOOD);
    let line = "simulate --truth random:6 --noise 0.1 --runs 2 --questions 15 --json";
    let run = |threads: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_grove"));
        let output = command.args(line.split(' ')).env("RAYON_NUM_THREADS", threads).output().unwrap();
        let mut found = json(&String::from_utf8(output.stdout).unwrap());
        for run in found["runs"].as_array_mut().unwrap() {
            run.as_object_mut().unwrap().remove("seconds_per_vote").unwrap();
        }
        found
    };
    assert_eq!(run("1"), run("4"));
    let truth = folder.grove("simulate --truth truth.tsv --noise 0 --engine exact --until 0.9 --json");
    let truth = json(&truth);
    assert!(truth["runs"][0]["votes"].as_u64() < truth["questions"].as_u64(), "stopped at the target");
}

#[test]
fn simulate_draws_votes_from_a_pool_and_stops_when_it_is_empty() {
    let folder = Folder::with("simulate_pool", FOOD);
    let line =
        "simulate --truth truth.tsv --answers votes.csv --engine exact --questions 500 --json --strategy";
    for strategy in ["gain", "worst-case", "random"] {
        let found = json(&folder.grove(&format!("{line} {strategy}")));
        assert_eq!(found["runs"][0]["votes"], 23, "{strategy}: every vote once");
        // Of 14 votes on false statements 2 are wrong, of 8 on true ones 1.
        assert_eq!(found["noise"], serde_json::json!([2.0 / 14.0, 1.0 / 8.0]), "{strategy}");
    }
}

#[test]
fn simulate_gathers_a_described_crowd() {
    let folder = Folder::with("simulate_crowd", FOOD);
    folder.write("crowd.txt", b"people = 12\nrates = 0.9 0.1\nalways_yes = 0.1\n");
    let found = json(
        &folder
            .grove("simulate --truth builtin:food --crowd crowd.txt --questions 30 --strategy random --json"),
    );
    assert_eq!((&found["n"], &found["assumed_noise"]), (&26.into(), &"learn".into()));
    assert_eq!(found["runs"][0]["votes"], 30);
}

#[test]
fn diff_lists_what_changed() {
    let folder = Folder::with("diff", FOOD);
    folder.write(
        "new.csv",
        b"child,parent,certainty\nfruit,food,1\nvegetable,food,1\nTomato,vegetable,0.6\npear,fruit,0.9\n",
    );
    let text = folder.grove("diff truth.tsv new.csv");
    assert_eq!(
        text,
        "Moved:\n  Tomato: from fruit to vegetable 0.60\n\nNew:\n  pear under fruit 0.90\n\nGone:\n  apple under fruit\n\n\
         1 moved, 1 new, 1 gone, 0 more certain, 0 less certain; 2 under the same parent\n"
    );
    let found = json(&folder.grove("diff truth.tsv new.csv --json"));
    assert_eq!(fields(&found), ["gone", "less_sure", "moved", "new", "same_parent", "surer"]);
    assert_eq!(
        fields(&found["moved"][0]),
        ["concept", "new_certainty", "new_parent", "old_certainty", "old_parent"]
    );
    assert_eq!(folder.run("diff truth.tsv new.csv --exit-code").status.code(), Some(1));
    assert_eq!(folder.run("diff truth.tsv truth.tsv --exit-code").status.code(), Some(0));
}

#[test]
fn concepts_shows_what_it_did_and_can_be_overridden() {
    let folder = Folder::with("concepts", &[("drop.txt", b"# not concepts\nthing\n")]);
    let mut tags = String::from("item,worker,tag\n");
    for worker in 0..6 {
        let odd = if worker % 2 == 0 { "Apple" } else { "apples" };
        tags.push_str(&format!("1,w{worker},{odd}\n2,w{worker},banana\n3,w{worker},thing\n"));
    }
    tags.push_str("2,w7,bananna\n4,w7,saffron\n");
    folder.write("tags.csv", tags.as_bytes());
    let text = folder.grove("concepts tags.csv --drop drop.txt");
    for words in [
        "banana (7 workers, 7 uses)",
        "apples into Apple: plural and singular (3 workers)",
        "bananna into banana: 1 typo (1 worker)",
        "thing: on the drop list (6 workers)",
        "saffron: too few workers (1 worker)",
        "2 concepts, 2 tags merged, 2 dropped",
    ] {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }
    let line =
        "concepts tags.csv --drop drop.txt --keep saffron --initial 1 --out a.csv --later b.csv --json";
    let found = json(&folder.grove(line));
    assert_eq!(fields(&found), ["dropped", "initial", "later", "merged"]);
    assert_eq!(fields(&found["initial"][0]), ["name", "synonyms", "uses", "workers"]);
    assert_eq!(folder.read("a.csv"), "concept,definition,synonyms\nbanana,,\n");
    assert_eq!(folder.read("b.csv"), "concept,definition,synonyms\nApple,,\nsaffron,,\n");
    assert_eq!(folder.grove("concepts tags.csv --out a.csv --quiet"), "");
}

#[test]
fn convert_changes_the_format_and_the_heading() {
    let folder = Folder::with("convert", FOOD);
    assert_eq!(folder.grove("convert truth.tsv --to newick"), "[&R] ((apple,tomato)fruit,vegetable)food;\n");
    folder.grove(
        "convert truth.tsv --to skos --base https://example.org/ --language en --title Foods --out food.ttl",
    );
    let turtle = folder.read("food.ttl");
    assert!(turtle.contains("\"Foods\"@en") && turtle.contains("https://example.org/"), "{turtle}");
    assert_eq!(folder.grove("diff truth.tsv food.ttl").lines().count(), 1);
}

#[test]
fn a_file_is_replaced_completely() {
    let folder = Folder::with("replace", FOOD);
    folder.write("out.csv", b"old\n");
    folder.grove("convert truth.tsv --to csv --out out.csv");
    assert!(folder.read("out.csv").starts_with("child,parent,"));
    assert_eq!(folder.contents().len(), FOOD.len() + 1, "nothing is left beside it");
}

#[test]
fn the_demo_runs_without_a_server() {
    let folder = Folder::with("demo", &[]);
    let text = folder.grove("demo --headless --votes 40 --people 5 --quiet");
    for words in ["26 foods, 5 people, 40 votes", "food\n├─ ", "\ndoubtful: ", "cost: 40 votes, $0.32"] {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }
}

#[test]
fn the_lab_fills_tables_and_continues_from_them() {
    let folder = Folder::with("lab", &[]);
    let page = folder.grove("lab calibration --quick --out trial --threads 2");
    for words in ["## Calibration", "quick run", "Made by `grove lab calibration`", "(calibration.svg)"] {
        assert!(page.contains(words), "{words:?} is not in:\n{page}");
    }
    assert!(folder.read("trial/results/calibration.svg").contains("</svg>"));
    assert_eq!(folder.read("trial/results/calibration.md"), page);
    let table = folder.read("trial/results/calibration.csv");
    // A row that was lost is computed again, and is the same but for its seconds, which are the column before the last.
    let (kept, lost) = table.trim_end().rsplit_once('\n').unwrap();
    folder.write("trial/results/calibration.csv", format!("{kept}\n").as_bytes());
    folder.grove("lab calibration --quick --out trial");
    let again = folder.read("trial/results/calibration.csv");
    let without_seconds = |row: &str| row.rsplitn(3, ',').last().unwrap().to_owned();
    assert_eq!(again.lines().last().map(without_seconds), Some(without_seconds(lost)));
    assert!(again.starts_with(kept) && again.lines().count() == table.lines().count());
}

#[test]
fn completions_and_manual_pages() {
    let folder = Folder::with("shells", &[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(folder.grove(&format!("completions {shell}")).contains("simulate"), "{shell}");
    }
    assert!(folder.grove("man").contains(".TH grove"));
    assert!(folder.grove("man infer").contains("card sort"));
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_grove"));
    let mut child =
        command.args(["completions", "zsh"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

/// Whether a process catches SIGINT, as Linux tells.
#[cfg(target_os = "linux")]
fn catches_interrupts(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).is_ok_and(|signals| signals & 0b10 != 0)
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_inference_prints_what_it_has() {
    use std::process::{Command, Stdio};
    const CONCEPTS: usize = 1_500;
    let concepts: String = (0..CONCEPTS).map(|at| format!("c{at}\n")).collect();
    let vote = |at: usize| format!("w{},c{},c{at},yes\n", at % 7, at / 8);
    let votes: String = (8..CONCEPTS).map(vote).collect();
    let votes = format!("worker,upper,lower,answer\n{votes}");
    let files = [("concepts.txt", concepts.as_bytes()), ("votes.csv", votes.as_bytes())];
    let folder = Folder::with("interrupted", &files);
    let mut command = Command::new(env!("CARGO_BIN_EXE_grove"));
    command.args(["infer", "--concepts", "concepts.txt", "--answers", "votes.csv", "--json"]);
    command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    while !catches_interrupts(child.id()) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("stopping with the result so far"), "{said}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["stopped"], &found["converged"]), (&true.into(), &false.into()));
    assert_eq!(found["hierarchy"].as_array().unwrap().len(), CONCEPTS);
}
