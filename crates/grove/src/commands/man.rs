//! `grove man`.

use clap::CommandFactory;

use crate::cli::Cli;
use crate::context::Context;
use crate::error::bad_input;
use crate::files;

/// Print the manual page of Grove or of one command.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove man | man -l -
  grove man infer > /usr/local/share/man/man1/grove-infer.1")]
pub(crate) struct Man {
    /// The command.
    command: Option<String>,
}

impl Man {
    pub(crate) async fn run(&self, _: &Context) -> anyhow::Result<()> {
        let mut all = Cli::command();
        all.build();
        let command = match &self.command {
            None => all,
            Some(name) => all.find_subcommand(name).cloned().ok_or_else(|| {
                let known: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
                bad_input(format!("{name:?} is not a command; choose one of {}", known.join(", ")))
            })?,
        };
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        files::print(&String::from_utf8(page)?)
    }
}
