//! A disk that fails: what could not be written or flushed is not acknowledged, the database stays whole, and votes go on when the disk is well
//! again. What is left is then put through a power loss as well: a flush that failed has kept nothing.

use crate::power::{Harm, lose_power};
use crate::record::Recording;
use crate::writer::WriterMode;

const EIO: u32 = 5;
const ENOSPC: u32 = 28;

const CLIENTS: u32 = 2;
const VOTES: u32 = 40;

/// Records votes while some calls fail.
async fn record(mode: WriterMode, call: &str, error: u32, first: u32, times: u32) -> Recording {
    let faults = [
        ("FAIL_CALL", call.to_owned()),
        ("FAIL_WITH", error.to_string()),
        ("FAIL_AT", first.to_string()),
        ("FAIL_TIMES", times.to_string()),
    ];
    Recording::with(mode, CLIENTS, VOTES, &faults).await
}

/// Returns how many votes were refused.
async fn survives(call: &str, error: u32, first: u32, times: u32) -> usize {
    let recording = record(WriterMode::Stubborn, call, error, first, times).await;
    let harm = lose_power(&recording, u64::from(first), 6).await;
    assert_eq!(harm, Harm::default(), "{call} {first} to {} failing with {error}", first + times);
    (CLIENTS * VOTES) as usize - recording.acknowledged()
}

/// The first calls belong to the opening, which may be refused as a whole; `from` is after it.
async fn calls_that_fail(from: u32, to: u32, step: usize) {
    let mut refused = 0;
    for first in (from..to).step_by(step) {
        for (call, error) in [("write", EIO), ("write", ENOSPC), ("flush", EIO)] {
            refused += survives(call, error, first, 1).await;
        }
    }
    assert!(refused > 0, "no call failed: there is nothing to see");
}

#[tokio::test]
async fn a_call_that_fails_is_not_acknowledged() {
    calls_that_fail(5, 45, 13).await;
}

/// Full for a while, and then there is room again.
#[tokio::test]
async fn a_full_disk_refuses_and_goes_on() {
    let refused = survives("write", ENOSPC, 20, 30).await;
    assert!((1..(CLIENTS * VOTES) as usize).contains(&refused), "{refused} votes were refused");
}

/// The control: a writer that does not look at the outcome is caught.
#[tokio::test]
async fn ignored_errors_are_caught() {
    let recording = record(WriterMode::Careless, "flush", EIO, 8, 12).await;
    assert_ne!(lose_power(&recording, 1, 20).await, Harm::default());
}

/// `cargo test --release -p grove-store --test durability -- --ignored two_hundred_calls`
#[tokio::test]
#[ignore = "takes minutes"]
async fn any_of_two_hundred_calls_may_fail() {
    calls_that_fail(5, 205, 1).await;
}
