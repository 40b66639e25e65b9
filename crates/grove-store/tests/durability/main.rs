//! Acknowledged votes survive `kill -9` and power loss.

#[cfg(test)]
mod failing;
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
