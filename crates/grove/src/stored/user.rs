//! `grove user`: the accounts of owners.

use std::io::{IsTerminal, Read};

use anyhow::Context;
use grove_campaign::Clock;
use grove_server::{Error, add_owner, hash_password};
use grove_store::Owner;

use super::desk::{Desk, clock, refused};
use crate::args::{User, UserCommand};
use crate::failure::bad_input;
use crate::{files, terminal};

pub(super) async fn run(options: &User, desk: &Desk) -> anyhow::Result<()> {
    match &options.what {
        UserCommand::Add { name } => add(name, desk).await,
        UserCommand::List => list(desk).await,
        UserCommand::Password { name } => password(name, desk).await,
        UserCommand::Give { campaign, name } => give(campaign, name, desk).await,
        UserCommand::Remove { name } => remove(name, desk).await,
    }
}

async fn add(name: &str, desk: &Desk) -> anyhow::Result<()> {
    let password = ask_password()?;
    let store = desk.store_made().await?;
    match add_owner(store, name.trim(), &password, clock().now()).await {
        Ok(_) => desk.remark(&format!("{} may log in now", name.trim())),
        Err(Error::Store(error)) => Err(refused(error)),
        Err(error) => Err(bad_input(error)),
    }
}

async fn list(desk: &Desk) -> anyhow::Result<()> {
    let store = desk.store().await?;
    let campaigns = store.campaigns().await.map_err(refused)?;
    let owners = store.owners().await.map_err(refused)?;
    if owners.is_empty() {
        return desk.remark("no accounts; `grove user add NAME` makes one");
    }
    owners.iter().try_for_each(|owner| {
        let own = campaigns.iter().filter(|campaign| campaign.owner == Some(owner.id)).count();
        files::print(&format!("{}: {}\n", owner.name, terminal::count(own, "campaign")))
    })
}

async fn password(name: &str, desk: &Desk) -> anyhow::Result<()> {
    let owner = named(name, desk).await?;
    let hash = hash_password(&ask_password()?).map_err(bad_input)?;
    desk.store().await?.set_password(owner.id, &hash, clock().now()).await.map_err(refused)?;
    desk.remark(&format!("{name} has a new password, and has to log in again"))
}

async fn give(campaign: &str, name: &str, desk: &Desk) -> anyhow::Result<()> {
    let (owner, found) = (named(name, desk).await?, desk.find(campaign).await?);
    desk.store().await?.give_campaign(found.id, owner.id).await.map_err(refused)?;
    desk.remark(&format!("{campaign} belongs to {name} now"))
}

async fn remove(name: &str, desk: &Desk) -> anyhow::Result<()> {
    let owner = named(name, desk).await?;
    desk.store().await?.delete_owner(owner.id).await.map_err(refused)?;
    desk.remark(&format!("{name} is no more"))
}

async fn named(name: &str, desk: &Desk) -> anyhow::Result<Owner> {
    let found = desk.store().await?.owner_named(name).await.map_err(refused)?;
    found.ok_or_else(|| {
        bad_input(format!("there is no account {name:?}; `grove user list` shows those that are there"))
    })
}

/// Twice at a terminal, where nobody sees what they type; once from a pipe.
fn ask_password() -> anyhow::Result<String> {
    if !std::io::stdin().is_terminal() {
        let mut given = String::new();
        let read = std::io::stdin().read_to_string(&mut given);
        read.map_err(|_| bad_input("the password is not UTF-8 text; give another"))?;
        return Ok(given.trim_end_matches(['\r', '\n']).to_owned());
    }
    let ask = |what| rpassword::prompt_password(what).context("no password could be read");
    let (first, again) = (ask("Password: ")?, ask("Once more: ")?);
    if first == again { Ok(first) } else { Err(bad_input("the two differ; try again")) }
}
