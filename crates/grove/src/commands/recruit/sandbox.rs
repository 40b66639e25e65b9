//! A study for a real campaign at a local Prolific, with simulated people: what recruiting looks like, without money.

use std::path::Path;

use futures_util::future::join_all;
use grove_campaign::operations::recruit::{PanelSettings, StudySettings};
use grove_campaign::operations::{Access, Caller};
use grove_crowd::{Cents, Crowds, GenericPanel, PanelConnection, Secret};
use grove_formats::Hierarchy;
use grove_sandbox::{Informed, Sandbox, SandboxOptions, Truth};
use grove_server::{Config, Server};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tokio::sync::oneshot;

use crate::context::Context;
use crate::error::bad_input;
use crate::files;

/// How many people answer at the same time.
const AT_ONCE: u32 = 4;
/// How often they err.
const ERROR_RATE: f64 = 0.08;

pub(super) async fn run(
    context: &Context,
    name: &str,
    people: u32,
    questions: u32,
    truth: Option<&Path>,
) -> anyhow::Result<()> {
    let truth = truth.map(files::read_tree).transpose()?.as_ref().map(known);
    let campaign = context.find(name).await?.id;
    let sandbox = Sandbox::start(SandboxOptions::default()).await?;
    let token = Secret::new(&sandbox.token(), "the sandbox").map_err(bad_input)?;
    let panel =
        PanelConnection::new("sandbox", &sandbox.url(), token, &sandbox.workspace(), Cents(1_000_000));
    let config = Config {
        listen: ([127, 0, 0, 1], 0).into(),
        database: context.database(),
        crowds: Crowds::default().with_panel(panel),
        ..Config::default()
    };
    let server = Server::bind(&config).await?;
    let (url, workspace) = (server.url().to_owned(), server.workspace().clone());
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async move {
        // Dropping the sender stops the server too.
        let _ = stopped.await;
    }));
    let access = workspace.campaign(Caller::local(), campaign).await?;
    let settings = PanelSettings {
        entry: GenericPanel::prolific(questions, "FINISHED".to_owned(), "NOTHING".to_owned()),
        study: Some(StudySettings {
            name: "A study in the sandbox".to_owned(),
            description: "Short questions, answered by simulated people.".to_owned(),
            places: people,
            most_places: people,
            minutes: questions.div_ceil(8),
            reward: Cents(u64::from(questions.div_ceil(8)) * 20),
            budget: Cents(1_000_000),
            approve: true,
        }),
    };
    let id = access.add_panel("sandbox", Some("sandbox"), settings).await?;
    access.draft_study(id, &url).await?;
    let quote = access.quote(id).await?;
    context.remark(&format!("drafted: {} with fees and tax, {} an hour", quote.cost, quote.hourly))?;
    access.publish_study(id, None).await?;
    context.remark(&format!("published; {people} people take part"))?;
    let study = access.panel(id).await?.panel.study.unwrap_or_default();
    let truth = match truth {
        Some(truth) => truth,
        None => made_up(&names(&access)?),
    };
    let answerer = Informed { truth, error_rate: ERROR_RATE };
    let bar = context.bar(people.into(), "people");
    let mut left = people;
    while left > 0 {
        let group = left.min(AT_ONCE);
        for one in join_all((0..group).map(|_| sandbox.take_part(&study, &answerer))).await {
            one.map_err(|problem| anyhow::anyhow!("somebody could not take part: {problem}"))?;
            bar.inc(1);
        }
        left -= group;
        // Real people take seconds for an answer, in which the belief catches up and finds better questions.
        access.campaign()?.settle().await?;
    }
    drop(bar);
    // The first finds out who has finished and approves them, the second that they are approved.
    access.sync_study(id).await?;
    access.sync_study(id).await?;
    let view = access.panel(id).await?;
    let spent = Cents(sandbox.ledger().charged.unsigned_abs());
    files::print(&format!(
        "{} finished, {} turned away, {} approved, {} left for review; {spent} spent\n",
        view.tally.finished, view.tally.turned_away, view.tally.approved, view.tally.to_review
    ))?;
    drop(stop);
    serving.await??;
    Ok(())
}

/// What people believe who were given no hierarchy: one that is made up, each concept under the root or under one of those before it.
fn made_up(concepts: &[String]) -> Truth {
    let mut rng = ChaCha8Rng::seed_from_u64(concepts.len() as u64);
    let parent = |(at, concept): (usize, &String)| {
        let parent = rng.random_range(0..=at).checked_sub(1).map_or("", |before| concepts[before].as_str());
        (concept.clone(), parent.to_owned())
    };
    concepts.iter().enumerate().map(parent).collect()
}

fn names(access: &Access) -> anyhow::Result<Vec<String>> {
    Ok(access.state()?.concepts().present().map(|concept| concept.name.clone()).collect())
}

fn known(truth: &Hierarchy) -> Truth {
    let parents =
        truth.entries().iter().map(|entry| (entry.name.clone(), truth.name(entry.parent).to_owned()));
    parents.collect()
}
