//! Any bytes as a file, for one reader.

#![no_main]

#[path = "../../crates/grove-formats/tests/checks/mod.rs"]
#[expect(dead_code, reason = "shared by the targets of all readers")]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::Reader::Placements.check(bytes));
