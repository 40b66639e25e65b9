//! Recruiting people and asking models, against services on this machine.

use grove_sandbox::{ModelFault, ModelScript, Sandbox, SandboxOptions, ScriptedModel};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::folder::Folder;

const PARENTS: [(&str, &str); 8] = [
    ("cheese", "food"),
    ("brie", "cheese"),
    ("cheddar", "cheese"),
    ("fruit", "food"),
    ("apple", "fruit"),
    ("citrus fruit", "fruit"),
    ("lime", "citrus fruit"),
    ("bread", "food"),
];

/// A folder with a campaign, and the hierarchy that is right in `truth.csv`.
fn food(options: &[&str]) -> Folder {
    let folder = Folder::new();
    let (mut concepts, mut truth) = (String::new(), String::from("child,parent\n"));
    for (child, parent) in PARENTS {
        concepts.push_str(&format!("{child}\n"));
        truth.push_str(&format!("{child},{parent}\n"));
    }
    folder.write("concepts.txt", &concepts);
    folder.write("truth.csv", &truth);
    folder.good(&[&["new", "food", "--concepts", "concepts.txt", "--root", "food"], options].concat());
    folder
}

fn json(folder: &Folder, args: &[&str]) -> Value {
    serde_json::from_str(&folder.good(args)).expect("an object as documented")
}

/// How many concepts are where they belong.
fn right(folder: &Folder) -> usize {
    let shown = json(folder, &["show", "food", "--json"]);
    let edges = shown["hierarchy"].as_array().expect("an object as documented");
    let is_right = |edge: &&Value| {
        PARENTS.iter().any(|(child, parent)| edge["child"] == *child && edge["parent"] == *parent)
    };
    edges.iter().filter(is_right).count()
}

/// A runtime for a service: the program runs beside it in a process of its own.
fn runtime() -> Runtime {
    Runtime::new().expect("a runtime for a test")
}

#[test]
fn simulated_people_of_the_sandbox_find_the_hierarchy_in_all_forms() {
    for options in [&[][..], &["--for", "crowd"]] {
        let folder = food(options);
        let args =
            ["recruit", "--sandbox", "food", "--people", "24", "--questions", "5", "--truth", "truth.csv"];
        let said = folder.good(&args);
        assert!(said.contains("published; 24 people take part") && said.contains(" spent"), "{said}");
        assert!(right(&folder) >= 7, "{options:?}: {}", folder.good(&["show", "food"]));
        // The belief has taken in all votes, so there is nothing to write.
        let before = folder.files();
        let shown = json(&folder, &["recruit", "show", "food", "--json"]);
        assert!(folder.files() == before, "looking changed something");
        let finished = shown["panels"][0]["finished"].as_u64().expect("an object as documented");
        assert!(finished >= 4, "{shown}");
        assert!(shown["panels"][0]["hourly_cents"].as_u64() > Some(0), "{shown}");
        let text = folder.good(&["recruit", "show", "food"]);
        let methods = format!(
            "by {finished} people recruited through sandbox (up to 5 questions each, paid a median of "
        );
        assert!(text.contains(&methods) && text.contains(" an hour"), "{text}");
        assert!(text.contains("The mean certainty of the hierarchy's edges is "), "{text}");
    }
    // People who were given no hierarchy agree on one.
    let folder = food(&[]);
    let said = folder.good(&["recruit", "--sandbox", "food", "--people", "4", "--questions", "3"]);
    assert!(said.contains("4 finished"), "{said}");
}

#[test]
fn a_study_is_drafted_published_notified_about_and_approved() {
    let runtime = runtime();
    let sandbox = runtime.block_on(Sandbox::start(SandboxOptions::default())).expect("a free port");
    let folder = food(&["--for", "crowd"]);
    folder.write("token", &sandbox.token());
    let crowds = format!(
        "[panels.local]\nbase_url = {:?}\ntoken_file = \"token\"\nworkspace = {:?}\nowners = [\"*\"]\nmost_cents = 100000\n",
        sandbox.url(),
        sandbox.workspace()
    );
    folder.write("crowds.toml", &crowds);
    let study = "--panel local --people 3 --questions 5 --minutes 5 --reward 1.01 --title Food --description Short. --url http://127.0.0.1:9";
    let drafted = |budget: &str| {
        let mut args = vec!["recruit", "study", "food", "--crowds", "crowds.toml", "--budget", budget];
        args.extend(study.split(' '));
        folder.good(&args)
    };
    // Rewards of 3.03, a fee of 1.01 (33.3 %), and a tax of 0.20 (20 % of that).
    assert!(drafted("4.23").contains("the study would cost 4.24 GBP with fees and tax"));
    let on = |action: &'static str| ["recruit", action, "food", "--crowds", "crowds.toml"];
    let (code, _, refused) = folder.run(&on("publish"), "");
    assert!(code != 0 && refused.contains("above its budget of 4.23"), "{refused}");
    drafted("4.24");
    folder.good(&on("publish"));
    let shown = json(&folder, &["recruit", "show", "food", "--json"]);
    let id = shown["panels"][1]["study"].as_str().expect("the study that was published").to_owned();

    // Webhooks: the secret goes into a file, and nothing is subscribed to twice.
    let hooks =
        ["recruit", "hooks", "--crowds", "crowds.toml", "--panel", "local", "--url", "http://127.0.0.1:9/"];
    let (code, _, refused) = folder.run(&hooks, "");
    assert!(code != 0 && refused.contains("--secret-file"), "{refused}");
    let said = folder.good(&[&hooks[..], &["--secret-file", "hooks"]].concat());
    let line = "webhook_secret_file = \"hooks\"";
    assert!(said.contains(line) && said.contains("http://127.0.0.1:9/api/hooks/local"), "{said}");
    assert_eq!(folder.text("hooks").trim(), sandbox.hook_secret());
    assert!(!said.contains(&sandbox.hook_secret()));
    let (code, _, refused) = folder.run(&[&hooks[..], &["--secret-file", "hooks"]].concat(), "");
    assert!(code != 0 && refused.contains("hooks exists already"), "{refused}");
    folder.write("crowds.toml", &format!("{crowds}{line}\n"));
    folder.good(&hooks);
    assert_eq!(folder.text("hooks").trim(), sandbox.hook_secret());
    assert_eq!(sandbox.subscriptions(), 2);

    let visit = sandbox.take_place(&id).expect("a place that is free");
    sandbox.hand_in(&visit.submission, "MADE-UP");
    // Nobody whom the server has not seen is approved.
    assert!(folder.good(&on("approve")).contains("approved 0 submissions"));
    folder.good(&on("stop"));
    assert!(sandbox.take_place(&id).is_none() && sandbox.ledger().charged == 0);
}

#[test]
fn a_model_is_asked_and_every_answer_has_its_provenance() {
    const KEY: &str = "sk-never-to-be-seen";
    let parents = PARENTS.map(|(child, parent)| (child.to_owned(), parent.to_owned()));
    let script = ModelScript {
        parents: parents.into_iter().collect(),
        top_error: 0.0,
        leaf_error: 0.0,
        temperature: 0.5,
        key: Some(KEY.to_owned()),
        fault: ModelFault::None,
        seed: 1,
    };
    let runtime = runtime();
    let model = runtime.block_on(ScriptedModel::start(script)).expect("a free port");
    let folder = food(&["--for", "paper", "--language", "en"]);
    let base = model.base_url();
    let ask =
        ["ask-model", "food", "--base-url", &base, "--model", "scripted", "--questions", "12", "--json"];
    let (code, _, refused) = folder.run(&ask, "");
    assert!(code != 0 && refused.contains("says 401"), "{refused}");
    let priced =
        [&ask[..], &["--key-env", "MODEL_KEY", "--input-price", "1.0", "--output-price", "4.0"]].concat();
    let asked = folder.with_variable("MODEL_KEY", KEY, &priced);
    let asked: Value = serde_json::from_str(&asked).expect("an object as documented");
    assert_eq!((&asked["asked"], &asked["cached"]), (&12.into(), &0.into()), "{asked}");

    let lines = folder.good(&["ask-model", "food", "--calls"]);
    let calls: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let answered: Vec<&Value> = calls.iter().filter(|call| !call["answer"].is_null()).collect();
    assert_eq!(answered.len(), 12, "{lines}");
    for call in answered {
        assert_eq!((&call["endpoint"], &call["model"]), (&"scripted".into(), &"scripted-1".into()), "{call}");
        assert_eq!(call["mode"], "logprobs", "{call}");
        assert_eq!(call["prompt"].as_str().map(str::len), Some(32), "{call}");
        let yes = call["yes"].as_f64().expect("the model tells");
        assert_eq!(call["answer"], if yes >= 0.5 { "yes" } else { "no" }, "{call}");
        assert!(call["question"].as_str().is_some_and(|question| question.contains(" a kind of ")), "{call}");
        let paid = call["input_tokens"].as_f64().unwrap_or(0.0) * 1e-4
            + call["output_tokens"].as_f64().unwrap_or(0.0) * 4e-4;
        assert!((call["cost_cents"].as_f64().unwrap_or(0.0) - paid).abs() < 1e-9 && paid > 0.0, "{call}");
    }
    let report = json(&folder, &["ask-model", "food", "--report", "--json"]);
    let answers: u64 = report["models"]
        .as_array()
        .expect("an object as documented")
        .iter()
        .filter_map(|one| one["answers"].as_u64())
        .sum();
    assert_eq!(answers, 12, "{report}");
    let everything: Vec<u8> = folder.files().into_iter().flat_map(|(_, bytes)| bytes).collect();
    assert!(!everything.windows(KEY.len()).any(|part| part == KEY.as_bytes()));
}
