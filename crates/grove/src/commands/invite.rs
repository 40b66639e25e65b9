//! `grove invite`: links with which people answer.

use clap::Subcommand;
use grove_campaign::operations::{LinkSummary, NewLink};
use grove_store::{CredentialId, LinkLimits, Moment};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::{count, time};

/// Make, list and revoke links with which people answer the questions of a campaign.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove invite new food --label \"mailing list\" --address https://grove.example.org
  grove invite new food --most-workers 40 --most-votes 2000 --hours 72
  grove invite new food --once                  a link for one person
  grove invite list food
  grove invite revoke food 019a3f64-5c1e-7d52-9f0e-6a1b2c3d4e5f

`grove workers exclude food --link ID` takes all votes that came through a link out of the belief.")]
pub(crate) struct Invite {
    #[command(subcommand)]
    command: InviteCommand,
}

#[derive(Subcommand, Debug)]
enum InviteCommand {
    /// Make a link. It is printed once: only its hash is stored.
    New {
        /// The campaign.
        name: String,
        /// A name for the link, for your own use.
        #[arg(long, default_value = "")]
        label: String,
        /// The most people who may use it.
        #[arg(long, value_name = "PEOPLE", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "once")]
        most_workers: Option<u32>,
        /// The most votes that may come through it.
        #[arg(long, value_name = "VOTES", value_parser = clap::value_parser!(u32).range(1..))]
        most_votes: Option<u32>,
        /// For one person: the same as --most-workers 1.
        #[arg(long)]
        once: bool,
        /// How many hours it is valid.
        #[arg(long)]
        hours: Option<u32>,
        /// The address at which people reach the server.
        #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8077")]
        address: String,
    },
    /// List the links, with what came through them.
    List {
        /// The campaign.
        name: String,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Revoke a link. The votes that came through it stay.
    Revoke {
        /// The campaign.
        name: String,
        /// The id of the link.
        link: Uuid,
    },
}

impl Invite {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match &self.command {
            InviteCommand::New { name, label, most_workers, most_votes, once, hours, address } => {
                let most_workers = if *once { Some(1) } else { *most_workers };
                let limits = LinkLimits { most_workers, most_votes: *most_votes };
                let link = NewLink { label: label.trim().to_owned(), hours: *hours, limits };
                let campaign = context.open(name).await?;
                let (id, path) = grove_server::invite(&campaign, link).await.map_err(bad_input)?;
                context.remark(&format!("link {id}"))?;
                files::print(&format!("{}{path}\n", address.trim_end_matches('/')))
            }
            InviteCommand::List { name, json } => list(name, *json, context).await,
            InviteCommand::Revoke { name, link } => {
                let campaign = context.open(name).await?;
                campaign.revoke_invitation(CredentialId(*link)).await.map_err(|error| match error {
                    grove_campaign::Error::Store(grove_store::Error::Unknown(_)) => bad_input(format!(
                        "{name} has no link {link} that works; `grove invite list` lists them"
                    )),
                    other => other.into(),
                })?;
                context.remark("revoked; all servers stop accepting it within a second")
            }
        }
    }
}

async fn list(name: &str, as_json: bool, context: &Context) -> anyhow::Result<()> {
    let (links, now) = (context.open(name).await?.links().await?, context.workspace().await?.now());
    if as_json {
        let links: Vec<Value> = links.iter().map(|link| object(link, now)).collect();
        return files::print_json(&json!({ "name": name, "links": links }));
    }
    if links.is_empty() {
        return context.remark("no links; `grove invite new` makes one");
    }
    files::print(&links.iter().map(|link| line(link, now)).collect::<String>())
}

fn status(link: &LinkSummary, now: Moment) -> &'static str {
    match link {
        LinkSummary { credential, .. } if credential.revoked.is_some() => "revoked",
        link if link.is_over(now) => "expired",
        _ => "works",
    }
}

fn line(link: &LinkSummary, now: Moment) -> String {
    let of = |most: Option<u32>| most.map_or_else(String::new, |most| format!(" of {most}"));
    let label = if link.credential.label.is_empty() { "unnamed" } else { &link.credential.label };
    let mut text = format!(
        "{}  {label}: {}{}, {}{}, {}",
        link.credential.id,
        count(link.tally.workers as usize, "worker"),
        of(link.limits.most_workers),
        count(link.tally.votes as usize, "vote"),
        of(link.limits.most_votes),
        status(link, now),
    );
    if let Some(until) = link.credential.until {
        text += &format!(" until {}", time(until));
    }
    if link.is_excluded {
        text += ", excluded";
    }
    text + "\n"
}

/// Field names are documented in docs/cli.md and do not change.
fn object(link: &LinkSummary, now: Moment) -> Value {
    json!({
        "id": link.credential.id,
        "label": link.credential.label,
        "created": time(link.credential.created),
        "expires": link.credential.until.map(time),
        "status": status(link, now),
        "excluded": link.is_excluded,
        "most_workers": link.limits.most_workers,
        "most_votes": link.limits.most_votes,
        "workers": link.tally.workers,
        "votes": link.tally.votes,
    })
}
