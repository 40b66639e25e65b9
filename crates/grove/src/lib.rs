//! The program `grove` as a library: [`main`] for starting it from another program, and [`inference`] for what `grove
//! infer` computes.
//!
//! The command line itself is described in `docs/cli.md`. To compute in Rust, use the crates below this one.

mod cli;
mod commands;
mod context;
mod engine_options;
mod error;
mod files;
pub mod inference;
mod output_options;
mod recorded_votes;
mod terminal;
mod text;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use cli::Cli;

pub use error::{is_bad_input, message};

/// Runs the program with these arguments, of which the first is its own name, as if they had been typed at a terminal.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.run().unwrap_or_else(|error| error::report(&error)),
        Err(error) => error::report_usage(&error),
    }
}
