//! The whole path of a study against a local Prolific that shares no code with Grove's client.
//!
//! The long versions: `cargo nextest run --release -p grove-server --test crowds --run-ignored only -E 'test(long)'`.

#![expect(clippy::unwrap_used, reason = "in a test, a panic says where it failed")]

mod ended;
mod kills;
mod links;
mod models;
mod page;
mod programs;
mod study;
mod webhooks;
mod world;
