//! Any text as what the API and the log hold: answers to screens, settings, descriptions of crowds.

#![no_main]

#[path = "../../crates/grove-campaign/tests/campaign/checks.rs"]
#[expect(dead_code, reason = "shared with another target")]
mod checks;

libfuzzer_sys::fuzz_target!(|input: &str| checks::body(input));
