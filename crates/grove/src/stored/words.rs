//! Words and numbers that several commands print.

use grove_campaign::State;
use grove_formats::{Entry, Hierarchy};
use grove_store::{Answer, Correction, Moment, Question};
use grove_tree::Concept;
use serde_json::{Value, json};

use crate::files;

/// A moment as people and programs write it, in UTC, to the second.
pub(super) fn time(moment: Moment) -> String {
    match jiff::Timestamp::from_second(moment.0.div_euclid(1_000_000)) {
        Ok(time) => time.to_string(),
        // Past the year 9999, which only a broken clock can say.
        Err(_) => format!("{} s after 1970", moment.0 / 1_000_000),
    }
}

/// The word for an answer.
pub(super) fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "yes",
        Answer::No => "no",
        Answer::CantSay => "can't say",
    }
}

/// A question in words, between quotes.
pub(super) fn question(state: &State, question: Question) -> String {
    match state.ask(question) {
        Ok(asked) => format!("\"{}\"", asked.text),
        Err(_) => format!("{} above {}", state.name_of(question.upper), state.name_of(question.lower)),
    }
}

/// A correction in words.
pub(super) fn correction(state: &State, correction: Correction) -> String {
    correction.map(|number| state.name_of(number)).to_string()
}

/// Prints one object, on lines of its own.
pub(super) fn print_object(object: &Value) -> anyhow::Result<()> {
    files::print(&(serde_json::to_string_pretty(object)? + "\n"))
}

/// A hierarchy as a list of edges, with the field names of `grove infer --json`.
pub(super) fn edges(hierarchy: &Hierarchy) -> Vec<Value> {
    let alternative = |&(parent, certainty): &(Concept, f64)| json!({ "parent": hierarchy.name(parent), "certainty": certainty });
    let edge = |(concept, entry): (Concept, &Entry)| {
        json!({
            "child": entry.name,
            "parent": hierarchy.parent_name(concept),
            "certainty": entry.certainty,
            "alternatives": entry.alternatives.iter().map(alternative).collect::<Vec<_>>(),
            "yes": entry.yes,
            "no": entry.no,
        })
    };
    hierarchy.concepts().map(edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(time(Moment(0)), "1970-01-01T00:00:00Z");
        assert_eq!(time(Moment(1_763_251_199_999_999)), "2025-11-15T23:59:59Z");
        assert_eq!(time(Moment(-1)), "1969-12-31T23:59:59Z");
        assert_eq!(time(Moment(i64::MAX)), "9223372036854 s after 1970");
    }
}
