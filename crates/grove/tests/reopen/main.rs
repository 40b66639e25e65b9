//! Databases written by earlier programs, opened by this one. `fixtures/schema-1/make` tells how they were made.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use uuid::Uuid;

/// A copy of a fixture, removed with the test.
struct Fixture {
    folder: PathBuf,
    database: &'static str,
}

impl Fixture {
    fn open(database: &'static str) -> Self {
        let folder = std::env::temp_dir().join(format!("grove-reopen-{}", Uuid::new_v4()));
        std::fs::create_dir(&folder).expect("a new folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema-1");
        for file in std::fs::read_dir(source).expect("the fixture") {
            let file = file.expect("the fixture");
            std::fs::copy(file.path(), folder.join(file.file_name())).expect("a file can be copied");
        }
        Self { folder, database }
    }

    /// Runs the program, which has to succeed, and returns its output.
    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grove"));
        command.args(arguments).current_dir(&self.folder).env("GROVE_DATABASE", self.database);
        let output = command.output().expect("the program can be run");
        let text = String::from_utf8(output.stdout).expect("text");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "grove {}: {text}{errors}", arguments.join(" "));
        text
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.run(arguments)).expect("JSON")
    }

    /// What the earlier program printed.
    fn expected(&self, file: &str) -> Value {
        let text = std::fs::read_to_string(self.folder.join(file)).expect("the fixture");
        serde_json::from_str(&text).expect("JSON")
    }

    /// Everything that the earlier program said of a campaign, this one says too, and comes to the same bits.
    fn says_the_same(&self, campaign: &str) {
        let shown = self.json(&["show", campaign, "--json"]);
        let expected = self.expected(&format!("{campaign}.show.json"));
        for (field, value) in expected.as_object().expect("an object") {
            // Opening a campaign may write to its log.
            if field != "position" {
                assert_eq!(rounded(&shown[field]), rounded(value), "{field} of {campaign}");
            }
        }
        let hierarchy = self.json(&["export", campaign, "--format", "json"]);
        assert_eq!(rounded(&hierarchy), rounded(&self.expected(&format!("{campaign}.hierarchy.json"))));

        // Votes, corrections and edits, and the digests of the belief at every step.
        let history = entries(self.json(&["history", campaign, "--all", "--json"]));
        let expected = entries(self.expected(&format!("{campaign}.history.json")));
        assert_eq!(&history[..expected.len()], &expected[..]);

        // Computing the belief again from the log gives the digests that the earlier program wrote.
        let replayed = self.json(&["replay", campaign, "--json"]);
        assert_eq!(replayed["same_bits"], true, "{replayed}");
    }
}

/// The entries of a history. The backup was made before the last record of the belief, which this program then writes itself, with the
/// same digest but at another time; so the times of these records are left out.
fn entries(mut history: Value) -> Vec<Value> {
    let mut entries = std::mem::take(history["entries"].as_array_mut().expect("entries"));
    for entry in entries.iter_mut().filter(|entry| entry["event"]["event"] == "advanced") {
        entry["time"] = Value::Null;
        *entry = rounded(entry);
    }
    entries
}

/// Numbers rounded to 12 digits. The belief's own bits are compared by its digests; what is reported of it was once normalised at
/// another place, so the last digit may differ.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or(Value::Null, |number| format!("{number:.12}").into())
        }
        Value::Array(values) => values.iter().map(rounded).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), rounded(value))).collect(),
        other => other.clone(),
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn an_earlier_database_opens_with_the_same_answers() {
    let fixture = Fixture::open("grove.db");
    fixture.says_the_same("food");
    fixture.says_the_same("plain");
    fixture.run(&["doctor"]);
}

#[test]
fn an_earlier_backup_restores() {
    let fixture = Fixture::open("restored.db");
    fixture.run(&["restore", "backup.db"]);
    fixture.says_the_same("food");
    fixture.says_the_same("plain");
    fixture.run(&["doctor"]);
}

#[test]
fn an_earlier_campaign_goes_on() {
    let fixture = Fixture::open("grove.db");
    let more = "worker,upper,lower,answer\nfay,fruit,pear,yes\n";
    std::fs::write(fixture.folder.join("more.csv"), more).expect("a file can be written");
    let before = fixture.expected("food.show.json")["votes"].as_u64().expect("a number");
    let imported = fixture.json(&["import", "food", "more.csv", "--json"]);
    assert_eq!((&imported["imported"], imported["votes"].as_u64()), (&Value::from(1), Some(before + 1)));
    fixture.run(&["free", "food", "orange"]);
    let shown = fixture.json(&["show", "food", "--json"]);
    assert_eq!(shown["corrections"].as_array().map(Vec::len), Some(3), "{shown}");
    assert_eq!(fixture.json(&["replay", "food", "--json"])["same_bits"], true);
    fixture.run(&["doctor"]);
}

/// The exact engine has no randomness, and evidence does not depend on the order of votes: certainties are equal to the bit.
#[test]
fn an_earlier_campaign_equals_what_infer_finds_in_its_votes() {
    let fixture = Fixture::open("grove.db");
    let history = fixture.json(&["history", "plain", "--all", "--json"]);
    let mut names = vec!["food".to_owned()];
    let mut votes = "worker,upper,lower,answer,kind\n".to_owned();
    for entry in entries(history) {
        let event = &entry["event"];
        let text = |field: &str| event[field].as_str().expect("a text").to_owned();
        match text("event").as_str() {
            "concept_added" => names.push(text("name")),
            "vote_cast" => {
                let [upper, lower] =
                    ["upper", "lower"].map(|end| event[end].as_u64().expect("a number") as usize);
                votes += &format!(
                    "{},{},{},{},{}\n",
                    text("worker"),
                    names[upper],
                    names[lower],
                    text("answer"),
                    text("kind")
                );
            }
            _ => {}
        }
    }
    std::fs::write(fixture.folder.join("votes.csv"), votes).expect("a file can be written");
    let settings = "--root food --engine exact --noise 0.05 --prior uniform --json";
    let mut arguments = vec!["infer", "--concepts", "concepts.txt", "--answers", "votes.csv"];
    arguments.extend(settings.split(' '));
    let inferred = fixture.json(&arguments);
    let shown = fixture.json(&["show", "plain", "--json"]);
    let places = |answer: &Value| {
        let hierarchy = answer["hierarchy"].as_array().expect("a hierarchy").clone();
        let place =
            |entry: Value| ["child", "parent", "certainty", "alternatives"].map(|field| entry[field].clone());
        hierarchy.into_iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(places(&inferred), places(&shown));
    assert_eq!(inferred["votes"], shown["votes"]);
}
