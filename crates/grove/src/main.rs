//! Builds hierarchies of concepts by asking people short yes/no questions.

mod args;
mod concepts;
mod convert;
mod demo;
mod diff;
mod engine;
mod failure;
mod files;
mod found;
mod infer;
mod lab;
mod progress;
mod recorded;
mod runtime;
mod serve;
mod shell;
mod simulate;
mod stored;
mod terminal;

use std::process::ExitCode;

use args::{Args, Command};
use clap::Parser;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return failure::report_options(&error),
    };
    match run(&args) {
        Ok(code) => code,
        Err(error) => failure::report(&error),
    }
}

fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let quiet = args.quiet;
    match &args.command {
        Command::Demo(options) => demo::run(options, args.database.as_deref(), quiet)?,
        Command::Serve(options) => serve::run(options, args.database.as_deref(), quiet)?,
        Command::Infer(options) => infer::run(options, quiet)?,
        Command::Simulate(options) => simulate::run(options, quiet)?,
        Command::Lab(options) => lab::run(options, quiet)?,
        Command::Diff(options) => return diff::run(options),
        Command::Concepts(options) => concepts::run(options, quiet)?,
        Command::Convert(options) => convert::run(options)?,
        Command::Stored(command) => return stored::run(command, args.database.as_deref(), quiet),
        Command::Completions(options) => shell::completions(options)?,
        Command::Man(options) => shell::man(options)?,
    }
    Ok(ExitCode::SUCCESS)
}
