use clap_complete::Shell;

/// Prints a script that completes commands in a shell.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove completions bash > ~/.local/share/bash-completion/completions/grove
  grove completions zsh > ~/.zfunc/_grove
  grove completions fish > ~/.config/fish/completions/grove.fish")]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Prints the manual page, of Grove or of one command.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove man | man -l -
  grove man infer > /usr/local/share/man/man1/grove-infer.1")]
pub(crate) struct Man {
    /// The command.
    pub(crate) command: Option<String>,
}
