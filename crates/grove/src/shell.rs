//! `grove completions` and `grove man`.

use clap::CommandFactory;

use crate::args::{Args, Completions, Man};
use crate::failure::bad_input;
use crate::files;

/// Prints a completion script.
pub(crate) fn completions(options: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "grove", &mut script);
    files::print(&String::from_utf8(script)?)
}

/// Prints a manual page.
pub(crate) fn man(options: &Man) -> anyhow::Result<()> {
    let mut all = Args::command();
    all.build();
    let command = match &options.command {
        None => all,
        Some(name) => all.find_subcommand(name).cloned().ok_or_else(|| unknown_command(&all, name))?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    files::print(&String::from_utf8(page)?)
}

fn unknown_command(all: &clap::Command, name: &str) -> anyhow::Error {
    let known: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
    bad_input(format!("{name:?} is no command; choose one of {}", known.join(", ")))
}
