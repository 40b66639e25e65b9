//! `grove serve` under load, killed and started again.

mod client;
mod databases;
mod faults;
mod installs;
mod kill;
mod once;
mod people;
#[path = "../../../grove-store/tests/conformance/postgres.rs"]
mod postgres;
mod program;
mod proxy;
mod servers;
mod starts;
mod told;
mod world;
