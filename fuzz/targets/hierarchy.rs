//! Any bytes as a file, for one reader.

#![no_main]

#[path = "../../crates/grove-formats/tests/checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::Reader::Hierarchy.check(bytes));
