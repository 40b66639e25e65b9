//! `grove workers`: lists who has answered; excludes and includes their votes.

use clap::Subcommand;
use grove_campaign::Error;
use grove_campaign::operations::WorkerSummary;
use grove_store::{CredentialId, VoteSource, WorkerId};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::context::Context;
use crate::error::bad_input;
use crate::files;
use crate::text::count;

/// List the workers of a campaign; exclude the votes of some, and include them again.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  grove workers list food
  grove workers exclude food w-3f2a90c41b7d55e0
  grove workers include food w-3f2a90c41b7d55e0
  grove workers exclude food --link 019a3f64-5c1e-7d52-9f0e-6a1b2c3d4e5f

Excluded votes stay in the log and are not evidence. Whoever is excluded is not asked any more.")]
pub(crate) struct Workers {
    #[command(subcommand)]
    command: WorkersCommand,
}

#[derive(Subcommand, Debug)]
enum WorkersCommand {
    /// List everybody who ever voted.
    List {
        /// The campaign.
        name: String,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Exclude the votes of a worker, or of everybody who came through a link, from the evidence.
    Exclude(Whose),
    /// Include votes again that were excluded.
    Include(Whose),
}

#[derive(clap::Args, Debug)]
struct Whose {
    /// The campaign.
    name: String,
    /// The worker.
    #[arg(required_unless_present = "link", conflicts_with = "link")]
    worker: Option<String>,
    /// The id of an invitation link: all votes that came through it.
    #[arg(long, value_name = "ID")]
    link: Option<Uuid>,
}

impl Whose {
    fn source(&self) -> anyhow::Result<VoteSource> {
        match (self.link, &self.worker) {
            (Some(link), _) => Ok(VoteSource::Link(CredentialId(link))),
            (None, worker) => Ok(VoteSource::Worker(WorkerId::new(worker.clone().unwrap_or_default())?)),
        }
    }
}

impl Workers {
    pub(crate) async fn run(&self, context: &Context) -> anyhow::Result<()> {
        match &self.command {
            WorkersCommand::List { name, json } => list(name, *json, context).await,
            WorkersCommand::Exclude(whose) => {
                let (source, campaign) = (whose.source()?, context.open(&whose.name).await?);
                campaign.exclude(source.clone()).await.map_err(|error| match error {
                    Error::Store(grove_store::Error::Unknown(what)) => bad_input(format!(
                        "there is no such {what} in {}; `grove workers list` lists the workers",
                        whose.name
                    )),
                    other => other.into(),
                })?;
                let excluded = campaign.state()?.votes().excluded_count();
                context.remark(&format!("excluded {source}; {} in all do not count", count(excluded, "vote")))
            }
            WorkersCommand::Include(whose) => {
                let (source, campaign) = (whose.source()?, context.open(&whose.name).await?);
                if campaign.state()?.excluded().all(|known| *known != source) {
                    return Err(bad_input(format!("{source} is not excluded; nothing was changed")));
                }
                campaign.include(source.clone()).await?;
                let excluded = campaign.state()?.votes().excluded_count();
                context.remark(&format!("included {source}; {} do not count", count(excluded, "vote")))
            }
        }
    }
}

async fn list(name: &str, as_json: bool, context: &Context) -> anyhow::Result<()> {
    let campaign = context.open(name).await?;
    let workers = campaign.workers().await?;
    if as_json {
        let workers: Vec<Value> = workers.iter().map(object).collect();
        return files::print_json(&json!({ "name": name, "workers": workers }));
    }
    if workers.is_empty() {
        return context.remark("nobody has answered yet");
    }
    files::print(&workers.iter().map(line).collect::<String>())
}

fn line(one: &WorkerSummary) -> String {
    let mut text = format!("{}: {}", one.worker, count(one.votes as usize, "vote"));
    if one.withdrawn > 0 {
        text += &format!(", {} withdrawn", one.withdrawn);
    }
    if one.is_excluded {
        text += ", excluded";
    } else if one.excluded > 0 {
        text += &format!(", {} of them excluded with their link", one.excluded);
    }
    if let Some(chance) = one.copies_model.filter(|_| one.seems_copied()) {
        text += &format!(", answers like a language model ({:.0} %)", 100.0 * chance);
    }
    text + "\n"
}

/// Field names are documented in docs/cli.md and do not change.
fn object(one: &WorkerSummary) -> Value {
    json!({
        "worker": one.worker,
        "votes": one.votes,
        "withdrawn": one.withdrawn,
        "excluded": one.excluded,
        "is_excluded": one.is_excluded,
        "copies_model": one.copies_model,
    })
}
