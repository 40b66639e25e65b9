//! `grove completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::context::Context;
use crate::files;

/// Print a completion script for a shell.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove completions bash > ~/.local/share/bash-completion/completions/grove
  grove completions zsh > ~/.zfunc/_grove
  grove completions fish > ~/.config/fish/completions/grove.fish")]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) async fn run(&self, _: &Context) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "grove", &mut script);
        files::print(&String::from_utf8(script)?)
    }
}
