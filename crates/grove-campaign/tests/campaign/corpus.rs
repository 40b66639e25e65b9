//! The inputs that the fuzzers of bodies and tickets start from.

use std::fs;
use std::path::Path;

use crate::checks;

fn inputs(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../grove-formats/tests/corpus").join(target);
    let files = fs::read_dir(folder).expect("every target has a folder");
    files.map(|file| fs::read(file.expect("a file").path()).expect("it can be read")).collect()
}

#[test]
fn inputs_of_the_fuzzers_keep_the_promises() {
    let bodies = inputs("bodies");
    for body in &bodies {
        checks::body(std::str::from_utf8(body).expect("a text"));
    }
    // Otherwise the fuzzer would start from errors alone.
    let is_answer = |body: &&Vec<u8>| {
        serde_json::from_slice::<grove_vocabulary::Response<u32, String>>(body)
            .is_ok_and(|read| read.check().is_ok())
    };
    let is_settings = |body: &&Vec<u8>| {
        serde_json::from_slice(body).is_ok_and(|json| grove_campaign::Settings::from_json(&json).is_ok())
    };
    let is_crowd = |body: &&Vec<u8>| {
        std::str::from_utf8(body).is_ok_and(|text| grove_sim::CrowdSpec::parse(text).is_ok())
    };
    assert!(bodies.iter().filter(is_answer).count() >= 6);
    assert!(bodies.iter().any(|body| is_settings(&body)) && bodies.iter().any(|body| is_crowd(&body)));
    let tickets = inputs("tickets");
    assert!(tickets.len() >= 5);
    tickets.iter().for_each(|input| checks::ticket(input));
}
