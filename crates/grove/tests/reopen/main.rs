//! Databases written by earlier programs, opened by this one. `make` in a folder of `fixtures` tells how it was made; of the versions of the schema that have
//! no folder no program is left, so the test makes them from the version before.

#[path = "../../../grove-store/tests/conformance/postgres.rs"]
mod postgres;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _, SqliteConnection};
use uuid::Uuid;

/// The migrations, as they will always be.
const MIGRATIONS: [&str; 6] = [
    include_str!("../../../grove-store/src/schema/1.sql"),
    include_str!("../../../grove-store/src/schema/2.sql"),
    include_str!("../../../grove-store/src/schema/3.sql"),
    include_str!("../../../grove-store/src/schema/4.sql"),
    include_str!("../../../grove-store/src/schema/5.sql"),
    include_str!("../../../grove-store/src/schema/6.sql"),
];

/// A copy of a fixture, removed with the test.
struct Fixture {
    folder: PathBuf,
    database: String,
}

impl Fixture {
    fn open(database: &str) -> Self {
        Self::copy(1, database)
    }

    fn copy(version: usize, database: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("grove-reopen-{}", Uuid::new_v4()));
        std::fs::create_dir(&folder).expect("a new folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/schema-{version}"));
        for file in std::fs::read_dir(source).expect("the fixture") {
            let file = file.expect("the fixture");
            std::fs::copy(file.path(), folder.join(file.file_name())).expect("a file can be copied");
        }
        Self { folder, database: database.to_owned() }
    }

    /// A database of any version.
    async fn of_schema(version: usize) -> Self {
        let from = if [2, 4, 6].contains(&version) { version - 1 } else { version };
        let fixture = Self::copy(from, "grove.db");
        if from < version {
            let mut db = SqliteConnection::connect(&fixture.file()).await.expect("the fixture");
            let types = [
                ("{int}", "INTEGER"),
                ("{id}", "BLOB"),
                ("{bytes}", "BLOB"),
                ("{rows}", "STRICT"),
                ("{clustered}", "STRICT, WITHOUT ROWID"),
            ];
            let sql = filled_in(from..version, types) + "UPDATE grove_schema SET version = version + 1";
            db.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.expect("the migration is right");
            db.close().await.expect("nobody else uses it");
        }
        fixture
    }

    /// The same on PostgreSQL, as if the earlier program had worked there.
    async fn on_postgres(version: usize) -> Self {
        let mut fixture = Self::of_schema(version).await;
        fixture.database = moved_to_postgres(version, &fixture.file()).await;
        fixture
    }

    fn file(&self) -> String {
        self.folder.join("grove.db").display().to_string()
    }

    /// Runs the program, which has to succeed, and returns its output.
    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grove"));
        command.args(arguments).current_dir(&self.folder).env("GROVE_DATABASE", &self.database);
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

    /// All that the log decides is as the earlier program said it. The belief is of another revision of the engine, which builds it once more.
    fn has_the_same_state(&self, campaign: &str) {
        let shown = self.json(&["show", campaign, "--json"]);
        let expected = self.expected(&format!("{campaign}.show.json"));
        for field in ["name", "root", "concepts", "votes", "workers", "engine", "corrections"] {
            assert_eq!(shown[field], expected[field], "{field} of {campaign}");
        }
        let names = |shown: &Value| -> Vec<Value> {
            let hierarchy = shown["hierarchy"].as_array().expect("a hierarchy").iter();
            hierarchy.map(|edge| edge["child"].clone()).collect()
        };
        assert_eq!(names(&shown), names(&expected), "{campaign}");

        // Votes, corrections and edits, and the records of the earlier engine, which stay as they were. The backup was made before the last of
        // these records; this program writes one of its own in its place.
        let history = self.json(&["history", campaign, "--all", "--json"]);
        let expected = self.expected(&format!("{campaign}.history.json"));
        let (found, before) = (entries(history), entries(expected));
        let same = found.iter().zip(&before).take_while(|(found, before)| found == before).count();
        let is_record = |entry: &Value| entry["event"]["event"] == "advanced";
        assert!(before[same..].iter().all(is_record) && before.len() - same <= 1, "{:?}", &before[same..]);
        let own: Vec<&Value> = found[same..].iter().collect();
        assert!(own.iter().all(|entry| is_record(entry)), "{own:?}");
        assert_eq!(own.first().map(|entry| &entry["event"]["work"]["way"]), Some(&"build".into()), "{own:?}");
        let revision = |entry: &&Value| entry["event"]["work"]["revision"].clone();
        let revisions: Vec<Value> = own.iter().map(revision).collect();
        assert!(revisions.iter().all(|one| *one == grove_belief::ENGINE_REVISION), "{own:?}");

        // Computing the belief again from the log gives the digests that this program wrote.
        let replayed = self.json(&["replay", campaign, "--json"]);
        assert_eq!(replayed["same_bits"], true, "{replayed}");
    }

    /// Everything that the earlier program believed, this one believes too. So it is where rates are given and every tree is counted: there no
    /// revision so far has changed what follows from the votes.
    fn believes_the_same(&self, campaign: &str) {
        let shown = self.json(&["show", campaign, "--json"]);
        let mut expected = self.expected(&format!("{campaign}.show.json"));
        // Opening a campaign may write to its log.
        expected.as_object_mut().expect("an object").remove("position");
        assert_holds(&rounded(&shown), &rounded(&expected));
        let hierarchy = self.json(&["export", campaign, "--format", "json"]);
        let expected = self.expected(&format!("{campaign}.hierarchy.json"));
        assert_holds(&rounded(&hierarchy), &rounded(&expected));
    }
}

/// Checks that a value is as expected. Objects may have fields that the earlier program did not know.
fn assert_holds(found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            for (field, value) in expected {
                assert_holds(found.get(field).unwrap_or(&Value::Null), value);
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
            found.iter().zip(expected).for_each(|(found, expected)| assert_holds(found, expected));
        }
        _ => assert_eq!(found, expected),
    }
}

/// The entries of a history, with the numbers of the belief's records rounded.
fn entries(mut history: Value) -> Vec<Value> {
    let mut entries = std::mem::take(history["entries"].as_array_mut().expect("entries"));
    for entry in entries.iter_mut().filter(|entry| entry["event"]["event"] == "advanced") {
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
fn an_earlier_database_opens_with_the_same_state() {
    is_as_it_was(&Fixture::open("grove.db"));
}

#[test]
fn corrections_of_an_earlier_campaign_hold() {
    let fixture = Fixture::open("grove.db");
    let shown = fixture.json(&["show", "food", "--json"]);
    let edges = shown["hierarchy"].as_array().expect("a hierarchy");
    let of = |child: &str| edges.iter().find(|edge| edge["child"] == child).expect("a concept");
    for (child, parent) in [("orange", "fruit"), ("vegetable", "food")] {
        let edge = of(child);
        assert_eq!((&edge["parent"], edge["certainty"].as_f64()), (&parent.into(), Some(1.0)), "{edge}");
    }
    let tomato = of("tomato");
    let possible = tomato["alternatives"].as_array().expect("alternatives").iter().chain([tomato]);
    assert!(possible.map(|one| &one["parent"]).all(|parent| parent != "vegetable"), "{tomato}");
}

#[test]
fn an_earlier_backup_restores() {
    let fixture = Fixture::open("restored.db");
    fixture.run(&["restore", "backup.db"]);
    fixture.has_the_same_state("food");
    fixture.has_the_same_state("plain");
    fixture.believes_the_same("plain");
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

/// Since schema 5 the number of votes is stored, votes have links, and workers can be excluded.
fn is_upgraded(fixture: &Fixture) {
    fixture.run(&["doctor"]);
    let history = || entries(fixture.json(&["history", "food", "--all", "--json"]));
    let before = entries(fixture.expected("food.history.json"));
    assert_eq!(history()[..before.len()], before);
    let shown = fixture.json(&["show", "food", "--json"]);
    assert_holds(&shown["votes"], &fixture.expected("food.show.json")["votes"]);
    assert_eq!(shown["votes"], 6);
    fixture.run(&["workers", "exclude", "food", "mal"]);
    assert_eq!(fixture.json(&["show", "food", "--json"])["votes"], 5);
    fixture.run(&["doctor"]);
    fixture.run(&["workers", "include", "food", "mal"]);
    let after = fixture.json(&["show", "food", "--json"]);
    assert_eq!((&after["votes"], &after["hierarchy"]), (&shown["votes"], &shown["hierarchy"]));
    assert_eq!(fixture.json(&["replay", "food", "--json"])["same_bits"], true);
    fixture.run(&["doctor"]);
}

/// The first program, and the one after it, had everything that can happen at the command line.
fn is_as_it_was(fixture: &Fixture) {
    fixture.has_the_same_state("food");
    fixture.has_the_same_state("plain");
    fixture.believes_the_same("plain");
    fixture.run(&["doctor"]);
}

#[tokio::test]
async fn databases_of_every_schema_are_upgraded() {
    is_as_it_was(&Fixture::of_schema(2).await);
    for version in 3..=MIGRATIONS.len() {
        is_upgraded(&Fixture::of_schema(version).await);
    }
}

#[tokio::test]
async fn databases_of_every_schema_are_upgraded_on_postgres() {
    if postgres::is_missing() {
        return;
    }
    for version in 1..=2 {
        is_as_it_was(&Fixture::on_postgres(version).await);
    }
    for version in 3..=MIGRATIONS.len() {
        is_upgraded(&Fixture::on_postgres(version).await);
    }
}

/// Some migrations in the words of a database.
fn filled_in(which: std::ops::Range<usize>, types: [(&str, &str); 5]) -> String {
    MIGRATIONS[which]
        .iter()
        .map(|sql| types.iter().fold((*sql).to_owned(), |sql, (word, kind)| sql.replace(word, kind)))
        .collect()
}

/// Makes the tables of a schema on PostgreSQL, fills them with the rows of an SQLite file, and returns the URL.
async fn moved_to_postgres(version: usize, file: &str) -> String {
    let url = postgres::new_database().await;
    let mut to = PgConnection::connect(&url).await.expect("the server runs");
    let mut from = SqliteConnection::connect(file).await.expect("the fixture");
    // The rows come in any order, so references are not checked.
    let mut sql = "CREATE SCHEMA grove; SET search_path TO grove; SET session_replication_role = replica;
        CREATE TABLE grove_schema (version BIGINT NOT NULL);"
        .to_owned();
    let types =
        [("{int}", "BIGINT"), ("{id}", "UUID"), ("{bytes}", "BYTEA"), ("{rows}", ""), ("{clustered}", "")];
    sql += &filled_in(0..version, types);
    to.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.expect("the migrations are right");
    let tables = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'grove'";
    let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut to).await.expect("tables");
    for table in tables {
        let columns = "SELECT column_name::text, data_type::text FROM information_schema.columns
            WHERE table_schema = 'grove' AND table_name = $1";
        let columns: Vec<(String, String)> =
            sqlx::query_as(columns).bind(&table).fetch_all(&mut to).await.expect("columns");
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let quoted: Vec<String> = names.iter().map(|name| format!("quote({name})")).collect();
        let rows = sqlx::raw_sql(AssertSqlSafe(format!("SELECT {} FROM {table}", quoted.join(", "))));
        for row in rows.fetch_all(&mut from).await.expect("the same tables") {
            let value = |(at, (_, kind)): (usize, &(String, String))| literal(row.get(at), kind);
            let values: Vec<String> = columns.iter().enumerate().map(value).collect();
            let sql = format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), values.join(", "));
            to.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.expect("the row fits");
        }
    }
    url
}

/// A value as SQLite writes it, as PostgreSQL reads it.
fn literal(quoted: String, kind: &str) -> String {
    match quoted.strip_prefix("X'") {
        Some(hexadecimal) if kind == "uuid" => format!("'{hexadecimal}"),
        Some(hexadecimal) => format!("'\\x{hexadecimal}"),
        None => quoted,
    }
}
