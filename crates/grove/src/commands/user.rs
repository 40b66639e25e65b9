//! `grove user`: the accounts of owners.

use std::io::{IsTerminal, Read};

use anyhow::Context as _;
use clap::Subcommand;
use grove_campaign::operations::Caller;
use grove_server::{add_owner, hash_password};
use grove_store::Owner;

use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::count;

/// Manage the accounts of owners, who see their campaigns in a browser.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove user add ann                            asks for a password
  printf %s \"$PASSWORD\" | grove user add ann    reads it from standard input
  grove user list
  grove user give food ann                      gives ann a campaign that was created at the command line

Workers need no account: they use the invitation links that owners create.")]
pub(crate) struct User {
    #[command(subcommand)]
    command: UserCommand,
}

#[derive(Subcommand, Debug)]
enum UserCommand {
    /// Create an account. The first one gets all campaigns without an owner.
    Add {
        /// The name to log in with.
        name: String,
    },
    /// List the accounts.
    List,
    /// Change the password of an account, and end its sessions.
    Password {
        /// The account.
        name: String,
    },
    /// Let the owner of an account log in again from anywhere, after too many wrong passwords.
    Unlock {
        /// The account.
        name: String,
    },
    /// Give a campaign to an account.
    Give {
        /// The campaign.
        campaign: String,
        /// The account.
        name: String,
    },
    /// Remove an account that has no campaigns.
    Remove {
        /// The account.
        name: String,
    },
}

impl User {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match &self.command {
            UserCommand::Add { name } => {
                let (name, password) = (name.trim(), ask_password()?);
                add_owner(context.store_or_new().await?, name, &password).await?;
                context.remark(&format!("account {name} created"))
            }
            UserCommand::List => list(context).await,
            UserCommand::Password { name } => {
                let owner = find(name, context).await?;
                let hash = hash_password(&ask_password()?).map_err(bad_input)?;
                context.workspace().await?.set_password(&Caller::local(), owner.id, &hash).await?;
                context.remark(&format!("password of {name} changed; they have to log in again"))
            }
            UserCommand::Unlock { name } => {
                let owner = find(name, context).await?;
                context.workspace().await?.unlock_account(&Caller::local(), owner.id).await?;
                context.remark(&format!("{name} may log in again"))
            }
            UserCommand::Give { campaign, name } => {
                let (owner, found) = (find(name, context).await?, context.find(campaign).await?);
                context.workspace().await?.give_campaign(&Caller::local(), found.id, owner.id).await?;
                context.remark(&format!("{campaign} now belongs to {name}"))
            }
            UserCommand::Remove { name } => {
                let owner = find(name, context).await?;
                context.workspace().await?.delete_account(&Caller::local(), owner.id).await?;
                context.remark(&format!("account {name} removed"))
            }
        }
    }
}

async fn list(context: &Context) -> anyhow::Result<()> {
    let store = context.store().await?;
    let (owners, campaigns) = (store.owners().await?, store.campaigns().await?);
    if owners.is_empty() {
        return context.remark("no accounts; `grove user add NAME` creates one");
    }
    owners.iter().try_for_each(|owner| {
        let own = campaigns.iter().filter(|campaign| campaign.owner == Some(owner.id)).count();
        files::print(&format!("{}: {}\n", owner.name, count(own, "campaign")))
    })
}

async fn find(name: &str, context: &Context) -> anyhow::Result<Owner> {
    let found = context.store().await?.owner_named(name).await?;
    found.ok_or_else(|| {
        bad_input(format!("there is no account {name:?}; `grove user list` shows the accounts"))
    })
}

/// Asks twice at a terminal, without showing what is typed; reads standard input otherwise.
fn ask_password() -> anyhow::Result<String> {
    if !std::io::stdin().is_terminal() {
        let mut given = String::new();
        let read = std::io::stdin().read_to_string(&mut given);
        read.map_err(|_| bad_input("the password is not UTF-8 text; give another"))?;
        return Ok(given.trim_end_matches(['\r', '\n']).to_owned());
    }
    let ask = |prompt| rpassword::prompt_password(prompt).context("cannot read a password");
    let (first, again) = (ask("Password: ")?, ask("Repeat the password: ")?);
    if first == again { Ok(first) } else { Err(bad_input("the passwords differ; try again")) }
}
