//! What was acknowledged stays, through `kill -9` and through power loss.

#[cfg(test)]
mod kill;
#[cfg(test)]
#[path = "../conformance/postgres.rs"]
mod postgres;
#[cfg(test)]
mod power;
#[cfg(test)]
mod record;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod writer;
