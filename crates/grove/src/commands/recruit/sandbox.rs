//! A study for a real campaign at a local Prolific, with simulated people: what recruiting looks like, without money.

use std::path::Path;

use futures_util::StreamExt as _;
use grove_campaign::operations::Caller;
use grove_campaign::operations::recruit::{PanelSettings, StudySettings};
use grove_crowd::{Cents, Crowds, GenericPanel, PanelConnection, Secret};
use grove_formats::Hierarchy;
use grove_sandbox::{Answerer, Page, Sandbox, SandboxOptions};
use grove_server::{Config, Server};
use tokio::sync::oneshot;

use crate::context::Context;
use crate::error::bad_input;
use crate::files;

/// How many people answer at the same time.
const AT_ONCE: usize = 8;
/// Of 100 answers, so many are wrong.
const ERRORS: u64 = 8;

pub(super) async fn run(
    context: &Context,
    name: &str,
    people: u32,
    questions: u32,
    truth: Option<&Path>,
) -> anyhow::Result<()> {
    let truth = truth.map(files::read_tree).transpose()?;
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
    let answerer = Simulated { truth };
    let taking_part = futures_util::stream::iter(0..people).map(|_| sandbox.take_part(&study, &answerer));
    let bar = context.bar(people.into(), "people");
    let mut done = std::pin::pin!(taking_part.buffer_unordered(AT_ONCE));
    while let Some(one) = done.next().await {
        one.map_err(|problem| anyhow::anyhow!("somebody could not take part: {problem}"))?;
        bar.inc(1);
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

/// People who believe a hierarchy and err now and then, each in their own way.
struct Simulated {
    truth: Option<Hierarchy>,
}

impl Simulated {
    fn is_above(&self, upper: &str, lower: &str) -> Option<bool> {
        let truth = self.truth.as_ref()?;
        let find = |name: &str| {
            truth
                .concepts()
                .find(|(_, entry)| entry.name.eq_ignore_ascii_case(name))
                .map(|(concept, _)| concept)
        };
        Some(truth.tree().is_above(find(upper)?, find(lower)?))
    }
}

impl Answerer for Simulated {
    fn answer(&self, person: &str, question: &Page, choices: &[(String, String)]) -> String {
        let names = question.names();
        let chance = |text: String| {
            let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            (text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, mix) >> 20) % 100
        };
        let has = |value: &str| choices.iter().any(|(known, _)| known == value);
        if let ([lower, upper], true) = (names.as_slice(), has("yes")) {
            // Without a truth, people agree on something made up.
            let holds =
                self.is_above(upper, lower).unwrap_or_else(|| chance(format!("{lower}|{upper}")) < 20);
            let errs = chance(format!("{person}|{lower}|{upper}")) < ERRORS;
            return if holds != errs { "yes" } else { "no" }.to_owned();
        }
        if has("cant_say") {
            "cant_say".to_owned()
        } else {
            choices.first().map(|(value, _)| value.clone()).unwrap_or_default()
        }
    }
}
