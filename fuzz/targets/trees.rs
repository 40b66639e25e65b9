//! Trees from any list of parents.

#![no_main]

#[path = "../../crates/grove-tree/tests/weights/checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let depth = checks::tree(bytes);
    // The control: `make fuzz-control` has to find this.
    assert!(!cfg!(feature = "planted") || depth.is_none_or(|depth| depth < 6), "the planted fault");
});
