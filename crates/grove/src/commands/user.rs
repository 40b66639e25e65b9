//! `grove user`: the accounts of owners.

use std::io::{IsTerminal, Read};

use anyhow::Context as _;
use clap::Subcommand;
use grove_campaign::operations::Caller;
use grove_server::{add_owner, hash_password};
use grove_store::{AuditEntry, Owner};

use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::{count, time};

/// Manage the accounts of owners, who see their campaigns in a browser.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove user add ann                            asks for a password
  printf %s \"$PASSWORD\" | grove user add ann    reads it from standard input
  grove user reset-password ann                 asks for a new one
  grove user list
  grove user log                                who logged in, and who tried to
  grove user sessions ann --end                 logs ann out everywhere
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
    /// Change the password of an account and end its sessions, for example because it was forgotten.
    #[command(visible_alias = "reset-password")]
    Password {
        /// The account.
        name: String,
    },
    /// Let the owner of an account log in again from anywhere, after too many wrong passwords.
    Unlock {
        /// The account.
        name: String,
    },
    /// List the browsers in which the owner of an account is logged in.
    Sessions {
        /// The account.
        name: String,
        /// End all of them.
        #[arg(long)]
        end: bool,
    },
    /// Print who logged in, who tried to, and what was done to accounts, the newest first.
    Log {
        /// Only what concerns this account.
        name: Option<String>,
        /// The most entries to print.
        #[arg(long, value_name = "ENTRIES", default_value_t = 100)]
        last: u32,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
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
            UserCommand::Sessions { name, end } => sessions(name, *end, context).await,
            UserCommand::Log { name, last, json } => log(name.as_deref(), *last, *json, context).await,
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

async fn sessions(name: &str, end: bool, context: &Context) -> anyhow::Result<()> {
    let (owner, workspace) = (find(name, context).await?, context.workspace().await?);
    if end {
        let ended = workspace.end_sessions(&Caller::local(), owner.id).await?;
        return context.remark(&format!("{} of {name} ended", count(ended, "session")));
    }
    let sessions = workspace.account_sessions(&Caller::local(), owner.id).await?;
    sessions
        .iter()
        .try_for_each(|session| files::print(&format!("{}  {}\n", time(session.created), session.label)))
}

async fn log(name: Option<&str>, last: u32, json: bool, context: &Context) -> anyhow::Result<()> {
    let owner = match name {
        Some(name) => Some(find(name, context).await?.id),
        None => None,
    };
    let entries = context.workspace().await?.audit(&Caller::local(), owner, last).await?;
    let owners = context.store().await?.owners().await?;
    let name = |id| owners.iter().find(|owner| Some(owner.id) == id).map(|owner| owner.name.as_str());
    if json {
        let object = |entry: &AuditEntry| {
            serde_json::json!({ "at": time(entry.at), "account": entry.owner, "name": name(entry.owner),
                "action": entry.action, "address": entry.address })
        };
        let entries: Vec<_> = entries.iter().map(object).collect();
        return files::print_json(&serde_json::json!({ "entries": entries }));
    }
    entries.iter().try_for_each(|entry| {
        let who = name(entry.owner).unwrap_or("an unknown name");
        files::print(&format!("{}  {who}: {} from {}\n", time(entry.at), entry.action, entry.address))
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
