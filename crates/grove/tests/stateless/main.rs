//! The commands that keep no campaign, run as a person runs them.

mod alone;
mod bad_inputs;
mod commands;
mod folder;
