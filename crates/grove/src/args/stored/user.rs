use clap::Subcommand;

/// Makes and removes the accounts of owners, who see their campaigns in a browser.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove user add ann                            asks for a password
  printf %s \"$PASSWORD\" | grove user add ann    takes it from standard input
  grove user list
  grove user give food ann                      ann gets a campaign that was made at the command line

Workers need no account: they come by the invitation links that owners make.")]
pub(crate) struct User {
    #[command(subcommand)]
    pub(crate) what: UserCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum UserCommand {
    /// Makes an account. The first one gets all campaigns that nobody has.
    Add {
        /// The name to log in with.
        name: String,
    },
    /// Lists the accounts.
    List,
    /// Gives an account another password, and ends its sessions.
    Password {
        /// Whose.
        name: String,
    },
    /// Gives a campaign to an account.
    Give {
        /// The campaign's name or id.
        campaign: String,
        /// Who gets it.
        name: String,
    },
    /// Removes an account that has no campaigns.
    Remove {
        /// Whose.
        name: String,
    },
}
