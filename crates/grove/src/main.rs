//! Builds hierarchies of concepts by asking people short yes/no questions.

mod cli;
mod commands;
mod context;
mod engine_options;
mod error;
mod files;
mod output_options;
mod recorded_votes;
mod terminal;
mod text;

use std::process::ExitCode;

use clap::Parser;
use cli::Cli;

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => cli.run().unwrap_or_else(|error| error::report(&error)),
        Err(error) => error::report_usage(&error),
    }
}
