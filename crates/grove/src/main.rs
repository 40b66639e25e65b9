//! Builds hierarchies of concepts by asking people short yes/no questions.

mod args;
mod demo;
mod terminal;

use clap::Parser;

fn main() -> anyhow::Result<()> {
    match args::Args::parse().command {
        args::Command::Demo(options) => demo::run(&options),
    }
}
