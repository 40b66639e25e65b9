//! Any text as the ticket of a vote, and good tickets with some bytes changed.

#![no_main]

#[path = "../../crates/grove-campaign/tests/campaign/checks.rs"]
#[expect(dead_code, reason = "shared with another target")]
mod checks;

libfuzzer_sys::fuzz_target!(|input: &[u8]| checks::ticket(input));
