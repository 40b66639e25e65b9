//! `grove serve` under load, killed and started again.

mod client;
mod kill;
mod once;
#[path = "../../../grove-store/tests/conformance/postgres.rs"]
mod postgres;
mod program;
mod world;
