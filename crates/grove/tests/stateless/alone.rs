//! One careful person answers until nothing worth asking is left: how many screens that takes, and whether the result is right.

use std::cell::Cell;

use serde_json::Value;

use crate::folder::Folder;

/// Lists of 25 to 30 concepts, and of about 70.
const SHORT: [&str; 4] = ["food", "clothing", "programming", "vehicles"];
const LONG: [&str; 2] = ["kitchen_utensils", "instruments"];

/// A list, answered in some way.
struct Case<'a> {
    list: &'static str,
    options: &'a str,
    runs: usize,
    /// The most screens for each concept.
    most: f64,
}

impl Case<'_> {
    fn run(&self) -> (f64, Vec<Value>) {
        let Self { list, options, runs, .. } = self;
        let folder = Folder::with(&format!("alone_{list}_{}", options.len()), &[]);
        let text = folder.grove(&format!(
            "simulate --truth builtin:{list} --alone --runs {runs} {options} --json --quiet"
        ));
        let found: Value = serde_json::from_str(&text).expect("the program prints JSON");
        let count = found["n"].as_f64().expect("a number of concepts");
        (count, found["runs"].as_array().expect("a list of runs").clone())
    }

    /// Checks every run; the screens for each concept in the mean, for the log.
    fn check(&self, check: impl Fn(f64, &Value, &str)) {
        let (count, runs) = self.run();
        let mut all = Vec::new();
        for run in &runs {
            let screens = run["screens"].as_f64().expect("a number of screens") / count;
            let words = format!("{} {}: {screens:.2} screens a concept, {run}", self.list, self.options);
            assert!(screens <= self.most, "more than {}: {words}", self.most);
            check(count, run, &words);
            all.push(screens);
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        println!("{} {}: {mean:.2} screens a concept, {:?}", self.list, self.options, all);
    }
}

fn number(run: &Value, field: &str) -> f64 {
    run[field].as_f64().unwrap_or_else(|| panic!("{field} is a number in {run}"))
}

/// Without an error, nearly all is right, and nothing wrong is called certain.
fn without_error(_: f64, run: &Value, words: &str) {
    assert!(number(run, "parents_right") >= 0.95, "{words}");
    assert!(number(run, "certain_and_wrong") == 0.0, "{words}");
    assert!(number(run, "person_seconds") > 0.0, "{words}");
}

/// With slips, what is wrong and very certain. Slips about the same few concepts that happen to agree make several of them wrong in one run and none in
/// most, so these are counted over all runs.
#[derive(Default)]
struct Slips {
    concepts: Cell<f64>,
    wrong: Cell<f64>,
}

impl Slips {
    fn count(&self, case: &Case<'_>) {
        case.check(|count, run, _| {
            self.concepts.set(self.concepts.get() + count);
            self.wrong.set(self.wrong.get() + number(run, "very_certain_and_wrong"));
        });
    }

    /// At most two concepts in a hundred.
    fn check(&self, options: &str) {
        let (wrong, concepts) = (self.wrong.get(), self.concepts.get());
        println!("{options}: {wrong} of {concepts} concepts wrong and very certain");
        assert!(wrong <= 0.02 * concepts, "{options}: {wrong} of {concepts}");
    }
}

const YES_NO_PICK_TICK: &str = "--forms yesno,pick,tick";
const SLIPS: &str = "--noise 0.02 --cant-say 0.1";

#[test]
fn a_short_list_takes_few_screens() {
    for list in ["food", "vehicles"] {
        Case { list, options: "", runs: 1, most: 1.5 }.check(without_error);
    }
}

/// Half an hour on two cores: `cargo test --release -p taxogrove --test stateless -- --ignored --nocapture alone`.
#[test]
#[ignore = "takes half an hour; the command is above"]
fn all_lists_in_all_ways() {
    let without_place = &format!("{YES_NO_PICK_TICK} {SLIPS}");
    let (all_forms, fewer_forms) = (Slips::default(), Slips::default());
    for list in SHORT {
        Case { list, options: "", runs: 4, most: 1.5 }.check(without_error);
        Case { list, options: YES_NO_PICK_TICK, runs: 4, most: 3.0 }.check(without_error);
        all_forms.count(&Case { list, options: SLIPS, runs: 12, most: 2.25 });
        fewer_forms.count(&Case { list, options: without_place, runs: 12, most: 4.5 });
    }
    for list in LONG {
        Case { list, options: "", runs: 2, most: 2.0 }.check(without_error);
        Case { list, options: YES_NO_PICK_TICK, runs: 2, most: 4.0 }.check(without_error);
        all_forms.count(&Case { list, options: SLIPS, runs: 2, most: 3.0 });
    }
    all_forms.check(SLIPS);
    fewer_forms.check(without_place);
}
